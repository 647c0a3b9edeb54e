"""What is taken from a hub, what is refused, and who gets to see the token."""

import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import huggingface_hub.constants
import pytest
from huggingface_hub import close_session

from engine.errors import DownloadFailed
from engine.library.control import Control
from engine.library.hub import Hub, needed_files
from tests.engine.library.conftest import IMPATIENT, TARGET
from tests.engine.library.hub_server import COMMIT, Fault, HubServer

SMALL = {"config.json", "tokenizer.json"}


def test_sizes_and_digests_come_from_the_hub(hub: Hub, server: HubServer) -> None:
    remote = hub.checkpoint(TARGET, "main", Control())
    assert remote.commit == COMMIT
    files = {file.name: file for file in remote.files}
    assert files["model.safetensors"].sha256
    assert files["config.json"].git_sha1
    for name, file in files.items():
        content = server.models[TARGET][name]
        assert isinstance(content, bytes)
        assert file.size == len(content)


@pytest.mark.parametrize(
    ("present", "weights"),
    [
        ({"model.safetensors", "pytorch_model.bin", "tf_model.h5", "onnx/model.onnx"}, ["model.safetensors"]),
        ({"pytorch_model.bin"}, ["pytorch_model.bin"]),
        (
            {"model.safetensors.index.json", "model-00002-of-00002.safetensors", "model-00001-of-00002.safetensors"},
            ["model.safetensors.index.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"],
        ),
    ],
)
def test_one_format_of_the_weights_is_chosen(present: set[str], weights: list[str]) -> None:
    assert needed_files(SMALL | present, "a/b") == [*sorted(SMALL), *weights]


def test_vocabulary_files_stand_in_for_a_tokenizer() -> None:
    names = {"config.json", "vocab.json", "merges.txt", "pytorch_model.bin"}
    assert set(needed_files(names, "a/b")) == names
    assert "vocab.json" not in needed_files(names | {"tokenizer.json"}, "a/b")


def test_no_name_leads_out_of_a_folder() -> None:
    hostile = {
        "../model.safetensors",
        "/etc/model.safetensors",
        "model-00001-of-00001.safetensors/../../x",
        "..\\config.json",
    }
    assert needed_files(SMALL | {"model.safetensors"} | hostile, "a/b") == [*sorted(SMALL), "model.safetensors"]


@pytest.mark.parametrize(
    ("names", "lacks"),
    [
        ({"model.safetensors", "tokenizer.json"}, r"config\.json"),
        ({"config.json", "model.safetensors"}, "tokenizer"),
        ({"config.json", "model.safetensors", "vocab.json"}, "tokenizer"),
        (SMALL | {"model.gguf"}, "weights"),
    ],
)
def test_what_is_no_model_is_refused(names: set[str], lacks: str) -> None:
    with pytest.raises(DownloadFailed, match=lacks):
        needed_files(names, "a/b")


@pytest.mark.parametrize("repo_id", ["../../etc", "a/b/c", "", "a--b", "C:\\x", "a/..", "a b"])
def test_what_is_no_hub_id_is_refused(hub: Hub, server: HubServer, repo_id: str) -> None:
    with pytest.raises(DownloadFailed, match="not a hub id"):
        hub.checkpoint(repo_id, "main", Control())
    assert server.requests == []


def test_unknown_model(hub: Hub) -> None:
    with pytest.raises(DownloadFailed, match="check the name"):
        hub.checkpoint("nobody/nothing", "main", Control())


def test_list_of_files_is_asked_for_again(hub: Hub, server: HubServer) -> None:
    server.api_faults.extend([Fault(status=503), Fault(status=429)])
    assert hub.checkpoint(TARGET, "main", Control()).files


def test_login_page_is_not_taken_for_a_hub(hub: Hub, server: HubServer) -> None:
    server.api_faults.extend([Fault(status=200, headers={"Content-Type": "text/html"})] * 3)
    with pytest.raises(DownloadFailed, match="is not a hub's"):
        hub.checkpoint(TARGET, "main", Control())


def test_gated_model_is_named_with_what_to_do(hub: Hub, server: HubServer) -> None:
    server.api_faults.append(Fault(status=403, headers={"X-Error-Code": "GatedRepo"}))
    with pytest.raises(DownloadFailed, match="accept the model's terms"):
        hub.checkpoint(TARGET, "main", Control())
    assert len(server.requests) == 1


@pytest.mark.usefixtures("fresh_session")
def test_proxy_of_the_environment_is_used(server: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub's server stands in for the proxy: nobody else could answer for a host that does not exist."""
    monkeypatch.setenv("HTTP_PROXY", server.endpoint)
    remote = Hub("http://mirror.invalid", policy=IMPATIENT).checkpoint(TARGET, "main", Control())
    assert remote.commit == COMMIT
    assert server.requests[0].path.startswith("http://mirror.invalid/api/models/")


@pytest.mark.usefixtures("fresh_session")
def test_proxy_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with pytest.raises(DownloadFailed, match="connection failed"):
        Hub("http://mirror.invalid", policy=IMPATIENT).checkpoint(TARGET, "main", Control())


@pytest.mark.usefixtures("fresh_session")
def test_server_with_a_certificate_of_its_own_making_is_not_trusted(tmp_path: Path) -> None:
    with https_server(tmp_path) as endpoint, pytest.raises(DownloadFailed, match="certificate verify failed"):
        Hub(endpoint, policy=IMPATIENT).checkpoint(TARGET, "main", Control())


@pytest.fixture
def fresh_session() -> Iterator[None]:
    """The HTTP library looks at the environment when a session begins."""
    close_session()
    yield
    close_session()


@contextmanager
def https_server(folder: Path) -> Iterator[str]:
    """Answers 404 to all, behind a certificate that nobody has signed."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    if shutil.which("openssl") is None:
        pytest.skip("making a certificate needs openssl")
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"https://localhost:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_hub_out_of_reach(hub: Hub, server: HubServer) -> None:
    server.close()
    with pytest.raises(DownloadFailed, match="connection failed"):
        hub.checkpoint(TARGET, "main", Control())


def test_offline_mode_is_named(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(DownloadFailed, match="HF_HUB_OFFLINE"):
        hub.checkpoint(TARGET, "main", Control())


@pytest.mark.parametrize("size", [0, 65 << 20, None])
def test_sizes_are_bounded(hub: Hub, monkeypatch: pytest.MonkeyPatch, size: int | None) -> None:
    real = hub._api.model_info

    def with_size(*arguments: object, **options: object) -> object:
        info = real(*arguments, **options)  # type: ignore[arg-type]
        next(file for file in info.siblings or [] if file.rfilename == "config.json").size = size
        return info

    monkeypatch.setattr(hub._api, "model_info", with_size)
    with pytest.raises(DownloadFailed, match=r"config\.json"):
        hub.checkpoint(TARGET, "main", Control())


def test_token_comes_from_the_environment(server: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_from_environment")
    Hub(endpoint=server.endpoint).checkpoint(TARGET, "main", Control())
    assert server.requests[0].headers["authorization"] == "Bearer hf_from_environment"


def test_token_comes_from_the_keyring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "keyring").mkdir()
    (tmp_path / "keyring" / "__init__.py").write_text("def get_password(service, user): return 'from ' + service\n")
    (tmp_path / "keyring" / "errors.py").write_text("class KeyringError(Exception): pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert Hub().token == "from huggingface.co"


def test_no_token_travels_unencrypted_to_another_machine() -> None:
    assert Hub(endpoint="http://mirror.example", token="hf_secret").headers == {}
    assert Hub(endpoint="https://mirror.example", token="hf_secret").headers == {"Authorization": "Bearer hf_secret"}
