"""What the parts of the application may know of each other, and what a start must not wait for."""

import ast
import subprocess
import sys
from pathlib import Path

import desktop_app

ROOT = Path(desktop_app.__file__).parent
PARTS_OF_THE_WINDOW = {"app.py", "first_paint.py", "icons.py", "languages.py", "theme.py"}


def modules_imported_by(file: Path) -> set[str]:
    """Whole names of the modules that a file imports, wherever it does."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


def test_controllers_and_models_know_no_widgets() -> None:
    files = [file for file in (*ROOT.glob("*.py"), *ROOT.glob("models/*.py")) if file.name not in PARTS_OF_THE_WINDOW]
    assert len(files) > 30
    for file in files:
        modules = modules_imported_by(file)
        assert not [m for m in modules if m == "PySide6.QtWidgets" or m.startswith("desktop_app.views")], file.name


def test_the_window_starts_without_torch() -> None:
    heavy = ("torch", "transformers", "markdown_it", "httpx")
    program = f"import sys, desktop_app.app, engine.service; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", program], cwd=ROOT.parent, text=True) == "[]\n"


def test_a_start_reads_no_sources() -> None:
    program = """if True:
        import linecache, sys
        import desktop_app.__main__ as start
        start.find_paths = sys.exit  # asked for once everything is imported
        try:
            start.main([])
        except SystemExit:
            print([name for name in linecache.cache if "desktop_app" in name])
    """
    assert subprocess.check_output([sys.executable, "-c", program], cwd=ROOT.parent, text=True) == "[]\n"
