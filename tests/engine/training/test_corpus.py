"""From files to a memory-mapped corpus: nothing twice, split by document, only the assistant's words to be learnt."""

import json
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from engine.config import ChatFormat
from engine.errors import CheckpointError, InvalidRequest
from engine.resources import resources_folder
from engine.training.batches import Mixture, validation_batches
from engine.training.corpus import Source, open_corpus, read_about, read_prompts, write_corpus
from engine.training.documents import Document, ReadOptions, Span, conversation_spans, read_documents
from engine.training.models import load_tokenizer

OPTIONS = ReadOptions(ChatFormat(), validation_share=0.5, conversations=30)
CONVERSATION = [{"role": "user", "content": "Hi there"}, {"role": "assistant", "content": "Hello!"}]


@pytest.fixture(name="tokenizer", scope="module")
def _tokenizer() -> Tokenizer:
    return load_tokenizer(resources_folder() / "models" / "builtin" / "target")


def write_files(folder: Path) -> Path:
    """Two Python files with the same text, a text file, and conversations."""
    (folder / "code").mkdir()
    for name in ("a.py", "b.py"):
        (folder / "code" / name).write_text("def f(x):\n    return x\n", encoding="utf-8")
    (folder / "notes.txt").write_text("A note about <|endoftext|> in a text.", encoding="utf-8")
    (folder / "talk.jsonl").write_text(json.dumps({"messages": CONVERSATION * 2}), encoding="utf-8")
    (folder / "ours.dialogues").write_text("? Hello\n? Hey\n? Hi\n= Hello!\n\n? Bye\n= Bye!\n", encoding="utf-8")
    return folder


def test_reads_each_document_once(tmp_path: Path) -> None:
    texts = [document.text for document in read_documents([write_files(tmp_path)], OPTIONS)]
    assert len(texts) == len(set(texts))
    assert texts.count("def f(x):\n    return x\n") == 1
    assert "User: Hi there\nAssistant: Hello!\nUser: Hi there\nAssistant: Hello!" in texts


def test_validates_on_held_out_wordings_alone_and_in_long_conversations(tmp_path: Path) -> None:
    wordings = "".join(f"? Question number {i}\n" for i in range(60))
    (tmp_path / "ours.dialogues").write_text(f"{wordings}= The answer\n", encoding="utf-8")
    validation = [d.text for d in read_documents([tmp_path], OPTIONS) if d.validation]
    turns = sorted({text.count("User:") for text in validation})
    assert turns == [1, 20]
    training = [d.text for d in read_documents([tmp_path], OPTIONS) if not d.validation]
    assert max(text.count("User:") for text in training) == 12


def test_the_split_depends_on_the_document_alone(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("\n".join(json.dumps({"text": f"text {i}"}) for i in range(200)), "utf-8")
    first = {d.text: d.validation for d in read_documents([tmp_path / "x.jsonl"], OPTIONS)}
    (tmp_path / "w.jsonl").write_text("\n".join(json.dumps({"text": f"new {i}"}) for i in range(200)), "utf-8")
    again = {d.text: d.validation for d in read_documents([tmp_path], OPTIONS)}
    assert first.items() <= again.items()
    assert 60 < sum(first.values()) < 140


def test_learns_the_assistants_words_and_the_opening_of_the_next_turn() -> None:
    spans = conversation_spans(CONVERSATION * 2, ChatFormat())
    assert "".join(span.text for span in spans if span.learn) == " Hello!\nUser: Hello!"
    assert Document(spans, validation=False).prompt.endswith("User: Hi there\nAssistant:")


def test_round_trip(tmp_path: Path, tokenizer: Tokenizer) -> None:
    documents = [
        Document((Span("first"),), validation=False),
        Document((Span("sec", learn=False), Span("ond")), validation=False),
        Document((Span("held out"),), validation=True),
    ]
    counts = write_corpus(documents, tokenizer, [Source("here", "MIT")], tmp_path / "corpus")
    assert counts["train_documents"] == 2
    corpus = open_corpus(tmp_path / "corpus", "train", tokenizer.get_vocab_size())
    text = tokenizer.decode(corpus.ids.tolist(), skip_special_tokens=False)
    assert text.split("<|endoftext|>") == ["", "first", "second", ""]
    assert list(corpus.ids[corpus.document_starts]) == [0, 0]
    assert tokenizer.decode(corpus.ids[corpus.learn == 0].tolist()) == "sec"
    assert read_about(tmp_path / "corpus")["sources"] == [{"path": "here", "licence": "MIT"}]
    assert read_prompts(tmp_path / "corpus", tokenizer, 5)[0][0] == 0


def test_a_text_that_mentions_the_end_of_text_does_not_end_there(tmp_path: Path, tokenizer: Tokenizer) -> None:
    text = "A note about <|endoftext|> in a text."
    write_corpus([Document((Span(text),), validation=False)], tokenizer, [], tmp_path / "corpus")
    corpus = open_corpus(tmp_path / "corpus", "train", tokenizer.get_vocab_size())
    assert len(corpus.document_starts) == 1


def test_bad_input_says_what_to_do(tmp_path: Path, tokenizer: Tokenizer) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.jsonl").write_text('{"text": "good"}\n{"txt": "bad"}\n', encoding="utf-8")
    with pytest.raises(InvalidRequest, match="has no text to train on"):
        list(read_documents([tmp_path / "empty"], OPTIONS))
    with pytest.raises(InvalidRequest, match="line 2"):
        list(read_documents([tmp_path / "bad.jsonl"], OPTIONS))
    with pytest.raises(InvalidRequest, match="is not a corpus"):
        open_corpus(tmp_path / "empty", "train", 8192)
    with pytest.raises(CheckpointError, match=r"tokenizer\.json is missing"):
        load_tokenizer(tmp_path / "empty")
    write_corpus([Document((Span("text"),), validation=False)], tokenizer, [], tmp_path / "corpus")
    with pytest.raises(InvalidRequest, match="the model has 50257"):
        open_corpus(tmp_path / "corpus", "train", 50257)
    with pytest.raises(InvalidRequest, match="no validation documents"):
        open_corpus(tmp_path / "corpus", "validation", tokenizer.get_vocab_size())


def test_batches_depend_on_seed_and_step_alone(tmp_path: Path, tokenizer: Tokenizer) -> None:
    documents = [Document((Span(f"text number {i} " * 9),), validation=i % 9 == 0) for i in range(40)]
    write_corpus(documents, tokenizer, [], tmp_path / "corpus")
    mixture = Mixture([open_corpus(tmp_path / "corpus", "train", tokenizer.get_vocab_size())], [1.0])
    first, again = (mixture.batch(7, rows=8, window=16, context=64, seed=3) for _ in range(2))
    assert first.input_ids.equal(again.input_ids)
    assert not first.input_ids.equal(mixture.batch(8, rows=8, window=16, context=64, seed=3).input_ids)
    following, labels = first.input_ids[:, 1:], first.labels[:, :-1]
    assert following[labels != -100].equal(labels[labels != -100])
    assert (labels != -100).float().mean() > 0.8
    starts = first.positions[:, 0].tolist()
    assert 0 in starts
    assert max(starts) > 0
    assert int(first.positions.max()) < 64


def test_validation_windows_stay_inside_their_document(tmp_path: Path, tokenizer: Tokenizer) -> None:
    documents = [Document((Span(f"text {i}"),), validation=True) for i in range(6)]
    write_corpus([*documents, Document((Span("x"),), validation=False)], tokenizer, [], tmp_path / "corpus")
    corpus = open_corpus(tmp_path / "corpus", "validation", tokenizer.get_vocab_size())
    (batch,) = validation_batches(corpus, rows=6, window=16, batches=1)
    for ids, labels in zip(batch.input_ids, batch.labels, strict=True):
        learnt = labels[labels != -100].tolist()
        assert learnt[-1] == 0
        assert np.count_nonzero(np.array(learnt) == 0) == 1
        assert int(ids[0]) == 0
