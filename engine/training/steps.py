"""What each step of `python -m engine train` does, from parsed arguments to files."""

import argparse
import hashlib
import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GPT2LMHeadModel

from engine.config import ChatFormat
from engine.errors import DeviceError, InvalidRequest
from engine.training.acceptance import Answer, chain_acceptance, draft_agreement, greedy_answers
from engine.training.batches import Batch, Mixture, validation_batches
from engine.training.corpus import END_OF_TEXT, Corpus, Source, end_of_text_id, open_corpus, read_prompts, write_corpus
from engine.training.documents import Document, ReadOptions, read_documents
from engine.training.losses import distillation_loss, text_loss
from engine.training.models import Shape, load_model, load_tokenizer, new_model
from engine.training.trainer import Trainer, TrainingOptions

CHAIN = 4
"""Proposals a pass in the acceptance that is printed while a draft trains."""

_VALIDATION_BATCHES = 8
_ANSWERS = 24
_ANSWER_TOKENS = 48


def run_tokenizer(args: argparse.Namespace) -> None:
    """Trains a byte-level BPE."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=args.vocab_size,
        special_tokens=[END_OF_TEXT],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator((document.text for document in _documents(args)), trainer)
    args.out.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(args.out / "tokenizer.json"))
    special = {"bos_token": END_OF_TEXT, "eos_token": END_OF_TEXT, "pad_token": END_OF_TEXT}
    config = {"tokenizer_class": "PreTrainedTokenizerFast", **special, "clean_up_tokenization_spaces": False}
    (args.out / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    print(f"{tokenizer.get_vocab_size():,} tokens in {args.out}")


def run_corpus(args: argparse.Namespace) -> None:
    """Writes a memory-mapped corpus."""
    sources = [Source(path, licence) for path, licence in args.source]
    counts = write_corpus(_documents(args), load_tokenizer(args.tokenizer), sources, args.out)
    print(", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in counts.items()))


def _documents(args: argparse.Namespace) -> Iterator[Document]:
    share = getattr(args, "validation_share", 0.0)
    options = ReadOptions(ChatFormat(), share, args.conversations, seed=args.seed)
    documents = read_documents([Path(path) for path, _ in args.source], options)
    if args.max_documents is None:
        return documents
    ordered = sorted(documents, key=lambda document: hashlib.blake2b(document.text.encode()).digest())
    return islice(iter(ordered), args.max_documents)


def run_target(args: argparse.Namespace) -> None:
    """Trains a target on text."""
    model, tokenizer_folder = _model(args)
    mixture, validation = _corpora(args, model.config.vocab_size)

    def validate() -> dict[str, float]:
        return _text_losses(model, args, validation)

    run = _compiled(args, partial(text_loss, model))
    Trainer(model, _options(args), args.out, tokenizer_folder).train(mixture, run, validate)


def run_draft(args: argparse.Namespace) -> None:
    """Trains a draft on the target's distribution, and prints what the target would accept."""
    model, tokenizer_folder = _model(args)
    target = load_model(args.target, model.device).eval()
    if target.config.vocab_size != model.config.vocab_size:
        raise InvalidRequest("draft and target must share a vocabulary; give --tokenizer of the target")
    mixture, validation = _corpora(args, model.config.vocab_size)
    answers = _answers(target, args)

    def validate() -> dict[str, float]:
        acceptance = chain_acceptance([draft_agreement(model, answer) for answer in answers], CHAIN)
        distance = _mean(
            distillation_loss(model, target, batch, args.text_share)
            for batch in _batches(args, next(iter(validation.values())), model)
        )
        return {
            "loss": distance,
            "acceptance rate": acceptance.rate,
            "mean accepted length": acceptance.mean_accepted_length,
        }

    run = _compiled(args, partial(distillation_loss, model, target, text_share=args.text_share))
    Trainer(model, _options(args), args.out, tokenizer_folder).train(mixture, run, validate)


def _model(args: argparse.Namespace) -> tuple[GPT2LMHeadModel, Path]:
    """The model to train and the folder of its tokenizer."""
    device = pick_device(args.device)
    if args.start is not None:
        return load_model(args.start, device).train(), args.start
    if args.shape is None or args.tokenizer is None:
        raise InvalidRequest("give --from a checkpoint, or --shape and --tokenizer to begin from scratch")
    tokenizer = load_tokenizer(args.tokenizer)
    shape = Shape(*args.shape, positions=args.positions)
    model = new_model(shape, tokenizer.get_vocab_size(), end_of_text_id(tokenizer), args.seed)
    return model.to(device), args.tokenizer


def pick_device(name: str) -> torch.device:
    """The device of a name; "auto" is the accelerator where there is one. Raises DeviceError where it is missing."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError) as error:
        raise DeviceError(f"this machine has no device {name!r}; use --device cpu") from error


def _corpora(args: argparse.Namespace, vocab_size: int) -> tuple[Mixture, dict[str, Corpus]]:
    """What to train on, and the validation split of each corpus by the folder's name."""
    folders = [Path(folder) for folder, _ in args.corpus]
    try:
        weights = [float(weight) for _, weight in args.corpus]
    except ValueError:
        raise InvalidRequest("--corpus takes a folder and a number, for example --corpus build/dialogues 0.8") from None
    mixture = Mixture([open_corpus(folder, "train", vocab_size) for folder in folders], weights)
    return mixture, {folder.name: open_corpus(folder, "validation", vocab_size) for folder in folders}


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


def _text_losses(model: GPT2LMHeadModel, args: argparse.Namespace, validation: dict[str, Corpus]) -> dict[str, float]:
    """The loss of each corpus; the first is also "loss", by which the best checkpoint is chosen."""
    losses = {
        name: _mean(text_loss(model, batch) for batch in _batches(args, corpus, model))
        for name, corpus in validation.items()
    }
    return {"loss": next(iter(losses.values())), **losses}


def _batches(args: argparse.Namespace, corpus: Corpus, model: GPT2LMHeadModel) -> Iterator[Batch]:
    window = min(args.window, model.config.n_positions)
    for batch in validation_batches(corpus, args.rows, window, _VALIDATION_BATCHES):
        yield batch.to(model.device)


def _mean(losses: Iterator[torch.Tensor]) -> float:
    values = [float(loss) for loss in losses]
    return sum(values) / len(values)


def _answers(target: GPT2LMHeadModel, args: argparse.Namespace) -> list[Answer]:
    folders = [Path(folder) for folder, _ in args.corpus]
    tokenizer = load_tokenizer(args.target)
    prompts = [prompt for folder in folders for prompt in read_prompts(folder, tokenizer, _ANSWERS // len(folders))]
    return greedy_answers(target, prompts, _ANSWER_TOKENS)


def _compiled(args: argparse.Namespace, loss: Callable[[Batch], torch.Tensor]) -> Callable[[Batch], torch.Tensor]:
    return torch.compile(loss) if args.compile else loss


STEPS: dict[str, Callable[[argparse.Namespace], None]] = {
    "tokenizer": run_tokenizer,
    "corpus": run_corpus,
    "target": run_target,
    "draft": run_draft,
}
