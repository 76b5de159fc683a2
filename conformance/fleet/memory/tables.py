"""The tables of the memory.

Times are seconds since 1970 in UTC. Columns of `String` hold words of this package and of the
user; what a target has written is a `Key` or a `StoredText`. Whoever changes a table raises
`VERSION`, adds the step to `migrations.py`, and a memory of the new version to
`tests/fleet/memory/versions`.
"""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from conformance.fleet.memory.storable import Key, StoredText

VERSION = 1
"""The version of the tables below."""

QUEUED, RUNNING, DONE, LOST = STATES = ("queued", "running", "done", "lost")
"""The states of a run. Whether a run that is done has a verdict is in `run.verdict`."""

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _of_run(name: str, *columns: Column[object] | Column[str] | Column[int]) -> Table:
    """A table of what one run has shown, in the order of its key."""
    first: Column[int] = Column(
        "run", ForeignKey("run.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    return Table(name, METADATA, first, *columns, sqlite_with_rowid=False)


memory = Table(
    "memory",
    METADATA,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("migrated", Double, nullable=False),
)
"""One row for each version that the tables had."""

campaign = Table(
    "campaign",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    # Which fleet, and which part of it: the same command finds its unfinished campaign by this.
    Column("identity", String(64), nullable=False, index=True),
    Column("fleet", Text, nullable=False),
    Column("started", Double, nullable=False),
    Column("ended", Double),  # null while a run is queued or running
)

suite = Table(
    "suite",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("version", Key(100), nullable=False),
    # Requirements may change within one version of a checkout: their digest tells them apart.
    Column("digest", String(64), nullable=False, unique=True),
)
"""The checkers that checked: one row for each version and list of requirements."""

requirement = Table(
    "requirement",
    METADATA,
    Column("suite", ForeignKey("suite.id"), primary_key=True, autoincrement=False),
    Column("id", Key(100), primary_key=True),
    Column("level", String(20), nullable=False),
    Column("class", String(40), nullable=False),
    Column("section", StoredText, nullable=False),
    Column("statement", StoredText, nullable=False),
)

revision = Table("revision", METADATA, Column("name", String(20), primary_key=True))
"""The revisions of the requirements that runs were checked by."""

blob = Table(
    "blob",
    METADATA,
    Column("digest", String(64), primary_key=True),  # SHA-256 of the content
    Column("size", BigInteger, nullable=False),  # bytes of the content
    Column("packed", LargeBinary, nullable=False),  # the content, compressed by zlib
)

run = Table(
    "run",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("campaign", ForeignKey("campaign.id")),  # null: a single run
    Column("target", String(200), nullable=False),
    Column("attempt", Integer, nullable=False),  # from 1 on, of this target in this campaign
    Column("state", String(10), nullable=False),
    Column("labels", JSON, nullable=False),
    Column("needs", String(200), nullable=False),  # the resources of a worker, with commas between
    Column("retries", Integer, nullable=False),
    Column("rank", Double, nullable=False),  # the highest is run first
    Column("exclusive", String(200), nullable=False),  # runs with the same value do not overlap
    Column("spends", Boolean, nullable=False),  # whether it may approve reviews
    # Who performs it, and until when it is believed to be alive.
    Column("coordinator", String(100)),
    Column("claim", String(32)),
    Column("lease", Double),
    Column("guard", String(32)),  # the job that was allowed to approve reviews; set once
    Column("worker", StoredText),  # the machine
    Column("queued", Double),
    Column("started", Double),
    Column("ended", Double),
    Column("outcome", String(20)),  # a key of `memory.recording.OUTCOMES`, or "lost"
    Column("reason", StoredText),  # why it has no verdict, in a line
    # From its report; null without one.
    Column("exit_code", Integer),
    Column("verdict", String(20)),
    Column("complete", Boolean, nullable=False),
    Column("base_url", StoredText),
    Column("product", JSON),
    Column("suite", ForeignKey("suite.id")),
    Column("revision", ForeignKey("revision.name")),
    Column("depth", String(20)),
    Column("seed", BigInteger),
    Column("duration", Double),
    Column("exchanges", Integer),
    UniqueConstraint("campaign", "target", "attempt"),
    CheckConstraint("state IN ('queued', 'running', 'done', 'lost')", "state"),
    Index(None, "target", "started"),
    Index(None, "campaign", "state"),
)
Index(
    "uq_run_running",
    run.c.exclusive,
    unique=True,
    sqlite_where=run.c.state == RUNNING,
    postgresql_where=run.c.state == RUNNING,
)

verdict = _of_run(
    "verdict",
    Column("requirement", Key(100), primary_key=True),
    Column("operation", Key(60), primary_key=True),  # "": the requirement as a whole
    Column("verdict", String(20), nullable=False),
    Column("message", StoredText),  # of a failure or an internal error
    Column("known", StoredText),  # why a failure is known
)
Index("ix_verdict_failed", verdict.c.requirement, verdict.c.verdict)

cause = _of_run(
    "cause",
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("requirement", Key(100), nullable=False),
    Column("operations", JSON, nullable=False),
    Column("also", JSON, nullable=False),  # as in report.json
    Column("exchange", StoredText),
)

observation = _of_run(
    "observation",
    Column("id", Key(100), primary_key=True),
    Column("subject", Key(200), primary_key=True),
    Column("values", JSON, nullable=False),
)

latency = _of_run(
    "latency",
    Column("operation", Key(60), primary_key=True),
    Column("count", Integer, nullable=False),
    Column("median", Double, nullable=False),  # seconds, as the others
    Column("p25", Double),
    Column("p75", Double),
    Column("p95", Double, nullable=False),
    Column("max", Double, nullable=False),
)

artefact = _of_run(
    "artefact",
    Column("name", Key(100), primary_key=True),  # of the file: report.json, exchanges.jsonl …
    Column("digest", ForeignKey("blob.digest"), nullable=False, index=True),
)
