"""Our forward pass against transformers' model, and its rows against each other."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import GPT2Config as TheirConfig
from transformers import GPT2LMHeadModel

from engine.chat_model import ChatModel
from engine.checkpoint import GPT2Config
from engine.events import Origin
from engine.kv_cache import BLOCK
from engine.runner import MAX_ROWS, Runner
from engine.token_tree import TokenTree
from tests.engine.support import BUILTIN, LOW_PRECISION, random_weights, run_path, runner, write_checkpoint

ODD = GPT2Config(vocab_size=333, n_positions=150, n_embd=36, n_layer=3, n_head=3, n_inner=50)


def text(length: int, vocab_size: int, seed: int = 0) -> list[int]:
    return np.random.default_rng(seed).integers(0, vocab_size, length).tolist()


def our_logits(model: Runner, tokens: list[int]) -> torch.Tensor:
    """All rows, in passes of many sizes."""
    model.reset()
    rows, done = [], 0
    for size in [1, 2, 64, 7, 3, 33, 64, 64, 64]:
        chunk = tokens[done : done + size]
        if chunk:
            rows.append(model.extend(chunk, range(-1, len(chunk) - 1)).cpu())
            model.commit(range(len(chunk)), chunk)
            done += size
    return torch.cat(rows)


@torch.inference_mode()
def their_logits(model: GPT2LMHeadModel, tokens: list[int]) -> torch.Tensor:
    logits: torch.Tensor = model.eval()(torch.tensor([tokens])).logits[0]
    return logits


def test_builtin_target_equals_transformers(float32_model: ChatModel) -> None:
    tokens = text(300, float32_model.info.vocab_size)
    theirs = GPT2LMHeadModel.from_pretrained(BUILTIN / "target", dtype=torch.float32)
    difference = (our_logits(float32_model.target, tokens) - their_logits(theirs, tokens)).abs().max()
    assert difference < 1e-4


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"activation_function": "gelu"},
        {"activation_function": "gelu_pytorch_tanh"},
        {"scale_attn_by_inverse_layer_idx": True},
        {"layer_norm_epsilon": 1e-2},
        {"tie_word_embeddings": False},
    ],
    ids=lambda changes: ",".join(map(str, changes)) or "defaults",
)
def test_odd_shapes_and_variants_equal_transformers(tmp_path: Path, changes: dict[str, object]) -> None:
    tensors = random_weights(ODD, scale=0.3)
    if "tie_word_embeddings" in changes:
        tensors["lm_head.weight"] = random_weights(ODD, seed=9)["wte.weight"]
    write_checkpoint(tmp_path, ODD, tensors, **changes)
    theirs = GPT2LMHeadModel(
        TheirConfig(
            vocab_size=ODD.vocab_size,
            n_positions=ODD.n_positions,
            n_embd=ODD.n_embd,
            n_layer=ODD.n_layer,
            n_head=ODD.n_head,
            n_inner=ODD.n_inner,
            **{"layer_norm_epsilon": 1e-5, **changes},
        )
    )
    prefixed = {name if name.startswith("lm_head") else "transformer." + name: t for name, t in tensors.items()}
    theirs.load_state_dict({"lm_head.weight": tensors["wte.weight"]} | prefixed)
    tokens = text(ODD.n_positions, ODD.vocab_size)
    difference = (our_logits(runner(tmp_path), tokens) - their_logits(theirs, tokens)).abs().max()
    assert difference < 1e-4


def test_padded_vocabulary_is_cut(tmp_path: Path) -> None:
    tensors = random_weights(ODD)
    plain = our_logits(runner(write_checkpoint(tmp_path / "plain", ODD, tensors)), text(9, 333))
    tensors["wte.weight"] = torch.cat([tensors["wte.weight"], torch.full((51, ODD.n_embd), 100.0)])
    padded = our_logits(runner(write_checkpoint(tmp_path / "padded", ODD, tensors)), text(9, 333))
    assert padded.shape == (9, ODD.vocab_size)
    assert torch.equal(plain, padded)


def branching_tree(vocab_size: int, rows: int, seed: int) -> TokenTree:
    rng = np.random.default_rng(seed)
    tree = TokenTree.rooted(int(rng.integers(vocab_size)))
    while len(tree) < rows:
        tree.add(int(rng.integers(vocab_size)), int(rng.integers(len(tree))), Origin.DRAFT, 0.5)
    return tree


@pytest.mark.parametrize("length", [0, 5, 100])
def test_a_tree_is_scored_like_its_paths_one_by_one(tmp_path: Path, length: int) -> None:
    """Also when the tree comes in several passes, as drafts grow it."""
    model, prompt = runner(write_checkpoint(tmp_path, ODD, random_weights(ODD, scale=0.3))), text(length, 333)
    tree = branching_tree(ODD.vocab_size, 24, seed=length)
    model.prefill(prompt)
    at_once = model.extend(tree.tokens, tree.parents)
    model.rollback()
    in_parts = torch.cat([model.extend(tree.tokens[a : a + 5], tree.parents[a : a + 5]) for a in range(0, 24, 5)])
    model.rollback()
    for node in range(len(tree)):
        alone = run_path(model, prompt, [tree.tokens[0], *tree.branch(node)])[-1]
        assert torch.allclose(at_once[node], alone, atol=2e-5)
        assert torch.allclose(in_parts[node], alone, atol=2e-5)


def test_logits_do_not_depend_on_the_width_in_float32(float32_model: ChatModel) -> None:
    """Widths 1 to 64: within a tolerance far below the distance of two tokens' scores."""
    model, vocab_size = float32_model.target, float32_model.info.vocab_size
    model.reset()
    model.prefill(text(90, vocab_size))
    reference = model.extend([7], [-1])[0]
    model.rollback()
    for width in range(1, MAX_ROWS + 1):
        tokens = [7, *text(width - 1, vocab_size, width)]
        row = model.extend(tokens, [-1] + [0] * (width - 1))[0]
        model.rollback()
        assert (row - reference).abs().max() < 1e-4
    model.reset()


@pytest.mark.parametrize("length", [20, 700, 990])
@pytest.mark.parametrize("dtype", LOW_PRECISION)
def test_rows_keep_their_bits_in_low_precision(dtype: str, length: int, request: pytest.FixtureRequest) -> None:
    """Alone, in a tree of any allowed width and at any row of it, and in prefill: the same bits."""
    chat: ChatModel = request.getfixturevalue(f"{dtype}_model")
    model, rng, depth = chat.target, np.random.default_rng(length), 4
    prompt, path = text(length, chat.info.vocab_size), text(depth, chat.info.vocab_size, seed=1)
    alone = run_path(model, prompt, path)
    model.reuse(prompt, keep=length)
    for width in [width for width in model.widths if depth <= width <= model.max_tree]:
        for _ in range(2):
            rows = [0, *sorted(rng.choice(np.arange(1, width), depth - 1, replace=False).tolist())]
            tokens = rng.integers(0, chat.info.vocab_size, width)
            tokens[rows] = path
            parents = [-1] + [0] * (width - 1)
            for before, row in itertools.pairwise(rows):
                parents[row] = before
            logits = model.extend(tokens.tolist(), parents).cpu()
            model.rollback()
            for row, expected in zip(rows, alone, strict=True):
                assert torch.equal(logits[row], expected), f"width {width}, row {row}"
    if MAX_ROWS in model.widths:
        start = length - length % BLOCK
        model.reuse(prompt, keep=start)
        chunk = [*prompt[start:], *path]
        logits = model.extend(chunk, range(-1, len(chunk) - 1)).cpu()
        assert all(torch.equal(a, b) for a, b in zip(logits[-depth:], alone, strict=True))
    model.reset()


def test_scratch_rows_of_an_earlier_round_leave_no_trace(tmp_path: Path) -> None:
    model, prompt = runner(write_checkpoint(tmp_path, ODD, random_weights(ODD, scale=0.3))), text(30, 333)
    expected = run_path(model, prompt, [5])[0]
    model.reset()
    model.prefill(prompt)
    model.extend(text(20, 333, 3), [-1] + [0] * 19)
    model.rollback()
    assert torch.equal(model.extend([5], [-1])[0], expected)


def test_prefill_can_be_cancelled_and_goes_on_where_it_was(tmp_path: Path) -> None:
    model, prompt = runner(write_checkpoint(tmp_path, ODD, random_weights(ODD, scale=0.3))), text(140, 333)
    answers = iter([False, True])
    assert not model.prefill(prompt, lambda: next(answers))
    assert model.length == 64
    assert model.tokens == prompt[:64]
    assert model.prefill(prompt[model.length :])
    after_cancel = model.extend([9], [-1])[0]
    assert torch.allclose(after_cancel, run_path(model, prompt, [9])[0], atol=1e-5)


def test_reuse_keeps_the_longest_common_prefix(tmp_path: Path) -> None:
    model = runner(write_checkpoint(tmp_path, ODD))
    model.prefill([1, 2, 3, 4, 5])
    assert model.reuse([1, 2, 3, 9, 9], keep=4) == 3
    assert model.tokens == [1, 2, 3]
    assert model.reuse([1, 2, 3], keep=2) == 2
    assert model.reuse([7], keep=0) == 0
    assert model.tokens == []
