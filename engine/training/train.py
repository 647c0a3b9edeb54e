"""The steps `target` and `draft`: a model learns from text, or from a larger model."""

import argparse
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import torch
from transformers import GPT2LMHeadModel

from engine.device import pick_device
from engine.errors import InvalidRequest
from engine.training.acceptance import Answer, chain_acceptance, draft_agreement, greedy_answers
from engine.training.batches import Batch, Mixture, validation_batches
from engine.training.corpus import Corpus, end_of_text_id, open_corpus, read_prompts
from engine.training.losses import distillation_loss, text_loss
from engine.training.models import Shape, blend, load_model, load_tokenizer, move, new_model
from engine.training.sampling import corpus_of_texts, sample_texts
from engine.training.trainer import Loss, Trainer, TrainingOptions

CHAIN = 4
"""Proposals a pass in the acceptance that is printed while a draft trains."""

_VALIDATION_BATCHES = 8
_PROMPTS = 24
_SAMPLED_SHARE = 0.5
_SAMPLED_AT_ONCE = 64
_ANSWER_TOKENS = 48


def run_target(args: argparse.Namespace) -> None:
    """Trains a target on text. The loss on the first corpus decides which checkpoint is the best."""
    model, tokenizer_folder = _model(args)
    mixture, validation = _corpora(args, model.config.vocab_size)

    def validate() -> dict[str, float]:
        losses = {
            name: mean_loss(partial(text_loss, model), _batches(args, corpus, model))
            for name, corpus in validation.items()
        }
        return {"loss": next(iter(losses.values())), **losses}

    loss = _prepared(args, model.device, partial(text_loss, model))
    Trainer(model, _options(args), args.out, tokenizer_folder).train(mixture, loss, validate)


def run_draft(args: argparse.Namespace) -> None:
    """Trains a draft on the target's distribution, and prints what the target would accept."""
    model, tokenizer_folder = _model(args)
    target = load_model(args.target, model.device)
    if target.config.vocab_size != model.config.vocab_size:
        raise InvalidRequest("draft and target must share a vocabulary; give --tokenizer of the target")
    mixture, validation = _corpora(args, model.config.vocab_size)
    if args.sampled_tokens:
        mixture = mixture.with_corpus(_sampled(target, mixture.corpora, args), _SAMPLED_SHARE)
    answers = _answers(target, args)
    loss = partial(distillation_loss, model, target, text_share=args.text_share)

    def validate() -> dict[str, float]:
        acceptance = chain_acceptance([draft_agreement(model, answer) for answer in answers], CHAIN)
        return {
            "loss": mean_loss(
                loss, (batch for corpus in validation.values() for batch in _batches(args, corpus, model))
            ),
            "acceptance rate": acceptance.rate,
            "mean accepted length": acceptance.mean_accepted_length,
        }

    Trainer(model, _options(args), args.out, tokenizer_folder).train(
        mixture, _prepared(args, model.device, loss), validate
    )


def mean_loss(loss: Loss, batches: Iterable[Batch]) -> float:
    """The mean over batches, in nats a token."""
    values = [float(loss(batch)) for batch in batches]
    return sum(values) / len(values)


def _model(args: argparse.Namespace) -> tuple[GPT2LMHeadModel, Path]:
    """The model to train and the folder of its tokenizer."""
    device = pick_device(args.device)
    if args.start is not None:
        model = load_model(args.start, device)
        if args.blend is not None:
            folder, share = args.blend
            blend(model, load_model(Path(folder), device), _number(share, "--blend"))
        return model, args.start
    if args.shape is None or args.tokenizer is None:
        raise InvalidRequest("give --from a checkpoint, or --shape and --tokenizer to begin from scratch")
    tokenizer = load_tokenizer(args.tokenizer)
    layers, width, heads = args.shape
    shape = Shape(layers, width, heads, args.positions)
    model = new_model(shape, tokenizer.get_vocab_size(), end_of_text_id(tokenizer), args.seed)
    return move(model, device), args.tokenizer


def _corpora(args: argparse.Namespace, vocab_size: int) -> tuple[Mixture, dict[str, Corpus]]:
    """What to train on, and the validation split of each corpus by the folder's name."""
    folders = [Path(folder) for folder, _ in args.corpus]
    weights = [_number(weight, "--corpus") for _, weight in args.corpus]
    mixture = Mixture([open_corpus(folder, "train", vocab_size) for folder in folders], weights)
    return mixture, {folder.name: open_corpus(folder, "validation", vocab_size) for folder in folders}


def _number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidRequest(f"{option} takes a folder and a number, for example {option} build/folder 0.8") from None


def _sampled(target: GPT2LMHeadModel, corpora: Sequence[Corpus], args: argparse.Namespace) -> Corpus:
    """Text of the target's own, which is what the draft will have to guess; a resumed run draws the same again."""
    texts = list(sample_texts(target, corpora, args.sampled_tokens, 1.0, _SAMPLED_AT_ONCE, args.seed))
    return corpus_of_texts(texts, int(texts[0][0]))


def _options(args: argparse.Namespace) -> TrainingOptions:
    return TrainingOptions(
        steps=args.steps,
        rows=args.rows,
        window=args.window,
        learning_rate=args.learning_rate,
        decay_share=args.decay_share,
        long_share=args.long_share,
        validate_every=args.validate_every,
        save_every_s=args.save_every,
        seed=args.seed,
    )


def _batches(args: argparse.Namespace, corpus: Corpus, model: GPT2LMHeadModel) -> Iterator[Batch]:
    window = min(args.window, model.config.n_positions)
    for batch in validation_batches(corpus, args.rows, window, _VALIDATION_BATCHES):
        yield batch.to(model.device)


def _answers(target: GPT2LMHeadModel, args: argparse.Namespace) -> list[Answer]:
    folders = [Path(folder) for folder, _ in args.corpus]
    tokenizer = load_tokenizer(args.target)
    prompts = [prompt for folder in folders for prompt in read_prompts(folder, tokenizer, _PROMPTS // len(folders))]
    return greedy_answers(target, prompts, _ANSWER_TOKENS)


def _prepared(args: argparse.Namespace, device: torch.device, loss: Loss) -> Loss:
    """The loss in the precision that is fast here, compiled where that is wished and possible."""
    if args.compile and not has_compiler(device):
        print("no compiler found (g++, clang++ or cl): trains without torch.compile")
    run = torch.compile(loss) if args.compile and has_compiler(device) else loss
    if args.dtype == "float32" or (args.dtype == "auto" and not bfloat16_is_fast(device)):
        return run

    def run_mixed(batch: Batch) -> torch.Tensor:
        with torch.autocast(device.type, torch.bfloat16):
            return run(batch)

    return run_mixed


def has_compiler(device: torch.device) -> bool:
    """True where torch.compile can build code for the device."""
    if device.type != "cpu":
        return find_spec("triton") is not None
    return any(shutil.which(name) for name in (os.environ.get("CXX", "g++"), "clang++", "cl"))


def bfloat16_is_fast(device: torch.device) -> bool:
    """True where a product of matrices takes at most half of float32's time in bfloat16, by a short measurement."""
    seconds = {}
    for dtype in (torch.float32, torch.bfloat16):
        a = torch.ones(512, 512, device=device, dtype=dtype)
        times = []
        for _ in range(4):
            started = time.perf_counter()
            float((a @ a)[0, 0])  # waits for the device
            times.append(time.perf_counter() - started)
        seconds[dtype] = min(times)
    return seconds[torch.bfloat16] < 0.5 * seconds[torch.float32]
