"""Families: what is listed, got, paired, added, checked and removed."""

import errno
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import huggingface_hub.constants
import pytest
import torch
from safetensors.torch import load_file

from engine.config import ChatFormat, ChatFormatKind, ModelSpec, SamplingParams
from engine.errors import CheckpointError, DownloadFailed, IncompatibleDraft, LibraryError, NotEnoughSpace
from engine.events import Finished, GenerationRequest, ModelInfo
from engine.family import find_family
from engine.library.catalogue import load_catalogue
from engine.library.control import Control, Progress, Stage
from engine.library.hub import Hub
from engine.library.library import Library
from engine.library.recipe import Recipe
from engine.library.states import Fit
from engine.library.store import Place
from engine.loading import load_chat_model
from tests.engine.library.checkpoints import pickled, weights, write_checkpoint, write_stranger
from tests.engine.library.conftest import DRAFT, TARGET
from tests.engine.library.hub_server import COMMIT, HubServer

FAMILY = "gpt2-large"

UNUSUAL_NAMES = ["中文 模型", "модели", "Übergröße", "全角　空白", 'it\'s a "model" & more', "100 %"]


def quiet(_: Progress) -> None:
    """A report that nobody reads."""


def get(library: Library, family_id: str = FAMILY) -> Path:
    library.download(family_id, Control(), quiet)
    return library.folder_to_load(family_id)


def family_json(folder: Path) -> dict[str, object]:
    content: dict[str, object] = json.loads((folder / "family.json").read_text(encoding="utf-8"))
    return content


def in_cache(tmp_path: Path, repo_id: str, seed: int = 0) -> Path:
    """A snapshot in the Hugging Face cache."""
    revision = load_catalogue().revision(repo_id)
    repo = tmp_path / "hub cache" / f"models--{repo_id.replace('/', '--')}"
    return write_checkpoint(repo / "snapshots" / revision, seed)


def test_catalogue_offers_the_promised_families(library: Library) -> None:
    states = {state.family.id: state for state in library.families()}
    assert list(states) == ["builtin", "gpt2-large", "dialogpt-large", "gpt2-medium", "gpt2"]
    assert states["builtin"].is_complete
    assert states["builtin"].ngram is not None
    assert [state.family.id for state in states.values() if state.is_ready] == ["builtin"]
    assert states["gpt2-large"].family.draft == "distilbert/distilgpt2"
    assert states["dialogpt-large"].family.chat_format.kind is ChatFormatKind.EOS
    for state in states.values():
        if state.family.id != "builtin":
            assert library.download_bytes(state)
            assert all(library.licence(checkpoint.source) for checkpoint in state.checkpoints)


def test_a_family_is_got_converted_and_written_down(library: Library) -> None:
    folder = get(library)
    content = family_json(folder)
    target = folder / str(content["target"])
    written = load_file(target / "model.safetensors")
    assert torch.equal(written["wte.weight"], weights(seed=1)["wte.weight"].half())
    assert (folder / str(content["draft"]) / "model.safetensors").is_file()
    assert not Path(str(content["target"])).is_absolute()  # the folder of models may be moved
    origin = json.loads((target / "origin.json").read_text())
    assert origin["commit"] == COMMIT
    assert origin["repo_id"] == TARGET


def test_pickled_weights_become_safetensors(library: Library, server: HubServer) -> None:
    files = server.models[TARGET]
    del files["model.safetensors"]
    files["pytorch_model.bin"] = pickled(weights(seed=1))
    target = library.download(FAMILY, Control(), quiet).target.folder
    assert target is not None
    assert not (target / "pytorch_model.bin").exists()
    assert torch.equal(load_file(target / "model.safetensors")["ln_f.bias"], weights(seed=1)["ln_f.bias"].half())


def test_foreign_model_is_refused_before_its_weights_come(library: Library, server: HubServer) -> None:
    server.models[TARGET]["config.json"] = b'{"model_type": "llama"}'
    with pytest.raises(CheckpointError, match="llama"):
        get(library)
    assert server.content_requests() == []
    assert not library.family(FAMILY).is_ready


def test_weights_that_do_not_fit_their_config_are_refused(library: Library, server: HubServer) -> None:
    config = json.loads(bytes(server.models[TARGET]["config.json"]))  # type: ignore[arg-type]
    server.models[TARGET]["config.json"] = json.dumps(config | {"n_layer": 3}).encode()
    with pytest.raises(CheckpointError, match="missing"):
        get(library)
    assert not library.family(FAMILY).is_ready


def test_target_alone_is_ready_while_the_draft_is_not(library: Library, server: HubServer) -> None:
    del server.models[DRAFT]
    with pytest.raises(DownloadFailed):
        get(library)
    assert not library.family(FAMILY).is_ready  # nothing has been fetched: the draft was found missing first
    library.choose_draft(FAMILY, None)
    assert "draft" not in family_json(get(library))


def test_shared_draft_is_fetched_once_and_kept_as_long_as_it_is_used(library: Library, server: HubServer) -> None:
    server.models["openai-community/gpt2-medium"] = server.models[TARGET]
    get(library)
    server.requests.clear()
    get(library, "gpt2-medium")
    assert not [request for request in server.requests if "distilgpt2" in request.path]
    freed = library.remove(FAMILY)
    assert freed > 200_000
    assert not library.family(FAMILY).is_ready
    assert library.family("gpt2-medium").is_complete
    library.remove("gpt2-medium")
    assert list((library.folder / "checkpoints").iterdir()) == []


def test_builtin_family_stays(library: Library) -> None:
    for change in (lambda: library.remove("builtin"), lambda: library.choose_draft("builtin", None)):
        with pytest.raises(LibraryError, match="part of the program"):
            change()
    assert library.folder_to_load("builtin").joinpath("family.json").is_file()


def test_cached_models_are_used_where_they_are(library: Library, server: HubServer, tmp_path: Path) -> None:
    target, draft = in_cache(tmp_path, TARGET), in_cache(tmp_path, DRAFT)
    state = library.family(FAMILY)
    assert [checkpoint.place for checkpoint in state.checkpoints] == [Place.CACHE, Place.CACHE]
    content = family_json(get(library))
    assert (content["target"], content["draft"]) == (str(target), str(draft))
    assert server.requests == []
    library.check(FAMILY, Control(), quiet)
    assert library.remove(FAMILY) == 0
    assert (target / "model.safetensors").is_file()


def test_half_a_snapshot_in_the_cache_is_not_used(library: Library, tmp_path: Path) -> None:
    (in_cache(tmp_path, TARGET) / "model.safetensors").unlink()
    assert library.family(FAMILY).target.place is Place.MISSING


def test_folder_is_added_and_used_where_it_is(library: Library, tmp_path: Path) -> None:
    target, draft = write_checkpoint(tmp_path / "My Model", 1), write_checkpoint(tmp_path / "small", 2)
    state = library.add(str(target), str(draft), chat_format=ChatFormatKind.EOS)
    assert state.family.id == "my-model"
    assert state.is_complete
    content = family_json(library.folder_to_load("my-model"))
    assert content["target"] == str(target)
    assert find_family(ModelSpec(library.folder_to_load("my-model"))).chat_format == ChatFormat(
        ChatFormatKind.EOS, stop=()
    )
    assert library.add(str(target)).family.id == "my-model-2"
    library.remove("my-model")
    assert target.is_dir()
    assert "my-model" not in [state.family.id for state in library.families()]


def test_family_folder_is_added_with_all_its_parts(library: Library) -> None:
    builtin = library.folder_to_load("builtin")
    state = library.add(str(builtin), name="Mine")
    assert state.family.id == "mine"
    content = family_json(library.folder_to_load("mine"))
    assert content["target"] == str(builtin / "target")
    assert content["ngram"] == str(builtin / "ngram.npz")
    assert content["chat_format"]["stop"] == ["\nUser:"]  # type: ignore[index]


def test_family_folder_that_points_elsewhere_is_refused(library: Library, tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "elsewhere")
    (tmp_path / "family").mkdir()
    (tmp_path / "family" / "family.json").write_text('{"target": "../elsewhere"}')
    with pytest.raises(LibraryError, match="is elsewhere"):
        library.add(str(tmp_path / "family"))


def test_model_from_the_hub_is_added_then_got(library: Library, server: HubServer) -> None:
    server.models["someone/tuned"] = server.models[TARGET]
    state = library.add("someone/tuned", DRAFT, name="Tuned!")
    assert state.family.id == "tuned"
    assert not state.is_ready
    assert library.download_bytes(state) is None
    assert library.family(get(library, "tuned").name).is_complete


@pytest.mark.parametrize("source", ["", "no/such/folder", "/no/such/folder", "../x"])
def test_what_is_neither_folder_nor_hub_id_is_refused(library: Library, source: str) -> None:
    with pytest.raises((LibraryError, CheckpointError)):
        library.add(source)
    assert not any(state.family.is_own for state in library.families())


def test_folder_without_a_sound_checkpoint_is_refused(library: Library, tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "cut")
    with (folder / "model.safetensors").open("r+b") as weights_file:
        weights_file.truncate(100_000)
    with pytest.raises(CheckpointError, match="damaged"):
        library.add(str(folder))


def test_folder_that_vanishes_is_named(library: Library, tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "stick")
    family_id = library.add(str(folder)).family.id
    shutil.rmtree(folder)
    assert not library.family(family_id).is_ready
    with pytest.raises(LibraryError, match="stick is gone"):
        library.download(family_id, Control(), quiet)


def test_drafts_of_another_vocabulary_are_told_and_refused(library: Library, tmp_path: Path) -> None:
    get(library)
    stranger = write_stranger(tmp_path / "stranger")
    library.add(str(stranger))
    fits = {choice.state.source: choice.fit for choice in library.drafts(FAMILY)}
    assert fits[DRAFT] is Fit.COMPATIBLE
    assert fits["openai-community/gpt2"] is Fit.COMPATIBLE  # the catalogue says so
    assert fits[str(stranger)] is Fit.INCOMPATIBLE
    assert TARGET not in fits
    with pytest.raises(IncompatibleDraft, match="vocabulary"):
        library.choose_draft(FAMILY, str(stranger))
    with pytest.raises(IncompatibleDraft):
        library.add(TARGET, str(stranger))
    assert library.family(FAMILY).family.draft == DRAFT


def test_fit_is_unknown_until_both_are_here(library: Library, tmp_path: Path) -> None:
    assert library.fit(TARGET, str(write_checkpoint(tmp_path / "own"))) is Fit.UNKNOWN
    assert library.fit("a/b", DRAFT) is Fit.UNKNOWN


def test_choice_of_draft_outlives_the_program(library: Library, hub: Hub) -> None:
    library.choose_draft(FAMILY, "openai-community/gpt2")
    assert Library(library.folder, hub).family(FAMILY).family.draft == "openai-community/gpt2"


def test_newer_catalogue_reaches_what_is_installed(library: Library) -> None:
    get(library)
    library.choose_draft(FAMILY, None)
    path = library.folder / "families" / FAMILY / "family.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"name": "Old", "chat_format": {"kind": "eos"}}))
    entry = library.family(FAMILY).family
    assert (entry.name, entry.chat_format.kind, entry.draft) == ("GPT-2 Large", ChatFormatKind.TRANSCRIPT, None)
    assert find_family(ModelSpec(library.folder_to_load(FAMILY))).chat_format.stop == ("\nUser:",)


def test_what_a_killed_conversion_left_is_not_taken_for_a_model(library: Library) -> None:
    left = library.folder / "downloads" / "openai-community--gpt2-large" / "ready"
    left.mkdir(parents=True)
    (left / "model.safetensors").write_bytes(b"half")
    (left / "merges.txt").write_bytes(b"half")
    (left / "origin.json").write_text("{}")
    assert library.family(FAMILY).target.place is Place.PARTIAL
    target = get(library) / str(family_json(library.folder_to_load(FAMILY))["target"])
    assert torch.equal(load_file(target / "model.safetensors")["ln_f.bias"], weights(seed=1)["ln_f.bias"].half())
    assert not (target / "merges.txt").exists()
    assert list((library.folder / "downloads").iterdir()) == []


def test_check_names_the_damaged_file(library: Library) -> None:
    get(library)
    library.check(FAMILY, Control(), quiet)
    draft = library.family(FAMILY).checkpoints[1].folder
    assert draft is not None
    with (draft / "model.safetensors").open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\x7f")
    with pytest.raises(CheckpointError, match=r"distilgpt2.model\.safetensors: damaged"):
        library.check(FAMILY, Control(), quiet)


def test_damaged_entry_hides_no_other(library: Library, tmp_path: Path) -> None:
    family_id = library.add(str(write_checkpoint(tmp_path / "own"))).family.id
    broken = library.folder / "families" / "broken"
    broken.mkdir()
    (broken / "family.json").write_text("{")
    assert family_id in [state.family.id for state in library.families()]


def test_unknown_family_is_answered_with_the_known(library: Library) -> None:
    with pytest.raises(LibraryError, match="gpt2-large"):
        library.family("gpt3")


@pytest.mark.parametrize("name", UNUSUAL_NAMES)
def test_unusual_paths(hub: Hub, tmp_path: Path, name: str) -> None:
    library = Library(tmp_path / name / "models", hub)
    assert_answers(get(library))
    library.check(FAMILY, Control(), quiet)
    own = library.add(str(write_checkpoint(tmp_path / f"{name} own")))
    assert own.is_complete
    assert_answers(library.folder_to_load(own.family.id))
    library.build_table(FAMILY, Recipe(tokens=40, text_tokens=8, batch=4, min_count=1), Control(), lambda *_: None)
    assert library.family(FAMILY).ngram is not None
    assert library.remove(FAMILY) > 0


def assert_answers(folder: Path) -> ModelInfo:
    """The engine loads the family and chats."""
    model = load_chat_model(ModelSpec(target=folder, dtype="float32", threads=1), lambda _progress, _stage: None)
    request = GenerationRequest(prompt="Hello", sampling=SamplingParams(max_new_tokens=8))
    *_, make_last = model.generate(request, lambda: False)
    finished = make_last(1, 1)
    assert isinstance(finished, Finished)
    assert len(finished.token_ids) == 8
    return model.info


def test_folder_that_cannot_be_written(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    library = Library(tmp_path / "file" / "models", hub)
    with pytest.raises(LibraryError, match="choose another folder"):
        get(library)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 80 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=80m", "tmpfs", str(folder)]
    if os.name == "nt" or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("mounting a small disk needs root on Linux")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_full_disk_keeps_what_came(hub: Hub, server: HubServer, small_disk: Path) -> None:
    library = Library(small_disk / "models", hub)
    ballast = small_disk / "ballast"

    def fill(progress: Progress) -> None:
        if progress.stage is Stage.DOWNLOADING and progress.file == "model.safetensors" and not ballast.exists():
            with ballast.open("wb") as out:
                with pytest.raises(OSError, match="No space"):  # noqa: PT012
                    while True:
                        out.write(bytes(1 << 16))
                        out.flush()
                out.seek(-200_000, os.SEEK_CUR)
                out.truncate()

    with pytest.raises(NotEnoughSpace, match="full"):
        library.download(FAMILY, Control(), fill)
    partial = library.folder / "downloads" / "openai-community--gpt2-large" / "model.safetensors.partial"
    arrived = partial.stat().st_size
    assert 0 < arrived < 300_000
    ballast.unlink()
    get(library)
    assert library.family(FAMILY).is_complete
    assert server.content_requests()[1].offset == arrived


def test_network_blocked_after_the_download(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = get(library)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)

    def no_network(*_: object) -> None:
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    monkeypatch.setattr("socket.socket.connect", no_network)
    assert get(library) == folder
    library.check(FAMILY, Control(), quiet)
    info = assert_answers(folder)
    assert (info.target, info.draft) == tuple(state.folder for state in library.family(FAMILY).checkpoints)
