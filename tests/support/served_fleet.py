"""A fleet of served references: conforming ones, mutants, slow ones, a dead one, a spending one."""

import asyncio
import itertools
import tomllib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import live_server
from subjects import SUBJECTS

from conformance.assurance.selftest import altered
from conformance.reference import Reference
from conformance.reference import target as reference_profile

DEAD = "http://127.0.0.1:9/v1"
DELAY = 0.05

Application = Callable[..., Awaitable[None]]


@dataclass
class ServedFleet:
    """The fleet file, and how often the spending target has approved each review."""

    file: Path
    approved: dict[str, int] = field(default_factory=dict)


@contextmanager
def served(folder: Path, number: int) -> Iterator[ServedFleet]:
    """A fleet of some targets: the first is dead, the second spends, the others take turns."""
    fleet = ServedFleet(folder / "fleet.toml")
    kinds = itertools.cycle(("conforming", "mutant", "slow"))
    entries = ['[defaults]\ndepth = "quick"\nretries = 1\nclasses = ["description"]\n']
    with ExitStack() as stack:
        for place, kind in enumerate(["dead", "spender", *itertools.islice(kinds, number - 2)]):
            name = f"{kind}-{place:02}"
            profile = stack.enter_context(_target(kind, place, fleet))
            (folder / f"{name}.toml").write_text(reference_profile.toml(profile))
            classes = 'classes = ["limits"]\n' if kind == "spender" else ""
            entries.append(f'[[target]]\nname = "{name}"\nprofile = "{name}.toml"\n{classes}')
        fleet.file.write_text("\n".join(entries))
        yield fleet


@contextmanager
def _target(kind: str, place: int, fleet: ServedFleet) -> Iterator[dict[str, Any]]:
    """The profile of one target, which is served meanwhile."""
    reference = _reference(kind, place)
    if kind == "slow":
        reference.app = _Delayed(reference.app)
    if kind == "spender":
        reference.app = _Counting(reference.app, fleet.approved)
    with live_server.instance(reference) as profile:
        consent = {"approve-reviews": True, "oversized-bodies": True}
        profile["consent"] = consent if kind == "spender" else {}
        yield profile if kind != "dead" else {"base-url": DEAD}


def _reference(kind: str, place: int) -> Any:
    if kind != "mutant":
        return Reference()
    chosen = [subject for subject in SUBJECTS if _is_of_description(subject)]
    return altered.load(chosen[place % len(chosen)].edits).Reference()


def _is_of_description(subject: Any) -> bool:
    broken = getattr(subject, "breaks", ())
    return bool(broken) and all(each.startswith("description/") for each in broken)


class _Delayed:
    """An application that takes its time."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Delay a request."""
        if scope["type"] == "http":
            await asyncio.sleep(DELAY)
        await self._app(scope, receive, send)


class _Counting:
    """Counts the approvals that succeed, by path."""

    def __init__(self, app: Application, approved: dict[str, int]) -> None:
        self._app, self._approved = app, approved

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Count an approval with status 200."""

        async def counted(message: Any) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                path = scope["path"]
                if path.endswith("/approve"):
                    self._approved[path] = self._approved.get(path, 0) + 1
            await send(message)

        await self._app(scope, receive, counted if scope["type"] == "http" else send)


def names(fleet: ServedFleet) -> list[str]:
    """The names of its targets."""
    return [each["name"] for each in tomllib.loads(fleet.file.read_text())["target"]]
