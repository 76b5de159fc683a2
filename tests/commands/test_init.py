"""`conformance init`: a target profile to fill in."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from process import conformance

from conformance.commands.init import template
from conformance.contract import api
from conformance.target import profile


def test_init_writes_a_profile_to_fill_in(tmp_path: Path) -> None:
    """With the given base URL; only one API key is missing."""
    ended = conformance(tmp_path, "init", "--base-url", "https://api.test/v1")
    target = profile.load(tmp_path / "target.toml", environ={"LOCALIZATION_API_KEY": "secret"})
    assert (ended.returncode, ended.stdout) == (
        0,
        "Wrote target.toml. Fill it in, then run: conformance run --target target.toml\n",
    )
    assert (target.base_url, list(target.credentials)) == ("https://api.test/v1", ["primary"])
    assert target.consent == profile.Consent()


def test_the_profile_of_init_has_every_key() -> None:
    """With every line uncommented it is a valid profile with all keys."""
    text = re.sub(r"^#(?=\S)", "", template(), flags=re.MULTILINE)
    variables = dict.fromkeys(re.findall(r"\$\{(\w+)\}", text), "secret")
    tables = tomllib.loads(text)
    profile.parse(tables, text=text, environ=variables)
    assert _keys(tables) >= _keys(profile._PROFILE) - {f"credentials.{each}" for each in _schemes()}


def _keys(table: Any, place: str = "") -> set[str]:
    if not isinstance(table, dict):
        return {place.removeprefix(".")}
    return {key for name, value in table.items() for key in _keys(value, f"{place}.{name}")}


def _schemes() -> Iterator[str]:
    """The credentials, each of which needs only one of its two schemes."""
    lacking = [f"lacking.{permission}" for permission in api.load().permissions]
    for name in (
        "primary",
        "expired",
        "revoked",
        "colleague",
        "outsider",
        "no-review-role",
        "throttled",
        *lacking,
    ):
        yield from (f"{name}.api-key", f"{name}.bearer")
