"""What a hub (huggingface.co, or the mirror that HF_ENDPOINT names) holds under a model's name."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

from huggingface_hub import HfApi, get_token, hf_hub_url
from huggingface_hub.errors import HFValidationError
from huggingface_hub.hf_api import RepoSibling
from huggingface_hub.utils._validators import validate_repo_id

from engine.errors import DownloadFailed
from engine.library.control import Control
from engine.library.retry import Hiccup, RetryPolicy, hub_errors, with_retries

METADATA_TIMEOUT_S = 20.0
MAX_TEXT_BYTES = 64 << 20
MAX_WEIGHTS_BYTES = 32 << 30

SMALL_FILES = frozenset(
    {
        "config.json",
        "generation_config.json",
        "merges.txt",
        "special_tokens_map.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "vocab.json",
    }
)
WEIGHTS = "model.safetensors"
WEIGHTS_INDEX = "model.safetensors.index.json"
WEIGHTS_SHARD = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")
PICKLED_WEIGHTS = "pytorch_model.bin"


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file to fetch. At most one of the digests is set: `sha256` of large files, git's blob id of small ones."""

    name: str
    url: str
    size: int
    sha256: str | None
    git_sha1: str | None

    @property
    def digest(self) -> str:
        """What tells one version of the file from another."""
        return self.sha256 or self.git_sha1 or f"{self.size} bytes"


@dataclass(frozen=True, slots=True)
class RemoteCheckpoint:
    """A model on the hub at a commit, reduced to the files that are needed."""

    repo_id: str
    commit: str
    files: tuple[RemoteFile, ...]

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(file.size for file in self.files)


class Hub:
    """A hub's catalogue. Endpoint, token, proxies and certificates come from the usual places by default.

    endpoint  None takes HF_ENDPOINT, or https://huggingface.co
    token     None takes HF_TOKEN, the token of `hf auth login`, or the keyring's, in this order; "" sends none
    """

    def __init__(
        self, endpoint: str | None = None, token: str | None = None, policy: RetryPolicy | None = None
    ) -> None:
        self.policy = policy or RetryPolicy()
        self._api = HfApi(endpoint=endpoint)
        self._token = token

    @cached_property
    def token(self) -> str | None:
        """The token to send; None where there is none, or where it would travel unencrypted to another machine."""
        if not _is_private_channel(self._api.endpoint):
            return None
        return (_find_token() if self._token is None else self._token) or None

    @property
    def headers(self) -> dict[str, str]:
        """Of every request to the hub itself; the HTTP library keeps the token from other hosts."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def checkpoint(self, repo_id: str, revision: str, control: Control) -> RemoteCheckpoint:
        """What has to be fetched for the model, with sizes and digests.

        Raises DownloadFailed when the hub does not have it, refuses or is out of reach, or when it is no model of ours.
        """
        require_repo_id(repo_id)
        info = with_retries(lambda: self._model_info(repo_id, revision), self.policy, control, done=lambda: 0)
        commit, siblings = info
        by_name = {sibling.rfilename: sibling for sibling in siblings}
        names = needed_files(by_name, repo_id)
        return RemoteCheckpoint(
            repo_id, commit, tuple(self._remote_file(by_name[name], repo_id, commit) for name in names)
        )

    def _model_info(self, repo_id: str, revision: str) -> tuple[str, list[RepoSibling]]:
        with hub_errors(repo_id):
            try:
                info = self._api.model_info(
                    repo_id,
                    revision=revision,
                    files_metadata=True,
                    timeout=METADATA_TIMEOUT_S,
                    token=self.token or False,
                )
            except (ValueError, KeyError, TypeError) as error:  # not the hub's answer: a captive portal, a broken proxy
                raise Hiccup(
                    f"{repo_id}: the server's answer is not a hub's; check the network and HF_ENDPOINT"
                ) from error
        if not info.sha or not re.fullmatch(r"[0-9a-f]{40}", info.sha) or not info.siblings:
            raise DownloadFailed(f"{repo_id}: the hub lists no files")
        return info.sha, info.siblings

    def _remote_file(self, sibling: RepoSibling, repo_id: str, commit: str) -> RemoteFile:
        name, size = sibling.rfilename, sibling.size
        limit = MAX_TEXT_BYTES if name in SMALL_FILES or name == WEIGHTS_INDEX else MAX_WEIGHTS_BYTES
        if size is None:
            raise DownloadFailed(f"{repo_id}: the hub does not tell the size of {name}; try without HF_ENDPOINT")
        if not 0 < size <= limit:
            raise DownloadFailed(f"{repo_id}: {name} has {size} bytes, which no model that fits this program has")
        return RemoteFile(
            name=name,
            url=hf_hub_url(repo_id, name, revision=commit, endpoint=self._api.endpoint),
            size=size,
            sha256=sibling.lfs.sha256 if sibling.lfs else None,
            git_sha1=None if sibling.lfs else sibling.blob_id,
        )


def require_repo_id(repo_id: str) -> None:
    """Raises DownloadFailed when the text cannot be the name of a model on a hub."""
    try:
        validate_repo_id(repo_id)
    except HFValidationError as error:
        raise DownloadFailed(f"{repo_id!r} is not a hub id; one looks like openai-community/gpt2-large") from error


def needed_files(names: Iterable[str], repo_id: str) -> list[str]:
    """Of all files of a model, those to fetch: configuration, tokenizer, and one format of the weights.

    Only these fixed names are ever written to disk, so that no name can lead out of a folder. Raises DownloadFailed
    when something essential is missing.
    """
    present = set(names)
    small = sorted(present & SMALL_FILES)
    if "config.json" not in present:
        raise DownloadFailed(f"{repo_id}: has no config.json, so it is not a GPT-2 model")
    if "tokenizer.json" in present:
        small = [name for name in small if name not in ("vocab.json", "merges.txt")]
    elif not {"vocab.json", "merges.txt"} <= present:
        raise DownloadFailed(f"{repo_id}: has no tokenizer (tokenizer.json, or vocab.json and merges.txt)")
    return small + _weights(present, repo_id)


def _weights(present: set[str], repo_id: str) -> list[str]:
    if WEIGHTS in present:
        return [WEIGHTS]
    shards = sorted(filter(WEIGHTS_SHARD.fullmatch, present))
    if shards and WEIGHTS_INDEX in present:
        return [WEIGHTS_INDEX, *shards]
    if PICKLED_WEIGHTS in present:
        return [PICKLED_WEIGHTS]
    raise DownloadFailed(f"{repo_id}: has no weights (model.safetensors or pytorch_model.bin)")


def _is_private_channel(endpoint: str) -> bool:
    url = urlsplit(endpoint)
    return url.scheme == "https" or url.hostname in ("localhost", "127.0.0.1", "::1")


def _find_token() -> str | None:
    return get_token() or _keyring_token()


def _keyring_token() -> str | None:
    """The password that the system's keyring holds for "huggingface.co", where the keyring package is installed."""
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return None
    try:
        password: str | None = keyring.get_password("huggingface.co", "token")
    except KeyringError:
        return None  # a locked or missing keyring is no reason not to download a public model
    return password
