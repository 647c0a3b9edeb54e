"""What an empty conversation shows: what this is, how far the model is, and a few ways to begin."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop_app.icons import app_icon
from desktop_app.model_controller import ModelState, ModelStatus
from desktop_app.theme import COLUMN, SPACE
from desktop_app.views.common import column, make_label, row

LOGO = 64  # px


class StartPage(QScrollArea):
    """Shown instead of the transcript while there are no messages.

    suggested          (text) to be put into the composer and sent
    library_requested  the way to other models
    retry_requested    load the model again
    """

    suggested = Signal(str)
    library_requested = Signal()
    retry_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("StartPage")
        self._text = make_label("", "caption", wrap=True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._status = make_label("", "caption", wrap=True)
        self._status.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._progress = QProgressBar()
        self._progress.setTextVisible(False)
        self._progress.setFixedWidth(30 * SPACE)
        self._progress.setAccessibleName(self.tr("Loading the model"))
        self._retry = QPushButton(self.tr("Load again"))
        self._retry.clicked.connect(self.retry_requested)
        self._library = QPushButton(self.tr("Get GPT-2 Large …"))
        self._library.setObjectName("getLarge")
        self._library.clicked.connect(self.library_requested)
        self._build()
        self.show_welcome(first_start=False)

    def _build(self) -> None:
        inside = column(spacing=2 * SPACE)
        for widget in (self._logo(), self._heading(), self._text):
            inside.addWidget(widget)
        inside.addSpacing(SPACE)
        inside.addLayout(self._suggestions())
        inside.addSpacing(SPACE)
        inside.addWidget(self._progress, 0, Qt.AlignmentFlag.AlignHCenter)
        inside.addWidget(self._status)
        inside.addWidget(self._retry, 0, Qt.AlignmentFlag.AlignHCenter)
        inside.addWidget(self._library, 0, Qt.AlignmentFlag.AlignHCenter)
        center = QWidget()
        center.setLayout(inside)
        center.setMaximumWidth(COLUMN - 20 * SPACE)
        across = row(margin=3 * SPACE)
        across.addStretch(1)
        across.addWidget(center, 1000)
        across.addStretch(1)
        body = QWidget()
        body.setObjectName("StartBody")
        outside = column(parent=body)
        outside.addStretch(2)
        outside.addLayout(across)
        outside.addStretch(3)
        self.setWidget(body)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Start"))

    def _logo(self) -> QLabel:
        logo = QLabel()
        logo.setPixmap(app_icon().pixmap(QSize(LOGO, LOGO), self.devicePixelRatioF()))
        logo.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        return logo

    def _heading(self) -> QLabel:
        self._title = make_label("", "heading", wrap=True)
        self._title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        return self._title

    def _suggestions(self) -> QVBoxLayout:
        chips = column(spacing=SPACE)
        for text in (
            self.tr("Hello! How are you?"),
            self.tr("Tell me a joke."),
            self.tr("Write a Python function that adds two numbers."),
        ):
            chip = QPushButton(text)
            chip.setProperty("role", "chip")
            chip.clicked.connect(lambda _checked=False, text=text: self.suggested.emit(text))
            chips.addWidget(chip, 0, Qt.AlignmentFlag.AlignHCenter)
        return chips

    # For the window

    def show_welcome(self, *, first_start: bool) -> None:
        """The first start explains; later a short line will do."""
        self._library.setVisible(first_start)
        if first_start:
            self._title.setText(self.tr("Welcome to Staged Chat"))
            self._text.setText(
                self.tr(
                    "A chat that runs on this computer alone. A small draft model guesses ahead and the large model "
                    "checks many guesses at once: the same answers, several times faster. The panel at the right "
                    "shows how.\n\nA small built-in model starts right away. For GPT-2 Large, visit the model library."
                )
            )
        else:
            self._title.setText(self.tr("What is on your mind?"))
            self._text.setText(self.tr("Everything stays on this computer."))

    def show_status(self, status: ModelStatus) -> None:
        """How far the model is."""
        loading = status.state is ModelState.LOADING
        self._progress.setVisible(loading)
        self._progress.setRange(0, 1000 if status.progress > 0 else 0)
        self._progress.setValue(round(status.progress * 1000))
        self._retry.setVisible(status.state in (ModelState.FAILED, ModelState.NONE))
        self._status.setText(self._status_text(status))

    def _status_text(self, status: ModelStatus) -> str:
        if status.state is ModelState.LOADING:
            return self.tr("Loading the model: {stage}. You can write already.").format(stage=status.stage)
        if status.state is ModelState.READY and status.info is not None:
            return self.tr("{model} is ready.").format(model=status.info.name)
        if status.state is ModelState.FAILED:
            return self.tr("The model could not be loaded: {reason}").format(reason=status.error)
        return self.tr("No model is loaded.")
