"""Opens a memory: a URL of SQLite or PostgreSQL, its tables, and its transactions."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from conformance.fleet.memory import migrations
from conformance.fleet.memory.migrations import NewerMemory
from conformance.fleet.memory.tables import memory as memory_table

DRIVERS = {"sqlite": "sqlite+pysqlite", "postgresql": "postgresql+psycopg"}
REMEDY = "write sqlite:///FILE or postgresql://USER@HOST/NAME"
BUSY = 60.0
"""Seconds that SQLite waits for another process."""


class MemoryProblem(ValueError):
    """A memory cannot be opened; str() is one line without the password."""


class Memory:
    """An open memory. Threads may share it; a process that forks must not."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @property
    def url(self) -> str:
        """Its URL, with the password."""
        return self.engine.url.render_as_string(hide_password=False)

    @property
    def is_file(self) -> bool:
        """Whether it is a file of this machine."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for queries."""
        with self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction, which an exception undoes; SQLite lets one process write at a time."""
        with self.engine.connect() as connection:
            writer = connection.execution_options(conformance_writes=True)
            with writer.begin():
                yield writer

    def close(self) -> None:
        """Close its connections."""
        self.engine.dispose()


def open_memory(stated: str, *, is_new: bool = True) -> Memory:
    """The memory at a URL; a plain path is a file of SQLite. Raises MemoryProblem.

    `is_new`: it may be created, and migrated; otherwise it has to be there, and is left alone.
    """
    url = _url(stated)
    if url.get_backend_name() == "sqlite":
        _check_file(url, Path(url.database or ""), is_new=is_new)
    try:
        memory = Memory(_engine(url))
        if is_new:
            with memory.writing() as connection:
                migrations.migrate(connection)
    except ModuleNotFoundError as problem:
        raise MemoryProblem(f"{_shown(url)}: needs the package {problem.name}") from None
    except NewerMemory as problem:
        raise MemoryProblem(f"{_shown(url)}: {problem}") from None
    except SQLAlchemyError as problem:
        raise MemoryProblem(f"{_shown(url)}: {first_line(problem)}") from None
    return memory


def _check_file(url: URL, file: Path, *, is_new: bool) -> None:
    """Raise MemoryProblem for a file that is missing, leads elsewhere, or is of another program."""
    if file.is_symlink():
        raise MemoryProblem(f"{_shown(url)}: is a symbolic link; name the file itself")
    if not file.is_file():
        if is_new:
            return
        raise MemoryProblem(f"{_shown(url)}: no such file")
    try:
        with closing(sqlite3.connect(file, timeout=BUSY)) as connection:
            things = connection.execute("SELECT type, name FROM sqlite_master").fetchall()
    except sqlite3.Error as problem:
        raise MemoryProblem(f"{_shown(url)}: {problem}") from None
    if flaw := _flaw(things):
        raise MemoryProblem(f"{_shown(url)}: {flaw}")


def _flaw(things: Sequence[tuple[str, str]]) -> str | None:
    """Why a file with these things, each a kind and a name, is no memory, or None.

    Its use would run the statements of views and triggers.
    """
    for kind, _ in things:
        if kind in ("view", "trigger"):
            return f"has a {kind}, which no version of this package makes"
    if things and ("table", memory_table.name) not in things:
        return "has tables of another program; name a file of its own for the memory"
    return None


def _url(stated: str) -> URL:
    if "://" not in stated and any(sign in stated for sign in "@="):
        # Half a URL, or a connection string of libpq: as a path, its password would be shown.
        raise MemoryProblem(f"not a database URL: {REMEDY}")
    try:
        url = make_url(stated if "://" in stated else f"sqlite:///{stated}")
    except (ArgumentError, ValueError):
        raise MemoryProblem(f"not a database URL: {REMEDY}") from None
    backend = url.drivername.partition("+")[0]
    if backend not in DRIVERS:
        raise MemoryProblem(f"{backend}: neither SQLite nor PostgreSQL; {REMEDY}")
    if backend == "sqlite" and url.database in (None, "", ":memory:"):
        raise MemoryProblem(f"a memory in SQLite is a file; {REMEDY}")
    if backend == "sqlite":
        url = url.set(database=str(Path(url.database or "").absolute()))
    return url.set(drivername=DRIVERS[backend]) if "+" not in url.drivername else url


def _engine(url: URL) -> Engine:
    try:
        if url.get_backend_name() == "sqlite":
            engine = create_engine(url, connect_args={"timeout": BUSY})
            event.listen(engine, "connect", _prepare)
            event.listen(engine, "begin", _begin)
        else:
            engine = create_engine(url, pool_pre_ping=True)
    except NoSuchModuleError as problem:
        raise MemoryProblem(f"{url.drivername}: {first_line(problem)}; {REMEDY}") from None
    return engine


def _prepare(connection: sqlite3.Connection, _record: object) -> None:
    """Python's module would begin transactions by itself, and too late."""
    connection.isolation_level = None
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    """A writer takes the lock at once: one that reads first could not get it any more."""
    writes = connection.get_execution_options().get("conformance_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _shown(url: URL) -> str:
    """The URL without its password, which may stand in the query as well, and its driver."""
    plain = url.set(drivername=url.get_backend_name(), query={})
    return plain.render_as_string(hide_password=True)


def first_line(problem: Exception) -> str:
    """What went wrong, in a line without the statement and its values."""
    origin = getattr(problem, "orig", None)
    return str(origin or problem).strip().splitlines()[0]
