"""The line of figures under an answer."""

from PySide6.QtCore import QCoreApplication

from desktop_app.figures import STOP_REASONS
from desktop_app.records import Message, MessageState
from desktop_app.settings_table import MODES
from desktop_app.views.common import token_count

translate = QCoreApplication.translate
HARD_SPACE = "\u00a0"  # lines break between figures, not within them
SEPARATOR = f"{HARD_SPACE}· "
MODE_LABELS = {mode.value: mode.label for mode in MODES}


def answer_line(message: Message) -> str:
    """Speed, size, acceptance, seed and end of an answer, as far as they are known."""
    return SEPARATOR.join(part.replace(" ", HARD_SPACE) for part in _parts(message) if part)


def _parts(message: Message) -> list[str]:
    statistics = message.statistics
    if statistics is None:
        return [_ending(message)]
    parts = []
    if statistics.tokens_per_s is not None:
        parts.append(translate("AnswerLine", "{speed:.1f} tokens/s").format(speed=statistics.tokens_per_s))
    parts.append(token_count(statistics.new_tokens))
    if statistics.first_token_s is not None:
        text = translate("AnswerLine", "first after {seconds:.2f} s")
        parts.append(text.format(seconds=statistics.first_token_s))
    proposed = statistics.proposed_draft + statistics.proposed_ngram
    if proposed:
        accepted = statistics.accepted_draft + statistics.accepted_ngram
        text = translate("AnswerLine", "accepted {accepted} of {proposed}")
        parts.append(text.format(accepted=accepted, proposed=proposed))
    if message.mode:
        parts.append(_mode(message.mode))
    if message.seed is not None:
        parts.append(translate("AnswerLine", "seed {seed}").format(seed=message.seed))
    parts.append(_ending(message))
    return parts


def _mode(mode: str) -> str:
    return translate("Settings", MODE_LABELS.get(mode, mode)).lower()


def _ending(message: Message) -> str:
    if message.state is MessageState.INTERRUPTED:
        return translate("AnswerLine", "interrupted; continue or answer again")
    reason = STOP_REASONS.get(message.stop_reason or "")
    return translate("Figures", reason) if reason else ""
