"""The step `ngram`: samples a draft, counts, writes the table, and measures what the target accepts of it."""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from transformers import GPT2LMHeadModel

from engine.device import pick_device
from engine.ngram import KatzTable
from engine.training.acceptance import chain_acceptance, greedy_answers, table_agreement
from engine.training.corpus import Corpus, open_corpus, read_prompts
from engine.training.katz import IntArray, count_grams, katz_rows, write_table
from engine.training.models import load_model, load_tokenizer
from engine.training.sampling import sample_texts
from engine.training.train import CHAIN

_CORPUS_PIECE = 1_000_000
_PROMPTS = 24
_ANSWER_TOKENS = 48


@dataclass(frozen=True, slots=True)
class CountOptions:
    """What is counted and kept.

    sampled_tokens  sampled from the draft
    corpus_tokens   of each corpus, counted too; its own text is the best evidence where there is enough of it
    temperature     of the samples: above 1, so that the table knows what is possible and not only what is probable
    batch           texts sampled at once
    min_count       rarer trigrams are dropped
    max_contexts    of two tokens
    """

    sampled_tokens: int
    corpus_tokens: int
    temperature: float
    batch: int
    min_count: int
    max_contexts: int
    seed: int = 0


def build_table(draft: GPT2LMHeadModel, corpora: Sequence[Corpus], options: CountOptions, file: Path) -> KatzTable:
    """Samples, counts, writes the table and reads it back."""
    vocab_size = int(draft.config.vocab_size)
    sampled = sample_texts(draft, corpora, options.sampled_tokens, options.temperature, options.batch, options.seed)
    pieces = [*sampled, *_corpus_pieces(corpora, options.corpus_tokens)]
    trigrams = katz_rows(count_grams(pieces, vocab_size, order=3), vocab_size, options.min_count, options.max_contexts)
    bigrams = katz_rows(count_grams(pieces, vocab_size, order=2), vocab_size, min_count=1)
    write_table(file, trigrams, bigrams, vocab_size)
    return KatzTable.load(file, vocab_size)


def _corpus_pieces(corpora: Sequence[Corpus], tokens: int) -> Iterator[IntArray]:
    for corpus in corpora:
        end = min(tokens, len(corpus))
        for start in range(0, end, _CORPUS_PIECE):
            yield np.asarray(corpus.ids[start : min(end, start + _CORPUS_PIECE)], np.int64)


def count_contexts(file: Path) -> int:
    """Distinct contexts of a table, of two tokens and of one."""
    with np.load(file) as arrays:
        return sum(len(np.unique(arrays[name])) for name in ("tri_context", "bi_context"))


def query_time_us(table: KatzTable, contexts: Sequence[Sequence[int]]) -> float:
    """Mean time of a query in microseconds."""
    started = time.perf_counter()
    for context in contexts:
        table.propose(context, 1)
    return (time.perf_counter() - started) / max(1, len(contexts)) * 1e6


def run_ngram(args: argparse.Namespace) -> None:
    """Writes a table and prints its size, its query time and what the target would accept of it."""
    draft = load_model(args.draft, pick_device("auto"))
    vocab_size = int(draft.config.vocab_size)
    corpora = [open_corpus(folder, "train", vocab_size) for folder in args.corpus]
    options = CountOptions(
        sampled_tokens=args.sampled_tokens,
        corpus_tokens=args.corpus_tokens,
        temperature=args.temperature,
        batch=args.batch,
        min_count=args.min_count,
        max_contexts=args.max_contexts,
        seed=args.seed,
    )
    table = build_table(draft, corpora, options, args.out)
    contexts, size_mb = count_contexts(args.out), args.out.stat().st_size / 1e6
    print(f"{contexts:,} contexts, {table.contexts:,} rows, {size_mb:.1f} MB in {args.out}")
    if args.target is None:
        return
    target, tokenizer = load_model(args.target, draft.device), load_tokenizer(args.target)
    prompts = [prompt for folder in args.corpus for prompt in read_prompts(folder, tokenizer, _PROMPTS)]
    answers = greedy_answers(target, prompts, _ANSWER_TOKENS)
    print(f"a query takes {query_time_us(table, prompts):.1f} µs")
    accepted = chain_acceptance([table_agreement(table, answer) for answer in answers], CHAIN)
    print(f"acceptance rate {accepted.rate:.3f}, mean accepted length {accepted.mean_accepted_length:.2f}")
