"""The arguments of `python -m engine train STEP`."""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the steps to the parser of `train`. Each sets `run`, a function of the parsed arguments."""
    commands = parser.add_subparsers(dest="step", required=True, metavar="STEP")
    _add_tokenizer(commands)
    _add_corpus(commands)
    _add_target(commands)
    _add_draft(commands)
    _add_ngram(commands)
    _add_pack(commands)
    _add_report(commands)


Commands = argparse._SubParsersAction  # noqa: SLF001 - argparse gives the type no public name


def _add_tokenizer(commands: "Commands[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("tokenizer", help="train a byte-level BPE on text")
    _add_sources(parser)
    parser.add_argument("--vocab-size", type=int, default=8192, help="tokens, <|endoftext|> included (default 8192)")
    _add_output(parser)
    parser.set_defaults(run=_run_tokenizer)


def _add_corpus(commands: "Commands[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("corpus", help="tokenise text, code and conversations into a memory-mapped corpus")
    _add_sources(parser)
    parser.add_argument("--tokenizer", type=Path, required=True, help="folder with a tokenizer.json: the target's")
    parser.add_argument("--validation-share", type=float, default=0.02, help="of the documents (default 0.02)")
    _add_output(parser)
    parser.set_defaults(run=_run_corpus)


def _add_target(commands: "Commands[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("target", help="train a target, from scratch or from a checkpoint")
    _add_training(parser)
    parser.set_defaults(run=_run_target)


def _add_draft(commands: "Commands[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("draft", help="train a draft to agree with a target (distillation)")
    parser.add_argument("--target", type=Path, required=True, help="folder of the target")
    parser.add_argument("--text-share", type=float, default=0.1, help="weight of the text's own tokens (default 0.1)")
    parser.add_argument("--sampled-tokens", type=int, default=0, help="also train on so many that the target samples")
    _add_training(parser)
    parser.set_defaults(run=_run_draft)


def _add_ngram(commands: "Commands[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("ngram", help="count a Katz back-off table on text sampled from the draft")
    parser.add_argument("--draft", type=Path, required=True, help="folder of the draft")
    parser.add_argument("--target", type=Path, help="folder of the target, to measure the table's acceptance")
    parser.add_argument(
        "--corpus", type=Path, action="append", required=True, help="for prompts and for --corpus-tokens"
    )
    parser.add_argument("--sampled-tokens", type=int, default=2_000_000, help="to sample (default 2,000,000)")
    parser.add_argument("--corpus-tokens", type=int, default=0, help="of each corpus to count too (default 0)")
    parser.add_argument("--temperature", type=float, default=1.5, help="of the samples (default 1.5, as in the paper)")
    parser.add_argument("--batch", type=int, default=256, help="texts sampled at once (default 256)")
    parser.add_argument("--min-count", type=int, default=2, help="drop rarer trigrams (default 2)")
    parser.add_argument("--max-contexts", type=int, default=400_000, help="of two tokens, most frequent first")
    parser.add_argument("--seed", type=int, default=0)
    _add_output(parser)
    parser.set_defaults(run=_run_ngram)


def _add_pack(commands: "Commands[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("pack", help="make a family of trained models that the program loads")
    parser.add_argument("--target", type=Path, required=True, help="folder of the target")
    parser.add_argument("--draft", type=Path, help="folder of the draft")
    parser.add_argument("--name", required=True, help="what people see")
    parser.add_argument("--out", type=Path, required=True, help="folder of the family; its ngram.npz is taken in")
    parser.set_defaults(run=_run_pack)


def _add_report(commands: "Commands[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("report", help="perplexities, acceptance and speed-up of a family, as tables")
    parser.add_argument("--family", type=Path, required=True, help="folder with a family.json")
    parser.add_argument("--corpus", type=Path, action="append", required=True, help="folder made by `train corpus`")
    parser.add_argument("--questions", type=Path, help="jsonl of questions to answer at temperature 0")
    parser.add_argument("--prompts", type=int, default=40, help="held-out prompts per corpus (default 40)")
    parser.add_argument(
        "--bench-prompts", type=int, default=10, help="to measure the speed of each mode on (default 10; 0: none)"
    )
    _add_output(parser)
    parser.set_defaults(run=_run_report)


def _add_sources(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--source",
        nargs=2,
        action="append",
        required=True,
        metavar=("PATH", "LICENCE"),
        help="a file or folder (.txt, .md, .py, .jsonl, .dialogues) and its licence; may be repeated",
    )
    parser.add_argument("--conversations", type=int, default=10_000, help="to compose from .dialogues (default 10,000)")
    parser.add_argument("--seed", type=int, default=0)


def _add_training(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--corpus",
        nargs=2,
        action="append",
        required=True,
        metavar=("FOLDER", "WEIGHT"),
        help="a corpus and its share of the batches; may be repeated, the first one's validation picks the best",
    )
    parser.add_argument("--from", dest="start", type=Path, help="folder of the checkpoint to begin with")
    parser.add_argument(
        "--blend",
        nargs=2,
        metavar=("FOLDER", "SHARE"),
        help="begin between --from and this checkpoint: 0 is the one, 1 the other",
    )
    parser.add_argument("--shape", type=_shape, help="from scratch: LAYERSxWIDTHxHEADS, for example 8x320x5")
    parser.add_argument("--positions", type=int, default=1024, help="from scratch: the context (default 1024)")
    parser.add_argument("--tokenizer", type=Path, help="from scratch: folder with a tokenizer.json")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--rows", type=int, default=16, help="sequences a step (default 16)")
    parser.add_argument("--window", type=int, default=128, help="tokens in each (default 128)")
    parser.add_argument("--learning-rate", type=float, default=6e-4)
    parser.add_argument("--decay-share", type=float, default=0.4, help="of the steps, at the end (default 0.4)")
    parser.add_argument("--long-share", type=float, default=0.02, help="of the steps, with the whole context")
    parser.add_argument("--validate-every", type=int, default=200, help="steps (default 200)")
    parser.add_argument("--save-every", type=float, default=60.0, help="seconds between saved states (default 60)")
    parser.add_argument("--device", default="auto", help='"auto", "cpu", "cuda", "mps"')
    parser.add_argument(
        "--dtype", choices=("auto", "float32", "bfloat16"), default="auto", help="auto: bfloat16 if fast"
    )
    parser.add_argument(
        "--compile",
        action="store_true",
        help="with torch.compile, if there is a compiler; pays from 10 minutes on",
    )
    parser.add_argument("--seed", type=int, default=0)
    _add_output(parser)


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, required=True, help="folder (or file) to write; a killed run goes on there")


def _shape(text: str) -> tuple[int, int, int]:
    try:
        layers, width, heads = map(int, text.split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError("expected LAYERSxWIDTHxHEADS, for example 8x320x5") from None
    return layers, width, heads


# The steps import torch and transformers, which takes seconds: only when one runs.


def _run_tokenizer(args: argparse.Namespace) -> None:
    from engine.training.prepare import run_tokenizer

    run_tokenizer(args)


def _run_corpus(args: argparse.Namespace) -> None:
    from engine.training.prepare import run_corpus

    run_corpus(args)


def _run_target(args: argparse.Namespace) -> None:
    from engine.training.train import run_target

    run_target(args)


def _run_draft(args: argparse.Namespace) -> None:
    from engine.training.train import run_draft

    run_draft(args)


def _run_ngram(args: argparse.Namespace) -> None:
    from engine.training.ngrams import run_ngram

    run_ngram(args)


def _run_pack(args: argparse.Namespace) -> None:
    from engine.training.pack import run_pack

    run_pack(args)


def _run_report(args: argparse.Namespace) -> None:
    from engine.training.report import run_report

    run_report(args)
