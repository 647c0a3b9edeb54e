"""How much of a draft's chain the target would accept, measured on the target's own greedy answers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from transformers import GPT2LMHeadModel

from engine.ngram import KatzTable
from engine.training.sampling import continue_prompts


@dataclass(frozen=True, slots=True)
class Answer:
    """A prompt and what the target wrote after it at temperature 0."""

    prompt: tuple[int, ...]
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What the target accepts of chains.

    rate                  accepted tokens / proposed tokens
    mean_accepted_length  tokens per pass of the target, its own bonus token included
    """

    rate: float
    mean_accepted_length: float


def greedy_answers(target: GPT2LMHeadModel, prompts: Sequence[Sequence[int]], new_tokens: int) -> list[Answer]:
    """The target's answers to the prompts that leave room for one, shortest prompts first."""
    room = target.config.n_positions - new_tokens
    ordered = sorted((prompt for prompt in prompts if len(prompt) <= room), key=len)
    written = continue_prompts(target, ordered, new_tokens, temperature=0.0, seed=0)
    return [Answer(tuple(prompt), tuple(tokens)) for prompt, tokens in zip(ordered, written, strict=True)]


def draft_agreement(draft: GPT2LMHeadModel, answer: Answer) -> npt.NDArray[np.bool_]:
    """For each token of the answer, whether the draft's most probable token is that token."""
    ids = torch.tensor([answer.prompt + answer.tokens], device=draft.device)
    with torch.inference_mode():
        logits: Tensor = draft(input_ids=ids[:, :-1], use_cache=False).logits[0, len(answer.prompt) - 1 :]
    return (logits.argmax(-1) == ids[0, len(answer.prompt) :]).cpu().numpy()


def table_agreement(table: KatzTable, answer: Answer) -> npt.NDArray[np.bool_]:
    """The same for an n-gram table."""
    text, begin = answer.prompt + answer.tokens, len(answer.prompt)
    best = [table.propose(text[max(0, place - 2) : place], 1) for place in range(begin, len(text))]
    return np.array([bool(found) and found[0][0] == text[begin + i] for i, found in enumerate(best)])


def chain_acceptance(agreements: Sequence[npt.NDArray[np.bool_]], chain: int) -> Acceptance:
    """Walks the answers as speculative decoding would: `chain` proposals a pass, kept up to the first difference."""
    proposed = accepted = passes = tokens = 0
    for agrees in agreements:
        place = 0
        while place < len(agrees):
            block = agrees[place : place + chain]
            good = int(np.argmin(block)) if not block.all() else len(block)
            emitted = min(good + 1, len(agrees) - place)
            proposed, accepted = proposed + len(block), accepted + good
            passes, tokens = passes + 1, tokens + emitted
            place += emitted
    return Acceptance(accepted / max(1, proposed), tokens / max(1, passes))
