"""Every setting, once: the settings file, the dialog and the search in it all come from this table.

Texts are English here and marked for translation in the context "Settings"; whoever shows one translates it with
`QCoreApplication.translate("Settings", text)`.
"""

from desktop_app.setting import Applies, Choice, Group, Kind, Setting, Value
from desktop_app.translation import QT_TRANSLATE_NOOP
from engine.config import BUILTIN, MAX_SEED, DecodingMode

# One line for a person who chooses a mode; the words are those of the engine, marked here for translation.
MODES = (
    Choice(
        DecodingMode.STAGED.value,
        QT_TRANSLATE_NOOP("Settings", "Staged"),
        QT_TRANSLATE_NOOP("Settings", "A token tree from the draft, which n-grams speed up in turn. The fastest mode."),
    ),
    Choice(
        DecodingMode.TREE.value,
        QT_TRANSLATE_NOOP("Settings", "Tree"),
        QT_TRANSLATE_NOOP(
            "Settings", "The draft proposes a tree of likely continuations; the target checks all in one pass."
        ),
    ),
    Choice(
        DecodingMode.SPECULATIVE.value,
        QT_TRANSLATE_NOOP("Settings", "Speculative"),
        QT_TRANSLATE_NOOP(
            "Settings", "A small draft model proposes a chain of tokens; the target checks them in one pass."
        ),
    ),
    Choice(
        DecodingMode.NGRAM.value,
        QT_TRANSLATE_NOOP("Settings", "N-gram"),
        QT_TRANSLATE_NOOP(
            "Settings", "Proposals from n-grams alone: a static table and the conversation itself. Needs no draft."
        ),
    ),
    Choice(
        DecodingMode.PLAIN.value,
        QT_TRANSLATE_NOOP("Settings", "Plain"),
        QT_TRANSLATE_NOOP(
            "Settings", "One token per pass of the target. The reference that every other mode must match."
        ),
    ),
)

DECODING = (
    Setting(
        "decoding.mode",
        Kind.CHOICE,
        DecodingMode.STAGED.value,
        Group.DECODING,
        QT_TRANSLATE_NOOP("Settings", "Decoding mode"),
        QT_TRANSLATE_NOOP("Settings", "How answers are sped up. The text is the same in every mode."),
        choices=MODES,
    ),
    Setting(
        "decoding.draft",
        Kind.PATH,
        None,
        Group.DECODING,
        QT_TRANSLATE_NOOP("Settings", "Draft model"),
        QT_TRANSLATE_NOOP("Settings", "The small model that proposes tokens. It must share the target's vocabulary."),
        applies=Applies.NEXT_LOAD,
        none_label=QT_TRANSLATE_NOOP("Settings", "The one that comes with the model"),
    ),
    Setting(
        "decoding.max_tree_nodes",
        Kind.INT,
        None,
        Group.DECODING,
        QT_TRANSLATE_NOOP("Settings", "Tree budget"),
        QT_TRANSLATE_NOOP(
            "Settings",
            "The most tokens that one pass of the target may check. Automatic weighs what a token adds against what it "
            "costs on this machine.",
        ),
        minimum=1,
        maximum=64,
        step=1,
        none_label=QT_TRANSLATE_NOOP("Settings", "Automatic"),
    ),
    Setting(
        "decoding.use_ngram",
        Kind.BOOL,
        True,
        Group.DECODING,
        QT_TRANSLATE_NOOP("Settings", "Stage 2: n-grams speed up the draft"),
        QT_TRANSLATE_NOOP("Settings", "In staged mode, n-grams run ahead of the draft, which checks several at once."),
    ),
)

SAMPLING = (
    Setting(
        "sampling.temperature",
        Kind.FLOAT,
        0.7,
        Group.SAMPLING,
        QT_TRANSLATE_NOOP("Settings", "Temperature"),
        QT_TRANSLATE_NOOP("Settings", "0 always takes the most probable token; higher values surprise more."),
        minimum=0.0,
        maximum=5.0,
        step=0.05,
    ),
    Setting(
        "sampling.top_k",
        Kind.INT,
        50,
        Group.SAMPLING,
        QT_TRANSLATE_NOOP("Settings", "Top-k"),
        QT_TRANSLATE_NOOP("Settings", "Only the k most probable tokens may be chosen; 0 allows all."),
        minimum=0,
        maximum=1000,
        step=1,
    ),
    Setting(
        "sampling.top_p",
        Kind.FLOAT,
        0.95,
        Group.SAMPLING,
        QT_TRANSLATE_NOOP("Settings", "Top-p"),
        QT_TRANSLATE_NOOP(
            "Settings",
            "Only the most probable tokens that together reach this probability may be chosen; 1 allows all.",
        ),
        minimum=0.01,
        maximum=1.0,
        step=0.01,
    ),
    Setting(
        "sampling.repetition_penalty",
        Kind.FLOAT,
        1.1,
        Group.SAMPLING,
        QT_TRANSLATE_NOOP("Settings", "Repetition penalty"),
        QT_TRANSLATE_NOOP("Settings", "Makes tokens that were used before less probable; 1 is off."),
        minimum=0.5,
        maximum=2.0,
        step=0.01,
    ),
    Setting(
        "sampling.seed",
        Kind.INT,
        None,
        Group.SAMPLING,
        QT_TRANSLATE_NOOP("Settings", "Seed"),
        QT_TRANSLATE_NOOP("Settings", "The same seed gives the same answer. Each answer shows the seed that it used."),
        minimum=0,
        maximum=MAX_SEED,
        step=1,
        none_label=QT_TRANSLATE_NOOP("Settings", "A new one for each answer"),
    ),
    Setting(
        "sampling.max_new_tokens",
        Kind.INT,
        256,
        Group.SAMPLING,
        QT_TRANSLATE_NOOP("Settings", "Longest answer"),
        QT_TRANSLATE_NOOP("Settings", "In tokens. An answer that was cut off can be continued."),
        minimum=1,
        maximum=1024,
        step=16,
    ),
    Setting(
        "sampling.stop",
        Kind.TEXTS,
        (),
        Group.SAMPLING,
        QT_TRANSLATE_NOOP("Settings", "Stop at"),
        QT_TRANSLATE_NOOP("Settings", "Texts that end an answer, one a line. The chat format has its own besides."),
    ),
)

MODEL = (
    Setting(
        "model.target",
        Kind.PATH,
        BUILTIN,
        Group.MODEL,
        QT_TRANSLATE_NOOP("Settings", "Model"),
        QT_TRANSLATE_NOOP("Settings", "The model that answers: the built-in one, or a folder with a GPT-2 checkpoint."),
        applies=Applies.NEXT_LOAD,
    ),
    Setting(
        "model.device",
        Kind.CHOICE,
        "auto",
        Group.MODEL,
        QT_TRANSLATE_NOOP("Settings", "Device"),
        QT_TRANSLATE_NOOP("Settings", "Where the model computes."),
        applies=Applies.NEXT_LOAD,
        choices=(
            Choice("auto", QT_TRANSLATE_NOOP("Settings", "Automatic")),
            Choice("cpu", QT_TRANSLATE_NOOP("Settings", "Processor (CPU)")),
            Choice("cuda", QT_TRANSLATE_NOOP("Settings", "NVIDIA GPU (CUDA)")),
            Choice("cuda:1", QT_TRANSLATE_NOOP("Settings", "Second NVIDIA GPU")),
            Choice("mps", QT_TRANSLATE_NOOP("Settings", "Apple GPU (Metal)")),
        ),
    ),
    Setting(
        "model.dtype",
        Kind.CHOICE,
        "auto",
        Group.MODEL,
        QT_TRANSLATE_NOOP("Settings", "Precision"),
        QT_TRANSLATE_NOOP("Settings", "Automatic measures which is fastest here. 16 bit halves the memory."),
        applies=Applies.NEXT_LOAD,
        choices=(
            Choice("auto", QT_TRANSLATE_NOOP("Settings", "Automatic")),
            Choice("float32", QT_TRANSLATE_NOOP("Settings", "32 bit (float32)")),
            Choice("bfloat16", QT_TRANSLATE_NOOP("Settings", "16 bit (bfloat16)")),
            Choice("float16", QT_TRANSLATE_NOOP("Settings", "16 bit (float16)")),
            Choice("int8", QT_TRANSLATE_NOOP("Settings", "8-bit weights (int8)")),
        ),
    ),
    Setting(
        "model.threads",
        Kind.INT,
        None,
        Group.MODEL,
        QT_TRANSLATE_NOOP("Settings", "Processor threads"),
        QT_TRANSLATE_NOOP("Settings", "How many cores the model may use."),
        applies=Applies.NEXT_LOAD,
        minimum=1,
        maximum=1024,
        step=1,
        none_label=QT_TRANSLATE_NOOP("Settings", "Automatic"),
    ),
    Setting(
        "model.build_tables",
        Kind.BOOL,
        True,
        Group.MODEL,
        QT_TRANSLATE_NOOP("Settings", "Build n-gram tables when idle"),
        QT_TRANSLATE_NOOP(
            "Settings",
            "A model with a draft but no n-gram table gets one while nothing else is to be done. Answers never wait.",
        ),
        applies=Applies.AT_ONCE,
    ),
)

STORAGE = (
    Setting(
        "model.folder",
        Kind.PATH,
        None,
        Group.STORAGE,
        QT_TRANSLATE_NOOP("Settings", "Folder for models"),
        QT_TRANSLATE_NOOP("Settings", "Where downloads are kept: GPT-2 Large takes 2 GB, and 5 GB while it arrives."),
        applies=Applies.AT_ONCE,
        none_label=QT_TRANSLATE_NOOP("Settings", "In the data folder"),
    ),
)

CHAT = (
    Setting(
        "chat.format",
        Kind.CHOICE,
        "model",
        Group.CHAT,
        QT_TRANSLATE_NOOP("Settings", "Chat format"),
        QT_TRANSLATE_NOOP("Settings", "How a conversation becomes text for a model that was never taught to chat."),
        choices=(
            Choice("model", QT_TRANSLATE_NOOP("Settings", "The model's own")),
            Choice(
                "transcript",
                QT_TRANSLATE_NOOP("Settings", "Transcript"),
                QT_TRANSLATE_NOOP("Settings", "Turns on lines of their own, behind the speakers' names."),
            ),
            Choice(
                "eos",
                QT_TRANSLATE_NOOP("Settings", "End-of-text"),
                QT_TRANSLATE_NOOP("Settings", "Turns separated by the end-of-text token, as DialoGPT was trained."),
            ),
            Choice(
                "template",
                QT_TRANSLATE_NOOP("Settings", "Template"),
                QT_TRANSLATE_NOOP("Settings", "The chat template of the model's tokenizer, where it has one."),
            ),
        ),
    ),
    Setting(
        "chat.preamble",
        Kind.LONG_TEXT,
        None,
        Group.CHAT,
        QT_TRANSLATE_NOOP("Settings", "Preamble"),
        QT_TRANSLATE_NOOP("Settings", "A text before every conversation. It stays when old turns have to leave."),
        none_label=QT_TRANSLATE_NOOP("Settings", "The model's own"),
    ),
    Setting(
        "chat.user_name",
        Kind.TEXT,
        None,
        Group.CHAT,
        QT_TRANSLATE_NOOP("Settings", "Your name"),
        QT_TRANSLATE_NOOP("Settings", "What stands before your messages in a transcript."),
        none_label=QT_TRANSLATE_NOOP("Settings", "The model's own"),
    ),
    Setting(
        "chat.assistant_name",
        Kind.TEXT,
        None,
        Group.CHAT,
        QT_TRANSLATE_NOOP("Settings", "The assistant's name"),
        QT_TRANSLATE_NOOP("Settings", "What stands before the answers in a transcript."),
        none_label=QT_TRANSLATE_NOOP("Settings", "The model's own"),
    ),
    Setting(
        "chat.context_policy",
        Kind.CHOICE,
        "drop_old_turns",
        Group.CHAT,
        QT_TRANSLATE_NOOP("Settings", "When a conversation outgrows the context"),
        QT_TRANSLATE_NOOP("Settings", "The model sees 1,024 tokens at most: preamble, conversation and answer."),
        choices=(
            Choice(
                "drop_old_turns",
                QT_TRANSLATE_NOOP("Settings", "Leave out the oldest turns"),
                QT_TRANSLATE_NOOP("Settings", "Whole turns leave, the preamble stays, and the window says so."),
            ),
            Choice(
                "refuse",
                QT_TRANSLATE_NOOP("Settings", "Say so and stop"),
                QT_TRANSLATE_NOOP("Settings", "Nothing is left out; the message is not answered."),
            ),
        ),
    ),
    Setting(
        "chat.send_key",
        Kind.CHOICE,
        "enter",
        Group.CHAT,
        QT_TRANSLATE_NOOP("Settings", "Send with"),
        QT_TRANSLATE_NOOP("Settings", "Shift+Enter always begins a new line."),
        applies=Applies.AT_ONCE,
        choices=(
            Choice("enter", QT_TRANSLATE_NOOP("Settings", "Enter")),
            Choice("ctrl_enter", QT_TRANSLATE_NOOP("Settings", "Ctrl+Enter")),
        ),
    ),
)

APPEARANCE = (
    Setting(
        "appearance.theme",
        Kind.CHOICE,
        "system",
        Group.APPEARANCE,
        QT_TRANSLATE_NOOP("Settings", "Theme"),
        applies=Applies.AT_ONCE,
        choices=(
            Choice("system", QT_TRANSLATE_NOOP("Settings", "As the system")),
            Choice("light", QT_TRANSLATE_NOOP("Settings", "Light")),
            Choice("dark", QT_TRANSLATE_NOOP("Settings", "Dark")),
        ),
    ),
    Setting(
        "appearance.text_size",
        Kind.INT,
        100,
        Group.APPEARANCE,
        QT_TRANSLATE_NOOP("Settings", "Text size (%)"),
        QT_TRANSLATE_NOOP("Settings", "In percent of the system's size. Ctrl with +, - and 0 changes it too."),
        applies=Applies.AT_ONCE,
        minimum=60,
        maximum=300,
        step=10,
    ),
    Setting(
        "appearance.language",
        Kind.CHOICE,
        "system",
        Group.APPEARANCE,
        QT_TRANSLATE_NOOP("Settings", "Language"),
        applies=Applies.NEXT_START,
        choices=(
            Choice("system", QT_TRANSLATE_NOOP("Settings", "As the system")),
            Choice("en", "English"),
            Choice("de", "Deutsch"),
            Choice("zh_CN", "简体中文"),
        ),
    ),
    Setting(
        "appearance.show_panel",
        Kind.BOOL,
        True,
        Group.APPEARANCE,
        QT_TRANSLATE_NOOP("Settings", "Show the live panel"),
        applies=Applies.AT_ONCE,
    ),
    Setting(
        "appearance.color_tokens",
        Kind.BOOL,
        False,
        Group.APPEARANCE,
        QT_TRANSLATE_NOOP("Settings", "Colour tokens by origin"),
        QT_TRANSLATE_NOOP("Settings", "Shows which tokens came from n-grams, from the draft and from the target."),
        applies=Applies.AT_ONCE,
    ),
)

HIDDEN = (
    Setting("window.geometry", Kind.TEXT, "", Group.HIDDEN, applies=Applies.AT_ONCE),  # base64
    Setting("window.state", Kind.TEXT, "", Group.HIDDEN, applies=Applies.AT_ONCE),  # base64
    Setting("window.splitter", Kind.TEXT, "", Group.HIDDEN, applies=Applies.AT_ONCE),  # base64
    Setting("window.show_conversations", Kind.BOOL, True, Group.HIDDEN, applies=Applies.AT_ONCE),
    Setting("window.welcomed", Kind.BOOL, False, Group.HIDDEN, applies=Applies.AT_ONCE),
    Setting("window.conversation", Kind.INT, None, Group.HIDDEN, applies=Applies.AT_ONCE, minimum=0, none_label="none"),
    Setting("window.export_folder", Kind.PATH, "", Group.HIDDEN, applies=Applies.AT_ONCE),
    Setting("model.paused_tables", Kind.TEXTS, (), Group.HIDDEN, applies=Applies.AT_ONCE),  # ids of models
)

TABLE: dict[str, Setting] = {
    setting.key: setting for setting in DECODING + SAMPLING + MODEL + CHAT + APPEARANCE + STORAGE + HIDDEN
}

# Sampling presets by name: label and values. "balanced" is the table's defaults.
PRESET_LABELS = {
    "balanced": QT_TRANSLATE_NOOP("Settings", "Balanced"),
    "precise": QT_TRANSLATE_NOOP("Settings", "Precise"),
    "creative": QT_TRANSLATE_NOOP("Settings", "Creative"),
    "greedy": QT_TRANSLATE_NOOP("Settings", "Greedy: always the most probable token"),
}
PRESETS: dict[str, dict[str, Value]] = {
    name: {
        "sampling.temperature": temperature,
        "sampling.top_k": top_k,
        "sampling.top_p": top_p,
        "sampling.repetition_penalty": repetition_penalty,
    }
    for name, temperature, top_k, top_p, repetition_penalty in (
        ("balanced", 0.7, 50, 0.95, 1.1),
        ("precise", 0.3, 20, 0.9, 1.1),
        ("creative", 1.0, 100, 0.98, 1.05),
        ("greedy", 0.0, 0, 1.0, 1.1),
    )
}
