"""One SQLite file: opened, migrated and guarded; errors come out as one line for people."""

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from desktop_app.files import describe
from desktop_app.schema import MIGRATIONS, NewerSchema, bring_up_to_date, provide_text_index


class StoreError(Exception):
    """The database cannot be read or written. The message is one line for people."""


class Database:
    """A connection in write-ahead mode: a killed program loses nothing that was committed. Used on one thread."""

    def __init__(self, file: Path | None, migrations: Sequence[str] = MIGRATIONS) -> None:
        """Open or make the file; None keeps everything in memory. A newer file is refused and left as it is."""
        try:
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
            # Autocommit: transactions begin and end where `transaction` says so.
            self._connection = sqlite3.connect(file or ":memory:", timeout=2.0, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{describe(error)} ({file})") from error
        try:
            self._set_up(file, migrations)
        except NewerSchema as error:
            self.close()
            raise StoreError(f"{file} was written by a newer Staged Chat ({error}); update the application") from error
        except (OSError, sqlite3.Error) as error:
            self.close()
            raise StoreError(f"{describe(error)} ({file})") from error

    def _set_up(self, file: Path | None, migrations: Sequence[str]) -> None:
        run = self._connection.execute
        run("PRAGMA foreign_keys = ON")
        bring_up_to_date(self._connection, file, migrations)
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = NORMAL")  # safe against kill; a power cut may cost the last second
        self._connection.create_function("folded", 1, str.casefold, deterministic=True)
        self.has_text_index = provide_text_index(self._connection)

    def close(self) -> None:
        """Close the file; the write-ahead log is folded into it."""
        self._connection.close()

    def rows(self, query: str, *arguments: object) -> list[tuple[Any, ...]]:
        """All rows of a query. Raises StoreError."""
        with _readable_errors():
            return self._connection.execute(query, arguments).fetchall()

    def write(self, statement: str, *arguments: object) -> int:
        """Run a statement within `transaction`; returns the id of the row that it inserted, if it did."""
        return self._connection.execute(statement, arguments).lastrowid or 0

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing. Raises StoreError."""
        with _readable_errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # SQLite ends it by itself when the disk is full
                    self._connection.execute("ROLLBACK")
                raise

    def compact(self) -> None:
        """Wipe the traces of what was deleted out of the file. Raises StoreError."""
        with _readable_errors():
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextlib.contextmanager
def _readable_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(describe(error)) from error
