"""The input and the result of a job, as bytes: both may travel to another machine."""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from conformance.fleet.memory.recording import Ended
from conformance.fleet.targets import FleetProfile, FleetTarget

HEAD = "ended.json"
"""The entry of a packed end that is no file of the run."""


@dataclass(frozen=True)
class Permission:
    """Where a job asks whether it may approve reviews: a memory, its run there, and the claim."""

    database: str = field(repr=False)
    run: int
    claim: str


@dataclass(frozen=True)
class Task:
    """One run to perform; its repr shows no secret.

    `options` are those of `conformance run`. `files` are the files that they name, by name.
    `folder` is where the commands of the profile are at home. `environment` are the variables that
    the run gets, and `names` those that the machine of the worker may add. `seconds` is when a run
    that has not ended is stopped, `megabytes` its memory.
    """

    target: str
    options: tuple[str, ...]
    files: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    folder: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    names: tuple[str, ...] = ()
    seconds: float | None = None
    megabytes: int | None = None
    permission: Permission | None = None

    def packed(self) -> bytes:
        """The task as bytes."""
        return json.dumps(asdict(self)).encode()


def unpacked(content: bytes) -> Task:
    """The task of `Task.packed`."""
    stated = json.loads(content)
    permission = stated.pop("permission")
    stated |= {name: tuple(stated[name]) for name in ("options", "names")}
    return Task(**stated, permission=Permission(**permission) if permission else None)


def of(target: FleetTarget, permission: Permission | None) -> Task:
    """The task of one run of a target."""
    settings = target.settings
    profile = target.profile
    values = {
        "--depth": settings.depth,
        "--seed": settings.seed,
        "--max-time": settings.max_time,
        "--max-requests": settings.max_requests,
        "--target": profile.name if profile else None,
        "--known-failures": "known-failures.toml" if settings.known_failures else None,
    }
    stated = [f"{name}={value}" for name, value in values.items() if value is not None]
    classes = [f"--class={name}" for name in settings.classes]
    environment = target.environment()
    return Task(
        target=target.name,
        # Whoever has started the fleet was asked for what its profiles demand.
        options=("--trust" if profile else "--reference", *stated, *classes),
        files=_files(profile, settings.known_failures),
        folder=profile.folder if profile else None,
        environment=environment,
        names=tuple(sorted(_names(target) - environment.keys())),
        seconds=None if settings.max_time is None else settings.max_time + GRACE,
        megabytes=settings.max_memory,
        permission=permission if target.spends else None,
    )


GRACE = 120.0
"""Seconds that a run has after its `--max-time`, which ends no request and writes its report."""


def _files(profile: FleetProfile | None, known: str | None) -> dict[str, str]:
    files = {profile.name: profile.text} if profile else {}
    return files | ({"known-failures.toml": known} if known else {})


def _names(target: FleetTarget) -> frozenset[str]:
    named = target.profile.variables if target.profile else frozenset()
    return named | frozenset(target.settings.environment)


def packed_end(ended: Ended) -> bytes:
    """An end as bytes: an archive of its files."""
    head = {name: value for name, value in asdict(ended).items() if name != "files"}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as entries:
        entries.writestr(HEAD, json.dumps(head))
        for name, content in ended.files.items():
            entries.writestr(f"files/{name}", content)
    return archive.getvalue()


def unpacked_end(content: bytes) -> Ended:
    """The end of `packed_end`."""
    with zipfile.ZipFile(io.BytesIO(content)) as entries:
        head = json.loads(entries.read(HEAD))
        names = [name for name in entries.namelist() if name != HEAD]
        files = {name.removeprefix("files/"): entries.read(name) for name in names}
    return Ended(**head, files=files)
