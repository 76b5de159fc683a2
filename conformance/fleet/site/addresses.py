"""Where the pages of a site are: names that are safe in files and in URLs."""

import hashlib
import re
from datetime import UTC, datetime

SAFE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}", re.ASCII)


def slug(name: str) -> str:
    """The name itself where it is safe; otherwise what is left of it, with a digest."""
    if SAFE.fullmatch(name):
        return name
    rest = re.sub(r"[^A-Za-z0-9_-]+", "-", name, flags=re.ASCII).strip("-")[:60]
    return f"{rest}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"


def campaign(name: str) -> str:
    """The folder of a campaign, below the root of the site."""
    return f"campaigns/{slug(name)}"


def target(name: str) -> str:
    """The folder of a target."""
    return f"targets/{slug(name)}"


def requirement(id: str) -> str:
    """The folder of a requirement."""
    return f"requirements/{slug(id.replace('/', '.'))}"


def moment(seconds: float | None) -> str:
    """A moment in UTC, for readers; "–" for none."""
    return "–" if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"


def day(seconds: float | None) -> str:
    """A day in UTC."""
    return moment(seconds)[:10]
