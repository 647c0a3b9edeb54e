"""Marks texts that stand in tables, so that pyside6-lupdate finds them; PySide6's own function has no useful type."""


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
    """The text itself; whoever shows it translates it with `QCoreApplication.translate(context, text)`."""
    del context
    return text
