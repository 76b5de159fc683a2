"""`conformance known` and `run --write-known-failures`, by what later runs say of their files."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import fleet_memory
import pytest
import subjects
from live_server import instance
from process import conformance_here

from conformance.assurance.selftest import altered
from conformance.fleet.memory import database
from conformance.report.known_failures import PLACEHOLDER

OLD = subjects.BY_ID["description-of-older-openapi"].edits
"""Breaks description/version."""

LIMIT = "pagination/limit[video_list]"
ONCE = "pagination/once[video_list]"
EXPIRED = "authentication/expired"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The base URL of a target that violates `description/version`."""
    with instance(altered.load(OLD).Reference()) as profile:
        yield profile["base-url"]


def checked(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A run of one class on the bundled reference, or on the address in the options."""
    chosen = ("--class", "description", "--depth", "smoke", "--report", "badge")
    return conformance_here(folder, "run", *chosen, *options)


def night(folder: Path, number: int, failed: Mapping[str, str], **changes: object) -> str:
    """A report with these failures, in a folder of its own."""
    made = {**fleet_memory.report(failed, number), **changes}
    path = folder / f"night-{number}"
    path.mkdir()
    (path / "report.json").write_text(json.dumps(made))
    return path.name


def unchecked(requirement: str) -> list[Any]:
    """The requirements of a report in which nothing fails, and one could not be checked."""
    found: list[Any] = [*fleet_memory.report({}, 0)["requirements"]]
    for each in found:
        if each["id"] == requirement:
            each["verdict"] = "inconclusive"
            each["operations"] = dict.fromkeys(each["operations"], "inconclusive")
    return found


def known(folder: Path, *arguments: object) -> list[str]:
    """What the command says, in lines."""
    ended = conformance_here(folder, "known", *arguments)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout.splitlines()


def entry(name: str, reason: str = "ticket 7", **keys: str) -> str:
    """An entry as somebody writes it."""
    requirement, _, operation = name.rstrip("]").partition("[")
    stated = {"requirement": requirement, "operation": operation, "reason": reason, **keys}
    lines = [f'{key} = "{value}"' for key, value in stated.items() if value]
    return "\n".join(["[[known]]", *lines, ""])


def test_a_written_file_excuses_the_next_run(address: str, tmp_path: Path) -> None:
    """The first run fails; the next one passes, and says that a reason is missing."""
    profile = tmp_path / "target.toml"
    profile.write_text(
        f'base-url = "{address}"\n[description]\nurl = "{address}/openapi.json"\n'
        '[gate]\nrequire = ["description"]\n'
    )
    first = checked(tmp_path, "--target", "target.toml", "--write-known-failures", "known.toml")
    again = checked(tmp_path, "--target", "target.toml", "--known-failures", "known.toml")

    assert first.returncode == 1
    place = "known.toml:3: known[0].reason is to be filled in (1 reason in this file)"
    assert first.stdout.endswith(f"added  description/version\n{place}\n"), first.stdout
    assert (tmp_path / "known.toml").read_text() == entry("description/version", PLACEHOLDER)
    assert (again.returncode, f"note: {place}\n" in again.stderr) == (0, True), again.stderr
    assert "KNOWN  description/version" in again.stdout


def test_a_flaky_failure_that_does_not_appear_fails_no_run(tmp_path: Path) -> None:
    """A steady one does: its entry is out of date."""
    file = tmp_path / "known.toml"
    ends = {}
    for flaky in ({}, {"flaky": "3 of 10"}):
        file.write_text(entry("description/version", **flaky))
        ended = checked(tmp_path, "--reference", "--known-failures", "known.toml")
        ends[bool(flaky)] = (ended.returncode, "outdated entry" in ended.stdout)

    assert ends == {False: (1, True), True: (0, False)}


def test_what_fails_in_some_of_the_reports_is_flaky(tmp_path: Path) -> None:
    """It stands apart, after what fails in all of them; a second update adds nothing."""
    failing: list[dict[str, str]] = [{LIMIT: "", ONCE: ""}, {LIMIT: ""}, {LIMIT: ""}]
    reports = [night(tmp_path, number, failed) for number, failed in enumerate(failing)]

    said = known(tmp_path, "update", "known.toml", *reports)
    again = known(tmp_path, "update", "known.toml", *reports)

    steady, unsteady = "pagination/limit on video_list", "pagination/once on video_list"
    assert said[:2] == [f"added  {steady}", f"added  {unsteady}, fails in 1 of 3"]
    expected = [entry(LIMIT, PLACEHOLDER), entry(ONCE, PLACEHOLDER, flaky="1 of 3")]
    assert (tmp_path / "known.toml").read_text() == "\n".join(expected)
    assert again[0] == "nothing to add"


def test_an_entry_becomes_flaky_where_it_stands(tmp_path: Path) -> None:
    """Its reason, its comments and all else of the file stay."""
    reports = [night(tmp_path, 0, {LIMIT: ""}), night(tmp_path, 1, {})]
    file = tmp_path / "known.toml"
    file.write_text(f"# about staging\n\n{entry(LIMIT)}# the end\n")

    said = known(tmp_path, "update", "known.toml", *reports)

    assert said == ["flaky  pagination/limit on video_list, fails in 1 of 2"]
    changed = entry(LIMIT).replace("[[known]]\n", '[[known]]\nflaky = "1 of 2"\n')
    assert file.read_text() == f"# about staging\n\n{changed}# the end\n"

    known(tmp_path, "update", "known.toml", *reports, reports[1])

    assert file.read_text() == f"# about staging\n\n{changed}# the end\n".replace("2", "3")


def test_what_no_entry_can_name_gets_none(tmp_path: Path) -> None:
    """A requirement that this suite does not have; an operation that its requirement does not."""
    found: list[Any] = [*fleet_memory.report({LIMIT: ""}, 0)["requirements"]]
    (failed,) = (each for each in found if each["verdict"] == "fail")
    failed["operations"] |= {"video_list": "pass"}
    failed["findings"][0]["operation"] = "account_get"
    other = {**failed, "id": "pagination/of-tomorrow"}
    report = night(tmp_path, 0, {}, requirements=[*found, other])

    known(tmp_path, "update", "known.toml", report)

    assert (tmp_path / "known.toml").read_text() == entry("pagination/limit", PLACEHOLDER)


def test_a_memory_says_what_is_flaky(tmp_path: Path) -> None:
    """What broke and stays broken is not."""
    url = f"sqlite:///{tmp_path / 'fleet.db'}"
    memory = database.open_memory(url)
    fleet_memory.nights(memory, 8)
    memory.close()
    report = night(tmp_path, 0, {"read/success[project_get]": ""})

    known(tmp_path, "update", "known.toml", report, "--db", url, "--name", "us")

    written = (tmp_path / "known.toml").read_text()
    steady = entry("read/success[project_get]", PLACEHOLDER)
    assert written == "\n".join([steady, entry(ONCE, PLACEHOLDER, flaky="4 of 8")])


def test_a_run_that_is_remembered_asks_its_memory(tmp_path: Path) -> None:
    """With --db and --name, what the memory calls flapping is written as flaky."""
    url = f"sqlite:///{tmp_path / 'fleet.db'}"
    memory = database.open_memory(url)
    fleet_memory.nights(memory, 8)
    memory.close()

    named = ("--db", url, "--name", "us", "--write-known-failures", "known.toml")
    ended = checked(tmp_path, "--reference", "--class", "pagination", *named)

    assert ended.returncode == 0, ended.stdout
    assert (tmp_path / "known.toml").read_text() == entry(ONCE, PLACEHOLDER, flaky="4 of 8")


def test_prune_deletes_what_no_longer_fails(tmp_path: Path) -> None:
    """With the comment above it; what still fails stays, and what was not checked."""
    report = night(tmp_path, 0, {}, requirements=unchecked(EXPIRED))
    file = tmp_path / "known.toml"
    text = f"{entry(ONCE)}\n# fixed soon\n{entry(LIMIT)}\n# next\n\n{entry(EXPIRED)}"
    file.write_text(f"# staging\n\n{text}")

    first = known(tmp_path, "prune", "known.toml", report)

    assert first == [
        f"deleted  {name} on video_list" for name in ("pagination/once", "pagination/limit")
    ]
    assert file.read_text() == f"# staging\n\n# next\n\n{entry(EXPIRED)}"
    assert known(tmp_path, "prune", "known.toml", report) == ["nothing to delete"]


def test_prune_leaves_what_fails_in_one_of_the_reports(tmp_path: Path) -> None:
    """The order of the reports does not matter."""
    reports = [night(tmp_path, 0, {ONCE: ""}), night(tmp_path, 1, {})]
    file = tmp_path / "known.toml"
    file.write_text(f"{entry(ONCE)}\n{entry(LIMIT)}")

    said = known(tmp_path, "prune", "known.toml", *reports)

    assert said == ["deleted  pagination/limit on video_list"]
    assert file.read_text() == entry(ONCE)


def test_a_flaky_entry_is_deleted_after_many_passes(tmp_path: Path) -> None:
    """Three failures of ten are seen once in ten runs, with a probability of 97 %."""
    reports = [night(tmp_path, number, {}) for number in range(10)]
    file = tmp_path / "known.toml"
    file.write_text(entry(LIMIT, flaky="3 of 10"))

    early = known(tmp_path, "prune", "known.toml", *reports[1:])
    late = known(tmp_path, "prune", "known.toml", *reports)

    name = "pagination/limit on video_list, fails in 3 of 10"
    assert early == [f"kept  {name}: takes 10 reports without it", "nothing to delete"]
    assert (late, file.read_text()) == ([f"deleted  {name}"], "")


def test_an_expired_entry_is_not_replaced_or_deleted_while_it_fails(tmp_path: Path) -> None:
    """Whoever set the day decides."""
    report = night(tmp_path, 0, {LIMIT: ""})
    file = tmp_path / "known.toml"
    text = f"{entry(LIMIT)}expires = 2026-01-31\n"
    file.write_text(text)

    assert known(tmp_path, "update", "known.toml", report) == ["nothing to add"]
    assert known(tmp_path, "prune", "known.toml", report) == [
        "kept  pagination/limit on video_list: expired on 2026-01-31, and not seen to be fixed",
        "nothing to delete",
    ]
    assert file.read_text() == text


def test_a_gap_that_is_checked_now_is_deleted(tmp_path: Path) -> None:
    """One that is still open stays."""
    report = night(tmp_path, 0, {}, requirements=unchecked(EXPIRED))
    file = tmp_path / "known.toml"
    file.write_text(f"{entry(LIMIT)}\n{entry(EXPIRED)}".replace("known", "gap"))

    known(tmp_path, "prune", "known.toml", report)

    assert file.read_text() == entry(EXPIRED).replace("known", "gap")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (entry(LIMIT, flaky="often"),
         "known.toml:5: known[0].flaky is not how many of how many runs fail: "
         'write "3 of 10", or leave it out'),
        (entry(LIMIT, flaky="10 of 10"), "known.toml:5: known[0].flaky is not how many"),
        (entry(LIMIT, flaky="1 of 2").replace("known", "gap"),
         "known.toml:5: gap[0].flaky is an unknown key"),
        (entry("pagination/limti"), "known.toml:2: known[0].requirement names an unknown"),
        ('known = [{requirement = "pagination/limit", reason = "x"}]\n',
         "known.toml: cannot be changed by a command: write [[known]] above each entry"),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_line(text: str, problem: str, tmp_path: Path) -> None:
    """Of each command, before a request; the file stays as it is."""
    report = night(tmp_path, 0, {ONCE: ""})
    (tmp_path / "known.toml").write_text(text)

    ended = conformance_here(tmp_path, "known", "update", "known.toml", report)

    assert (ended.returncode, ended.stdout) == (4, "")
    assert ended.stderr.startswith(f"conformance known: error: {problem}"), ended.stderr
    assert ended.stderr.count("\n") == 1
    assert (tmp_path / "known.toml").read_text() == text


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("prune", "absent.toml", "night-0"), "absent.toml: cannot be read: No such file"),
        (("update", "known.toml", "nowhere"), "nowhere: No such file or directory"),
        (("update", "no/known.toml", "night-0"), "no: No such file or directory"),
        (("update", "known.toml", "night-0", "--db", "fleet.db"), "--db takes what it calls"),
        (("update", "known.toml", "night-0", "night-1"), "the reports are about different targets"),
    ],
)
def test_other_files_are_one_line_too(
    arguments: tuple[str, ...], problem: str, tmp_path: Path
) -> None:
    """Exit code 4."""
    night(tmp_path, 0, {})
    other = {**fleet_memory.report({}, 1)["target"], "base-url": "https://other.example/v1"}
    night(tmp_path, 1, {}, target=other)

    ended = conformance_here(tmp_path, "known", *arguments)

    assert ended.returncode == 4
    assert ended.stderr.startswith(f"conformance known: error: {problem}"), ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("action", ["update", "prune"])
def test_a_link_is_not_written_through(action: str, tmp_path: Path) -> None:
    """What it leads to stays as it is."""
    report = night(tmp_path, 0, {})
    file = tmp_path / "real.toml"
    file.write_text(entry(LIMIT))
    (tmp_path / "known.toml").symlink_to(file)

    ended = conformance_here(tmp_path, "known", action, "known.toml", report)

    message = "conformance known: error: known.toml: a link is in the way; remove it\n"
    assert (ended.returncode, ended.stderr) == (4, message)
    assert file.read_text() == entry(LIMIT)


def test_a_memory_without_the_target_is_one_line(tmp_path: Path) -> None:
    """The name is repeated."""
    url = f"sqlite:///{tmp_path / 'fleet.db'}"
    database.open_memory(url).close()
    report = night(tmp_path, 0, {})

    ended = conformance_here(
        tmp_path, "known", "update", "known.toml", report, "--db", url, "--name", "us"
    )

    message = "conformance known: error: --name: no target 'us' in the memory\n"
    assert (ended.returncode, ended.stderr) == (4, message)


def test_a_file_that_cannot_be_written_ends_a_run_before_its_first_request(tmp_path: Path) -> None:
    """Exit code 4, and no report."""
    ended = checked(tmp_path, "--reference", "--write-known-failures", "no/known.toml")

    message = "conformance run: error: no: No such file or directory\n"
    assert (ended.returncode, ended.stderr) == (4, message)
    assert not list(tmp_path.glob("reports/latest/*"))


def test_a_shard_writes_no_file(tmp_path: Path) -> None:
    """It would lose what another one writes; the merged report has everything."""
    ended = checked(
        tmp_path, "--reference", "--shard", "1/2", "--write-known-failures", "known.toml"
    )

    message = "conformance run: error: --write-known-failures: a shard is a part of a run; "
    assert (ended.returncode, ended.stderr.startswith(message)) == (4, True), ended.stderr


def test_a_file_that_is_gone_wrong_meanwhile_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report is there; the exit code says that the file was not written."""
    read = database.open_memory

    def opened(url: str, *, is_new: bool = True) -> object:
        (tmp_path / "known.toml").write_text("[[known")
        return read(url, is_new=is_new)

    monkeypatch.setattr(database, "open_memory", opened)
    named = ("--db", "fleet.db", "--write-known-failures", "known.toml", "--json")
    ended = checked(tmp_path, "--reference", *named)

    message = "conformance run: error: --write-known-failures known.toml: not written: known.toml: "
    assert (ended.returncode, message in ended.stderr) == (3, True), ended.stderr
    assert json.loads(ended.stdout)["verdict"]
