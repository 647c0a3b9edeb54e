"""How long the event loop was kept from its work."""

import time

from PySide6.QtCore import QObject, Qt, QTimer

TICK_MS = 5


class LoopGaps(QObject):
    """Measures the longest time between two turns of the event loop, beyond the tick that it asks for.

    longest_s   seconds, since `start` or `reset`
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.longest_s = 0.0
        self._last_s = 0.0
        self._timer = QTimer(self, interval=TICK_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        """Begin to measure."""
        self.reset()
        self._timer.start()

    def stop(self) -> None:
        """Measure no longer."""
        self._timer.stop()

    def reset(self) -> None:
        """Forget the longest gap."""
        self.longest_s, self._last_s = 0.0, time.monotonic()

    def _tick(self) -> None:
        now_s = time.monotonic()
        self.longest_s = max(self.longest_s, now_s - self._last_s - TICK_MS / 1000)
        self._last_s = now_s
