"""What settings pages show besides the rows of the table: presets, the state of the model, the data folder."""

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QComboBox, QFrame, QPushButton, QWidget

from desktop_app.core import Core
from desktop_app.model_controller import DraftState, ModelController, ModelState, ModelStatus
from desktop_app.setting import Group
from desktop_app.settings import Settings
from desktop_app.settings_table import PRESET_LABELS
from desktop_app.theme import SPACE
from desktop_app.views.common import ask_to_delete, column, make_label, row, translated
from desktop_app.views.setting_editors import WIDTH
from desktop_app.views.settings_dialog import Extras


def make_extras(core: Core) -> tuple[Extras, Extras]:
    """What pages show above and below their rows."""
    above: Extras = {
        Group.DECODING: DraftCard(core.model),
        Group.SAMPLING: PresetRow(core.settings),
        Group.MODEL: ModelCard(core.model),
    }
    return above, {Group.STORAGE: StorageCard(core)}


def _box(owner: QWidget) -> QFrame:
    """A framed box that fills its owner, as far from its neighbours as settings are from each other."""
    box = QFrame()
    box.setProperty("role", "card")
    outside = column(parent=owner)
    outside.setContentsMargins(0, SPACE, 0, SPACE + SPACE // 2)
    outside.addWidget(box)
    return box


class DraftCard(QFrame):
    """Says how the draft model is doing, in every state."""

    def __init__(self, model: ModelController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = make_label("", wrap=True)
        column(margin=2 * SPACE, parent=_box(self)).addWidget(self.text)
        model.status_changed.connect(self.show_status)
        self.show_status(model.status)

    def show_status(self, status: ModelStatus) -> None:
        """Show a state of the model."""
        texts = {
            DraftState.NONE: self.tr("No draft model is loaded: only plain and n-gram decoding have an effect."),
            DraftState.LOADING: self.tr("The draft model is being loaded."),
            DraftState.INCOMPATIBLE: self.tr("This draft does not fit the model: {reason}").format(reason=status.error),
            DraftState.COMPATIBLE: self._compatible(status),
        }
        self.text.setText(texts[status.draft])

    def _compatible(self, status: ModelStatus) -> str:
        parameters = status.info.parameters_draft if status.info else None
        size = (
            self.tr(" It has {millions:.0f} million parameters.").format(millions=parameters / 1e6)
            if parameters
            else ""
        )
        return self.tr("The draft model fits and is in use.") + size


class PresetRow(QFrame):
    """Chooses a sampling preset; shows "Custom" for values of the user's own."""

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.box = QComboBox()
        self.box.setFixedWidth(WIDTH)
        self.box.setAccessibleName(self.tr("Preset"))
        self.box.addItem(self.tr("Custom"), None)
        for name, label in PRESET_LABELS.items():
            self.box.addItem(translated("Settings", label), name)
        self.box.activated.connect(self._on_activated)
        inside = row(parent=self)
        inside.setContentsMargins(0, SPACE + SPACE // 2, 0, SPACE + SPACE // 2)
        texts = column(spacing=SPACE // 2)
        texts.addWidget(make_label(self.tr("Preset")))
        texts.addWidget(
            make_label(self.tr("Temperature, top-k, top-p and repetition penalty at once."), "caption", wrap=True)
        )
        inside.addLayout(texts, 1)
        inside.addWidget(self.box, 0, Qt.AlignmentFlag.AlignTop)
        settings.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        self.box.setCurrentIndex(self.box.findData(self._settings.preset()))

    def _on_activated(self, index: int) -> None:
        name = self.box.itemData(index)
        if name is None:
            self._show()
        else:
            self._settings.apply_preset(name)


class ModelCard(QFrame):
    """The model that is loaded, with a button that loads it again."""

    def __init__(self, model: ModelController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = make_label("", wrap=True)
        self.load = QPushButton(self.tr("Load again"))
        self.load.setObjectName("loadAgain")
        self.load.clicked.connect(model.load)
        inside = row(margin=2 * SPACE, spacing=2 * SPACE, parent=_box(self))
        inside.addWidget(self.text, 1)
        inside.addWidget(self.load, 0, Qt.AlignmentFlag.AlignTop)
        model.status_changed.connect(self.show_status)
        self.show_status(model.status)

    def show_status(self, status: ModelStatus) -> None:
        """Show a state of the model."""
        lines = [self._state(status)]
        if status.needs_reload:
            lines.append(self.tr("A change waits for the model to be loaded again."))
        self.text.setText("\n".join(lines))

    def _state(self, status: ModelStatus) -> str:
        if status.state is ModelState.LOADING:
            return self.tr("Loading: {stage}").format(stage=status.stage)
        if status.state is ModelState.FAILED:
            return self.tr("Not loaded: {reason}").format(reason=status.error)
        info = status.info
        if status.state is ModelState.NONE or info is None:
            return self.tr("No model is loaded.")
        return self.tr(
            "{name}: {millions:,.0f} million parameters, {dtype} on {device} ({reason}). "
            "Plain decoding gives {speed:.1f} tokens/s here."
        ).format(
            name=info.name,
            millions=info.parameters_target / 1e6,
            dtype=info.dtype,
            device=info.device,
            reason=info.dtype_reason,
            speed=info.plain_tokens_per_s,
        )


class StorageCard(QFrame):
    """Where the data is, and how to be rid of it."""

    def __init__(self, core: Core, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._core = core
        folder = make_label(str(core.paths.data), wrap=True)
        folder.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        open_folder = QPushButton(self.tr("Open folder"))
        open_folder.setObjectName("openDataFolder")
        open_folder.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(core.paths.data))))
        delete = QPushButton(self.tr("Delete all conversations …"))
        delete.setObjectName("deleteAll")
        delete.setProperty("role", "danger")
        delete.clicked.connect(self._delete_all)
        inside = column(spacing=SPACE, parent=self)
        inside.addSpacing(SPACE)
        inside.addWidget(make_label(self.tr("Conversations and models are kept in"), "caption"))
        inside.addWidget(folder)
        inside.addWidget(open_folder, 0, Qt.AlignmentFlag.AlignLeft)
        inside.addSpacing(3 * SPACE)
        warning = self.tr("Deleting all conversations cannot be undone. Models and settings stay.")
        inside.addWidget(make_label(warning, "caption", wrap=True))
        inside.addWidget(delete, 0, Qt.AlignmentFlag.AlignLeft)

    def _delete_all(self) -> None:
        ask_to_delete(
            self,
            self.tr("Delete all conversations?"),
            self._core.conversations.delete_all,
            self.tr("This cannot be undone."),
        )
