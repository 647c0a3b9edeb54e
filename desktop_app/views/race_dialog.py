"""The race: the same prompt and seed in plain and in the chosen mode, with clocks and a verdict."""

import time

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QDialog, QFrame, QPushButton, QScrollArea, QTextEdit, QVBoxLayout, QWidget

from desktop_app.figures import FIGURES, NOTHING
from desktop_app.race import Lane, LaneState, RaceController
from desktop_app.settings_table import MODES
from desktop_app.theme import SPACE, current_colors
from desktop_app.verdict import Verdict
from desktop_app.views.common import ElidedLabel, announce, column, make_label, row, set_role, translated
from desktop_app.views.message_text import TextBlock, origin_format

CLOCK_MS = 33


class LaneView(QFrame):
    """One side of the race."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._mode = make_label("", "title")
        self._clock = make_label(NOTHING, "display")
        self._clock.setObjectName("clock")
        self._speed = make_label("", "caption")
        self.text = TextBlock()
        self.text.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # keys go to what scrolls it
        self._shown = 0
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        body = QWidget()
        body.setObjectName("LaneBody")
        scroll.viewport().setAutoFillBackground(False)
        column(parent=body).addWidget(self.text)
        body.layout().addStretch(1)  # type: ignore[union-attr]
        scroll.setWidget(body)
        scroll.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        scroll.setAccessibleName(self.tr("Answer of this side"))
        self._scroll = scroll
        top = row(spacing=2 * SPACE)
        names = column(spacing=0)
        names.addWidget(self._mode)
        names.addWidget(self._speed)
        top.addLayout(names, 1)
        top.addWidget(self._clock)
        inside = column(margin=2 * SPACE, spacing=SPACE + SPACE // 2, parent=self)
        inside.addLayout(top)
        inside.addWidget(scroll, 1)

    def show_lane(self, lane: Lane) -> None:
        """Show the present state of a side; text that is there already is not laid out again."""
        label = next((mode.label for mode in MODES if mode.value == lane.mode), lane.mode)
        self._mode.setText(translated("Settings", label))
        self._speed.setText(lane.error or self._speed_text(lane))
        set_role(self._speed, "error" if lane.error else "caption")
        if len(lane.text) < self._shown:
            self.text.clear()
            self._shown = 0
        self.text.append_plain(lane.text[self._shown :])
        self._shown = len(lane.text)
        self.text.updateGeometry()
        self.tick(lane)
        if lane.state is LaneState.RUNNING:
            bar = self._scroll.verticalScrollBar()
            bar.setValue(bar.maximum())

    def tick(self, lane: Lane) -> None:
        """Move the clock."""
        elapsed = lane.elapsed_s
        if elapsed is None and lane.started_at is not None:
            elapsed = time.monotonic() - lane.started_at
        self._clock.setText(NOTHING if elapsed is None else self.tr("{seconds:.2f} s").format(seconds=elapsed))

    def mark_difference(self, at: int) -> None:
        """Underline the text from the first difference on."""
        cursor = QTextCursor(self.text.document())
        cursor.setPosition(min(at, self.text.document().characterCount() - 1))
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        selection = QTextEdit.ExtraSelection()
        selection.cursor = cursor
        selection.format = QTextCharFormat(origin_format("ngram", current_colors()))
        self.text.setExtraSelections([selection])

    def _speed_text(self, lane: Lane) -> str:
        if lane.state is LaneState.WAITING:
            return self.tr("Waits for its turn")
        if lane.statistics is None:
            return self.tr("Reading …")
        return self.tr("{speed} tokens/s").format(speed=FIGURES["tokens_per_s"].text(lane.statistics))


class RaceDialog(QDialog):
    """Shows a `RaceController`; closing it ends the race."""

    def __init__(self, race: RaceController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("RaceDialog")
        self.setWindowTitle(self.tr("Race"))
        self.resize(920, 600)
        self.race = race
        self._prompt = ElidedLabel("caption")
        self.verdict = make_label("", "title", wrap=True)
        self.verdict.setObjectName("verdict")
        self.views = (LaneView(), LaneView())
        self._again = QPushButton(self.tr("Race again"))
        self._stop = QPushButton(self.tr("Stop"))
        self._build()
        self._clock = QTimer(self, interval=CLOCK_MS)
        self._clock.timeout.connect(self._tick)
        race.changed.connect(self.refresh)
        race.finished.connect(self._on_finished)

    def _build(self) -> None:
        heading = column(spacing=SPACE // 2)
        heading.addWidget(make_label(self.tr("The same question, the same seed, two ways to decode"), "title"))
        explain = self.tr("One after the other, each with the whole machine to itself. Nothing is added to the chat.")
        heading.addWidget(make_label(explain, "caption", wrap=True))
        lanes = row(spacing=2 * SPACE)
        for view in self.views:
            lanes.addWidget(view, 1)
        bottom = row(spacing=SPACE)
        bottom.addWidget(self.verdict, 1)
        for button in (self._again, self._stop):
            bottom.addWidget(button)
        close = QPushButton(self.tr("Close"))
        close.clicked.connect(self.close)
        bottom.addWidget(close)
        self._again.clicked.connect(lambda: self.start(self._text))
        self._stop.clicked.connect(self.race.stop)
        inside: QVBoxLayout = column(margin=3 * SPACE, spacing=2 * SPACE, parent=self)
        inside.addLayout(heading)
        inside.addWidget(self._prompt)
        inside.addLayout(lanes, 1)
        inside.addLayout(bottom)
        close.setFocus()

    def start(self, text: str = "") -> None:
        """Race the answer to `text`, or with "" the last answer of the conversation."""
        self._text = text
        self._prompt.setText(text)
        self._prompt.setVisible(bool(text))
        self.verdict.setText("")
        for view in self.views:
            view.text.setExtraSelections([])
        self.race.start(text)
        self._clock.start()
        self.refresh()

    def refresh(self) -> None:
        """Show the present state of both sides."""
        for view, lane in zip(self.views, self.race.lanes, strict=True):
            view.show_lane(lane)
        self._stop.setVisible(self.race.running)
        self._again.setVisible(not self.race.running)

    def _tick(self) -> None:
        for view, lane in zip(self.views, self.race.lanes, strict=True):
            view.tick(lane)

    def _on_finished(self, verdict: Verdict | None) -> None:
        self._clock.stop()
        self.refresh()
        if verdict is None:
            self.verdict.setText(self.tr("The race was not finished."))
            return
        faster = verdict.speedup is not None and verdict.speedup >= 1
        set_role(self.verdict, "bad" if not verdict.identical else "good" if faster else "title")
        self.verdict.setText(verdict.text)
        if verdict.first_difference is not None:
            for view in self.views:
                view.mark_difference(verdict.first_difference)
        announce(self, verdict.text)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._clock.stop()
        if self.race.running:
            self.race.stop()
        super().closeEvent(event)
