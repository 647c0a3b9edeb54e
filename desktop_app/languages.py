"""Translations of the window: our own texts, and Qt's."""

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from engine.resources import resources_folder

SYSTEM = "system"


def install(app: QApplication, language: str) -> QLocale:
    """Translate everything that is built from now on. `language` is "system" or a locale's name; unknown ones stay
    English. Returns the locale in force."""
    locale = QLocale.system() if language == SYSTEM else QLocale(language)
    QLocale.setDefault(locale)
    qt_folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    own_folder = str(resources_folder() / "translations")
    english = QLocale(QLocale.Language.English)  # its plurals, wherever nothing better is known
    for chosen, name, folder in (
        (english, "staged_chat", own_folder),
        (locale, "qtbase", qt_folder),
        (locale, "staged_chat", own_folder),
    ):
        translator = QTranslator(app)
        if translator.load(chosen, name, "_", folder):
            app.installTranslator(translator)
    return locale
