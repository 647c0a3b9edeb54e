"""A family on disk -> a loaded `ChatModel`: checks, picks of device, precision and threads, weights, calibration."""

from __future__ import annotations

from collections.abc import Callable

from engine.calibration import calibrate, pick_threads
from engine.chat_model import ChatModel
from engine.checkpoint import Checkpoint, open_checkpoint
from engine.config import ModelSpec
from engine.device import pick_device, pick_precision, set_threads
from engine.errors import IncompatibleDraft
from engine.events import ModelInfo
from engine.family import Family, find_family
from engine.gpt2 import load_gpt2
from engine.linear import Precision
from engine.memory import give_back, require_memory
from engine.ngram import KatzTable, NgramDraft
from engine.planner import Planner
from engine.prompt import PromptWriter
from engine.runner import Runner
from engine.tokenizer import TextTokenizer

Report = Callable[[float, str], None]
"""(progress 0..1, stage in a few words); may raise to cancel."""

MAX_TREE_BY_KERNEL = {"native": 16, "fbgemm": 16, "fbgemm8": 16, "onednn": 32}
MAX_TREE_ON_GPU = 64


def load_chat_model(spec: ModelSpec, report: Report) -> ChatModel:
    """Load a family. Raises the errors of `ModelError` and DeviceError; `report` may raise to cancel."""
    family = find_family(spec)
    report(0.02, "checking files")
    target_file = open_checkpoint(family.target)
    tokenizer = TextTokenizer(family.target)
    draft_file = _open_draft(family, tokenizer) if family.draft is not None else None
    vocab_size = min(target_file.config.vocab_size, tokenizer.vocab_size)
    table = KatzTable.load(family.ngram, vocab_size) if family.ngram is not None else None
    device = pick_device(spec.device)
    threads = set_threads(spec.threads)
    precision, reason = pick_precision(spec.dtype, device, target_file.config)
    if device.type == "cpu":  # elsewhere the device's own allocator knows best, and says so
        files = [file for file in (target_file, draft_file) if file is not None]
        require_memory([file.config for file in files], str(precision.dtype).removeprefix("torch."))
    target = _load_runner(
        target_file, precision, vocab_size, ordered=precision.is_ordered and spec.exact, report=report, span=(0.05, 0.8)
    )
    draft = None
    if draft_file is not None:
        draft = _load_runner(draft_file, precision, vocab_size, ordered=False, report=report, span=(0.8, 0.9))
    report(0.9, "measuring this machine")
    if spec.threads is None and device.type == "cpu":
        threads = pick_threads(target, threads)
    planner = Planner(calibrate(target), calibrate(draft) if draft is not None else None)
    give_back()
    writer = PromptWriter(tokenizer, target_file.config.eos_token_id, target_file.config.n_positions)
    info = ModelInfo(
        name=family.name,
        target=family.target,
        draft=family.draft,
        ngram=family.ngram,
        parameters_target=target_file.config.parameters,
        parameters_draft=draft_file.config.parameters if draft_file is not None else None,
        vocab_size=vocab_size,
        context_length=target_file.config.n_positions,
        dtype=str(precision.dtype).removeprefix("torch."),
        dtype_reason=reason,
        device=str(device),
        threads=threads,
        exact=target.ordered,
        plain_tokens_per_s=1.0 / planner.plain_s,
        chat_format=family.chat_format,
    )
    size = precision.dtype.itemsize
    draft_bytes = draft_file.config.parameters * size if draft_file is not None else 0
    return ChatModel(
        info, writer, target, draft, NgramDraft(table), planner, target_file.config.parameters * size, draft_bytes
    )


def _open_draft(family: Family, tokenizer: TextTokenizer) -> Checkpoint:
    """The draft's checkpoint, refused where its vocabulary is not the target's."""
    assert family.draft is not None
    file = open_checkpoint(family.draft)
    has_tokenizer = any((family.draft / name).is_file() for name in ("tokenizer.json", "vocab.json"))
    if has_tokenizer and not TextTokenizer(family.draft).same_vocabulary(tokenizer):
        raise IncompatibleDraft(f"{family.draft}: not the target's vocabulary; choose a draft of the same family")
    if file.config.vocab_size < tokenizer.vocab_size:
        raise IncompatibleDraft(
            f"{family.draft}: {file.config.vocab_size} tokens, the target has {tokenizer.vocab_size};"
            " choose a draft of the same family"
        )
    return file


def _load_runner(
    file: Checkpoint, precision: Precision, vocab_size: int, ordered: bool, report: Report, span: tuple[float, float]
) -> Runner:
    stage = f"loading {file.folder.name}"
    low, high = span
    model = load_gpt2(file, precision, vocab_size, lambda done: report(low + (high - low) * done, stage))
    max_tree = MAX_TREE_ON_GPU if precision.device.type == "cuda" else MAX_TREE_BY_KERNEL[precision.kernel]
    return Runner(model, ordered, max_tree)
