"""Ten minutes of streaming into 2,000 messages: memory holds what the text needs, and no more."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DURATION_S = 600
SLACK_MB = 3.0  # caches that fill up, and the allocator's own ways
TIMES_THE_TEXT = 8.0  # the text, who gave each of its tokens, and the counters of each answer


@pytest.mark.exhaustive
@pytest.mark.timeout(2 * DURATION_S)
def test_memory_grows_by_no_more_than_the_text_needs(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.desktop_app.stream_long", str(tmp_path), str(DURATION_S)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    output = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout
    reports = [json.loads(line) for line in output.splitlines()]
    early, late = (min(report["memory_mb"] for report in part) for part in (reports[4:10], reports[-6:]))
    added_mb = reports[-1]["text_mb"]
    assert added_mb > 0.1, "too little was streamed to tell"
    assert late - early < SLACK_MB + TIMES_THE_TEXT * added_mb, output
