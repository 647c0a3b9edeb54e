"""The set-up script: what it decides, what it tells the user, and that it never takes half a set-up for a whole one."""

import ast
import importlib
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGING = ROOT / "packaging"


@pytest.fixture
def dev(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A fresh copy of the script, free to be changed by a test."""
    return fresh("dev", monkeypatch)


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A fresh copy of system_packages.py."""
    return fresh("system_packages", monkeypatch)


def fresh(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(PACKAGING)
    for module in ("dev", "system_packages"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    return importlib.import_module(name)


class Calls:
    """Stands for a function that starts something; remembers what it was asked for."""

    def __init__(self, *results: Any) -> None:
        self.made: list[Any] = []
        self._results = list(results)

    def __call__(self, *arguments: Any, **_: Any) -> Any:
        self.made.append(arguments[0] if len(arguments) == 1 else arguments)
        result = self._results.pop(0) if self._results else 0
        if isinstance(result, Exception):
            raise result
        return result


# The stamp


@pytest.fixture
def checkout(dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty checkout whose .venv needs only a working pip_install."""
    (tmp_path / "pyproject.toml").write_text("[project]")
    (tmp_path / "constraints.txt").write_text("torch==1.0")
    python = tmp_path / ".venv" / "python"
    python.parent.mkdir()
    python.touch()
    for name, path in {
        "ROOT": tmp_path,
        "CONSTRAINTS": tmp_path / "constraints.txt",
        "VENV_PYTHON": python,
        "STAMP": python.with_name("stamp"),
    }.items():
        monkeypatch.setattr(dev, name, path)
    monkeypatch.setattr(dev, "make_environment", Calls())
    monkeypatch.setattr(dev, "install_torch", Calls())
    return tmp_path


def test_set_up_again_with_nothing_changed_installs_nothing(
    dev: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = Calls()
    monkeypatch.setattr(dev, "pip_install", pip)
    dev.set_up("")
    dev.set_up("")
    assert len(pip.made) == 1
    dev.set_up("[test]")
    dev.set_up("")
    assert len(pip.made) == 2
    (checkout / "constraints.txt").write_text("torch==2.0")
    dev.set_up("")
    assert len(pip.made) == 3


@pytest.mark.usefixtures("checkout")
def test_failed_set_up_is_not_taken_for_done(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    dev.STAMP.write_text("an older set-up")
    pip = Calls(dev.SetUpError("no network"))
    monkeypatch.setattr(dev, "pip_install", pip)
    with pytest.raises(dev.SetUpError):
        dev.set_up("")
    assert not dev.STAMP.exists()
    dev.set_up("")
    assert len(pip.made) == 2
    assert dev.STAMP.exists()


@pytest.mark.parametrize(
    ("made_for", "wanted_for", "is_enough"),
    [("", "", True), ("", "[test]", False), ("[test,build]", "", True), ("[test]", "[test,build]", False)],
)
def test_an_environment_serves_what_needs_less(
    dev: ModuleType, made_for: str, wanted_for: str, is_enough: bool
) -> None:
    assert dev.is_covered("print" + made_for, "print", wanted_for) is is_enough


@pytest.mark.parametrize(
    "other",
    [
        (b"other", b"constraints", Path("root"), (3, 11)),
        (b"pyproject", b"other", Path("root"), (3, 11)),
        (b"pyproject", b"constraints", Path("other"), (3, 11)),
        (b"pyproject", b"constraints", Path("root"), (3, 12)),
        (b"pyprojectc", b"onstraints", Path("root"), (3, 11)),
    ],
)
def test_fingerprint_feels_every_change(dev: ModuleType, other: tuple[bytes, bytes, Path, tuple[int, int]]) -> None:
    same = (b"pyproject", b"constraints", Path("root"), (3, 11))
    assert dev.fingerprint(*same) == dev.fingerprint(*same)
    assert dev.fingerprint(*same) != dev.fingerprint(*other)


# Which torch


@pytest.mark.parametrize(
    ("platform", "nvidia_smi", "wanted"),
    [("linux", None, True), ("linux", "/usr/bin/nvidia-smi", False), ("darwin", None, False), ("win32", None, False)],
)
def test_cpu_build_is_for_linux_without_nvidia(
    dev: ModuleType, platform: str, nvidia_smi: str | None, wanted: bool
) -> None:
    assert dev.wants_cpu_build(platform, nvidia_smi) is wanted


@pytest.fixture
def linux_without_gpu(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "pinned_version", lambda *_: "2.0")
    monkeypatch.setattr(dev, "wants_cpu_build", lambda *_: True)
    monkeypatch.setattr(dev, "python_answers", lambda _: None)


@pytest.mark.usefixtures("linux_without_gpu")
def test_cpu_build_comes_from_the_first_place_that_has_it(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = Calls(dev.SetUpError("none here"), None)
    monkeypatch.setattr(dev, "pip_install", pip)
    dev.install_torch()
    own, index = pip.made
    assert {"torch==2.0+cpu"} <= set(own) <= set(index)
    assert dev.CPU_INDEX not in own
    assert dev.CPU_INDEX in index


@pytest.mark.usefixtures("linux_without_gpu")
def test_no_cpu_build_anywhere_tells_the_way_out(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "pip_install", Calls(dev.SetUpError("none here"), dev.SetUpError("none there")))
    with pytest.raises(dev.SetUpError, match=r"none there.*pip install torch==2\.0$"):
        dev.install_torch()


@pytest.mark.usefixtures("linux_without_gpu")
@pytest.mark.parametrize(("installed", "installs"), [("2.0", 0), ("2.0+cpu", 0), ("2.0.1+cpu", 1), (None, 1)])
def test_torch_that_fits_is_kept(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, installed: str | None, installs: int
) -> None:
    pip = Calls()
    monkeypatch.setattr(dev, "pip_install", pip)
    monkeypatch.setattr(dev, "python_answers", lambda _: installed)
    dev.install_torch()
    assert len(pip.made) == installs


def test_pinned_version_is_that_of_the_very_package(dev: ModuleType) -> None:
    assert dev.pinned_version("torch", "pytorch==1\ntorchvision==2\ntorch==3.0\n") == "3.0"


def test_constraints_pin_what_pyproject_asks_for(dev: ModuleType) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    constraints = dev.CONSTRAINTS.read_text(encoding="utf-8")
    for line in [*project["dependencies"], *(line for extra in extras for line in extra)]:
        requirement = Requirement(line)
        pinned = dev.pinned_version(requirement.name.replace("-Essentials", "_Essentials"), constraints)
        assert pinned in requirement.specifier, line


# What the machine must have


@pytest.mark.parametrize("version", [(3, 11), (3, 12), (3, 13)])
def test_supported_python(dev: ModuleType, version: tuple[int, int]) -> None:
    dev.require_python(version, "test")


@pytest.mark.parametrize("version", [(3, 8), (3, 10), (3, 14)])
def test_other_python_names_one_that_fits(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int]
) -> None:
    monkeypatch.setattr(dev, "is_python", lambda name: name == "python3.12")
    with pytest.raises(dev.SetUpError, match=r"run python3\.12 packaging/dev\.py check$"):
        dev.require_python(version, "check")
    monkeypatch.setattr(dev, "is_python", lambda _: False)
    with pytest.raises(dev.SetUpError, match=r"3\.11 to 3\.13, this is {}\.{}; install".format(*version)):
        dev.require_python(version, "check")


@pytest.mark.parametrize("script", ["dev.py", "system_packages.py"])
def test_old_python_can_read_the_script_far_enough_to_be_told(script: str) -> None:
    ast.parse((PACKAGING / script).read_text(encoding="utf-8"), feature_version=(3, 7))


def test_folder_that_cannot_be_written_is_named(dev: ModuleType, tmp_path: Path) -> None:
    dev.require_writable(tmp_path)
    with pytest.raises(dev.SetUpError, match="absent"):
        dev.require_writable(tmp_path / "absent")


@pytest.mark.parametrize("variable", ["DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"])
def test_window_needs_a_display_on_linux(dev: ModuleType, variable: str) -> None:
    dev.require_display("linux", {variable: "x"})
    dev.require_display("darwin", {})
    with pytest.raises(dev.SetUpError, match=r"-m engine chat$"):
        dev.require_display("linux", {"HOME": "/root"})


@pytest.mark.parametrize(
    ("environment", "needed", "not_needed"),
    [
        ({"DISPLAY": ":0"}, "libxcb-cursor0", "libwayland-cursor0"),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, "libwayland-cursor0", "libxcb-cursor0"),
        ({"QT_QPA_PLATFORM": "offscreen"}, "libegl1", "libxcb-cursor0"),
    ],
)
def test_window_libraries_are_those_of_the_display(
    system: ModuleType, environment: dict[str, str], needed: str, not_needed: str
) -> None:
    packages = system.window_libraries(environment).values()
    assert {needed, "libegl1"} <= set(packages)
    assert not_needed not in packages


@pytest.fixture
def apt(system: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Calls:
    """A Debian machine, and whatever is run on it."""
    calls = Calls()
    monkeypatch.setattr(system.sys, "platform", "linux")
    monkeypatch.setattr(system.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(system.os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(system.subprocess, "call", calls)
    return calls


def test_root_gets_only_the_libraries_that_are_missing(
    system: ModuleType, apt: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "is_loadable", lambda library: library != "libEGL.so.1")
    system.provide_libraries({"libGL.so.1": "libgl1", "libEGL.so.1": "libegl1"})
    update, install = apt.made
    assert update == ["apt-get", "update"]
    assert install == ["apt-get", "install", "--yes", "--no-install-recommends", "libegl1"]


def test_nothing_missing_runs_nothing(system: ModuleType, apt: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "is_loadable", lambda _: True)
    system.provide_libraries({"libGL.so.1": "libgl1"})
    assert not apt.made


def test_programs_come_the_same_way(system: ModuleType, apt: Calls) -> None:
    system.provide({"mksquashfs": "squashfs-tools", "sh": "dash"}, lambda name: name == "sh")
    assert apt.made[-1][-1] == "squashfs-tools"


@pytest.mark.parametrize(("prefix", "packages"), [
    ("/usr", ["binutils", "libpython{}.{}".format(*sys.version_info)]),
    ("/root/.pyenv/versions/3.11.7", ["binutils"]),
])  # fmt: skip
def test_debians_own_python_is_frozen_with_its_library(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, prefix: str, packages: list[str]
) -> None:
    given: list[str] = []
    monkeypatch.setattr(dev.sys, "base_prefix", prefix)
    monkeypatch.setattr(dev.shutil, "which", lambda name: None if name == "objdump" else name)
    monkeypatch.setattr(dev, "provide", lambda wanted, is_there: given.extend(
        package for name, package in wanted.items() if not is_there(name)
    ))  # fmt: skip
    monkeypatch.setattr(dev, "provide_libraries", lambda libraries: given.extend(libraries.values()))
    dev.provide_build_tools()
    assert given == packages


def test_others_get_the_line_to_type(system: ModuleType, apt: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system.os, "geteuid", lambda: 1000, raising=False)
    with pytest.raises(system.SetUpError, match=r"run: sudo apt-get install .* libegl1 libgl1$"):
        system.provide_packages(["libegl1", "libgl1"], needed="Qt")
    assert not apt.made


@pytest.mark.usefixtures("apt")
def test_system_without_apt_is_told_the_names(system: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system.shutil, "which", lambda _: None)
    with pytest.raises(system.SetUpError, match=r"libEGL\.so\.1: missing on this system.*libegl1$"):
        system.provide_packages(["libegl1"], needed="libEGL.so.1")


def test_library_that_does_not_exist_is_not_loadable(system: ModuleType) -> None:
    assert not system.is_loadable("libno-such-library.so.1")


# What the user reads


@pytest.mark.parametrize(
    ("complaints", "told"),
    [
        ("WARNING: Retrying after connection broken by 'NewConnectionError(...)'\nERROR: No match", "network"),
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "disk is full"),
        ("WARNING: old\nERROR: first\nERROR: No matching distribution found for torch", "No matching distribution"),
        ("", "delete .venv"),
    ],
)
def test_pip_is_explained_in_one_line(dev: ModuleType, complaints: str, told: str) -> None:
    line = dev.explain_pip(complaints)
    assert told in line
    assert "\n" not in line


def test_problem_is_one_line_without_traceback(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dev, "set_up", Calls(dev.SetUpError("no network")))
    assert dev.main(["check"]) == 1
    assert capsys.readouterr().err == "dev.py: no network\n"


@pytest.mark.parametrize(("arguments", "status"), [([], 0), (["--help"], 0), (["tests"], 2), (["check", "-x"], 2)])
def test_usage(dev: ModuleType, monkeypatch: pytest.MonkeyPatch, arguments: list[str], status: int) -> None:
    monkeypatch.setattr(dev, "set_up", Calls(AssertionError("nothing to set up for")))
    assert dev.main(arguments) == status


@pytest.mark.parametrize(("codes", "status"), [((0, 0), 0), ((1, 0), 1), ((0, 5), 1)])
def test_every_step_runs_and_any_failure_counts(
    dev: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    codes: tuple[int, int],
    status: int,
) -> None:
    calls = Calls(*codes)
    monkeypatch.setattr(dev.subprocess, "call", calls)
    assert dev.run_steps({"lint": ["ruff"], "tests": ["pytest", "-x"]}) == status
    assert [call[2:] for call in calls.made] == [["ruff"], ["pytest", "-x"]]
    verdict = capsys.readouterr().out.splitlines()[-1]
    assert all(
        (name in verdict) == (code != 0 or status == 0) for name, code in zip(("lint", "tests"), codes, strict=True)
    )


def test_tests_pass_arguments_on_and_check_runs_no_tests(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = Calls()
    monkeypatch.setattr(dev, "set_up", Calls())
    monkeypatch.setattr(dev, "provide_libraries", Calls())
    monkeypatch.setattr(dev, "run_steps", steps)
    dev.main(["test", "-k", "tree"])
    dev.main(["check"])
    tested, checked = steps.made
    assert tested == {**checked, "tests": ["pytest", "-k", "tree"]}
