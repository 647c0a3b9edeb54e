"""A hub on this machine: the part of huggingface.co's protocol that the library uses, with faults to order."""

import hashlib
import json
import mmap
import re
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
PIECE_BYTES = 1 << 16
LFS_ENDINGS = (".safetensors", ".bin")


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one request for a large file.

    drop_after    hang up after so many bytes of the body
    stall_after   send nothing more after so many bytes of the body, until `HubServer.release`
    status        answer this, with `headers`, and no file
    ignore_range  answer 200 with the whole file
    etag          another entity tag than before; a request on condition of the old one gets the whole file
    keep_206      with `etag`: answer 206 all the same, as a careless server does
    damage        flip a byte of the body
    extra         so many bytes too many
    pieces_bytes  send in pieces of this size
    """

    drop_after: int | None = None
    stall_after: int | None = None
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    ignore_range: bool = False
    etag: str | None = None
    keep_206: bool = False
    damage: bool = False
    extra: int = 0
    pieces_bytes: int = PIECE_BYTES


@dataclass(frozen=True)
class Request:
    """A request as it arrived at the hub itself or at its content host."""

    host: str
    path: str
    headers: Mapping[str, str]

    @property
    def offset(self) -> int:
        """Where the wanted part begins."""
        match = re.fullmatch(r"bytes=(\d+)-", self.headers.get("range", ""))
        return int(match.group(1)) if match else 0


class HubServer:
    """Serves `models` (hub id -> file name -> content, or a file with it); large files from a host of their own.

    faults      for the requests for large files, first come first served
    api_faults  for the requests for the list of a model's files
    """

    def __init__(self) -> None:
        self.models: dict[str, dict[str, bytes | Path]] = {}
        self.commits: dict[str, str] = {}
        self.faults: deque[Fault] = deque()
        self.api_faults: deque[Fault] = deque()
        self.requests: list[Request] = []
        self.stalled = threading.Event()
        self.released = threading.Event()
        self._hub = _serve(self, "hub")
        self._content = _serve(self, "content")

    @property
    def endpoint(self) -> str:
        """What HF_ENDPOINT would be."""
        return f"http://127.0.0.1:{self._hub.server_port}"

    @property
    def content_endpoint(self) -> str:
        """Another host, as far as HTTP is concerned."""
        return f"http://127.0.0.1:{self._content.server_port}"

    def content_requests(self) -> list[Request]:
        """The requests for large files so far."""
        return [request for request in self.requests if request.host == "content"]

    def release(self) -> None:
        """Stalled answers end."""
        self.released.set()

    def close(self) -> None:
        """Ends the hub."""
        self.release()
        for server in (self._hub, self._content):
            server.shutdown()
            server.server_close()


def _serve(owner: HubServer, host: str) -> ThreadingHTTPServer:
    handler = type("Handler", (_Handler,), {"owner": owner, "host": host})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server


class _Handler(BaseHTTPRequestHandler):
    owner: HubServer
    host: str
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.host, self.path, headers)
        self.owner.requests.append(request)
        if match := re.fullmatch(r"/api/models/(.+)/revision/(.+)", path):
            self._list_files(match.group(1))
        elif match := re.fullmatch(r"/(.+)/resolve/([0-9a-f]{40})/(.+)", path):
            self._serve_file(match.group(1), match.group(3), request)
        else:
            self._answer(404)

    def _list_files(self, repo_id: str) -> None:
        if self.owner.api_faults:
            fault = self.owner.api_faults.popleft()
            self._answer(fault.status or 500, fault.headers)
        elif repo_id not in self.owner.models:
            self._answer(401, {"X-Error-Code": "RepoNotFound"})
        else:
            siblings = [_sibling(name, content) for name, content in self.owner.models[repo_id].items()]
            info = {"id": repo_id, "sha": self.owner.commits.get(repo_id, COMMIT), "siblings": siblings}
            self._answer(200, {"Content-Type": "application/json"}, json.dumps(info).encode())

    def _serve_file(self, repo_id: str, name: str, request: Request) -> None:
        content = self.owner.models.get(repo_id, {}).get(name)
        if content is None:
            self._answer(404, {"X-Error-Code": "EntryNotFound"})
        elif self.host == "hub" and name.endswith(LFS_ENDINGS):
            self._answer(302, {"Location": self.owner.content_endpoint + self.path})
        else:
            faults = self.owner.faults if name.endswith(LFS_ENDINGS) else ()
            self._send(content, request, faults.popleft() if faults else Fault())

    def _send(self, content: bytes | Path, request: Request, fault: Fault) -> None:
        if fault.status is not None:
            self._answer(fault.status, fault.headers)
            return
        data = _read(content)
        etag = fault.etag or f'"{_digest("md5", content)}"'
        is_same = request.headers.get("if-range", etag) == etag or fault.keep_206
        offset = 0 if fault.ignore_range or not is_same else request.offset
        body = data[offset:]
        if fault.extra:
            body = memoryview(bytes(body) + bytes(fault.extra))
        if fault.damage:
            body = memoryview(bytes(body[:-1]) + bytes([body[-1] ^ 1]))
        self.send_response(206 if offset else 200)
        self.send_header("ETag", etag)
        if offset:
            self.send_header("Content-Range", f"bytes {offset}-{len(data) - 1}/{len(data)}")
        if not fault.extra:
            self.send_header("Content-Length", str(len(body)))
        else:
            self.send_header("Connection", "close")
        self.end_headers()
        self._write(body, fault)

    def _write(self, body: memoryview, fault: Fault) -> None:
        end = min(part for part in (fault.drop_after, fault.stall_after, len(body)) if part is not None)
        try:
            for start in range(0, end, fault.pieces_bytes):
                self.wfile.write(body[start : min(end, start + fault.pieces_bytes)])
            if fault.stall_after is not None:
                self.owner.stalled.set()
                self.owner.released.wait(60)
        except OSError:  # the other side has hung up
            pass
        if end < len(body) or fault.extra:
            self.close_connection = True

    def _answer(self, status: int, headers: Mapping[str, str] | None = None, body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _read(content: bytes | Path) -> memoryview:
    """Without loading a file: it may have gigabytes."""
    if isinstance(content, bytes):
        return memoryview(content)
    with content.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


@cache
def _digest(algorithm: str, content: bytes | Path) -> str:
    data = _read(content)
    digest = hashlib.new(algorithm, b"blob %d\0" % len(data) if algorithm == "sha1" else b"")
    digest.update(data)
    return digest.hexdigest()


def _sibling(name: str, content: bytes | Path) -> dict[str, Any]:
    size = len(_read(content))
    entry: dict[str, Any] = {"rfilename": name, "size": size, "blobId": _digest("sha1", content)}
    if name.endswith(LFS_ENDINGS):
        entry["lfs"] = {"size": size, "sha256": _digest("sha256", content), "pointerSize": 134}
    return entry
