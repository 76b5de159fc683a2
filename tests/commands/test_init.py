"""`conformance init`: a target profile to fill in."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from process import conformance, conformance_here, report

from conformance.commands.init import template
from conformance.contract import api
from conformance.target import profile
from conformance.target.profile_schema import PROFILE
from conformance.target.target import Consent


def test_init_writes_a_profile_to_fill_in(tmp_path: Path) -> None:
    """With the given base URL, and no request; only one API key is missing."""
    ended = conformance(tmp_path, "init", "--base-url", "https://api.test/v1", "--template")
    target = profile.load(tmp_path / "target.toml", environ={"LOCALIZATION_API_KEY": "secret"})
    assert (ended.returncode, ended.stdout) == (
        0,
        "Wrote target.toml. Fill it in, then run: conformance run\n",
    )
    assert (target.base_url, list(target.credentials)) == ("https://api.test/v1", ["primary"])
    assert target.consent == Consent()


def test_the_profile_of_init_has_every_key() -> None:
    """With every line uncommented it is a valid profile with all keys."""
    text = re.sub(r"^#(?=\S)", "", template(), flags=re.MULTILINE)
    variables = dict.fromkeys(re.findall(r"\$\{(\w+)\}", text), "secret")
    tables = tomllib.loads(text)
    files = {"connection": tables.pop("connection")}  # which are not here
    profile.parse(tables, text=text, environ=variables)
    named_by_the_user = {*(f"credentials.{each}" for each in _schemes()), "connection.headers"}
    assert _keys(tables | files) >= _keys(PROFILE) - named_by_the_user


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


def test_a_new_user_gets_to_a_verdict_with_two_commands(served: Path, tmp_path: Path) -> None:
    """With a URL and one key: `init` finds the rest, and `run` finds the profile."""
    stated = tomllib.loads(served.read_text())
    key = stated["credentials"]["primary"]["api-key"]
    known = {"LOCALIZATION_API_KEY": key}
    written = conformance_here(tmp_path, "init", "--base-url", stated["base-url"], **known)
    hasten(tmp_path / "target.toml")
    ended = conformance_here(tmp_path, "run", **known)
    document = report(tmp_path)

    assert (written.returncode, ended.returncode, document["verdict"]) == (0, 0, "inconclusive")
    assert ended.stderr.startswith("Using target.toml of this folder")
    assert set(document["exchanges"]["methods"]) == {"GET", "POST"}
    assert document["ledger"] == []
    found = document["coverage"]
    foretold = f"{found['whole']} of {found['requirements']} requirements, {found['part']} in part"
    assert f"A run can check {foretold}." in written.stdout
    assert document["counts"]["must"]["fail"] == document["counts"]["must"]["error"] == 0
    assert key not in written.stdout + ended.stdout + (tmp_path / "target.toml").read_text()


@pytest.mark.parametrize("command", ["init", "doctor", "run"])
def test_a_base_url_without_its_version_segment_is_completed(
    served: Path, tmp_path: Path, command: str
) -> None:
    """One line says where the API is, and nothing is written about what is not there."""
    stated = tomllib.loads(served.read_text())
    key = {"LOCALIZATION_API_KEY": stated["credentials"]["primary"]["api-key"]}
    short = stated["base-url"].removesuffix("/v1")
    ended = conformance_here(tmp_path, command, "--base-url", short, **key)
    assert (ended.returncode, ended.stdout) == (4, "")
    assert f"the API is not at {short}, but at {short}/v1" in ended.stderr
    assert not (tmp_path / "target.toml").exists()


def hasten(path: Path) -> None:
    """Allow a higher request rate: with the one that `init` writes, a run takes a minute."""
    text = path.read_text()
    assert text.count("requests-per-second = 100 ") == 1
    path.write_text(text.replace("requests-per-second = 100 ", "requests-per-second = 6000 "))


def test_the_profile_of_the_folder_is_not_for_another_address(tmp_path: Path) -> None:
    """Its secrets may belong to another host."""
    (tmp_path / "target.toml").write_text("no profile")

    named = conformance(tmp_path, "run")
    other = conformance(tmp_path, "run", "--base-url", "http://127.0.0.1:9/v1")

    assert (named.returncode, "invalid TOML" in named.stderr) == (4, True)
    assert (other.returncode, "nothing responds at" in other.stderr) == (4, True)
