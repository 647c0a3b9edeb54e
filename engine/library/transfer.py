"""Downloads one file: resumable over restarts, checked, and never visible under its name before it is whole.

While it arrives, `NAME` is called `NAME.partial`; `NAME.partial.json` beside it says which version it belongs to.
"""

import hashlib
import json
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx2
from huggingface_hub import get_session

from engine.errors import DownloadFailed
from engine.files import durable, write_json
from engine.library.control import Control, Meter, Stage
from engine.library.files import explained_disk_errors, hex_digest
from engine.library.hub import RemoteFile
from engine.library.retry import Hiccup, RetryPolicy, hub_errors, status_error, with_retries

CONNECT_TIMEOUT_S = 10.0


class PartialFile:
    """What has arrived of a file so far."""

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(path.name + ".partial")
        self.note = path.with_name(path.name + ".partial.json")

    @property
    def size(self) -> int:
        """In bytes; 0 when nothing has arrived."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def begin(self, digest: str, etag: str | None) -> None:
        """Starts from the first byte of the version that the digest names."""
        self.discard()
        write_json(self.note, {"digest": digest, "etag": etag})

    def etag(self, file: RemoteFile) -> str | None:
        """The entity tag under which it began to arrive. What belongs to another version of the file is thrown away."""
        try:
            note = json.loads(self.note.read_text(encoding="utf-8"))
            if note["digest"] == file.digest and self.size <= file.size:
                return None if note["etag"] is None else str(note["etag"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # a note that cannot be read vouches for nothing
        self.discard()
        return None

    def discard(self) -> None:
        """Forget all that has arrived."""
        self.path.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)

    def publish(self, path: Path) -> None:
        """Give the whole, checked file its name."""
        self.path.replace(path)
        self.note.unlink(missing_ok=True)


class Transfer:
    """One file on its way from `file.url` to `path`.

    headers  for the hub itself; the HTTP library does not send the token on to the hosts that a hub redirects to
    """

    def __init__(
        self,
        file: RemoteFile,
        path: Path,
        headers: dict[str, str],
        policy: RetryPolicy,
        control: Control,
        meter: Meter,
    ) -> None:
        self._file = file
        self._path = path
        self._partial = PartialFile(path)
        self._headers = {**headers, "Accept-Encoding": "identity"}  # a compressed body has no ranges of ours
        self._policy = policy
        self._control = control
        self._meter = meter

    def run(self) -> None:
        """Brings the file, going on where an earlier run stopped.

        Raises DownloadFailed, NotEnoughSpace, LibraryError, Paused or Cancelled. What arrived is kept for the next run;
        only a file that is all there and not what the hub announced is removed.
        """
        with explained_disk_errors(self._path.parent):
            self._meter.begin(Stage.DOWNLOADING, self._file.name, self._file.size)
            if self._is_here():
                self._meter.finish()
            else:
                with_retries(self._receive, self._policy, self._control, done=lambda: self._partial.size)
                self._meter.finish()
                self._require_digest()
                self._partial.publish(self._path)

    def _is_here(self) -> bool:
        """Whether an earlier run has brought this very version."""
        return self._path.exists() and has_digest(self._path, self._file, self._control)

    def _receive(self) -> None:
        """One connection's worth of the file. Raises Hiccup when it ends before the file does."""
        etag = self._partial.etag(self._file)
        offset = self._partial.size
        self._meter.resume_at(offset)
        if offset < self._file.size:
            with (
                hub_errors(self._file.name),
                get_session().stream(
                    "GET",
                    self._file.url,
                    headers=self._headers | _range_headers(offset, etag),
                    timeout=httpx2.Timeout(CONNECT_TIMEOUT_S, read=self._policy.stall_s),
                    follow_redirects=True,
                ) as response,
                self._control.interrupting(lambda: _hang_up(response)),
            ):
                if not self._goes_on(response, offset, etag):
                    self._partial.begin(self._file.digest, response.headers.get("ETag"))
                    self._meter.resume_at(0)
                self._write(response)

    def _goes_on(self, response: httpx2.Response, offset: int, etag: str | None) -> bool:
        """True when the body starts at `offset`, False when at the first byte. Raises Hiccup or DownloadFailed."""
        size = self._file.size
        if response.status_code == 206:
            same_version = etag is None or response.headers.get("ETag", etag) == etag
            if same_version and response.headers.get("Content-Range") == f"bytes {offset}-{size - 1}/{size}":
                return True
        if response.status_code in (206, 416):
            self._partial.discard()
            raise Hiccup(f"{self._file.name}: the server does not have the rest of what it sent before")
        if response.status_code != 200:
            raise status_error(response, self._file.name)
        announced = response.headers.get("Content-Length", str(size))
        if announced != str(size):
            raise Hiccup(f"{self._file.name}: the server has {announced} bytes instead of the hub's {size}")
        return False

    def _write(self, response: httpx2.Response) -> None:
        missing = self._file.size - self._partial.size
        with durable(self._partial.path, "ab") as out:
            for chunk in response.iter_raw():
                self._control.check()
                missing -= len(chunk)
                if missing < 0:
                    raise Hiccup(f"{self._file.name}: the server sends more than the hub announced")
                out.write(chunk)
                self._meter.advance(len(chunk))
        if missing > 0:
            raise Hiccup(f"{self._file.name}: the connection ended early")

    def _require_digest(self) -> None:
        """Raises DownloadFailed, and removes the file, when it is not the one that the hub announced."""
        self._meter.begin(Stage.CHECKING, self._file.name, self._file.size)
        if not has_digest(self._partial.path, self._file, self._control, self._meter.advance):
            self._partial.discard()
            raise DownloadFailed(
                f"{self._file.name} arrived damaged (wrong checksum) and was removed; start the download again"
            )


def has_digest(path: Path, file: RemoteFile, control: Control, advance: Callable[[int], None] = lambda _: None) -> bool:
    """Whether a file on disk is the one announced, by SHA-256 or git's blob id; where there is neither, by its size."""
    if file.sha256 is not None:
        expected, digest = file.sha256, hashlib.sha256()
    elif file.git_sha1 is not None:
        expected, digest = file.git_sha1, hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)
    else:
        return path.stat().st_size == file.size
    return hex_digest(digest, path, control, advance) == expected


def _range_headers(offset: int, etag: str | None) -> dict[str, str]:
    """Asks for the rest, if it is still the same version; only a strong tag can tell (RFC 9110, section 13.1.5)."""
    if offset == 0:
        return {}
    condition = {"If-Range": etag} if etag is not None and etag.startswith('"') else {}
    return {"Range": f"bytes={offset}-", **condition}


def _hang_up(response: httpx2.Response) -> None:
    """Ends a read that blocks in another thread."""
    stream = response.extensions.get("network_stream")
    connection = stream.get_extra_info("socket") if stream is not None else None
    if connection is not None:
        with suppress(OSError):  # it may just have been closed
            connection.shutdown(socket.SHUT_RDWR)
