"""The widgets of a transcript that exist: those in sight, and a few that were seen last."""

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.records import Message
from desktop_app.views.message_view import MessageView

KEPT = 24  # views kept ready besides those in sight
OUT_OF_SIGHT = 32  # px above the top


class MessageViews(QObject):
    """Makes the view of a message when it is first wanted, and lets go of those that were not wanted for long.

    Signals: `requested` (action of a message, message id), from any of them.
    """

    requested = Signal(str, int)

    def __init__(self, port: QWidget) -> None:
        """`port` is the widget in which the views lie."""
        super().__init__(port)
        self._port = port
        self._views: dict[int, MessageView] = {}  # by message id, in the order of last use

    def __iter__(self) -> Iterator[MessageView]:
        return iter(self._views.values())

    def find(self, message_id: int) -> MessageView | None:
        """The view of a message if there is one."""
        return self._views.get(message_id)

    def get(self, message: Message, colored: bool) -> MessageView:
        """The view of a message; a new one is hidden."""
        view = self._views.pop(message.id, None)
        if view is None:
            view = MessageView(self._port)
            view.requested.connect(self.requested)
            view.show_message(message, colored)
        self._views[message.id] = view
        return view

    def hide_all_but(self, placed: set[int]) -> None:
        """Hide what is out of sight, and delete what has been so for long."""
        spare = []
        for message_id, view in self._views.items():
            if message_id in placed:
                continue
            if view.has_focus_inside():
                view.move(0, -view.height() - OUT_OF_SIGHT)  # hiding it would throw the focus about
            else:
                view.hide()
                spare.append(message_id)
        self._delete(spare[: max(len(spare) - KEPT, 0)])

    def keep_only(self, message_ids: set[int]) -> None:
        """Delete the views of all other messages."""
        self._delete([message_id for message_id in self._views if message_id not in message_ids])

    def _delete(self, message_ids: Iterable[int]) -> None:
        for message_id in message_ids:
            view = self._views.pop(message_id)
            view.hide()
            view.deleteLater()
