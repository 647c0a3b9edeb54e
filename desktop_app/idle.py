"""Whether anything is being done, and whether nothing has been done for a while."""

from PySide6.QtCore import QObject, QTimer, Signal

SETTLES_AFTER_MS = 120_000


class Idle(QObject):
    """Hears from all that computes.

    disturbed  something has begun
    settled    nothing has been done for `SETTLES_AFTER_MS`
    """

    disturbed = Signal()
    settled = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_settled = False
        self.timer = QTimer(self, singleShot=True, interval=SETTLES_AFTER_MS)
        self.timer.timeout.connect(self._settle)
        self._busy: set[str] = set()

    @property
    def is_busy(self) -> bool:
        """Something is being done."""
        return bool(self._busy)

    def note(self, what: str, is_busy: bool) -> None:
        """Hear that something is being done, or is no longer."""
        was_busy = self.is_busy
        if is_busy:
            self._busy.add(what)
        else:
            self._busy.discard(what)
        if self.is_busy and not was_busy:
            self.timer.stop()
            self.is_settled = False
            self.disturbed.emit()
        elif was_busy and not self.is_busy:
            self.timer.start()

    def _settle(self) -> None:
        self.is_settled = True
        self.settled.emit()
