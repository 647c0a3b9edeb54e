"""Files that are whole whatever happens beside them."""

import threading
from pathlib import Path

import pytest

from engine.files import read_json, write_json
from engine.library.files import folder_size


def test_json_written_by_many_at_once_is_whole(tmp_path: Path) -> None:
    path, failed = tmp_path / "family.json", []
    start = threading.Barrier(4)

    def write(number: int) -> None:
        start.wait()
        try:
            for _ in range(40):
                write_json(path, {"number": number, "text": "x" * 5000})
        except OSError as error:
            failed.append(error)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert not failed
    assert read_json(path)["number"] in range(4)
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "family.json"
    write_json(path, {"number": 1})
    with pytest.raises(TypeError):
        write_json(path, {"number": object()})
    assert read_json(path) == {"number": 1}
    assert list(tmp_path.iterdir()) == [path]


def test_size_of_a_folder_whose_files_are_moved_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "below").mkdir()
    for name, size in (("here", 10), ("below/too", 20), ("below/gone", 400)):
        (tmp_path / name).write_bytes(b"x" * size)
    lstat = Path.lstat

    def vanishes(path: Path) -> object:
        if path.name == "gone":
            path.unlink(missing_ok=True)
        return lstat(path)

    monkeypatch.setattr(Path, "lstat", vanishes)
    assert folder_size(tmp_path) == 30
    assert folder_size(tmp_path / "nowhere") == 0
