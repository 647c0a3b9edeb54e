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
    for name, folder in (("qtbase", qt_folder), ("staged_chat", str(resources_folder() / "translations"))):
        translator = QTranslator(app)
        if translator.load(locale, name, "_", folder):
            app.installTranslator(translator)
    return locale
