"""The settings dialog, made from the table of settings: pages by group, a search over all of them."""

from collections import Counter
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QWidget,
)

from desktop_app.setting import APPLIES_LABELS, GROUP_LABELS, Applies, Group, Kind, Setting, Value
from desktop_app.settings import Settings
from desktop_app.theme import SPACE
from desktop_app.views.common import column, make_label, row, translated
from desktop_app.views.setting_editors import WIDTH, make_editor

Extras = Mapping[Group, QWidget]
WIDE_KINDS = (Kind.LONG_TEXT,)


class SettingRow(QFrame):
    """One setting: label and help at the left, editor at the right, what is wrong with it below."""

    def __init__(self, settings: Settings, setting: Setting) -> None:
        super().__init__()
        self.setObjectName(setting.key)
        self.setting = setting
        self._settings = settings
        self.editor = make_editor(setting)
        self._help = make_label("", "caption", wrap=True)
        self.error = make_label("", "error", wrap=True)
        self.error.hide()
        texts = column(spacing=SPACE // 2)
        texts.addWidget(make_label(translated("Settings", setting.label), wrap=True))
        texts.addWidget(self._help)
        texts.addStretch(1)
        across = row(spacing=3 * SPACE) if setting.kind not in WIDE_KINDS else column(spacing=SPACE)
        across.addLayout(texts, 1)
        if setting.kind not in WIDE_KINDS:
            self.editor.setFixedWidth(WIDTH)
        across.addWidget(
            self.editor, 0, Qt.AlignmentFlag.AlignTop if setting.kind not in WIDE_KINDS else Qt.AlignmentFlag(0)
        )
        inside = column(spacing=SPACE, parent=self)
        inside.setContentsMargins(0, SPACE + SPACE // 2, 0, SPACE + SPACE // 2)
        inside.addLayout(across)
        inside.addWidget(self.error)
        self.editor.edited.connect(self._on_edited)
        settings.changed.connect(self._on_changed)
        self.editor.show_value(settings.get(setting.key))

    def matches(self, needle: str) -> bool:
        """True where label, help or choices have the text."""
        setting = self.setting
        choices = [text for choice in setting.choices for text in (choice.label, choice.help)]
        words = [translated("Settings", text) for text in (setting.label, setting.help, *choices) if text]
        return needle.casefold() in " ".join([setting.key, *words]).casefold()

    def show_help(self, usual: Applies | None) -> None:
        """Show the help, with a word on when a change takes effect where that is not the `usual`."""
        texts = [translated("Settings", self.setting.help)] if self.setting.help else []
        if self.setting.applies is not usual:
            texts.append(translated("Settings", APPLIES_LABELS[self.setting.applies]))
        self._help.setText(" ".join(texts))
        self._help.setVisible(bool(texts))

    def _on_edited(self, value: object) -> None:
        try:
            self._settings.set(self.setting.key, value)
        except ValueError as error:
            self.error.setText(str(error))
            self.error.show()
        else:
            self.error.hide()

    def _on_changed(self, key: str, value: Value) -> None:
        if key == self.setting.key:
            self.editor.show_value(value)


class SettingsDialog(QDialog):
    """All settings that are not hidden. `extras` are put above and below the rows of their group.

    Signals: `about_requested`.
    """

    about_requested = Signal()

    def __init__(self, settings: Settings, extras: tuple[Extras, Extras], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Settings"))
        self.setObjectName("SettingsDialog")
        self.resize(880, 640)
        self._settings = settings
        self._above, self._below = extras
        self.search = QLineEdit()
        self.sections = QListWidget()
        self.rows = [
            SettingRow(settings, setting) for setting in settings.table.values() if setting.group is not Group.HIDDEN
        ]
        self._title = make_label("", "title")
        self._applies = make_label("", "caption")
        self._nothing = make_label(self.tr("No setting has this text."), "caption")
        self._reset = QPushButton(self.tr("Reset this page"))
        self._reset.setObjectName("resetPage")
        self._reset.setProperty("role", "quiet")
        self._reset.clicked.connect(lambda: settings.reset(self._group()))
        self._build()
        self.sections.setCurrentRow(0)

    def _build(self) -> None:
        self.search.setPlaceholderText(self.tr("Search settings"))
        self.search.setAccessibleName(self.tr("Search settings"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._show_rows)
        self.sections.setObjectName("SettingsSections")
        self.sections.setAccessibleName(self.tr("Pages"))
        for group, label in GROUP_LABELS.items():
            item = QListWidgetItem(translated("Settings", label))
            item.setData(Qt.ItemDataRole.UserRole, group.value)
            self.sections.addItem(item)
        self.sections.currentRowChanged.connect(self._on_section)
        self.sections.itemClicked.connect(self._on_section)  # back from a search to the page of before
        left = column(margin=2 * SPACE, spacing=SPACE)
        left.addWidget(self.search)
        left.addWidget(self.sections, 1)
        about = QPushButton(self.tr("About and diagnostics"))
        about.setObjectName("aboutButton")
        about.setProperty("role", "quiet")
        about.clicked.connect(self.about_requested)
        left.addWidget(about, 0, Qt.AlignmentFlag.AlignLeft)
        side = QWidget()
        side.setLayout(left)
        side.setFixedWidth(224)
        across = row(spacing=0, parent=self)
        across.addWidget(side)
        across.addWidget(self._pages(), 1)

    def _pages(self) -> QScrollArea:
        body = QWidget()
        body.setObjectName("SettingsBody")
        inside = column(margin=4 * SPACE, spacing=0, parent=body)
        inside.addLayout(self._heading())
        inside.addWidget(self._applies)
        inside.addSpacing(SPACE)
        for extra in self._above.values():
            inside.addWidget(extra)
        for one in (*self.rows, *self._below.values()):
            inside.addWidget(one)
        inside.addWidget(self._nothing)
        inside.addStretch(1)
        pages = QScrollArea()
        pages.setObjectName("SettingsPages")
        pages.setAccessibleName(self.tr("Settings"))
        pages.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls to whatever inside gets the focus
        pages.setWidgetResizable(True)
        pages.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        pages.setWidget(body)
        self._scroll = pages
        return pages

    def _heading(self) -> QHBoxLayout:
        heading = row()
        heading.addWidget(self._title, 1)
        heading.addWidget(self._reset)
        return heading

    def show_group(self, group: Group) -> None:
        """Go to a page."""
        self.search.clear()
        self.sections.setCurrentRow(list(GROUP_LABELS).index(group))

    def row_of(self, key: str) -> SettingRow:
        """The row of a setting."""
        return next(one for one in self.rows if one.setting.key == key)

    def _group(self) -> Group:
        return Group(self.sections.currentItem().data(Qt.ItemDataRole.UserRole))

    def _on_section(self, _chosen: object) -> None:
        self.search.clear()
        self._show_rows()

    def _show_rows(self) -> None:
        needle = self.search.text().strip()
        group = self._group()
        shown = [one for one in self.rows if (one.matches(needle) if needle else one.setting.group is group)]
        usual = None if needle else _usual(shown)
        for one in self.rows:
            one.setVisible(one in shown)
            one.show_help(usual)
        self._applies.setText(translated("Settings", APPLIES_LABELS[usual]) if usual else "")
        self._applies.setVisible(usual is not None)
        for at, extra in (*self._above.items(), *self._below.items()):
            extra.setVisible(not needle and at is group)
        self._title.setText(self.tr("Search results") if needle else translated("Settings", GROUP_LABELS[group]))
        self._nothing.setVisible(bool(needle) and not shown)
        self._reset.setVisible(not needle and bool(shown))
        self.sections.currentItem().setSelected(not needle)  # what was found is on no page
        self._scroll.verticalScrollBar().setValue(0)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.sections.scheduleDelayedItemsLayout()  # the style sheet has changed the size of its lines


def _usual(rows: Sequence[SettingRow]) -> Applies | None:
    """When most changes of these rows take effect."""
    kinds = Counter(one.setting.applies for one in rows)
    return kinds.most_common(1)[0][0] if kinds else None
