"""The tables of the conversations' database, and how an older file becomes the present one."""

import contextlib
import logging
import sqlite3
from collections.abc import Sequence
from pathlib import Path

log = logging.getLogger(__name__)

# Step i brings a database from version i to i + 1. Add steps at the end, never change one.
MIGRATIONS = (
    """
    CREATE TABLE conversations (
        id INTEGER PRIMARY KEY,
        title TEXT NOT NULL DEFAULT '',
        pinned INTEGER NOT NULL DEFAULT 0,
        draft TEXT NOT NULL DEFAULT '',
        created_at REAL NOT NULL,
        used_at REAL NOT NULL,
        trashed_at REAL
    );
    CREATE TABLE messages (
        id INTEGER PRIMARY KEY,
        conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        parent_id INTEGER REFERENCES messages (id) ON DELETE CASCADE,
        active INTEGER NOT NULL DEFAULT 1,
        role TEXT NOT NULL,
        text TEXT NOT NULL DEFAULT '',
        state TEXT NOT NULL,
        spans TEXT NOT NULL DEFAULT '',
        statistics TEXT,
        mode TEXT,
        seed INTEGER,
        stop_reason TEXT,
        error TEXT,
        error_kind TEXT,
        created_at REAL NOT NULL,
        trashed_at REAL
    );
    CREATE INDEX messages_by_conversation ON messages (conversation_id);
    CREATE INDEX messages_by_parent ON messages (parent_id);
    """,
)

# Trigrams find any part of a word, in any language. The triggers keep the index in step with the table.
TEXT_INDEX = """
    CREATE VIRTUAL TABLE message_index USING fts5(text, content='messages', content_rowid='id', tokenize='trigram');
    INSERT INTO message_index (message_index) VALUES ('rebuild');
    CREATE TRIGGER message_indexed AFTER INSERT ON messages BEGIN
        INSERT INTO message_index (rowid, text) VALUES (new.id, new.text);
    END;
    CREATE TRIGGER message_unindexed AFTER DELETE ON messages BEGIN
        INSERT INTO message_index (message_index, rowid, text) VALUES ('delete', old.id, old.text);
    END;
    CREATE TRIGGER message_reindexed AFTER UPDATE OF text ON messages BEGIN
        INSERT INTO message_index (message_index, rowid, text) VALUES ('delete', old.id, old.text);
        INSERT INTO message_index (rowid, text) VALUES (new.id, new.text);
    END;
"""


class NewerSchema(Exception):
    """The file was written by a newer version of the application."""


def bring_up_to_date(database: sqlite3.Connection, file: Path | None, migrations: Sequence[str] = MIGRATIONS) -> None:
    """Migrate step by step; an older file is backed up first. Raises NewerSchema, sqlite3.Error, OSError."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > len(migrations):
        raise NewerSchema(f"version {version}, this application knows {len(migrations)}")
    if 0 < version < len(migrations) and file is not None:
        back_up(database, file.with_name(f"{file.stem}.backup-version-{version}{file.suffix}"))
    for step in range(version, len(migrations)):
        run_as_one(database, f"{migrations[step]}; PRAGMA user_version = {step + 1};")


def back_up(database: sqlite3.Connection, file: Path) -> None:
    """Copy the whole database into another file."""
    with contextlib.closing(sqlite3.connect(file)) as copy:
        database.backup(copy)
    log.info("database backed up as %s", file)


def provide_text_index(database: sqlite3.Connection) -> bool:
    """Make the full-text index where this SQLite can; False where it cannot, and the search reads all texts instead."""
    objects = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    try:
        if "message_index" in objects and "message_reindexed" in objects:
            database.execute("SELECT rowid FROM message_index LIMIT 0")
        else:
            database.execute("DROP TABLE IF EXISTS message_index")
            run_as_one(database, TEXT_INDEX)
    except sqlite3.OperationalError as error:
        if "no such module" not in str(error) and "no such tokenizer" not in str(error):
            raise
        log.info("no full-text index: %s", error)
        for trigger in ("message_indexed", "message_unindexed", "message_reindexed"):
            database.execute(f"DROP TRIGGER IF EXISTS {trigger}")  # they would make every write fail
        return False
    return True


def run_as_one(database: sqlite3.Connection, statements: str) -> None:
    """Run several statements as one transaction."""
    try:
        database.executescript(f"BEGIN IMMEDIATE; {statements} COMMIT;")
    except sqlite3.Error:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
