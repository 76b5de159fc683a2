"""`conformance fleet may`: a yes or no with its reasons, in both databases."""

import json
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import fleet_memory
import pytest
from fleet_memory import FIRST

from conformance.__main__ import main
from conformance.contract import requirements
from conformance.contract.verdict import Level
from conformance.fleet.memory.database import Memory

PRODUCT = "Example API"
FLEET = """\
[[target]]
name = "staging-eu"
reference = true

[environments.production]
require = ["read", "approval/replay"]
revision = "2026-12"
max-age = "7d"
evidence = ["staging-eu"]

[environments.staging]
"""
DAY = 86_400.0


def ended(version: str, night: int, failed: dict[str, str], **changes: Any) -> Any:
    """A run of a version of the product."""
    made: Any = fleet_memory.report(failed, night)
    made["target"]["product"] = {"name": PRODUCT, "version": version}
    made["requirements"] = [
        each for each in made["requirements"] if each["class"] not in changes.get("left_out", ())
    ]
    for entry in made["requirements"]:
        if entry["id"] in changes.get("unchecked", ()):
            entry["verdict"] = "inconclusive"
        for finding in entry["findings"]:
            if entry["id"] in changes.get("known", ()) and finding["verdict"] == "fail":
                finding["known"] = "ticket 1234"
    return fleet_memory.ended(
        made, changes.get("code"), changes.get("revision", fleet_memory.REVISION)
    )


@pytest.fixture(name="now", autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = (FIRST + timedelta(days=10)).timestamp()
    monkeypatch.setattr(time, "time", lambda: moment)


class Fleet:
    """A memory, a fleet file, and the answers of the command."""

    def __init__(self, memory: Memory, url: str, folder: Path, capsys: Any) -> None:
        self.memory, self._url, self._capsys = memory, url, capsys
        self.file = folder / "fleet.toml"
        self.file.write_text(FLEET, encoding="utf-8")

    def ran(self, version: str, night: int, failed: dict[str, str] | None = None, **changes: Any
            ) -> None:  # fmt: skip
        """Add a run of a target."""
        target = changes.pop("target", "staging-eu")
        fleet_memory.campaign(
            self.memory, night, {target: ended(version, night, failed or {}, **changes)}
        )

    def may(self, version: str, to: str = "production", *options: str) -> tuple[int, str]:
        """The exit code, and what is printed."""
        command = ("fleet", "may", f"{PRODUCT}@{version}", "--to", to, "--db", self._url)
        code = main([*command, "--fleet", str(self.file), *options])
        shown = self._capsys.readouterr()
        return code, shown.out + shown.err


@pytest.fixture(name="fleet")
def _fleet(memory: Memory, url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Fleet:
    return Fleet(memory, url, tmp_path, capsys)


def test_fresh_evidence_of_what_is_required_is_a_yes(fleet: Fleet) -> None:
    """With the run that it is from."""
    fleet.ran("2026.11", 8)

    code, said = fleet.may("2026.11")

    assert (code, said.splitlines()[0]) == (
        0,
        "yes  Example API@2026.11 may be deployed to production",
    )
    assert "checked  staging-eu on 2026-11-09 " in said
    assert "conformant, revision 2026-12" in said


@pytest.mark.parametrize(
    ("night", "changes", "reason"),
    [
        (1, {}, "the evidence of 2026-11-02 02:0"),
        (8, {"revision": "2026-06"},
         "it was checked by revision 2026-06, and production takes 2026-12"),
        (8, {"failed": {"limits/body[review_approve]": "accepted"}}, "it violates limits/body"),
        (8, {"left_out": ("read",)}, "read was not checked: the run left it out"),
        (8, {"unchecked": ("approval/replay",)}, "approval/replay could not be checked"),
        (8, {"unchecked": ("read/success", "read/counts")}, "read/success could not be checked"),
        (8, {"target": "sandbox"}, "no run of Example API 2026.11 on a target of staging-eu has a"
         " verdict; of Example API there are 2026.11"),
    ],
)  # fmt: skip
def test_each_reason_is_a_no(fleet: Fleet, night: int, changes: Any, reason: str) -> None:
    """Exit code 1, and the sentence."""
    fleet.ran("2026.11", night, **changes)

    code, said = fleet.may("2026.11")

    assert (code, said.splitlines()[0]) == (
        1,
        "no   Example API@2026.11 may not be deployed to production",
    )
    (shown,) = [line for line in said.splitlines() if line.startswith("     reason   ")]
    assert shown.startswith(f"     reason   {reason}")


def test_the_last_run_decides_and_known_failures_do_not(fleet: Fleet) -> None:
    """What was fixed is fixed; what somebody has accepted is accepted."""
    fleet.ran("2026.11", 7, {"limits/body[review_approve]": "accepted"})
    fleet.ran("2026.11", 8)
    fleet.ran("2026.12", 9, {"limits/body[review_approve]": "accepted"}, known=("limits/body",))

    assert (fleet.may("2026.11")[0], fleet.may("2026.12")[0]) == (0, 0)


def test_without_demands_the_gate_of_the_run_decides(fleet: Fleet) -> None:
    """However old it is, and whichever target it was on."""
    fleet.ran("2026.10", 0, target="sandbox", revision="")
    fleet.ran("2026.11", 1, target="sandbox", code=5)

    code, said = fleet.may("2026.10", "staging")
    assert (code, "revision" in said) == (0, False)
    code, said = fleet.may("2026.11", "staging")
    assert (
        code,
        "the run could not check what its [gate] requires" in said,
    ) == (1, True)


def test_what_nobody_has_checked_is_a_no(fleet: Fleet) -> None:
    """With the versions that there are, the last one first; nothing at all is the same."""
    fleet.ran("2026.10", 7)
    fleet.ran("2026.11", 8)

    code, said = fleet.may("2026.12")
    assert (code, "no run of Example API 2026.12 on a target of staging-eu has a verdict; of"
            " Example API there are 2026.11, 2026.10" in said) == (1, True)  # fmt: skip


def test_a_step_of_a_pipeline_reads_the_answer(fleet: Fleet) -> None:
    """As a JSON object."""
    fleet.ran("2026.11", 1)

    code, said = fleet.may("2026.11", "production", "--json")
    document = json.loads(said)
    assert (code, document["may"], document["run"]["target"]) == (1, False, "staging-eu")
    assert document["reasons"][0].endswith("days old, and production takes 7 days at most")
    assert json.loads(fleet.may("1", "staging", "--json")[1])["run"] is None


def test_many_requirements_are_counted(fleet: Fleet) -> None:
    """A reason names the first ones."""
    catalogue = requirements.load().values()
    ids = [each.id for each in catalogue if each.level == Level.MUST and each.is_checked][:8]
    fleet.ran("2026.11", 8, dict.fromkeys(ids, "wrong"))

    said = fleet.may("2026.11")[1]
    assert said.partition("it violates ")[2].splitlines()[0].endswith(" and 3 more")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Example API", "--to", "production"),
         "argument NAME@VERSION: 'Example API' must be NAME@VERSION"),
        (("Example API@1", "--to", "productoin"),
         "no environment 'productoin'; there are: production, staging (tables"),
    ],
)  # fmt: skip
def test_a_mistake_is_no_answer(
    fleet: Fleet, arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 4, in one line."""
    try:
        code: Any = main(["fleet", "may", *arguments, "--fleet", str(fleet.file)])
    except SystemExit as end:
        code = end.code

    assert (code, message in capsys.readouterr().err) == (4, True)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("max-age = 7", "environments.production.max-age is an integer"),
        ('max-age = "7"', "environments.production.max-age is not a number of days"),
        ('revision = "2020-01"', "environments.production.revision is not a revision of the"),
        ('require = ["reading"]',
         "environments.production.require[0] is neither a conformance class nor a requirement"),
    ],
)  # fmt: skip
def test_an_environment_that_says_nothing_is_rejected(
    fleet: Fleet, line: str, problem: str
) -> None:
    """With its line in the fleet file."""
    head = FLEET.partition("[environments")[0]
    fleet.file.write_text(f"{head}[environments.production]\n{line}\n", encoding="utf-8")

    code, said = fleet.may("1")
    assert (code, f"fleet.toml:6: {problem}" in said) == (4, True)
