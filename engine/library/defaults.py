"""What is known of the library before it is loaded: where models are kept, and in which precision."""

import os
from pathlib import Path

import platformdirs

PRECISIONS = ("float16", "bfloat16", "float32")
DEFAULT_PRECISION = "float16"
HOME_VARIABLE = "STAGED_CHAT_HOME"


def default_folder() -> Path:
    """Where models are kept unless the user has chosen another place; the same for window and terminal."""
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Path(home).expanduser() / "models"
    return platformdirs.user_data_path("staged-chat", appauthor=False) / "models"
