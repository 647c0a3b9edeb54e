"""Text that a model writes by itself: behind given prompts, or behind the beginnings of a corpus's documents."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import torch
from tqdm import tqdm
from transformers import GPT2LMHeadModel, StoppingCriteria, StoppingCriteriaList

from engine.training.corpus import Corpus

_PROMPT_TOKENS = 12
_TEXT_TOKENS = 128


class _Ask(StoppingCriteria):
    """Stops nothing by itself: it calls a function between tokens, which may raise."""

    def __init__(self, ask: Callable[[], None]) -> None:
        self._ask = ask

    def __call__(self, input_ids: torch.Tensor, *_: object, **__: object) -> torch.Tensor:
        self._ask()
        return torch.zeros(len(input_ids), dtype=torch.bool, device=input_ids.device)


def continue_prompts(
    model: GPT2LMHeadModel,
    prompts: Sequence[Sequence[int]],
    new_tokens: int,
    temperature: float,
    seed: int,
    between_tokens: Callable[[], None] = lambda: None,
) -> Iterator[list[int]]:
    """What the model writes after each prompt, up to the end of text. Prompts of one length share a batch.

    between_tokens  may wait, or raise to end it
    """
    end = _end_of_text(model)
    torch.manual_seed(seed)
    by_length: dict[int, list[Sequence[int]]] = {}
    for prompt in prompts:
        by_length.setdefault(len(prompt), []).append(prompt)
    sampling = {"do_sample": True, "temperature": temperature, "top_k": 0} if temperature else {"do_sample": False}
    for length, group in by_length.items():
        ids = torch.tensor(group, device=model.device)
        with torch.inference_mode():
            written = model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=min(new_tokens, model.config.n_positions - length),
                pad_token_id=end,
                use_cache=True,
                stopping_criteria=StoppingCriteriaList([_Ask(between_tokens)]),
                **sampling,
            )
        for row in written[:, length:].tolist():
            yield row[: row.index(end) + 1] if end in row else row


def _end_of_text(model: GPT2LMHeadModel) -> int:
    end = model.config.eos_token_id
    return end if isinstance(end, int) else -1


def sample_texts(
    model: GPT2LMHeadModel, corpora: Sequence[Corpus], tokens: int, temperature: float, batch: int, seed: int
) -> Iterator[npt.NDArray[np.int64]]:
    """Texts that begin as documents of the corpora do, until the model has written so many tokens."""
    rng = np.random.default_rng(seed)
    with tqdm(total=tokens, unit="token", desc="sampling") as bar:
        while bar.n < tokens:
            corpus = corpora[int(rng.integers(len(corpora)))]
            usable = corpus.document_starts[corpus.document_starts < len(corpus) - _PROMPT_TOKENS]
            starts = rng.choice(usable, batch)
            prompts = [corpus.ids[start : start + _PROMPT_TOKENS].tolist() for start in starts]
            written = continue_prompts(model, prompts, _TEXT_TOKENS, temperature, int(rng.integers(1 << 31)))
            for prompt, text in zip(prompts, written, strict=True):
                bar.update(len(text))
                yield np.array([*prompt, *text], np.int64)


def corpus_of_texts(texts: Sequence[npt.NDArray[np.int64]], end_of_text: int) -> Corpus:
    """Sampled texts as a corpus, all of it to be learnt."""
    ends = [text if text[-1] == end_of_text else np.append(text, end_of_text) for text in texts]
    ids = np.concatenate([ends[0], *(text[1:] for text in ends[1:])]).astype(np.uint32)
    starts = np.flatnonzero(ids[:-1] == end_of_text)
    return Corpus(ids, np.ones(len(ids), np.uint8), starts.astype(np.int64))
