"""The live panel: what the running answer does, in figures and pictures."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from desktop_app.figures import FIGURES, NOTHING, PHASE_LABELS, phase_shares
from desktop_app.models.live_statistics import LiveStatistics
from desktop_app.theme import SPACE, current_colors
from desktop_app.views.charts import Histogram, Shares, SpeedChart
from desktop_app.views.common import column, make_label, make_line, row, translated

WIDTH = 288  # px
WIDEST = 440  # px

# Where the time goes, by phase.
PHASE_COLORS = {
    "target": "target_line",
    "draft": "draft_line",
    "ngram": "ngram_line",
    "planner": "success",
    "other": "keyword",
}


class LivePanel(QScrollArea):
    """Shows a `LiveStatistics`."""

    def __init__(self, live: LiveStatistics, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("LivePanel")
        self.setAccessibleName(self.tr("Live panel"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.live = live
        self._values: list[tuple[QLabel, str, bool]] = []  # label, key of the figure, of the whole conversation
        body = QWidget()
        body.setObjectName("LivePanelBody")
        self._column = column(margin=2 * SPACE, spacing=SPACE, parent=body)
        self._add_speed()
        self._add_acceptance()
        self._add_time()
        self._add_totals()
        self._column.addStretch(1)
        self.setWidget(body)
        body.installEventFilter(self)
        self._fit_width()
        live.changed.connect(self.refresh)
        self.refresh()

    # Building

    def _add_speed(self) -> None:
        large = row(spacing=SPACE)
        for key in ("tokens_per_s", "speedup"):
            large.addLayout(self._large(key), 1)
        self._column.addLayout(large)
        self.chart = SpeedChart()
        self.chart.setToolTip(
            self.tr("Tokens/s of this answer over the last minute; the dashed line is plain decoding on this machine.")
        )
        self.chart.setAccessibleName(self.tr("Speed over time"))
        self._column.addWidget(self.chart)

    def _large(self, key: str) -> QVBoxLayout:
        stack = column(spacing=0)
        stack.addWidget(self._value(key, "display"))
        stack.addWidget(self._label(key))
        return stack

    def _add_acceptance(self) -> None:
        self._section(self.tr("Drafting"))
        self._rows(("draft_acceptance_rate", "ngram_acceptance_rate", "mean_accepted_length"))
        self.histogram = Histogram()
        self.histogram.setToolTip(self.tr("How many passes of the target gave 1, 2, 3 ... tokens."))
        self.histogram.setAccessibleName(self.tr("Histogram of accepted lengths"))
        self._column.addWidget(self.histogram)
        self._rows(("target_passes_per_token", "relative_bytes_read"))

    def _add_time(self) -> None:
        self._section(self.tr("Where the time goes"))
        self.shares = Shares(list(PHASE_COLORS.values()))
        self.shares.setAccessibleName(self.tr("Shares of decoding time"))
        self._column.addWidget(self.shares)
        legend = QGridLayout()
        legend.setHorizontalSpacing(SPACE)
        legend.setVerticalSpacing(SPACE // 2)
        self.phases: dict[str, tuple[QLabel, QLabel]] = {}
        for number, phase in enumerate(PHASE_COLORS):
            dot, value = make_label("●"), make_label(NOTHING, "caption")
            legend.addWidget(dot, number // 2, number % 2 * 3)
            legend.addWidget(
                make_label(translated("Figures", PHASE_LABELS[phase]), "caption"), number // 2, number % 2 * 3 + 1
            )
            legend.addWidget(value, number // 2, number % 2 * 3 + 2, Qt.AlignmentFlag.AlignRight)
            self.phases[phase] = dot, value
        legend.setColumnStretch(1, 1)
        legend.setColumnStretch(4, 1)
        self._column.addLayout(legend)
        self._rows(("prefill_s", "first_token_s"))
        self.context = self._plain_row(
            self.tr("Context used"), self.tr("Tokens of prompt and answer, of those that the model can see at once.")
        )
        self.dropped = make_label("", "caption", wrap=True)
        self._column.addWidget(self.dropped)

    def _add_totals(self) -> None:
        self._section(self.tr("This conversation"))
        self._rows(("new_tokens", "tokens_per_s", "speedup", "acceptance_rate"), totals=True)

    def _section(self, title: str) -> None:
        self._column.addSpacing(SPACE)
        self._column.addWidget(make_line())
        self._column.addSpacing(SPACE // 2)
        self._column.addWidget(make_label(title, "section"))

    def _rows(self, keys: Sequence[str], *, totals: bool = False) -> None:
        for key in keys:
            line = row()
            line.addWidget(self._label(key), 1)
            line.addWidget(self._value(key, "value", totals=totals))
            self._column.addLayout(line)

    def _plain_row(self, label: str, tip: str) -> QLabel:
        line: QHBoxLayout = row()
        name, value = make_label(label, "caption"), make_label(NOTHING, "value")
        name.setToolTip(tip)
        value.setToolTip(tip)
        line.addWidget(name, 1)
        line.addWidget(value)
        self._column.addLayout(line)
        return value

    def _label(self, key: str) -> QLabel:
        label = make_label(translated("Figures", FIGURES[key].label), "caption")
        label.setToolTip(translated("Figures", FIGURES[key].formula))
        return label

    def _value(self, key: str, role: str, *, totals: bool = False) -> QLabel:
        value = make_label(NOTHING, role)
        value.setObjectName(f"total_{key}" if totals else key)
        value.setToolTip(translated("Figures", FIGURES[key].formula))
        self._values.append((value, key, totals))
        return value

    # Showing

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self._fit_width()
        return super().eventFilter(watched, event)

    def _fit_width(self) -> None:
        """Be as wide as the figures need: they grow with the text size and with the language."""
        needed = self._column.minimumSize().width() + self.verticalScrollBar().sizeHint().width()
        self.setMinimumWidth(max(WIDTH, needed))
        self.setMaximumWidth(max(WIDEST, needed))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Show the present figures."""
        if not self.isVisible():
            return  # `showEvent` catches up
        current = self.live.current
        for label, key, totals in self._values:
            text = FIGURES[key].text(self.live.totals if totals else current)
            label.setText(text)
            label.setAccessibleName(f"{translated('Figures', FIGURES[key].label)}: {text}")
        self.chart.set_samples(list(self.live.history))
        self.histogram.set_counts(current.emitted_histogram[1:] if current else ())
        self._show_phases(phase_shares(current))
        self._show_context()

    def _show_phases(self, shares: Mapping[str, float]) -> None:
        self.shares.set_parts([shares.get(phase, 0.0) for phase in PHASE_COLORS])
        for phase, (dot, value) in self.phases.items():
            value.setText(f"{shares[phase]:.0%}" if phase in shares else NOTHING)
            dot.setStyleSheet(f"color: {getattr(current_colors(), PHASE_COLORS[phase])}")

    def _show_context(self) -> None:
        used, length = self.live.context_used, self.live.context_length
        self.context.setText(NOTHING if used is None or not length else f"{used:,} / {length:,}")
        dropped = self.live.dropped_turns
        self.dropped.setVisible(dropped > 0)
        self.dropped.setText(self.tr("%n old turn(s) did not fit and were left out.", "", dropped))
