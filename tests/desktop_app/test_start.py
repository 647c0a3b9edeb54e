"""Before and around the window: folders, logs, one instance, and a word where no window can open."""

import logging
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication, QPushButton

from desktop_app import preflight
from desktop_app.diagnostics import Diagnostics, _log_qt
from desktop_app.files import set_aside, write_atomically
from desktop_app.paths import HOME_VARIABLE, find_paths
from desktop_app.single_instance import Claim, SingleInstance
from desktop_app.titles import LONGEST_TITLE, title_from
from desktop_app.views.help_dialogs import ReportDialog, tell_of_failed_start
from tests.desktop_app.fake_engine import model_info

ROOT = Path(__file__).parents[2]
with_app = pytest.mark.usefixtures("qapp")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="displays of Linux")


# Folders and files


def test_one_folder_for_everything_where_the_environment_says_so(tmp_path: Path) -> None:
    home = tmp_path / "带 ä　home"
    paths = find_paths({HOME_VARIABLE: str(home)})
    assert {paths.database.parent, paths.settings.parent, paths.log.parent.parent, paths.models.parent} == {home}


def test_the_platforms_folders_otherwise() -> None:
    paths = find_paths({})
    assert all("staged-chat" in str(folder) for folder in (paths.data, paths.config, paths.logs))


def test_a_relative_home_does_not_depend_on_where_one_goes_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_paths({HOME_VARIABLE: "here"}).data == tmp_path / "here"


def test_files_are_written_whole(tmp_path: Path) -> None:
    file = tmp_path / "new folder" / "file.txt"
    write_atomically(file, "eins\nzwei 你\n")
    write_atomically(file, "drei\n")
    assert file.read_bytes() == b"drei\n"
    assert [path.name for path in file.parent.iterdir()] == ["file.txt"]


def test_setting_aside_never_overwrites(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    for content in ("one", "two"):
        file.write_text(content)
        set_aside(file)
    assert (tmp_path / "settings.broken-1.json").read_text() == "one"
    assert (tmp_path / "settings.broken-2.json").read_text() == "two"
    assert set_aside(tmp_path / "nowhere.json") is None


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Hello", "Hello"),
        ("\n\n  ## A *bold* `word`  \nmore", "A bold word"),
        ("- item", "item"),
        ("***", ""),
        ("word " * 30, "word word word word word word word word word…"),
        ("字" * 100, "字" * (LONGEST_TITLE - 1) + "…"),
        ("snake_case stays", "snakecase stays"),
    ],
)
def test_titles(text: str, title: str) -> None:
    assert title_from(text) == title
    assert len(title_from(text)) <= LONGEST_TITLE


# One instance


@with_app
def test_a_second_start_raises_the_first_window(tmp_path: Path) -> None:
    first, second = SingleInstance(tmp_path / "数据"), SingleInstance(tmp_path / "数据")
    assert first.claim() is Claim.FIRST
    raised = QSignalSpy(first.raise_requested)
    assert second.claim() is Claim.RAISED
    assert raised.count() or raised.wait(2000)
    assert SingleInstance(tmp_path / "other").claim() is Claim.FIRST
    first.release()
    assert second.claim() is Claim.FIRST
    second.release()


HOLDER = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from desktop_app.single_instance import SingleInstance
app = QCoreApplication([])
instance = SingleInstance(Path(sys.argv[1]))
print(instance.claim(), flush=True)
if "{hang}" == "no":
    app.exec()
sys.stdin.read()
"""


def hold(folder: Path, hang: str) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER.replace("{hang}", hang), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "first\n"
    return process


@with_app
@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_killed_instance_leaves_its_place_free(tmp_path: Path) -> None:
    process = hold(tmp_path, "no")
    instance = SingleInstance(tmp_path)
    assert instance.claim() is Claim.RAISED
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert instance.claim() is Claim.FIRST
    assert SingleInstance(tmp_path).claim() is Claim.RAISED  # what the killed one left is not in the way
    instance.release()


@with_app
def test_a_folder_that_cannot_hold_a_lock_does_not_stop_anybody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    instance = SingleInstance(tmp_path / "file" / "data")
    assert instance.claim() is Claim.FIRST
    instance.release()


# Diagnostics


@pytest.fixture
def diagnostics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Diagnostics:
    request.getfixturevalue("qapp")
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    return Diagnostics(tmp_path / "logs" / "staged-chat.log")


def test_an_uncaught_error_becomes_a_report(diagnostics: Diagnostics) -> None:
    crashed = QSignalSpy(diagnostics.crashed)
    try:
        raise ZeroDivisionError("nobody caught it")
    except ZeroDivisionError as error:
        diagnostics._caught(type(error), error, error.__traceback__)
    assert crashed.wait(1000)
    (report,) = crashed.at(0)
    assert "nobody caught it" in report
    assert "PySide6_Essentials 6." in report
    assert f"Python {sys.version.split()[0]}" in report


def test_an_error_on_another_thread_is_reported_on_this_one(diagnostics: Diagnostics) -> None:
    threads: list[int] = []
    diagnostics.crashed.connect(lambda _: threads.append(threading.get_ident()))
    crashed = QSignalSpy(diagnostics.crashed)
    worker = threading.Thread(target=lambda: diagnostics._caught(ValueError, ValueError("on a thread"), None))
    worker.start()
    worker.join()
    assert crashed.wait(1000)
    assert threads == [threading.get_ident()]


@with_app
def test_a_failed_start_is_shown_and_can_be_copied() -> None:
    seen: list[str] = []

    def read() -> None:
        (dialog,) = (widget for widget in QApplication.topLevelWidgets() if isinstance(widget, ReportDialog))
        dialog.findChild(QPushButton, "copyReport").click()
        seen.append(dialog.report.toPlainText())
        dialog.close()

    QTimer.singleShot(0, read)
    tell_of_failed_start("what broke")
    assert seen == ["what broke"] == [QGuiApplication.clipboard().text()]


def test_ctrl_c_is_no_crash(diagnostics: Diagnostics) -> None:
    crashed = QSignalSpy(diagnostics.crashed)
    diagnostics._caught(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert not crashed.wait(50)


def test_a_report_names_the_model(diagnostics: Diagnostics) -> None:
    diagnostics.model = model_info(name="GPT-2 Large", device="cpu", dtype="bfloat16")
    assert "model GPT-2 Large, 1,000 weights, on cpu in bfloat16" in diagnostics.report()


LOGGER = """
import logging, sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication, qWarning
from desktop_app.diagnostics import LOG_BYTES, Diagnostics
app = QCoreApplication([])
diagnostics = Diagnostics(Path(sys.argv[1]))
diagnostics.start()
for _ in range(5 * LOG_BYTES // 1000):
    logging.getLogger("test").warning("x" * 1000)
qWarning("from Qt")
if len(sys.argv) > 2:
    import ctypes
    ctypes.string_at(0)
"""


def run_logger(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", LOGGER, *arguments], cwd=ROOT, capture_output=True, text=True)


def test_logs_rotate_and_hold_what_qt_says(tmp_path: Path) -> None:
    result = run_logger(str(tmp_path / "logs" / "staged-chat.log"))
    assert result.returncode == 0, result.stderr
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "logs").glob("*.log*")}
    assert set(sizes) == {"staged-chat.log", *(f"staged-chat.log.{i}" for i in (1, 2, 3)), "staged-chat.fault.log"}
    assert max(sizes.values()) <= 1 << 20
    assert "WARNING qt: from Qt" in (tmp_path / "logs" / "staged-chat.log").read_text(encoding="utf-8")


@pytest.mark.skipif(os.name == "nt", reason="another kind of fault")
def test_a_fault_in_native_code_leaves_a_trace(tmp_path: Path) -> None:
    result = run_logger(str(tmp_path / "staged-chat.log"), "crash")
    assert result.returncode == -signal.SIGSEGV
    assert "Segmentation fault" in (tmp_path / "staged-chat.fault.log").read_text()


def test_where_no_log_can_be_written_the_start_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run_logger(str(tmp_path / "file" / "staged-chat.log"))
    assert result.returncode == 0
    assert "no log file" in result.stderr


def test_qt_messages_are_logged_with_their_level(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        _log_qt(QtMsgType.QtCriticalMsg, None, "critical of Qt")  # type: ignore[arg-type]
    assert [(record.levelname, record.message) for record in caplog.records] == [("ERROR", "critical of Qt")]
    qInstallMessageHandler(None)


# Without a display


def start(environment: dict[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    clean = {name: value for name, value in os.environ.items() if name not in names}
    return subprocess.run(
        [sys.executable, "-m", "desktop_app", *arguments],
        env={**clean, **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )


@on_linux
@pytest.mark.parametrize(
    ("environment", "word"),
    [
        ({}, "no display"),
        ({"DISPLAY": ":4711"}, "DISPLAY"),
        ({"WAYLAND_DISPLAY": "wayland-4711", "XDG_RUNTIME_DIR": "/run/user/4711"}, "wayland"),
        ({"QT_QPA_PLATFORM": "hologram"}, "hologram"),
        ({"QT_QPA_PLATFORM": "xcb"}, "DISPLAY"),
    ],
)
def test_without_a_display_there_is_a_word_and_no_core_dump(
    environment: dict[str, str], word: str, tmp_path: Path
) -> None:
    result = start({**environment, HOME_VARIABLE: str(tmp_path)})
    assert result.returncode == 1
    assert word.casefold() in result.stderr.casefold()
    assert "python -m engine chat" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@on_linux
def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "libqxcb.so").write_bytes(b"not a library")
    fault = preflight._missing_on_linux({"QT_QPA_PLATFORM": "xcb"}, tmp_path)
    assert fault is not None
    assert "libqxcb.so" in fault
    monkeypatch.setattr(preflight, "_missing_library", lambda _: "Qt cannot be used (libEGL.so.1)")
    complaint = preflight.complaint({"QT_QPA_PLATFORM": "offscreen"}, "linux")
    assert complaint is not None
    assert complaint.endswith("python -m engine chat")


@pytest.mark.parametrize(("environment", "program"), [
    ({}, "staged-chat"),
    ({"ARGV0": "./staged-chat.AppImage"}, "./staged-chat.AppImage"),
])  # fmt: skip
def test_installed_without_python_the_chat_in_the_terminal_is_the_programs_own(
    environment: dict[str, str], program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.frozen", True, raising=False)
    monkeypatch.setattr("sys.argv", ["staged-chat"])
    complaint = preflight.complaint(environment, "linux")
    assert complaint is not None
    assert complaint.endswith(f"with: {program} engine chat")


def test_where_a_window_can_open_there_is_no_complaint() -> None:
    assert preflight.complaint({"QT_QPA_PLATFORM": "offscreen"}) is None


def test_one_of_two_platforms_is_enough() -> None:
    assert preflight.complaint({"QT_QPA_PLATFORM": "hologram;offscreen"}, "linux") is None


def test_version() -> None:
    result = start({}, "--version")
    assert (result.returncode, result.stdout.split()[0]) == (0, "staged-chat")
