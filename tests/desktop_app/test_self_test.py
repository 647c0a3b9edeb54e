"""`staged-chat --self-test`, as a packager runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BROKEN = """
import sys
import desktop_app.app, desktop_app.__main__
def broken(core):
    raise RuntimeError("no window today")
desktop_app.app.MainWindow = broken
sys.exit(desktop_app.__main__.main(["--self-test", *sys.argv[1:]]))
"""


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_self_test_answers_and_measures(tmp_path: Path) -> None:
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    file = tmp_path / "报告.json"
    command = [sys.executable, "-m", "desktop_app", "--self-test", str(file)]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    report = json.loads(file.read_text(encoding="utf-8"))
    assert report["ok"]
    assert report["text"].strip()
    assert report["statistics"]["new_tokens"] > 0
    assert report["statistics"]["tokens_per_s"] > 0
    assert 0 < report["start"]["window_s"] < report["start"]["window_s"] + report["start"]["model_s"]
    assert set(report["longest_gap_ms"]) == {"loading", "answering"}
    assert max(report["longest_gap_ms"].values()) < 500  # below 100 on a machine that does nothing else
    assert report["model"]["context_length"] == "1024"
    assert any(line.startswith("torch ") for line in report["versions"])


def test_an_error_at_the_start_is_seen(tmp_path: Path) -> None:
    command = [sys.executable, "-c", BROKEN, str(tmp_path / "report.json")]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert result.returncode == 1
    assert "RuntimeError: no window today" in result.stderr
