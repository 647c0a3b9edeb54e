"""The steps `tokenizer` and `corpus`: text becomes tokens."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from engine.config import ChatFormat
from engine.training.corpus import END_OF_TEXT, Source, write_corpus
from engine.training.documents import Document, ReadOptions, read_documents
from engine.training.models import load_tokenizer


def run_tokenizer(args: argparse.Namespace) -> None:
    """Trains a byte-level BPE."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=args.vocab_size,
        special_tokens=[END_OF_TEXT],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = (document.text for document in _documents(args, validation_share=0.0))
    tokenizer.train_from_iterator(texts, trainer)
    args.out.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(args.out / "tokenizer.json"))
    special = {"bos_token": END_OF_TEXT, "eos_token": END_OF_TEXT, "pad_token": END_OF_TEXT}
    config = {"tokenizer_class": "PreTrainedTokenizerFast", **special, "clean_up_tokenization_spaces": False}
    (args.out / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    print(f"{tokenizer.get_vocab_size():,} tokens in {args.out}")


def run_corpus(args: argparse.Namespace) -> None:
    """Writes a memory-mapped corpus."""
    documents = _documents(args, args.validation_share)
    sources = [Source(path, licence) for path, licence in args.source]
    counts = write_corpus(documents, load_tokenizer(args.tokenizer), sources, args.out)
    print(", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in counts.items()))


def _documents(args: argparse.Namespace, validation_share: float) -> Iterator[Document]:
    options = ReadOptions(ChatFormat(), validation_share, args.conversations, seed=args.seed)
    return read_documents([Path(path) for path, _ in args.source], options)
