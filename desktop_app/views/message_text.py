"""The parts of a message that hold text: prose and code. Both take the height that their text needs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QGuiApplication,
    QHelpEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QTextEdit, QToolTip, QWidget

from desktop_app.spans import TokenSpan
from desktop_app.theme import SPACE, Colors, TypeScale, current_colors, monospace
from desktop_app.translation import QT_TRANSLATE_NOOP
from desktop_app.views.common import IconButton, column, make_label, row, token_count, translated
from desktop_app.views.markdown import Code, highlight

LINE_HEIGHT = 145  # percent
COPIED_MS = 1500
SAFE_LINKS = ("http", "https", "mailto")
ORIGIN_NAMES = {
    "target": QT_TRANSLATE_NOOP("Origins", "Target"),
    "draft": QT_TRANSLATE_NOOP("Origins", "Draft"),
    "ngram": QT_TRANSLATE_NOOP("Origins", "N-gram"),
}
SPAN = QTextCharFormat.Property.UserProperty + 1  # number of the span that a piece of text came with


class TextBlock(QTextBrowser):
    """Read-only text that grows with its content and leaves scrolling to whatever it lies in."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._spans: list[TokenSpan] = []
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setOpenLinks(False)
        self.setAccessibleName(self.tr("Message text"))
        self.anchorClicked.connect(_open_link)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.document().setDocumentMargin(0)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.viewport().setAutoFillBackground(False)

    def show_html(self, html: str) -> None:
        """Show rich text."""
        self.document().setDefaultStyleSheet(_rich_text_style(current_colors(), self.font().pointSizeF()))
        self.setHtml(html)

    def show_plain(self, text: str) -> None:
        """Show text letter for letter."""
        self.setPlainText(text)
        self._space_lines()

    def append_plain(self, text: str) -> None:
        """Add text at the end; only its last paragraph is laid out anew."""
        if self.document().isEmpty():
            self._space_lines()
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)

    def ideal_width(self) -> int:
        """Width in which the longest line does not break, in pixels."""
        with self._tried_width(-1) as document:
            return int(document.idealWidth()) + 2

    def places(self, needle: str) -> list[QTextCursor]:
        """Every place of `needle`, letter case aside."""
        return list(_places(self.document(), needle))

    def mark(self, needle: str, current: int | None, skip: int = 0) -> int:
        """Highlight every place of `needle`; number `current - skip` stands out. Returns how many there are."""
        colors = current_colors()
        places = self.places(needle)
        selections = []
        for number, cursor in enumerate(places, start=skip):
            selection = QTextEdit.ExtraSelection()
            selection.cursor = cursor
            selection.format = QTextCharFormat()
            selection.format.setBackground(QColor(colors.found_now if number == current else colors.found))
            selections.append(selection)
        self.setExtraSelections(selections)
        return len(places)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        with self._tried_width(width) as document:
            return round(document.size().height()) + 1

    @contextmanager
    def _tried_width(self, width: int) -> Iterator[QTextDocument]:
        """The document in another width, for as long as it is measured."""
        document = self.document()
        layout, shown = document.documentLayout(), document.textWidth()
        layout.blockSignals(True)  # else the editor would give the document its own width again, at once
        document.setTextWidth(width)
        yield document
        document.setTextWidth(shown)
        layout.blockSignals(False)

    def sizeHint(self) -> QSize:
        return QSize(self.ideal_width(), self.heightForWidth(max(self.width(), 1)))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def append_spans(self, spans: Sequence[TokenSpan]) -> None:
        """Add text at the end, each token in the style of its origin; hovering tells its round."""
        if not self._spans:
            self._space_lines()
        colors = current_colors()
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        for number, span in enumerate(spans, start=len(self._spans)):
            style = origin_format(span.origin, colors)
            style.setProperty(SPAN, number)
            cursor.insertText(span.text, style)
        cursor.endEditBlock()
        self._spans.extend(spans)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and self._spans and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.span_tip(event.pos()), self)
            return True
        return super().event(event)

    def span_tip(self, place: QPoint) -> str:
        """What is known about the token at a place; "" beside the text."""
        cursor = self.cursorForPosition(place)
        cursor.movePosition(QTextCursor.MoveOperation.NextCharacter)
        number = cursor.charFormat().property(SPAN)
        if number is None:
            return ""
        span = self._spans[number]
        return self.tr("{origin} · round {round} · tree of {size} · {emitted} emitted").format(
            origin=origin_name(span.origin),
            round=span.round_index + 1,
            size=span.tree_size,
            emitted=token_count(span.emitted),
        )

    def _space_lines(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        spaced = QTextBlockFormat()
        spaced.setLineHeight(LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.mergeBlockFormat(spaced)


def origin_name(origin: str) -> str:
    """Who gave a token, in the window's language."""
    return translated("Origins", ORIGIN_NAMES[origin])


def origin_format(origin: str, colors: Colors) -> QTextCharFormat:
    """Colour and underline of a token; the kinds of underline differ so that hue is not needed."""
    style = QTextCharFormat()
    underline = QTextCharFormat.UnderlineStyle
    if origin == "target":
        return style
    ground, line, kind = {
        "draft": (colors.draft, colors.draft_line, underline.SingleUnderline),
        "ngram": (colors.ngram, colors.ngram_line, underline.DotLine),
    }[origin]
    style.setBackground(QColor(ground))
    style.setUnderlineStyle(kind)
    style.setUnderlineColor(QColor(line))
    return style


class CodeBlock(QFrame):
    """Highlighted code with its language and a button that copies it bare."""

    def __init__(self, code: Code, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "code")
        self.code = code
        self.copy_button = IconButton("copy", self.tr("Copy code"))
        self.copy_button.clicked.connect(self.copy)
        header = row(spacing=SPACE)
        header.addWidget(make_label(code.language or self.tr("code"), "caption"))
        header.addStretch(1)
        header.addWidget(self.copy_button)
        self.text = _CodeText(self)
        self.text.show_code(code)
        body = column(spacing=SPACE // 2, parent=self)
        body.setContentsMargins(2 * SPACE, SPACE // 2, SPACE, SPACE + SPACE // 2)
        body.addLayout(header)
        body.addWidget(self.text)
        self._back = QTimer(self, singleShot=True, interval=COPIED_MS)
        self._back.timeout.connect(lambda: self.copy_button.set_icon("copy", "subtle"))

    def copy(self) -> None:
        """Copy the code without fence or highlighting."""
        QGuiApplication.clipboard().setText(self.code.text)
        self.copy_button.set_icon("check", "success")
        self._back.start()


class _CodeText(TextBlock):
    """Code does not wrap: long lines scroll sideways."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Code"))
        self.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)

    def show_code(self, code: Code) -> None:
        """Show code in the desktop's monospaced font."""
        self.setFont(monospace(TypeScale.of(self.font().pointSizeF()).small))
        self.show_plain(code.text)
        colors = current_colors()
        cursor = QTextCursor(self.document())
        for span in highlight(code.text, code.language):
            cursor.setPosition(span.start)
            cursor.setPosition(span.start + span.length, QTextCursor.MoveMode.KeepAnchor)
            style = QTextCharFormat()
            style.setForeground(QColor(getattr(colors, span.kind)))
            cursor.mergeCharFormat(style)

    def heightForWidth(self, width: int) -> int:
        size = self.document().size()
        bar = self.horizontalScrollBar().sizeHint().height() if size.width() > width else 0
        return round(size.height()) + bar + 1


def _places(document: QTextDocument, needle: str) -> Iterator[QTextCursor]:
    cursor = document.find(needle) if needle else QTextCursor()
    while not cursor.isNull():
        yield cursor
        cursor = document.find(needle, cursor)


def _open_link(url: QUrl) -> None:
    if url.scheme() in SAFE_LINKS:
        QDesktopServices.openUrl(url)


def _rich_text_style(colors: Colors, body_pt: float) -> str:
    scale = TypeScale.of(body_pt)
    mono = monospace(body_pt).family()
    return f"""
        p, li {{ line-height: {LINE_HEIGHT}%; }}
        p {{ margin-top: 0; margin-bottom: {SPACE}px; }}
        h1, h2 {{ font-size: {scale.title}pt; margin-top: {SPACE}px; margin-bottom: {SPACE}px; }}
        h3, h4, h5, h6 {{ font-size: {scale.body}pt; margin-top: {SPACE}px; margin-bottom: {SPACE // 2}px; }}
        ul, ol {{ margin-top: 0; margin-bottom: {SPACE}px; }}
        code {{ font-family: "{mono}"; background-color: {colors.code}; }}
        pre {{ font-family: "{mono}"; }}
        a {{ color: {colors.accent}; text-decoration: underline; }}
        blockquote {{ color: {colors.subtle}; margin-left: {2 * SPACE}px; margin-right: 0; }}
        th, td {{ padding: {SPACE // 2}px {SPACE}px; }}
        th {{ text-align: left; background-color: {colors.code}; }}
        table {{ border: 1px solid {colors.border}; border-collapse: collapse; margin-bottom: {SPACE}px; }}
    """
