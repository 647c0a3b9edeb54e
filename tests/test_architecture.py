"""Who may import whom. These rules keep the engine usable without a window, and each part testable alone."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

WINDOW = {"PySide6", "asyncio", "desktop_app", "qasync", "shiboken6"}


def python_files(folder: str) -> list[str]:
    return sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.py"))


def imported_packages(source: str) -> set[str]:
    """Top-level names that a module imports anywhere in it, also for type checking or inside a function."""
    packages = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            packages |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:  # a relative import stays in its own package
            packages.add((node.module or "").partition(".")[0])
    return packages


def imports_of(file: str) -> set[str]:
    return imported_packages((ROOT / file).read_text(encoding="utf-8"))


def test_imports_are_found_wherever_they_hide() -> None:
    source = """
import os.path, json
from engine.stats import Statistics
from . import sibling
if TYPE_CHECKING:
    import torch as t
def late():
    from PySide6.QtCore import QObject
"""
    assert imported_packages(source) == {"os", "json", "engine", "torch", "PySide6"}


@pytest.mark.parametrize("file", python_files("engine"))
def test_engine_knows_no_window(file: str) -> None:
    assert not imports_of(file) & WINDOW


@pytest.mark.parametrize("file", python_files("desktop_app/views"))
def test_views_know_no_engine(file: str) -> None:
    assert "engine" not in imports_of(file)


def test_set_up_script_needs_nothing_but_python() -> None:
    imported = imports_of("packaging/dev.py") | imports_of("packaging/system_packages.py")
    assert imported - {"system_packages"} <= sys.stdlib_module_names


def test_importing_the_engine_loads_no_torch() -> None:
    modules = "engine.service, engine.events, engine.config"
    program = f"import sys, {modules}; print(sorted({{'torch', 'transformers', 'PySide6'}} & sys.modules.keys()))"
    loaded = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


@pytest.mark.parametrize("command", [["--help"], ["generate", "--help"], ["models", "list", "--help"]])
def test_help_waits_for_no_large_library(command: list[str]) -> None:
    program = """
import sys, engine.__main__
try:
    engine.__main__.main(sys.argv[1:])
except SystemExit:
    pass
large = {"httpx", "httpx2", "huggingface_hub", "numpy", "tokenizers", "torch", "transformers", "yaml"}
print(sorted(large & sys.modules.keys()))
"""
    arguments = [sys.executable, "-c", program, *command]
    printed = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert printed.splitlines()[-1] == "[]"


def test_packaging_folder_does_not_shadow_the_library_of_that_name() -> None:
    assert not (ROOT / "packaging" / "__init__.py").exists()
