"""Text and token ids: byte-level BPE, special tokens, and tokenizers that are none of ours."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from transformers import AutoTokenizer

from engine.errors import CheckpointError
from engine.tokenizer import END_OF_TEXT, TextTokenizer
from tests.engine.support import BUILTIN

TARGET = BUILTIN / "target"
OURS = TextTokenizer(TARGET)
THEIRS = AutoTokenizer.from_pretrained(TARGET, local_files_only=True)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_any_text_survives(text: str) -> None:
    ids = OURS.encode(text)
    assert OURS.decode(ids) == text
    assert b"".join(map(OURS.token_bytes, ids)) == text.encode()
    assert ids == THEIRS.encode(text, add_special_tokens=False)


@pytest.mark.parametrize("text", ["def f(x):\n    return x\n", "Hello!", "  two  spaces ", "e\u0301 中文 🙂"])
def test_equals_transformers(text: str) -> None:
    assert OURS.encode(text) == THEIRS.encode(text, add_special_tokens=False)


def test_a_spelled_out_special_token_is_ordinary_text() -> None:
    (special,) = THEIRS.convert_tokens_to_ids([END_OF_TEXT])
    ids = OURS.encode(f"a {END_OF_TEXT} b")
    assert special not in ids
    assert OURS.decode(ids) == f"a {END_OF_TEXT} b"
    assert OURS.token_bytes(special) == b"", "the real one has no text"


def test_ids_outside_the_vocabulary_have_no_text() -> None:
    assert OURS.token_bytes(OURS.vocab_size + 5) == b""


def test_callers_may_change_what_they_get() -> None:
    OURS.encode("same").append(1)
    assert OURS.encode("same") == OURS.encode("same") != [1]
    assert 1 not in OURS.encode("same")[-1:]


def test_vocab_and_merges_give_the_same_tokens(tmp_path: Path) -> None:
    model = json.loads((TARGET / "tokenizer.json").read_text())["model"]
    (tmp_path / "vocab.json").write_text(json.dumps(model["vocab"]))
    merges = (pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"])
    (tmp_path / "merges.txt").write_text("#version: 0.2\n" + "\n".join(merges))
    other = TextTokenizer(tmp_path)
    text = "The old form of the files, wie früher."
    assert other.encode(text) == OURS.encode(text)
    assert other.same_vocabulary(OURS)


def test_a_tokenizer_made_in_steps_is_the_one_that_the_library_makes(tmp_path: Path) -> None:
    raw = json.loads((TARGET / "tokenizer.json").read_text())
    flags = {"single_word": True, "lstrip": True, "rstrip": False, "normalized": True}
    raw["added_tokens"].append({"id": OURS.vocab_size, "content": "<hey>", "special": False, **flags})
    raw["model"] |= {"dropout": 0.5, "ignore_merges": True, "byte_fallback": True}
    (tmp_path / "tokenizer.json").write_text(json.dumps(raw))
    library = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    library.encode_special_tokens = True
    assert json.loads(TextTokenizer(tmp_path)._tokenizer.to_str()) == json.loads(library.to_str())


def test_vocabularies_that_differ(tmp_path: Path) -> None:
    raw = json.loads((TARGET / "tokenizer.json").read_text())
    vocabulary = raw["model"]["vocab"]
    first, second = [token for token in vocabulary if len(token) > 3][:2]
    vocabulary[first], vocabulary[second] = vocabulary[second], vocabulary[first]
    (tmp_path / "tokenizer.json").write_text(json.dumps(raw))
    assert not TextTokenizer(tmp_path).same_vocabulary(OURS)


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b'{"model": {"type": "BPE"}}'])
def test_damaged_tokenizers(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(CheckpointError, match="tokenizer is damaged") as caught:
        TextTokenizer(tmp_path)
    assert "\n" not in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_no_tokenizer(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no tokenizer; expected"):
        TextTokenizer(tmp_path)


def test_a_tokenizer_of_another_kind(tmp_path: Path) -> None:
    raw = json.loads((TARGET / "tokenizer.json").read_text())
    raw["model"] = {"type": "WordLevel", "vocab": {"hello world": 0, "[UNK]": 1}, "unk_token": "[UNK]"}
    raw["added_tokens"] = []
    (tmp_path / "tokenizer.json").write_text(json.dumps(raw))
    with pytest.raises(CheckpointError, match="byte-level"):
        TextTokenizer(tmp_path)


def test_added_tokens_that_are_not_special_keep_their_text(tmp_path: Path) -> None:
    shutil.copy(TARGET / "tokenizer.json", tmp_path)
    raw = json.loads((TARGET / "tokenizer.json").read_text())
    size = OURS.vocab_size
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    raw["added_tokens"].append({"id": size, "content": "hey you ü", **flags})
    (tmp_path / "tokenizer.json").write_text(json.dumps(raw))
    other = TextTokenizer(tmp_path)
    assert other.decode(other.encode("a hey you ü b")) == "a hey you ü b"
