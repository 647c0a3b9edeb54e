"""Everything of the application that is not a widget, built and connected in one place."""

from dataclasses import dataclass

from desktop_app.controller import ChatController
from desktop_app.conversations import ConversationsController
from desktop_app.model_controller import ModelController
from desktop_app.race import RaceController
from desktop_app.settings import Settings


@dataclass(slots=True)
class Core:
    """What a window is given."""

    settings: Settings
    model: ModelController
    conversations: ConversationsController
    chat: ChatController
    race: RaceController
