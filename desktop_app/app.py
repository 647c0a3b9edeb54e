"""Builds the application, shows its window, and runs it to its end."""

import asyncio
import contextlib
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from PySide6.QtCore import QSocketNotifier
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from desktop_app.bridge import MakeService
from desktop_app.core import Core
from desktop_app.diagnostics import Diagnostics
from desktop_app.first_paint import show
from desktop_app.icons import app_icon
from desktop_app.languages import install
from desktop_app.paths import APP_NAME, Paths
from desktop_app.single_instance import Claim, SingleInstance
from desktop_app.theme import Theme
from desktop_app.views.help_dialogs import tell_of_failed_start
from desktop_app.views.main_window import MainWindow
from desktop_app.views.markdown import warm_up

END_WITHIN_S = 2.0  # once everything is saved; threads that hang are not waited for

Script = Callable[[Core, MainWindow], Coroutine[Any, Any, None]]


def run(paths: Paths, make_service: MakeService, script: Script | None = None) -> int:
    """Run the application until it is closed; `script` is what drives it in a self-test. Returns the exit status."""
    app = QApplication(sys.argv[:1])
    app.setApplicationName(APP_NAME)
    app.setApplicationDisplayName("Staged Chat")
    app.setWindowIcon(app_icon())
    app.setDesktopFileName(APP_NAME)
    app.setQuitOnLastWindowClosed(False)  # the end comes when everything is saved
    diagnostics = Diagnostics(paths.log)
    diagnostics.start()
    instance = SingleInstance(paths.data)
    claim = instance.claim()
    if claim is not Claim.FIRST:
        if claim is Claim.UNANSWERED:
            print("Staged Chat is running already, but does not answer; end it, then start again", file=sys.stderr)
        return 0 if claim is Claim.RAISED else 1
    with QEventLoop(app) as loop:
        try:
            loop.run_until_complete(_run(app, paths, diagnostics, instance, make_service, script))
        except Exception:
            if script is None:  # somebody is there to read it; terminal and log get it besides
                tell_of_failed_start(diagnostics.report(traceback.format_exc()))
            raise
    instance.release()
    return 0


async def _run(
    app: QApplication,
    paths: Paths,
    diagnostics: Diagnostics,
    instance: SingleInstance,
    make_service: MakeService,
    script: Script | None,
) -> None:
    diagnostics.watch(asyncio.get_running_loop())
    core = Core(paths, diagnostics, make_service)
    closed = asyncio.Event()
    core.closed.connect(closed.set)
    install(app, core.settings.text("appearance.language"))
    Theme(app).follow(core.settings)
    window = MainWindow(core)
    instance.raise_requested.connect(window.bring_to_front)
    core.start()
    with _end_on_signals(core):
        await show(window)  # before the engine thread takes its share of time
        diagnostics.note_window()
        await asyncio.get_running_loop().run_in_executor(None, warm_up)  # beside it, importing torch would hold it up
        core.model.load()
        if script is not None:
            await script(core, window)
        await closed.wait()
        diagnostics.end_within(END_WITHIN_S)
    window.close()


@contextlib.contextmanager
def _end_on_signals(core: Core) -> Iterator[None]:
    """Ctrl+C in the terminal and a polite kill close the application as its window does, without a question.

    Python runs its handlers only when it has its turn, which Qt does not give it by itself: so a socket wakes it.
    """
    receiver, sender = socket.socketpair()
    receiver.setblocking(False)
    sender.setblocking(False)
    notifier = QSocketNotifier(receiver.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(lambda: receiver.recv(64))
    old_fd = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    numbers = signal.SIGINT, signal.SIGTERM
    old_handlers = [signal.signal(number, lambda *_: core.request_close()) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, old_handlers, strict=True):
            signal.signal(number, handler)
        signal.set_wakeup_fd(old_fd)
        notifier.setEnabled(False)
        receiver.close()
        sender.close()
