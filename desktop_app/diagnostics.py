"""Logs, and what is known when something goes wrong. Everything stays on this machine."""

import asyncio
import faulthandler
import logging
import logging.handlers
import platform
import sys
import threading
import time
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from PySide6.QtCore import QMessageLogContext, QObject, Qt, QtMsgType, Signal, qInstallMessageHandler

from desktop_app.versions import installed_version
from engine.events import ModelInfo

LOG_BYTES, LOG_FILES = 1 << 20, 3
PACKAGES = ("staged-chat", "PySide6_Essentials", "qasync", "torch", "transformers", "tokenizers", "numpy")
QT_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}

log = logging.getLogger(__name__)


class Diagnostics(QObject):
    """Catches what nobody else caught, on every thread.

    crashed   (report); an error that should not happen was logged, and the application goes on
    """

    crashed = Signal(str)
    _details = Signal(str)  # from any thread

    def __init__(self, log_file: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.log_file = log_file
        self.model: ModelInfo | None = None  # for reports
        self.window_s: float | None = None  # from the start of the process until the window was painted
        self._fault_file: TextIO | None = None
        self._details.connect(self._announce, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        """Write logs, to the terminal where no file can be had, and take over the hooks for uncaught errors."""
        try:
            self._start_log()
        except OSError as error:
            logging.basicConfig(level=logging.WARNING)
            log.warning("no log file: %s", error)
        sys.excepthook = self._caught
        threading.excepthook = lambda args: self._caught(args.exc_type, args.exc_value, args.exc_traceback)
        qInstallMessageHandler(_log_qt)

    def _start_log(self) -> None:
        self.log_file.parent.mkdir(parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(
            self.log_file, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8"
        )
        logging.basicConfig(
            level=logging.INFO, handlers=[handler], format="%(asctime)s %(levelname)s %(name)s: %(message)s"
        )
        self._fault_file = self.log_file.with_suffix(".fault.log").open("w", encoding="utf-8")
        faulthandler.enable(self._fault_file)

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Report what breaks in tasks and callbacks of the event loop."""
        loop.set_exception_handler(self._loop_caught)

    def end_within(self, seconds: float) -> None:
        """End the process by force if it is still there then, for a thread that hangs; where it hung is logged."""
        faulthandler.dump_traceback_later(seconds, exit=True, file=self._fault_file or sys.stderr)

    def note_window(self) -> None:
        """The window was painted just now."""
        import psutil  # only now: the window need not wait for it

        self.window_s = time.time() - psutil.Process().create_time()
        log.info("window shown after %.2f s", self.window_s)

    def report(self, details: str = "") -> str:
        """Versions, device and model, and the details of an error; nothing of what was said."""
        lines = [f"{name} {installed_version(name)}" for name in PACKAGES]
        lines.append(f"Python {platform.python_version()} on {platform.platform()}, {platform.machine()}")
        if self.window_s is not None:
            lines.append(f"window after {self.window_s:.2f} s")
        if self.model is not None:
            info = self.model
            lines.append(f"model {info.name}, {info.parameters_target:,} weights, on {info.device} in {info.dtype}")
            lines.append(f"threads {info.threads}, exact {info.exact}, plain {info.plain_tokens_per_s:.1f} tokens/s")
        return "\n".join([*lines, "", details]).strip() + "\n"

    def _caught(self, kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt | SystemExit):
            return
        details = "".join(traceback.format_exception(kind, error, trace))
        log.critical("uncaught: %s", details)
        if sys.stderr is not None:  # an application without a terminal has none
            print(details, end="", file=sys.stderr)
        self._details.emit(details)

    def _announce(self, details: str) -> None:
        self.crashed.emit(self.report(details))

    def _loop_caught(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, Exception):
            self._caught(type(error), error, error.__traceback__)
        else:
            loop.default_exception_handler(context)


def _log_qt(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    logging.getLogger("qt").log(QT_LEVELS.get(kind, logging.WARNING), message)
