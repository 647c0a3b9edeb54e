"""The step `report`: what a finished family is worth, as Markdown."""

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from transformers import GPT2LMHeadModel

from engine.bench.prompts import read_prompts as read_bench_prompts
from engine.bench.report import table
from engine.bench.run import run_modes
from engine.config import DecodingMode, ModelSpec
from engine.device import pick_device
from engine.errors import CheckpointError
from engine.loading import load_chat_model
from engine.ngram import KatzTable
from engine.training.acceptance import (
    Acceptance,
    chain_acceptance,
    draft_agreement,
    greedy_answers,
    table_agreement,
)
from engine.training.batches import validation_batches
from engine.training.corpus import Corpus, end_of_text_id, open_corpus, read_prompts
from engine.training.losses import text_loss
from engine.training.models import load_model, load_tokenizer
from engine.training.sampling import continue_prompts
from engine.training.train import CHAIN, mean_loss

_ROWS, _BATCHES = 8, 16
_WINDOWS = (128, 1024)
_ANSWER_TOKENS = 64
_BENCH_TOKENS = 64


@dataclass(frozen=True, slots=True)
class Family:
    """The parts of a family, ready to run."""

    folder: Path
    target: GPT2LMHeadModel
    draft: GPT2LMHeadModel | None
    ngram: KatzTable | None


def run_report(args: argparse.Namespace) -> None:
    """Writes the report to `--out` and prints it."""
    family = load_family(args.family)
    lines = [f"# {args.family.name}", "", *loss_lines(family, args.corpus), "", *acceptance_lines(family, args)]
    if args.bench_prompts:
        lines += ["", *speed_lines(args.family, args.bench_prompts)]
    if args.questions is not None:
        lines += ["", *answer_lines(family, args.questions)]
    text = "\n".join(lines) + "\n"
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(text, encoding="utf-8")
    print(text, end="")


def load_family(folder: Path) -> Family:
    """Reads a folder with a `family.json`. Raises CheckpointError where there is none."""
    try:
        parts = json.loads((folder / "family.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise CheckpointError(f"{folder} has no readable family.json; name the folder of a family") from None
    device = pick_device("auto")
    target = load_model(folder / parts["target"], device)
    draft = load_model(folder / parts["draft"], device) if "draft" in parts else None
    ngram = KatzTable.load(folder / parts["ngram"], target.config.vocab_size) if "ngram" in parts else None
    return Family(folder, target, draft, ngram)


def loss_lines(family: Family, corpora: list[Path]) -> Iterator[str]:
    """Held-out loss and perplexity of each model on each corpus, in short windows and in long ones."""
    yield from ("| corpus | model | window | nats a token | perplexity |", "|---|---|---|---|---|")
    models = {"target": family.target} | ({"draft": family.draft} if family.draft is not None else {})
    for folder in corpora:
        corpus = open_corpus(folder, "validation", family.target.config.vocab_size)
        for name, model in models.items():
            for window in sorted({min(window, model.config.n_positions) for window in _WINDOWS}):
                loss = held_out_loss(model, corpus, window)
                yield f"| {folder.name} | {name} | {window} | {loss:.3f} | {math.exp(loss):.1f} |"


def held_out_loss(model: GPT2LMHeadModel, corpus: Corpus, window: int) -> float:
    """The mean loss over evenly spread windows of a corpus, in nats a token."""
    batches = (batch.to(model.device) for batch in validation_batches(corpus, _ROWS, window, _BATCHES))
    with torch.inference_mode():
        return mean_loss(partial(text_loss, model), batches)


def acceptance_lines(family: Family, args: argparse.Namespace) -> Iterator[str]:
    """What the target accepts of chains of the draft and of the n-gram table, at temperature 0."""
    yield from (f"| corpus | chain of {CHAIN} by | acceptance rate | mean accepted length |", "|---|---|---|---|")
    tokenizer = load_tokenizer(family.folder / "target")
    for folder in args.corpus:
        answers = greedy_answers(family.target, read_prompts(folder, tokenizer, args.prompts), _ANSWER_TOKENS)
        if family.draft is not None:
            agreements = [draft_agreement(family.draft, answer) for answer in answers]
            yield _acceptance_line(folder.name, "draft", chain_acceptance(agreements, CHAIN))
        if family.ngram is not None:
            agreements = [table_agreement(family.ngram, answer) for answer in answers]
            yield _acceptance_line(folder.name, "n-gram table", chain_acceptance(agreements, CHAIN))


def _acceptance_line(corpus: str, stage: str, acceptance: Acceptance) -> str:
    return f"| {corpus} | {stage} | {acceptance.rate:.3f} | {acceptance.mean_accepted_length:.2f} |"


def speed_lines(folder: Path, prompts: int) -> Iterator[str]:
    """Speed-up and acceptance of every decoding mode on a few openings of a chat, at temperature 0."""
    model = load_chat_model(ModelSpec(folder), lambda _progress, _stage: None)
    results = run_modes(
        model, list(DecodingMode), ["greedy"], read_bench_prompts(["chat"], prompts), _BENCH_TOKENS, lambda _text: None
    )
    yield from ("```", *table(results).splitlines(), "```")


def answer_lines(family: Family, questions: Path) -> Iterator[str]:
    """The target's answers to questions at temperature 0, to be read by a person."""
    tokenizer = load_tokenizer(family.folder / "target")
    end = end_of_text_id(tokenizer)
    for line in questions.read_text(encoding="utf-8").splitlines():
        question = json.loads(line)["question"]
        prompt = [end, *tokenizer.encode(f"User: {question}\nAssistant:", add_special_tokens=False).ids]
        (tokens,) = continue_prompts(family.target, [prompt], _ANSWER_TOKENS, temperature=0.0, seed=0)
        answer = tokenizer.decode(tokens, skip_special_tokens=True).split("\nUser:")[0].strip()
        yield f"- **{question}** {answer}"
