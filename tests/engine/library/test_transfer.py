"""Downloads under every fault of the line and of the server; the file at the end is always the hub's, or not there."""

import errno
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import Cancelled, DownloadFailed, NotEnoughSpace, Paused
from engine.library.control import Control, Progress, Stage
from engine.library.hub import Hub
from engine.library.library import Library
from engine.library.retry import RetryPolicy
from engine.library.store import Place
from tests.engine.library.conftest import DRAFT, IMPATIENT, TARGET
from tests.engine.library.hub_server import Fault, HubServer

FAMILY = "gpt2-large"


def quiet(_: Progress) -> None:
    """A report that nobody reads."""


def weights_of(server: HubServer, repo_id: str = TARGET) -> bytes:
    content = server.models[repo_id]["model.safetensors"]
    assert isinstance(content, bytes)
    return content


def partial_of(library: Library) -> Path:
    return library.folder / "downloads" / "openai-community--gpt2-large" / "model.safetensors.partial"


def get(library: Library, control: Control | None = None, report: Callable[[Progress], None] = quiet) -> None:
    """Download in full precision, so that the file on disk is the hub's."""
    library.download(FAMILY, control or Control(), report, precision="float32")


def until(condition: Callable[[], bool]) -> None:
    """Waits for what another thread or process is about to do."""
    end = time.monotonic() + 90  # a process imports torch first
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def assert_is_here(library: Library, server: HubServer) -> None:
    """Both checkpoints are whole and nothing is left of the way here."""
    state = library.family(FAMILY)
    assert state.is_complete
    for checkpoint in state.checkpoints:
        assert checkpoint.place is Place.LIBRARY
        assert checkpoint.folder is not None
        assert (checkpoint.folder / "model.safetensors").read_bytes() == weights_of(server, checkpoint.source)
    assert list((library.folder / "downloads").iterdir()) == []


def assert_is_not_here(library: Library) -> None:
    assert not library.family(FAMILY).is_ready
    assert not (library.folder / "checkpoints").exists() or not list((library.folder / "checkpoints").iterdir())


def test_only_what_is_needed_is_fetched(library: Library, server: HubServer) -> None:
    get(library)
    assert_is_here(library, server)
    fetched = {request.path.rsplit("/", 1)[1] for request in server.requests if "/resolve/" in request.path}
    assert fetched == {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}


def test_a_second_call_fetches_nothing(library: Library, server: HubServer) -> None:
    get(library)
    server.requests.clear()
    get(library)
    assert server.requests == []


@pytest.mark.parametrize("tenth", range(10))
def test_dropped_line_is_gone_on_with(library: Library, server: HubServer, tenth: int) -> None:
    size = len(weights_of(server))
    server.faults.append(Fault(drop_after=size * tenth // 10))
    get(library)
    assert_is_here(library, server)
    second = server.content_requests()[1]
    assert second.offset == size * tenth // 10
    assert tenth == 0 or second.headers["if-range"]


def test_line_that_drops_again_and_again_makes_its_way(library: Library, server: HubServer) -> None:
    """More drops than attempts are allowed: only those without a new byte count."""
    step = len(weights_of(server)) // 10
    server.faults.extend([Fault(drop_after=step)] * 9)
    get(library)
    assert_is_here(library, server)


def test_server_that_ignores_ranges_restarts_cleanly(library: Library, server: HubServer) -> None:
    server.faults.extend([Fault(drop_after=300_000), Fault(ignore_range=True)])
    get(library)
    assert_is_here(library, server)


def test_changed_tag_restarts_cleanly(library: Library, server: HubServer) -> None:
    server.faults.extend([Fault(drop_after=300_000), Fault(etag='"other"')])
    get(library)
    assert_is_here(library, server)


def test_changed_tag_under_206_restarts_cleanly(library: Library, server: HubServer) -> None:
    server.faults.extend([Fault(drop_after=300_000), Fault(etag='"other"', keep_206=True)])
    get(library)
    assert_is_here(library, server)
    offsets = [request.offset for request in server.content_requests() if TARGET in request.path]
    assert offsets == [0, 300_000, 0]


def test_weak_tag_is_no_condition(library: Library, server: HubServer) -> None:
    server.faults.extend([Fault(drop_after=300_000, etag='W/"weak"'), Fault(etag='W/"weak"')])
    get(library)
    assert_is_here(library, server)
    assert "if-range" not in server.content_requests()[1].headers
    assert server.content_requests()[1].offset == 300_000


def test_range_not_satisfiable_restarts_cleanly(library: Library, server: HubServer) -> None:
    server.faults.extend([Fault(drop_after=300_000), Fault(status=416)])
    get(library)
    assert_is_here(library, server)


def test_damaged_file_is_removed_and_named(library: Library, server: HubServer) -> None:
    server.faults.append(Fault(damage=True))
    with pytest.raises(DownloadFailed, match=r"model\.safetensors arrived damaged"):
        get(library)
    assert not partial_of(library).exists()
    assert_is_not_here(library)
    get(library)
    assert_is_here(library, server)


def test_damaged_small_file_is_removed_and_named(library: Library, server: HubServer, hub: Hub) -> None:
    remote = hub.checkpoint(TARGET, "main", Control())
    server.models[TARGET]["config.json"] = b" " * next(f.size for f in remote.files if f.name == "config.json")
    hub.checkpoint = lambda *_: remote  # type: ignore[method-assign]
    with pytest.raises(DownloadFailed, match=r"config\.json arrived damaged"):
        get(library)


def test_more_bytes_than_announced_are_not_taken(library: Library, server: HubServer) -> None:
    server.faults.append(Fault(extra=100_000))
    get(library)
    assert_is_here(library, server)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_busy_server_is_asked_again(library: Library, server: HubServer, status: int) -> None:
    server.faults.extend([Fault(status=status)] * 2)
    get(library)
    assert_is_here(library, server)


def test_server_that_stays_broken_is_given_up(library: Library, server: HubServer) -> None:
    server.faults.extend([Fault(status=500)] * IMPATIENT.attempts)
    with pytest.raises(DownloadFailed, match=r"answers 500 \(3 attempts\)"):
        get(library)
    assert_is_not_here(library)
    get(library)
    assert_is_here(library, server)


def test_refusal_is_not_repeated(library: Library, server: HubServer) -> None:
    server.faults.append(Fault(status=403))
    with pytest.raises(DownloadFailed, match="HF_TOKEN"):
        get(library)
    assert len(server.content_requests()) == 1


def test_retry_after_is_respected(server: HubServer, tmp_path: Path) -> None:
    waits: list[float] = []

    class Watched(Control):
        def wait(self, seconds: float) -> None:
            waits.append(seconds)

    server.faults.append(Fault(status=429, headers={"Retry-After": "7"}))
    policy = RetryPolicy(attempts=3, first_delay_s=0.001)
    library = Library(tmp_path / "models", Hub(endpoint=server.endpoint, policy=policy))
    get(library, Watched())
    assert waits == [7.0]


def test_server_that_asks_for_an_hour_is_taken_at_its_word(library: Library, server: HubServer) -> None:
    server.faults.append(Fault(status=429, headers={"Retry-After": "3600"}))
    with pytest.raises(DownloadFailed, match="60 minutes"):
        get(library)


def test_stalled_body_is_asked_for_again(library: Library, server: HubServer) -> None:
    server.faults.append(Fault(stall_after=300_000))
    get(library)
    assert_is_here(library, server)
    assert server.content_requests()[1].offset == 300_000


def test_slow_body_arrives(library: Library, server: HubServer) -> None:
    server.faults.append(Fault(pieces_bytes=1000))
    get(library)
    assert_is_here(library, server)


def test_pause_ends_a_stalled_read_at_once_and_keeps_what_came(server: HubServer, tmp_path: Path) -> None:
    hub = Hub(endpoint=server.endpoint, policy=RetryPolicy(stall_s=60))
    library = Library(tmp_path / "models", hub)
    server.faults.append(Fault(stall_after=300_000))
    control, outcome = Control(), list[BaseException]()

    def job() -> None:
        try:
            get(library, control)
        except Paused as paused:
            outcome.append(paused)

    thread = threading.Thread(target=job)
    thread.start()
    until(lambda: partial_of(library).exists() and partial_of(library).stat().st_size >= 290_000)
    control.pause()
    thread.join(10)
    assert not thread.is_alive()
    assert outcome
    assert library.family(FAMILY).target.place is Place.PARTIAL
    assert_is_not_here(library)
    arrived = partial_of(library).stat().st_size
    assert arrived >= 290_000
    get(library)
    assert_is_here(library, server)
    assert server.content_requests()[1].offset == arrived


@pytest.mark.usefixtures("server")
def test_cancel_deletes_what_came(library: Library) -> None:
    control = Control()

    def cancel_at_weights(progress: Progress) -> None:
        if progress.file == "model.safetensors":
            control.cancel()

    with pytest.raises(Cancelled):
        get(library, control, cancel_at_weights)
    assert library.family(FAMILY).target.place is Place.MISSING
    assert_is_not_here(library)


def test_partial_file_of_an_older_commit_is_thrown_away(library: Library, server: HubServer) -> None:
    """Even where the tags do not tell them apart."""
    server.faults.extend([Fault(drop_after=300_000, etag='"same"'), *[Fault(status=500)] * IMPATIENT.attempts])
    with pytest.raises(DownloadFailed):
        get(library)
    server.faults.append(Fault(etag='"same"'))
    server.models[TARGET], server.models[DRAFT] = server.models[DRAFT], server.models[TARGET]
    server.commits[TARGET] = "f" * 40
    get(library)
    assert_is_here(library, server)


def test_small_file_of_an_older_commit_is_fetched_again(library: Library, server: HubServer) -> None:
    server.faults.extend([Fault(status=500)] * IMPATIENT.attempts)
    with pytest.raises(DownloadFailed):
        get(library)
    server.models[TARGET]["tokenizer_config.json"] = b'{"model_max_length": 64}'
    get(library)
    folder = library.family(FAMILY).target.folder
    assert folder is not None
    assert (folder / "tokenizer_config.json").read_bytes() == b'{"model_max_length": 64}'


def test_token_is_not_sent_to_other_hosts(server: HubServer, tmp_path: Path) -> None:
    hub = Hub(endpoint=server.endpoint, token="hf_secret", policy=IMPATIENT)
    get(Library(tmp_path / "models", hub))
    for request in server.requests:
        assert ("authorization" in request.headers) == (request.host == "hub"), request


def test_progress_is_told(library: Library, server: HubServer) -> None:
    seen: list[Progress] = []
    get(library, report=seen.append)
    total = sum(
        len(content)
        for repo_id in (TARGET, DRAFT)
        for name, content in server.models[repo_id].items()
        if name not in ("README.md", "pytorch_model.bin") and isinstance(content, bytes)
    )
    downloads = [progress for progress in seen if progress.stage is Stage.DOWNLOADING]
    assert {progress.total_bytes for progress in downloads} == {total}
    done = [progress.done_bytes for progress in downloads]
    assert done == sorted(done)
    assert done[-1] == total
    assert {progress.stage for progress in seen} >= {Stage.DOWNLOADING, Stage.CHECKING}


def test_too_small_a_disk_is_refused_before_the_first_byte(
    library: Library, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type("Usage", (), {"free": 1_000_000})
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage)
    with pytest.raises(NotEnoughSpace, match="1 MB free"):
        get(library)
    assert not [request for request in server.requests if "/resolve/" in request.path]


def test_disk_that_fills_up_keeps_what_came(
    library: Library, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = os.fsync

    def sync_on_a_full_disk(descriptor: int) -> None:
        sync(descriptor)
        if partial_of(library).exists():
            raise OSError(errno.ENOSPC, "No space left on device")

    server.faults.append(Fault(drop_after=300_000))
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", sync_on_a_full_disk)
        with pytest.raises(NotEnoughSpace, match="is full"):
            get(library)
    assert partial_of(library).stat().st_size == 300_000
    get(library)
    assert_is_here(library, server)
    assert server.content_requests()[1].offset == 300_000
