"""The live panel shows what was counted, and nothing else."""

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop_app.figures import FIGURES
from desktop_app.models.live_statistics import LiveStatistics, Sample
from desktop_app.views.answer_line import answer_line
from desktop_app.views.charts import SpeedChart, ticks
from desktop_app.views.live_panel import LivePanel
from engine.stats import Statistics
from tests.desktop_app.window import message

DRAFTED = Statistics(
    prompt_tokens=40,
    new_tokens=30,
    target_passes=10,
    draft_passes=10,
    proposed_draft=40,
    accepted_draft=16,
    proposed_ngram=10,
    accepted_ngram=4,
    emitted_histogram=(0, 2, 4, 2, 1, 1),
    prefill_s=0.25,
    first_token_s=0.5,
    seconds=(1.5, 0.3, 0.1, 0.05, 0.05),
    plain_tokens_per_s=20.0,
    target_bytes=1000,
    draft_bytes=100,
)
PLAIN = Statistics(
    new_tokens=10, target_passes=10, emitted_histogram=(0, 10), seconds=(1.0, 0, 0, 0, 0), plain_tokens_per_s=12.5
)


@pytest.fixture
def panel(qtbot: QtBot) -> LivePanel:
    panel = LivePanel(LiveStatistics())
    qtbot.addWidget(panel)
    panel.show()
    return panel


def shown(panel: LivePanel) -> dict[str, str]:
    return {label.objectName(): label.text() for label in panel.findChildren(QLabel) if label.objectName() in FIGURES}


def test_nothing_is_shown_before_anything_was_counted(panel: LivePanel) -> None:
    assert set(shown(panel).values()) == {"–"}
    assert panel.context.text() == "–"


def test_nothing_drafted_is_no_rate(panel: LivePanel) -> None:
    panel.live.begin(None, panel.live.totals)
    panel.live.update(PLAIN)
    assert shown(panel)["draft_acceptance_rate"] == "–"
    assert shown(panel)["ngram_acceptance_rate"] == "–"
    assert shown(panel)["target_passes_per_token"].startswith("1.00")


def test_slower_than_plain_is_shown_as_it_is(panel: LivePanel) -> None:
    panel.live.begin(None, panel.live.totals)
    panel.live.update(PLAIN)
    assert shown(panel)["speedup"] == "0.80×"


def test_figures_are_those_of_the_counters(panel: LivePanel) -> None:
    panel.live.context_length = 1024
    panel.live.begin(None, panel.live.totals)
    panel.live.update(DRAFTED)
    figures = shown(panel)
    assert figures["tokens_per_s"] == "15.0"
    assert figures["draft_acceptance_rate"] == "40%"
    assert figures["ngram_acceptance_rate"] == "40%"
    assert figures["mean_accepted_length"].startswith("3.00")
    assert panel.context.text() == "70 / 1,024"
    assert [value.text() for _, value in panel.phases.values()] == ["75%", "15%", "5%", "2%", "2%"]


def test_every_figure_tells_its_formula(panel: LivePanel) -> None:
    labels = [label for label in panel.findChildren(QLabel) if label.objectName() in FIGURES]
    assert len(labels) > 8
    for label in labels:
        assert label.toolTip() == FIGURES[label.objectName()].formula
        assert FIGURES[label.objectName()].label in label.accessibleName()


def test_totals_add_up_over_answers(panel: LivePanel) -> None:
    for _ in range(2):
        panel.live.begin(None, panel.live.totals)
        panel.live.update(PLAIN)
        panel.live.end()
    total = panel.findChild(QLabel, "total_new_tokens")
    assert total.text() == "20"


def test_turns_that_were_left_out_are_told(panel: LivePanel) -> None:
    assert panel.dropped.isHidden()
    panel.live.begin(None, panel.live.totals)
    panel.live.prefilled(3)
    assert not panel.dropped.isHidden()
    assert "3" in panel.dropped.text()


def test_a_hidden_panel_catches_up(panel: LivePanel) -> None:
    panel.hide()
    panel.live.begin(None, panel.live.totals)
    panel.live.update(DRAFTED)
    panel.show()
    assert shown(panel)["tokens_per_s"] == "15.0"


@pytest.mark.parametrize("top", [0.003, 0.3, 1, 7, 46, 99, 100, 101, 12345])
def test_ticks_are_few_and_inside(top: float) -> None:
    marks = ticks(top)
    assert 1 <= len(marks) <= 4
    assert 0 < marks[0] <= marks[-1] <= top * 1.0001


def test_the_chart_draws_speed_above_plain(qtbot: QtBot) -> None:
    chart = SpeedChart()
    qtbot.addWidget(chart)
    chart.resize(260, 136)
    empty = chart.grab().toImage()
    chart.set_samples([Sample(0.2 * n, 40.0, 2.0) for n in range(1, 20)])
    drawn = chart.grab().toImage()
    assert drawn != empty
    chart.set_samples([Sample(0.15, 40.0, 2.0)])  # a short answer has a speed too
    assert chart.grab().toImage() != empty
    chart.set_samples([Sample(0.2 * n, 40.0, None) for n in range(1, 20)])
    assert chart.grab().toImage() != drawn  # no plain speed: no dashed line, no right scale


def test_the_line_under_an_answer_says_it_all() -> None:
    answer = message(1, "assistant", "A", statistics=DRAFTED, mode="staged", seed=42, stop_reason="end_of_text")
    line = answer_line(answer).replace("\u00a0", " ")
    assert line == "15.0 tokens/s · 30 tokens · first after 0.50 s · accepted 20 of 50 · staged · seed 42 · finished"
    plain = message(1, "assistant", "A", statistics=PLAIN, mode="plain", seed=1, stop_reason="cancelled")
    assert answer_line(plain).replace("\u00a0", " ") == "10.0 tokens/s · 10 tokens · plain · seed 1 · stopped"
    assert answer_line(message(1, "assistant", "A")) == ""
    assert answer_line(plain).split(" ")[:2] == [
        "10.0\u00a0tokens/s\u00a0·",
        "10\u00a0tokens\u00a0·",
    ]  # where it may break
