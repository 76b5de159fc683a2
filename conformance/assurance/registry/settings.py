"""What a registry says of itself: `registry.toml` in its folder, which it need not have."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.storage import toml_text

FILE = "registry.toml"
TITLE = "Certified implementations of the video-localization client API"
LONGEST = 400
TYPES: dict[str, type] = {"title": str, "about": str, "accepts-reference": bool}


class SettingsProblem(ValueError):
    """An invalid registry.toml; str() has the key and what would be right."""


@dataclass(frozen=True)
class Settings:
    """The heading of the site, a sentence below it, and whether the reference is accepted.

    A registry of examples accepts certificates of the bundled reference; in any other one they are
    about nobody's product.
    """

    title: str = TITLE
    about: str = ""
    accepts_reference: bool = False


def load(registry: Path) -> Settings:
    """The settings of a registry. Raises OSError, and SettingsProblem."""
    try:
        stated = toml_text.parse(toml_text.read(registry / FILE))
    except FileNotFoundError:
        return Settings()
    except ValueError as problem:
        raise SettingsProblem(f"{FILE}: invalid TOML: {problem}") from None
    for key, value in stated.items():
        _check(key, value)
    return Settings(**{key.replace("-", "_"): value for key, value in stated.items()})


def _check(key: str, value: Any) -> None:
    if key not in TYPES:
        raise SettingsProblem(f"{FILE}: {key} is an unknown key; the keys are {', '.join(TYPES)}")
    if not isinstance(value, TYPES[key]):
        word = "true or false" if TYPES[key] is bool else "a text"
        raise SettingsProblem(f"{FILE}: {key} must be {word}")
    if isinstance(value, str) and not (len(value) <= LONGEST and value.isprintable()):
        raise SettingsProblem(f"{FILE}: {key} must be a printable text of up to {LONGEST} letters")
