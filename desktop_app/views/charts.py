"""The pictures of the live panel: speed over time, a histogram, and shares of a whole."""

import math
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.models.live_statistics import Sample
from desktop_app.theme import SPACE, TypeScale, current_colors

SHOWN_S = 60.0  # seconds of decoding that the chart spans at most
HEADROOM = 1.15
MOST_TICKS = 4


class _Picture(QWidget):
    """A painted widget as wide as its panel, in the panel's small type."""

    HEIGHT = 64

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(200, self.HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = self.font()
        font.setPointSizeF(TypeScale.of(font.pointSizeF()).small)
        painter.setFont(font)
        self.paint(painter)
        painter.end()

    def paint(self, painter: QPainter) -> None:
        """Draw the picture."""
        raise NotImplementedError


class SpeedChart(_Picture):
    """Tokens/s over the last minute (left scale) above plain decoding; the right scale gives the ratio of the two."""

    HEIGHT = 136

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._samples: list[Sample] = []

    def set_samples(self, samples: Sequence[Sample]) -> None:
        """Show these samples, oldest first; a single one has held from the start."""
        if len(samples) == 1:
            samples = [replace(samples[0], time_s=0.0), *samples]
        end = samples[-1].time_s if samples else 0.0
        self._samples = [sample for sample in samples if sample.time_s >= end - SHOWN_S]
        self.update()

    def paint(self, painter: QPainter) -> None:
        colors = current_colors()
        metrics = QFontMetricsF(painter.font())
        plot = QRectF(self.rect()).adjusted(0, metrics.height() / 2 + 2, 0, -2)
        fastest = max((sample.tokens_per_s for sample in self._samples), default=0.0)
        plain = [(sample.time_s, _plain(sample)) for sample in self._samples]
        top = max([fastest, *(speed for _, speed in plain)]) * HEADROOM or 1.0
        labels = max(metrics.horizontalAdvance(f"{tick:g}") for tick in ticks(top)) + SPACE
        present = plain[-1][1] if plain else 0.0
        ratios = [f"{tick:g}×" for tick in ticks(top / present)] if present else []
        ratio_room = max((metrics.horizontalAdvance(ratio) for ratio in ratios), default=0) + SPACE
        plot.adjust(labels, 0, -ratio_room, 0)
        if len(self._samples) < 2:
            self._paint_empty(painter, plot)
            return
        self._paint_scale(painter, plot, top, present)
        curve = self._points([(sample.time_s, sample.tokens_per_s) for sample in self._samples], plot, top)
        area = QPolygonF([*curve, QPointF(curve[-1].x(), plot.bottom()), QPointF(curve[0].x(), plot.bottom())])
        ground = QColor(colors.accent)
        ground.setAlphaF(0.14)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawPolygon(area)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colors.accent), 2))
        painter.drawPolyline(QPolygonF(curve))
        if any(speed for _, speed in plain):
            painter.setPen(QPen(QColor(colors.subtle), 1, Qt.PenStyle.DashLine))
            painter.drawPolyline(QPolygonF(self._points(plain, plot, top)))

    def _paint_empty(self, painter: QPainter, plot: QRectF) -> None:
        colors = current_colors()
        painter.setPen(QColor(colors.border))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        painter.setPen(QColor(colors.subtle))
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(plot, flags, self.tr("Speed is drawn here while an answer is written."))

    def _paint_scale(self, painter: QPainter, plot: QRectF, top: float, plain: float) -> None:
        colors = current_colors()
        for tick in ticks(top):
            y = plot.bottom() - tick / top * plot.height()
            painter.setPen(QColor(colors.border))
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
            painter.setPen(QColor(colors.subtle))
            flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, y - 10, plot.left() - SPACE, 20), flags, f"{tick:g}")
        for tick in ticks(top / plain) if plain else ():
            y = plot.bottom() - tick * plain / top * plot.height()
            flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(plot.right(), y - 10, self.width() - plot.right(), 20), flags, f"{tick:g}×")

    def _points(self, values: Sequence[tuple[float, float]], plot: QRectF, top: float) -> list[QPointF]:
        start, end = self._samples[0].time_s, self._samples[-1].time_s
        span = end - start
        return [
            QPointF(plot.left() + (time_s - start) / span * plot.width(), plot.bottom() - value / top * plot.height())
            for time_s, value in values
        ]


def _plain(sample: Sample) -> float:
    return sample.tokens_per_s / sample.speedup if sample.speedup else 0.0


def ticks(top: float) -> list[float]:
    """Two to four round numbers from above 0 up to `top`."""
    size = 10.0 ** math.floor(math.log10(top))
    step = next(step for factor in (0.25, 0.5, 1.0, 2.0, 2.5) if top / (step := factor * size) <= MOST_TICKS)
    return [step * count for count in range(1, int(top / step) + 1)]


class Histogram(_Picture):
    """How many passes emitted 1, 2, 3 ... tokens; bars with their share, so that small ones can be read too."""

    HEIGHT = 72
    MOST_BARS = 12

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts: list[int] = []

    def set_counts(self, counts: Sequence[int]) -> None:
        """Show counts; the first is that of passes that emitted one token. What is beyond the last bar joins it."""
        shown = list(counts[: self.MOST_BARS])
        if len(counts) > self.MOST_BARS:
            shown[-1] += sum(counts[self.MOST_BARS :])
        self._counts = shown
        self.update()

    def paint(self, painter: QPainter) -> None:
        colors = current_colors()
        height = QFontMetricsF(painter.font()).height()
        bars = max(len(self._counts), 6)
        width = self.width() / bars
        most = max(self._counts, default=0) or 1
        for number in range(bars):
            count = self._counts[number] if number < len(self._counts) else 0
            size = count / most * (self.height() - height - 4)
            bar = QRectF(number * width + 3, self.height() - height - 2 - size, width - 6, size)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colors.accent))
            painter.drawRoundedRect(bar, 2, 2)
            painter.setPen(QColor(colors.border))
            base = self.height() - height - 1
            painter.drawLine(QPointF(bar.left(), base), QPointF(bar.right(), base))
            painter.setPen(QColor(colors.subtle))
            more = "+" if number == self.MOST_BARS - 1 else ""
            label = QRectF(number * width, self.height() - height, width, height)
            painter.drawText(label, Qt.AlignmentFlag.AlignCenter, f"{number + 1}{more}")


class Shares(_Picture):
    """Parts of a whole as one bar. `colors` names fields of `theme.Colors`, one per part."""

    HEIGHT = 10

    def __init__(self, colors: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = list(colors)
        self._parts: list[float] = []

    def set_parts(self, parts: Sequence[float]) -> None:
        """Show parts of any unit; none, or nothing but zeros, leaves the bar empty."""
        self._parts = list(parts)
        self.update()

    def paint(self, painter: QPainter) -> None:
        colors = current_colors()
        whole = sum(self._parts)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.hover))
        painter.drawRoundedRect(self.rect(), 4, 4)
        left = 0.0
        for name, part in zip(self._names, self._parts, strict=False):
            width = part / whole * self.width() if whole > 0 else 0.0
            painter.setBrush(QColor(getattr(colors, name)))
            painter.drawRect(QRectF(left, 0, max(width - 1, 0), self.height()))
            left += width
