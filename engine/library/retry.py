"""Tries again what may succeed later, and turns what goes wrong on the way to the hub into the library's errors."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

import httpx2
from huggingface_hub.errors import OfflineModeIsEnabled

from engine.errors import DownloadFailed
from engine.library.control import Control

RETRIED_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})

T = TypeVar("T")


class Hiccup(Exception):
    """Something that may be over in a moment. `wait_s` is what the server asked for, if it did."""

    def __init__(self, message: str, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long to wait: doubling delays, spread by a random half so that clients do not come in step.

    attempts        in a row without a single new byte
    longest_wait_s  a server that asks for more is taken at its word: the job ends and says when to come back
    stall_s         a connection that is silent for so long is given up
    """

    attempts: int = 6
    first_delay_s: float = 1.0
    longest_delay_s: float = 60.0
    longest_wait_s: float = 300.0
    stall_s: float = 30.0

    def delay_s(self, failures: int) -> float:
        """The wait after this many failures in a row."""
        delay: float = min(self.longest_delay_s, self.first_delay_s * 2 ** (failures - 1))
        return delay * random.uniform(0.5, 1.0)


def with_retries(attempt: Callable[[], T], policy: RetryPolicy, control: Control, done: Callable[[], int]) -> T:
    """`attempt()`, again after each `Hiccup`; attempts that made `done()` grow do not count as failures in a row.

    Raises DownloadFailed when the policy is exhausted, Paused or Cancelled when `control` says so.
    """
    failures = 0
    while True:
        control.check()
        before = done()
        try:
            return attempt()
        except Hiccup as hiccup:
            control.check()  # a stop interrupts the connection, which then looks like a hiccup
            failures = 1 if done() > before else failures + 1
            wait_s = hiccup.wait_s or 0.0
            if failures >= policy.attempts:
                raise DownloadFailed(f"{hiccup} ({failures} attempts); try again later") from hiccup
            if wait_s > policy.longest_wait_s:
                raise DownloadFailed(f"{hiccup}; it asks to come back in {wait_s / 60:.0f} minutes") from hiccup
            control.wait(max(wait_s, policy.delay_s(failures)))


@contextmanager
def hub_errors(what: str) -> Iterator[None]:
    """Raises the HTTP library's errors as DownloadFailed, or as `Hiccup` where trying again may help."""
    try:
        yield
    except OfflineModeIsEnabled as error:
        raise DownloadFailed(f"{what}: HF_HUB_OFFLINE is set; unset it to download") from error
    except httpx2.HTTPStatusError as error:
        raise status_error(error.response, what) from error
    except httpx2.ProxyError as error:
        raise Hiccup(f"{what}: the proxy does not answer ({error}); check HTTPS_PROXY") from error
    except httpx2.TimeoutException as error:
        raise Hiccup(f"{what}: no answer for too long") from error
    except httpx2.HTTPError as error:
        response = getattr(error, "response", None)  # huggingface_hub's own errors carry one
        if isinstance(response, httpx2.Response):
            raise status_error(response, what) from error
        raise Hiccup(f"{what}: the connection failed ({_one_line(error)})") from error


def status_error(response: httpx2.Response, what: str) -> Exception:
    """The error for an answer that is not the wanted one."""
    status = response.status_code
    if status in RETRIED_STATUS:
        return Hiccup(f"{what}: the server answers {status}", _retry_after_s(response))
    if status in (401, 403):
        return DownloadFailed(
            f"{what}: the server refuses ({status}); check the name, accept the model's terms on its page, "
            "and set HF_TOKEN to a token that may read it"
        )
    if status == 404:
        return DownloadFailed(f"{what}: not found on the hub; check the name and the revision")
    return DownloadFailed(f"{what}: the server answers {status}")


def _retry_after_s(response: httpx2.Response) -> float | None:
    """Seconds or an HTTP date (RFC 9110, section 10.2.3)."""
    value = response.headers.get("Retry-After", "").strip()
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
