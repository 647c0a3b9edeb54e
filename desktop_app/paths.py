"""Where the application keeps its files."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

APP_NAME = "staged-chat"
HOME_VARIABLE = "STAGED_CHAT_HOME"


@dataclass(frozen=True, slots=True)
class Paths:
    """Folders of one user. None of them needs to exist; who writes there makes it."""

    data: Path
    config: Path
    logs: Path

    @property
    def database(self) -> Path:
        """The conversations."""
        return self.data / "conversations.sqlite3"

    @property
    def models(self) -> Path:
        """Models that were downloaded or imported."""
        return self.data / "models"

    @property
    def settings(self) -> Path:
        """The settings, as readable JSON."""
        return self.config / "settings.json"

    @property
    def log(self) -> Path:
        """The newest log."""
        return self.logs / "staged-chat.log"


def find_paths(environment: Mapping[str, str] = os.environ) -> Paths:
    """The platform's folders, or one folder for everything where STAGED_CHAT_HOME names it (portable use, tests)."""
    home = environment.get(HOME_VARIABLE)
    if home:
        folder = Path(home).expanduser().absolute()
        return Paths(folder, folder, folder / "logs")
    return Paths(
        platformdirs.user_data_path(APP_NAME, appauthor=False),
        platformdirs.user_config_path(APP_NAME, appauthor=False),
        platformdirs.user_log_path(APP_NAME, appauthor=False),
    )
