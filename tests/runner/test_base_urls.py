"""Deployments at base URLs of every form."""

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from live_server import instance

from conformance.__main__ import main
from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit
from conformance.contract.exit_codes import CONFORMANT
from conformance.reference.target import toml


def moved(path: str) -> tuple[Edit, ...]:
    """The edits by which the reference has its base address at another path."""
    old = 'return {\n        "base-url"'
    new = f'base_url = base_url.replace("/v1", "{path}")\n    {old}'
    return Edit("app", '"/v1"', f'"{path}"'), Edit("target", old, new)


@pytest.mark.parametrize(
    ("path", "host", "end"),
    [("", "127.0.0.1", ""), ("/api/public/v1", "::1", "/")],
    ids=["at the root", "below segments, with a slash, on IPv6"],
)
def test_a_deployment_is_checked_at_any_base_url(
    path: str, host: str, end: str, tmp_path: Path
) -> None:
    """No request that the run sends is an internal error because of it."""
    package = altered.load(moved(path))
    with instance(package.Reference(), host) as profile:
        assert urlsplit(profile["base-url"]).path == path
        profile["base-url"] += end
        target = tmp_path / "target.toml"
        target.write_text(toml(profile), encoding="utf-8")
        options = ("--class", "authentication", "--report-dir", str(tmp_path))
        code = main(["run", "--target", str(target), *options])

    report = json.loads((tmp_path / "report.json").read_bytes())
    assert (code, report["verdict"]) == (CONFORMANT, "conformant")
