"""`staged-chat --self-test`: the real application, offscreen; one message to the built-in model; a report as JSON.

For packagers and for bug reports: it needs no display and no network, and leaves nothing behind.
"""

import asyncio
import json
import os
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop_app.bridge import MakeService
from desktop_app.paths import HOME_VARIABLE, find_paths
from desktop_app.records import Message, MessageState
from engine.errors import EngineError

if TYPE_CHECKING:
    from desktop_app.core import Core

QUESTION = "Hello! How are you today?"
TIMEOUT_S = 300.0
RATES = (
    "tokens_per_s",
    "speedup",
    "acceptance_rate",
    "mean_accepted_length",
    "target_passes_per_token",
    "relative_bytes_read",
    "overhead_share",
)


def run_self_test(make_service: MakeService, file: Path | None = None) -> int:
    """Run it, and print the report or write it to a file; returns 0 where the model answered, else 1."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    report: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="staged-chat-", ignore_cleanup_errors=True) as home:
        from desktop_app.app import run  # Qt reads the platform when it is imported

        status = run(find_paths({HOME_VARIABLE: home}), make_service, lambda core, _: _talk(core, report))
    text = json.dumps(report, indent=2, ensure_ascii=False) + "\n"
    if file is None:
        print(text, end="")
    else:
        file.write_text(text, encoding="utf-8")
    return 0 if status == 0 and report.get("ok") else 1


async def _talk(core: "Core", report: dict[str, Any]) -> None:
    """Drive the application as a user would, and fill the report."""
    from desktop_app.loop_gaps import LoopGaps

    crashes: list[str] = []
    core.diagnostics.crashed.connect(crashes.append)
    gaps = LoopGaps()
    gaps.start()
    window_s = core.diagnostics.window_s or 0.0
    report |= {"ok": False, "start": {"window_s": round(window_s, 3)}, "longest_gap_ms": {}}
    try:
        async with asyncio.timeout(TIMEOUT_S):
            begun_s = time.monotonic()
            info = await core.model.ready()
            report["start"]["model_s"] = round(time.monotonic() - begun_s, 3)
            report["longest_gap_ms"]["loading"] = round(gaps.longest_s * 1000, 1)
            gaps.reset()
            report |= await _answer(core)
            report["longest_gap_ms"]["answering"] = round(gaps.longest_s * 1000, 1)
            report["model"] = {name: str(value) for name, value in asdict(info).items()}
    except TimeoutError:
        report["error"] = f"no answer within {TIMEOUT_S:.0f} s"
    except EngineError as error:
        report["error"] = str(error)
    finally:
        gaps.stop()
        if crashes:
            report |= {"ok": False, "error": crashes[0]}
        report["versions"] = core.diagnostics.report().splitlines()
        core.request_close()


async def _answer(core: "Core") -> dict[str, Any]:
    """Send the question and wait for the answer."""
    ended: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
    core.chat.answer_ended.connect(ended.set_result)
    core.settings.set("sampling.seed", 1)  # the same text wherever this runs
    if not core.chat.send(QUESTION):
        return {"error": "the message could not be sent"}
    message = await ended
    counters = message.statistics
    return {
        "ok": message.state is MessageState.COMPLETE and bool(message.text),
        "text": message.text,
        "stop_reason": message.stop_reason,
        "error": message.error,
        "statistics": asdict(counters) | {name: getattr(counters, name) for name in RATES} if counters else None,
    }
