"""The step `pack`: trained checkpoints become a family that the program loads."""

import argparse
from pathlib import Path

import torch

from engine.errors import IncompatibleDraft
from engine.family import Family, write_family
from engine.training.models import load_model, load_tokenizer, save_model

NGRAM = "ngram.npz"


def run_pack(args: argparse.Namespace) -> None:
    """Writes target and draft in 16 bit and `family.json`; takes the table in that is there already."""
    cpu = torch.device("cpu")
    folders: dict[str, Path] = {"target": args.target} | ({"draft": args.draft} if args.draft is not None else {})
    if len({load_tokenizer(folder).to_str() for folder in folders.values()}) > 1:
        raise IncompatibleDraft("target and draft have different tokenizers; train the draft with the target's")
    for part, folder in folders.items():
        save_model(load_model(folder, cpu), folder, args.out / part, torch.float16)
    draft = args.out / "draft" if "draft" in folders else None
    ngram = args.out / NGRAM
    write_family(args.out, Family(args.name, args.out / "target", draft, ngram if ngram.is_file() else None))
    print(f"{args.name} in {args.out}")
