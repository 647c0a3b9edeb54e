"""The step `pack`: trained checkpoints become a family that the program loads."""

import argparse
import json
from pathlib import Path

import torch

from engine.config import ChatFormat
from engine.errors import IncompatibleDraft
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
    family = {"name": args.name} | {part: part for part in folders}
    if (args.out / NGRAM).is_file():
        family["ngram"] = NGRAM
    text = json.dumps({**family, "chat_format": _chat_format(ChatFormat())}, indent=2)
    (args.out / "family.json").write_text(text + "\n", encoding="utf-8")
    print(f"{args.name} in {args.out}")


def _chat_format(chat: ChatFormat) -> dict[str, object]:
    """The format that the corpora are written in."""
    return {
        "kind": str(chat.kind),
        "user": chat.user,
        "assistant": chat.assistant,
        "turn_end": chat.turn_end,
        "stop": list(chat.stop),
    }
