"""One running application per data folder: a second start raises the first one's window."""

import contextlib
import getpass
import hashlib
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

PATIENCE_MS = 3000


class Claim(StrEnum):
    """What became of an attempt to be the one."""

    FIRST = "first"
    RAISED = "raised"  # another runs, and was asked to show its window
    UNANSWERED = "unanswered"  # another runs, but does not answer


class SingleInstance(QObject):
    """Holds the place of the one instance until `release`.

    raise_requested   a second start wants the window to be shown
    """

    raise_requested = Signal()

    def __init__(self, data_folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = data_folder
        identity = f"{getpass.getuser()}\n{data_folder.resolve()}"
        self._name = "staged-chat-" + hashlib.sha256(identity.encode()).hexdigest()[:16]
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._asked)
        self._lock = QLockFile(str(data_folder / "lock"))
        self._lock.setStaleLockTime(0)  # only a dead owner makes it stale, however long it lives

    def claim(self) -> Claim:
        """Try to be the one. A folder that cannot hold the lock (read-only, missing) counts as free."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
        if not self._lock.tryLock(0) and self._lock.error() is QLockFile.LockError.LockFailedError:
            return Claim.RAISED if self._raise_other() else Claim.UNANSWERED
        QLocalServer.removeServer(self._name)  # what a killed one left
        self._server.listen(self._name)
        return Claim.FIRST

    def release(self) -> None:
        """Make room for the next one."""
        self._server.close()
        self._lock.unlock()

    def _raise_other(self) -> bool:
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        connected = socket.waitForConnected(PATIENCE_MS)
        socket.disconnectFromServer()
        return connected

    def _asked(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.disconnectFromServer()
            self.raise_requested.emit()
