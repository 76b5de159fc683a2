"""Files of strangers: each is held to its published schema, and a wrong one ends in one line."""

import copy
import functools
import json
import operator
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from markdown_it import MarkdownIt
from measured import measured
from page_elements import Elements, harmless
from process import conformance_here
from sample_reports import EXCHANGES, a_report, an_exchange

from conformance.assurance.certificate import dsse
from conformance.assurance.certificate.evidence import Evidence, Malformed
from conformance.contract import published, revisions
from conformance.contract.exit_codes import CONFORMANT, INTERRUPTED, NON_CONFORMANT, USAGE_ERROR
from conformance.report import previous
from conformance.report.formats import har
from conformance.report.journal import JOURNAL, SHARD
from conformance.storage import regular_file
from conformance.storage.json_text import MOST_VALUES

Edit = Callable[[Any], None]
AT = ("--base-url", "https://api.example.com/v1")
QUICK = ("--reference", "--class", "description")

JSON_TEXTS = {
    "nothing": (b"", "empty"),
    "blanks": (b" \n\n", "empty"),
    "a fragment": (b'{"a": ', "not JSON: column 7"),
    "a list": (b"[]", 'not of type "object"'),
    "a number": (b"7", 'not of type "object"'),
    "another object": (b"{}", "is a required property"),
    "zeros": (bytes(1000), "not JSON: column 1"),
    "other bytes": (b"\xff\xfe{}", "not JSON"),
    "half a surrogate pair": (b'{"a": "\\ud800"}', "not JSON: column 8"),
    "nested lists": (b"[" * 100_000, "not JSON: column "),
    "nested objects": (b'{"a":' * 300 + b"1" + b"}" * 300, "nested too deeply"),
    "a duplicate key": (b'{"format": 1, "format": 1}', "duplicate key 'format'"),
    "no number": (b'{"duration": NaN}', "not JSON: column 14"),
    "an infinite number": (b'{"duration": 1e999}', "not JSON: column 14"),
    "very many values": (b"[" + b"0," * MOST_VALUES + b"0]", ",000 values"),
}
"""Texts that are no JSON document of any kind, and what the message says."""

TOML_TEXTS = {
    "a fragment": b"[[",
    "other bytes": b"\xff\xfe",
    "nested": b"a = " + b"[" * 100_000,
    "a duplicate key": b"a = 1\na = 2\n",
    "many digits": b"a = " + b"1" * 10_000,
    "a key of many parts": b"a." * 50_000 + b"b = 1",
    "a key of many quoted parts": b'"\\"" . ' * 50_000 + b"b = 1",
    "a table of many parts": b"[" + b"a." * 50_000 + b"b]",
    "UTF-16": "a = 1".encode("utf-16"),
    "a null": b'a = "\0"',
    "tables in tables": b"a = " + b"{a = " * 50_000,
    "a text without an end": b'a = """' + b'""\\' * 200_000,
    "a day before all days": b"a = 0000-00-00",
    "too large": b"#" * (2 * regular_file.MIB),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a finished run."""
    made = tmp_path / "theirs"
    made.mkdir()
    write(made, "report.json", a_report())
    write(made, "exchanges.jsonl", *EXCHANGES)
    return made


@pytest.fixture(scope="module")
def made_shard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a shard."""
    made = tmp_path_factory.mktemp("shard")
    words = ("run", *QUICK, "--shard", "1/1", "--report-dir", "shard", "--report", "badge")
    ended = conformance_here(made, *words)
    assert ended.returncode == CONFORMANT, ended.stderr
    return made / "shard"


@pytest.fixture
def shard(made_shard: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(made_shard, tmp_path / "shard"))


def write(folder: Path, name: str, *values: Any) -> None:
    """Write values into a file, one a line."""
    (folder / name).write_bytes(b"".join(orjson.dumps(value) + b"\n" for value in values))


def read(folder: Path, name: str) -> list[Any]:
    """The values of a file; what is not in lines is one value."""
    content = (folder / name).read_bytes()
    lines = content.splitlines() if name.endswith(".jsonl") else [content]
    return list(map(orjson.loads, lines))


def rejected(ended: Any, *words: str) -> None:
    """A command has ended with a usage error of one short line that has these words."""
    assert ended.returncode == USAGE_ERROR, ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1, ended.stderr
    assert all(word in ended.stderr for word in words), ended.stderr
    assert len(ended.stderr) < 1000


def test_a_long_line_of_a_log_takes_little_memory(folder: Path) -> None:
    """A text of 33 MB is too long to be an exchange of a run, and is not read."""
    (folder / "exchanges.jsonl").write_bytes(b'{"id": "' + b"a" * (33 * regular_file.MIB) + b'"}\n')
    ended = conformance_here(folder.parent, "report", "theirs", "--report", "har")
    rejected(ended, "exchanges.jsonl", "a line of more than")


def test_two_reports_of_very_many_values_are_not_compared(folder: Path) -> None:
    """Each takes up a hundred bytes and more for each of them."""
    findings: list[list[str]] = [[]] * 600_000
    write(folder, "report.json", {**a_report(), "causes": findings})
    rejected(conformance_here(folder.parent, "compare", "theirs", "theirs"), "500,000 values")


@pytest.mark.parametrize("address", ["http://127.0.0.1/v1", "http://127.0.0.2/v1"])
def test_an_address_of_very_many_parameters_calls_no_operation(
    address: str, tmp_path: Path
) -> None:
    """A million were read, and each was looked at for a credential."""
    query = "&".join(f"a{number}=%ff" for number in range(1_000_000))
    request = {"method": "GET", "url": f"http://127.0.0.1/v1/projects?{query}", "headers": []}
    response = {"status": 200, "headers": [], "content": {}}
    entries = [{"request": request, "response": response}]
    write(tmp_path, "traffic.har", {"log": {"entries": entries}})
    ended = conformance_here(tmp_path, "judge", "traffic.har", "--base-url", address)
    rejected(ended, "no request of the API", "1 other request")


# --- contents that are not JSON, or mean several things -------------------------------------------

READERS: dict[str, tuple[str, tuple[object, ...]]] = {
    "compare": ("report.json", ("compare", "theirs", "theirs")),
    "replay": ("report.json", ("replay", "theirs", *AT)),
    "report": ("report.json", ("report", "theirs", "--report", "junit")),
    "appeal": ("report.json", ("appeal", "read/names", "--report", "theirs")),
    "baseline": ("report.json", ("run", *QUICK, "--baseline", "theirs")),
    "merge": ("report.json", ("merge", "theirs", "--report-dir", "out")),
    "journal": (JOURNAL, ("report", "theirs", "--report", "junit")),
    "log": ("exchanges.jsonl", ("report", "theirs", "--report", "har")),
    "archive": ("traffic.har", ("judge", "theirs/traffic.har", *AT)),
}
"""What reads a file of JSON: the name of the file, and the command."""


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("text", JSON_TEXTS)
def test_a_text_without_one_meaning_ends_in_one_line(
    reader: str, text: str, folder: Path, tmp_path: Path
) -> None:
    """The line names the file, and the place in it."""
    name, words = READERS[reader]
    content, reason = JSON_TEXTS[text]
    if reader == "archive" and text == "half a surrogate pair":
        reason = "is a required property"  # others record what they get
    is_of_lines = name.endswith(".jsonl")
    if is_of_lines and text in ("nothing", "blanks"):
        content, reason = b"\n", "line 1: empty"
    (folder / name).write_bytes(content + b"\n" if is_of_lines else content)
    rejected(conformance_here(tmp_path, *words), f"theirs/{name}: not ", reason)


@pytest.mark.parametrize("text", TOML_TEXTS)
@pytest.mark.parametrize(
    "words",
    [
        ("selftest", "--also", "theirs.toml", "--only", "x"),
        ("run", *QUICK, "--known-failures", "theirs.toml"),
        ("compare", "theirs", "theirs", "--known-failures", "theirs.toml"),
        ("run", "--target", "theirs.toml"),
        ("fleet", "run", "theirs.toml"),
        ("registry", "build", "registry", "--out", "site"),
    ],
    ids=["appeal", "known failures", "compare", "target", "fleet", "registry"],
)
def test_a_text_that_is_not_toml_ends_in_one_line(
    words: tuple[str, ...], text: str, folder: Path, tmp_path: Path
) -> None:
    """An appeal, known failures, a profile, a fleet, and the settings of a registry."""
    (tmp_path / "registry").mkdir()
    file = "registry/registry.toml" if words[0] == "registry" else "theirs.toml"
    (tmp_path / file).write_bytes(TOML_TEXTS[text])
    rejected(conformance_here(tmp_path, *words), Path(file).name)


@pytest.mark.parametrize("text", ['known = "text"', "known = [7]", "[known]", "known = [[]]"])
def test_known_failures_of_another_form_end_in_one_line(text: str, tmp_path: Path) -> None:
    """The display looks for their places in the file, too."""
    (tmp_path / "theirs.toml").write_text(text)
    ended = conformance_here(tmp_path, "run", *QUICK, "--known-failures", "theirs.toml")
    rejected(ended, "theirs.toml:1: known")


@pytest.mark.parametrize("text", TOML_TEXTS)
def test_a_product_that_is_not_toml_is_a_fault(text: str, tmp_path: Path) -> None:
    """The submission is rejected."""
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "PRODUCT.toml").write_bytes(TOML_TEXTS[text])
    ended = conformance_here(tmp_path, "registry", "check", "theirs")
    assert ended.returncode == 1, ended.stderr
    assert ended.stdout.startswith("PRODUCT.toml: ")


@pytest.mark.parametrize(
    "words",
    [
        ("run", *QUICK, "--known-failures", "theirs.toml"),
        ("check-files", "theirs.toml"),
        ("fleet", "run", "theirs.toml"),
        ("registry", "check", "theirs"),
    ],
    ids=lambda words: words[0],
)
def test_of_very_many_problems_the_first_ones_are_listed(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    """A file of a megabyte may have a hundred thousand."""
    text = "".join(f"[a{number}]\n" for number in range(60_000))
    (tmp_path / "theirs.toml").write_text(text)
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "PRODUCT.toml").write_text(text)
    ended = conformance_here(tmp_path, *words)
    assert ended.returncode in (1, USAGE_ERROR)
    assert 1 <= ended.stderr.count(" unknown ") + ended.stdout.count(" unknown ") <= 50


# --- what is not a file ---------------------------------------------------------------------------


def no_file(path: Path) -> None:
    """Leave it out."""


def a_large_file(path: Path) -> None:
    """A file of more bytes than are read, which takes up no space."""
    with path.open("wb") as file:
        file.truncate(2 * regular_file.LARGEST * 4)


def a_forbidden_file(path: Path) -> None:
    """A file that nobody may read."""
    path.touch(0o000)


def a_long_name(path: Path) -> None:
    """A link to a name that no file can have."""
    path.symlink_to("x" * 300)


MADE: dict[str, tuple[Callable[[Path], Any], str]] = {
    "missing": (no_file, "No such file or directory"),
    "a folder": (Path.mkdir, "directory"),
    "a pipe": (os.mkfifo, "not a regular file"),
    "large": (a_large_file, "larger than"),
    "a long name": (a_long_name, ""),
    "forbidden": (a_forbidden_file, "Permission denied"),
}


UNREADABLE = [
    (reader, kind)
    for reader in READERS
    for kind in MADE
    # A finished run has no journal, and a log may be large.
    if reader not in ("journal", "log") or kind not in ("missing", "large")
]


@pytest.mark.skipif(sys.platform == "win32", reason="it has no pipes in folders")
@pytest.mark.parametrize(("reader", "kind"), UNREADABLE)
def test_what_is_not_a_readable_file_ends_in_one_line(
    reader: str, kind: str, folder: Path, tmp_path: Path
) -> None:
    """The line names it."""
    if kind == "forbidden" and os.geteuid() == 0:
        pytest.skip("root may read everything")
    name, words = READERS[reader]
    make, reason = MADE[kind]
    (folder / name).unlink(missing_ok=True)
    make(folder / name)
    rejected(conformance_here(tmp_path, *words), f"theirs/{name}", reason)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no pipes in folders")
@pytest.mark.parametrize("kind", ["missing", "a folder", "a pipe", "large"])
def test_a_key_of_a_vendor_that_is_no_file_ends_in_one_line(kind: str, tmp_path: Path) -> None:
    """A challenge is for a key that somebody has sent."""
    dsse.generate(tmp_path / "registrar")
    make, reason = MADE[kind]
    make(tmp_path / "vendor.pub")
    words = ("--key", "registrar", "--vendor", "vendor.pub", "challenge.json")
    rejected(conformance_here(tmp_path, "challenge", *words), "vendor.pub", reason)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of Unix")
def test_a_key_without_an_end_ends_in_one_line(tmp_path: Path) -> None:
    """A private key may come from a pipe, of which so much is read as a key may have."""
    words = ("--key", "/dev/zero", "challenge.json")
    rejected(conformance_here(tmp_path, "challenge", *words), "/dev/zero: not a private key")


@pytest.mark.skipif(sys.platform == "win32", reason="it has no pipes in folders")
@pytest.mark.parametrize("kind", ["missing", "a folder", "a pipe", "large"])
@pytest.mark.parametrize(
    "words",
    [
        ("run", "--target", "theirs.toml"),
        ("run", *QUICK, "--known-failures", "theirs.toml"),
        ("doctor", "--target", "theirs.toml"),
        ("fleet", "run", "theirs.toml"),
        ("selftest", "--also", "theirs.toml", "--list"),
        ("check-files", "theirs.toml"),
    ],
    ids=["target", "known failures", "doctor", "fleet", "selftest", "check-files"],
)
def test_what_is_no_file_of_toml_ends_in_one_line(
    words: tuple[str, ...], kind: str, tmp_path: Path
) -> None:
    """A `target.toml` of a clone may be a pipe, which nobody ever writes to."""
    make, reason = MADE[kind]
    make(tmp_path / "theirs.toml")
    ended = conformance_here(tmp_path, *words)
    if words[0] == "check-files":  # what is wrong is its result
        assert ended.returncode == NON_CONFORMANT
        ended.returncode = USAGE_ERROR
    rejected(ended, "theirs.toml", reason)


# --- reports --------------------------------------------------------------------------------------

FLAWS: dict[str, tuple[Edit, str]] = {
    "no level": (lambda r: r["requirements"][0].pop("level"), '/requirements/0: "level" is a'),
    "no id": (lambda r: r["requirements"][0].pop("id"), '/requirements/0: "id" is a required'),
    "null findings": (lambda r: r["requirements"][0].update(findings=None), "/findings: "),
    "no findings": (lambda r: r["requirements"][0].pop("findings"), '"findings" is a required'),
    "no verdict": (lambda r: r["requirements"][0].update(verdict="\x1b[2J"), "/verdict: "),
    "an endless run": (lambda r: r.update(duration=1e308), "/duration: the value is greater"),
    "countless exchanges": (lambda r: r["exchanges"].update(count=1e300), "/exchanges/count: "),
    "a count with a point": (lambda r: r["exchanges"].update(count=2.0), "/exchanges/count: "),
    "a long text as a count": (lambda r: r["exchanges"].update(count="7" * 10_000), "/count: "),
    "the end of time": (lambda r: r.update(started="9999-12-31T23:59:59+00:00"), "/started: "),
    "no time": (lambda r: r.update(started="2026-02-30T00:00:00+00:00"), "/started: "),
    "a leap second": (lambda r: r.update(started="2026-06-30T23:59:60Z"), "/started: "),
    "another format": (lambda r: r.update(format=2), "/format: "),
    "no host": (lambda r: r["target"].update({"base-url": "http://["}), "/target/base-url: "),
    "an exchange without a request": (
        lambda r: r["requirements"][0]["findings"][0]["exchanges"][0].pop("request"),
        '/requirements/0/findings/0/exchanges/0: "request" is a required',
    ),
    "a body that is not base64": (
        lambda r: _response(r).update(body={"base64": "a"}),
        "/response/body",
    ),
}


def _response(report: Any) -> Any:
    return report["requirements"][0]["findings"][0]["exchanges"][0]["response"]


@pytest.mark.parametrize("flaw", FLAWS)
@pytest.mark.parametrize("reader", ["compare", "replay", "report", "appeal", "baseline", "merge"])
def test_a_report_that_no_run_has_written_is_rejected(
    reader: str, flaw: str, folder: Path, tmp_path: Path
) -> None:
    """The line has the place, and no text of the report that could act on a terminal."""
    edit, place = FLAWS[flaw]
    report = a_report()
    edit(report)
    write(folder, "report.json", report)
    ended = conformance_here(tmp_path, *READERS[reader][1])
    rejected(ended, "theirs/report.json: not a report of this suite: ", place)
    assert "\x1b" not in ended.stderr


def test_what_a_later_version_has_added_is_ignored(folder: Path, tmp_path: Path) -> None:
    """Properties may be added within one format."""
    report = a_report(further={"a": 1})
    report["requirements"][0]["further"] = report["suite"]["further"] = "text"
    write(folder, "report.json", report)
    assert conformance_here(tmp_path, "compare", "theirs", "theirs").returncode == CONFORMANT


VALUES: tuple[Any, ...] = (
    None,
    -1,
    1e308,
    0.5,
    2**63,
    "",
    "{",
    "http://[",
    "\x1b[2J",
    "x" * 3000,
    [],
    {},
    [[]],
)
LEFT_OUT = object()


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of a document; of an array, those in its first items."""
    if isinstance(value, dict):
        held: list[tuple[Any, Any]] = list(value.items())
    else:
        held = list(enumerate(value[:2])) if isinstance(value, list) else []
    for name, child in held:
        yield (*path, name)
        yield from _places(child, (*path, name))


def _edited(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    edited = copy.deepcopy(document)
    holder = edited
    for name in path[:-1]:
        holder = holder[name]
    if value is LEFT_OUT:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return edited


def test_whatever_a_schema_accepts_can_be_rendered(folder: Path, tmp_path: Path) -> None:
    """Each place of a report has another value: it is rejected, or every format shows it."""
    report = a_report()
    report["requirements"] = report["requirements"][:4]
    formats = "junit,allure,har,ctrf,earl,sarif,markdown,gitlab,badge,badge-svg,html"
    accepted = 0
    values = (*VALUES, LEFT_OUT)
    for number, path in enumerate(_places(report)):
        write(folder, "report.json", _edited(report, path, values[number % len(values)]))
        try:
            previous.load(folder)
        except previous.PreviousError:
            continue
        accepted += 1
        ended = conformance_here(tmp_path, "report", "theirs", "--report", formats)
        shown = f"{path} {values[number % len(values)]!r:.40}: {ended.stderr}"
        assert ended.returncode in (CONFORMANT, INTERRUPTED), shown
    assert accepted > 20


MARKUP = '"><img src=x onerror=a()><script>a()</script>|\n::error::x\x1b[2J'


def test_no_text_of_a_report_is_markup_or_a_command(folder: Path, tmp_path: Path) -> None:
    """With markup behind each text in turn, the report is rejected, or it is a text everywhere."""
    report = a_report(budgets=[{"budget": "max-time", "count": 1}])
    report["requirements"] = report["requirements"][:2]
    accepted = 0
    for path in _places(report):
        text = functools.reduce(operator.getitem, path, report)
        if not isinstance(text, str):
            continue
        write(folder, "report.json", _edited(report, path, text + MARKUP))
        ended = conformance_here(tmp_path, "report", "theirs", "--report", "markdown,html")
        assert ended.returncode in (CONFORMANT, INTERRUPTED, USAGE_ERROR), (path, ended.stderr)
        assert "\x1b" not in ended.stdout + ended.stderr, path
        assert "\n::error" not in ended.stdout + ended.stderr, path
        if ended.returncode != USAGE_ERROR:
            accepted += 1
            harmless((folder / "report.html").read_text())
            summary = (
                MarkdownIt("commonmark").enable("table").render((folder / "summary.md").read_text())
            )
            assert not {"img", "script"} & {tag for tag, _ in Elements(summary).found}, path
    assert accepted > 20


# --- journals, logs and shards --------------------------------------------------------------------

NOTES = {
    "a number of rejections": ["rejected", "", "many"],
    "a rate": ["requests-per-second", "", 1e308],
    "the moment of an absence": ["absence", "soon", 1.0],
    "the length of an absence": ["absence", "1.5", None],
    "the names of a build": ["build", "", {"server": 1}],
}
"""Observations that are added up, of another form than a run writes."""

KNOWN: dict[str, Any] = {
    "requirement": "a/b",
    "operation": None,
    "reason": "r",
    "expires": None,
    "is_gap": False,
}
JOURNAL_FLAWS: dict[str, tuple[int, Edit, str]] = {
    "no suite": (0, lambda line: line["about"].pop("suite"), '/about: "suite" is a required'),
    "no revision": (0, lambda line: line["about"]["suite"].update(revision="x"), "'x'"),
    "no failures": (0, lambda line: line.update(known=[{"requirement": 1}]), "/known/0"),
    "no day": (0, lambda line: line.update(known=[{**KNOWN, "expires": "0000-01-01"}]), "/expires"),
    "no item": (1, lambda line: line.pop("item"), 'line 2: the whole: "item"'),
    "huge counts": (1, lambda line: line.update(exchanges=1e300), "line 2: /exchanges"),
    "huge times": (1, lambda line: line.update(elapsed={"x": [1e308]}), "line 2: /elapsed/x/0"),
    "null findings": (1, lambda line: line.update(findings=None), "line 2: /findings"),
    "an observation of two": (1, lambda line: line.update(observations=[["a", "b"]]), "/0: "),
    "a budget without a count": (
        1,
        lambda line: line.update(observations=[["budget", "x", "y"]]),
        "line 2: /observations/0/2",
    ),
    "an approval without a key": (
        1,
        lambda line: line.update(observations=[["ledger", "x", {}]]),
        "line 2: /observations/0/2",
    ),
}


@pytest.mark.parametrize("flaw", JOURNAL_FLAWS)
def test_a_journal_that_no_run_has_written_is_rejected(
    flaw: str, shard: Path, tmp_path: Path
) -> None:
    """Of an interrupted run, and of a shard."""
    number, edit, place = JOURNAL_FLAWS[flaw]
    lines = read(shard, SHARD)
    edit(lines[number])
    write(shard, SHARD, *lines)
    # Where a revision is unknown, a merge names the folder.
    expected = () if flaw == "no revision" else (f"{SHARD}: not the journal of a run", place)
    rejected(conformance_here(tmp_path, "merge", shard, "--report-dir", "out"), *expected)
    (shard / SHARD).rename(shard / JOURNAL)
    rejected(conformance_here(tmp_path, "report", shard), str(shard / JOURNAL), place)


@pytest.mark.parametrize("note", NOTES)
def test_a_note_of_another_form_is_rejected(note: str, shard: Path, tmp_path: Path) -> None:
    """What is added up has the types that a sum needs."""
    lines = read(shard, SHARD)
    lines[1]["observations"] = [NOTES[note]]
    write(shard, JOURNAL, *lines)
    rejected(conformance_here(tmp_path, "report", shard), "line 2: /observations/0/")


SHARD_FLAWS: dict[str, tuple[str, Edit]] = {
    "no base URL": ("target.json", lambda value: value.pop("base-url")),
    "numbers as ids": (
        "target.json",
        lambda value: value["fixtures"].update({"approvable-reviews": [7]}),
    ),
    "no source": ("run.json", lambda value: value.pop("source")),
    "no list": ("run.json", lambda value: value.update(required="read")),
    "an endless run": ("run.json", lambda value: value.update(duration=1e308)),
    "very many shards": ("report.json", lambda value: value["suite"]["shard"].update(of=2**53)),
}


@pytest.mark.parametrize("flaw", SHARD_FLAWS)
def test_a_shard_that_no_run_has_written_is_rejected(
    flaw: str, shard: Path, tmp_path: Path
) -> None:
    """The line names the file and the place."""
    name, edit = SHARD_FLAWS[flaw]
    (value,) = read(shard, name)
    edit(value)
    write(shard, name, value)
    rejected(conformance_here(tmp_path, "merge", shard, "--report-dir", "out"), f"{name}: not ")


def test_an_odd_line_of_a_log_does_not_end_a_merge_otherwise(shard: Path, tmp_path: Path) -> None:
    """The log is copied line by line."""
    write(shard, "exchanges.jsonl", {"id": "a#1"})
    words = ("merge", shard, "--report-dir", "out")
    rejected(conformance_here(tmp_path, *words), "exchanges.jsonl: not the log of a run: line 1: ")


@pytest.mark.parametrize(
    "words", [("merge", "shard", "--report-dir", "out"), ("report", "shard", "--report", "har")]
)
def test_a_line_of_a_log_without_an_end_ends_a_command(
    words: tuple[str, ...], shard: Path, tmp_path: Path
) -> None:
    """The line names the file, which takes up no space."""
    (shard / "exchanges.jsonl").unlink()
    a_large_file(shard / "exchanges.jsonl")
    rejected(conformance_here(tmp_path, *words), "shard/exchanges.jsonl: a line of more than ")


def test_an_interrupted_run_that_is_none_is_not_resumed(shard: Path, tmp_path: Path) -> None:
    """The line names what is wrong."""
    (shard / SHARD).rename(shard / JOURNAL)
    (shard / "ledger.jsonl").write_text('["review", {}]\n')
    ended = conformance_here(tmp_path, "run", *QUICK, "--resume", shard)
    rejected(ended, "no interrupted run is in it", "ledger.jsonl: not the ledger of a run")


def test_an_archive_has_few_of_the_blanks_at_the_end_of_a_body(folder: Path) -> None:
    """A log may ask for any number of them."""
    body = {"text": "{}", "padding": 10**12}
    exchange = an_exchange(response={"status": 200, "headers": [], "body": body})
    write(folder, "exchanges.jsonl", exchange)
    written = json.loads(har.render(a_report(), [exchange]))
    (entry,) = written["log"]["entries"]
    assert len(entry["response"]["content"]["text"]) == har.MOST_PADDING + 2


# --- archives and certificates --------------------------------------------------------------------

ENTRY: dict[str, Any] = {
    "time": 1,
    "request": {"method": "GET", "url": f"{AT[1]}/account", "headers": []},
    "response": {"status": 200, "headers": [], "content": {"text": "e30=", "encoding": "base64"}},
}
ARCHIVE_FLAWS: dict[str, tuple[Edit, str]] = {
    "no entries": (lambda archive: archive["log"].update(entries=None), "/log/entries: "),
    "no status": (lambda archive: _entry(archive)["response"].pop("status"), '"status" is a'),
    "a text as status": (lambda archive: _entry(archive)["response"].update(status="200"), ""),
    "a huge status": (lambda archive: _entry(archive)["response"].update(status=10**12), ""),
    "a number as URL": (lambda archive: _entry(archive)["request"].update(url=7), "/request/url"),
    "no host": (lambda archive: _entry(archive)["request"].update(url="http://[/v1"), "/url: "),
    "odd headers": (lambda archive: _entry(archive)["request"].update(headers=[7]), "/headers/0"),
    "an odd body": (
        lambda archive: _entry(archive)["response"]["content"].update(text="é"),
        "not base64",
    ),
    "a huge time": (lambda archive: _entry(archive).update(time=1e308), "/time: "),
}


def _entry(archive: Any) -> Any:
    return archive["log"]["entries"][0]


@pytest.mark.parametrize("flaw", ARCHIVE_FLAWS)
def test_an_archive_that_is_none_is_rejected(flaw: str, tmp_path: Path) -> None:
    """The line has the place."""
    archive = {"log": {"entries": [copy.deepcopy(ENTRY)]}}
    edit, place = ARCHIVE_FLAWS[flaw]
    edit(archive)
    write(tmp_path, "traffic.har", archive)
    rejected(conformance_here(tmp_path, "judge", "traffic.har", *AT), "traffic.har: ", place)


def test_an_archive_may_leave_out_what_there_is_not(tmp_path: Path) -> None:
    """Some programs write null."""
    entry = copy.deepcopy(ENTRY)
    entry["request"]["postData"] = entry["time"] = entry["response"]["content"]["text"] = None
    write(tmp_path, "traffic.har", {"log": {"entries": [entry]}})
    ended = conformance_here(tmp_path, "judge", "traffic.har", *AT, "--json")
    assert json.loads(ended.stdout)["exchanges"] == 1


MOST_MEMORY = 300
"""MiB of a command that reads an archive of 20 MB."""


def test_a_body_of_many_values_in_an_archive_is_not_parsed(tmp_path: Path) -> None:
    """Each value takes up many times its bytes: what a run would not read is not judged either."""
    entry = copy.deepcopy(ENTRY)
    entry["response"]["content"] = {"text": "[" + "0," * 10_000_000 + "0]"}
    write(tmp_path, "traffic.har", {"log": {"entries": [entry]}})
    done = measured(tmp_path, "judge", "traffic.har", *AT)
    assert "only status and headers are checked" in done.output
    assert done.memory < MOST_MEMORY


def test_very_many_entries_of_an_archive_take_little_memory(tmp_path: Path) -> None:
    """Though each violates several requirements: a report shows a few of them."""
    entries = []
    for number in range(25_000):
        entry = copy.deepcopy(ENTRY)
        entry["request"]["url"] = f"{AT[1]}/projects/0b0e7a52-3f6c-4d1e-9a55-{number:012}"
        entry["response"]["headers"] = [{"name": "date", "value": str(number)}]
        entries.append(entry)
    write(tmp_path, "traffic.har", {"log": {"entries": entries}})
    done = measured(tmp_path, "judge", "traffic.har", *AT)
    assert "25,000 exchanges of the API" in done.output
    assert done.memory < 250


@pytest.mark.parametrize("message", ["request", "response"])
def test_very_many_headers_of_a_message_end_in_one_line(message: str, tmp_path: Path) -> None:
    """Each finding of it would be searched for credentials."""
    entry = copy.deepcopy(ENTRY)
    entry[message]["headers"] = [{"name": f"x-{n}", "value": "y"} for n in range(100_000)]
    write(tmp_path, "traffic.har", {"log": {"entries": [entry]}})
    done = conformance_here(tmp_path, "judge", "traffic.har", *AT)
    rejected(done, "traffic.har: a message has more than 1,000 headers")


MANY = b"[" + b",".join([b"[]"] * 900_000) + b"]"
LARGE_FLAWS = {
    "a list": (MANY, "the whole: "),
    "a log of a list": (b'{"log": %b}' % MANY, "/log: "),
    "no entries": (b'{"log": {"pages": %b}}' % MANY, '/log: "entries" is a required property'),
    "entries of an object": (b'{"log": {"entries": {"a": %b}}}' % MANY, "/log/entries: "),
    "an entry without a response": (
        b'{"log": {"entries": [{"request": %b}]}}' % MANY,
        "/log/entries/0: no entry, and too large to say why",
    ),
}


@pytest.mark.parametrize("flaw", LARGE_FLAWS)
def test_a_fault_at_a_large_value_of_an_archive_takes_little_memory(
    flaw: str, tmp_path: Path
) -> None:
    """The error of a validator has a copy of it."""
    content, reason = LARGE_FLAWS[flaw]
    (tmp_path / "traffic.har").write_bytes(content)
    rejected(conformance_here(tmp_path, "judge", "traffic.har", *AT), "traffic.har: ", reason)


@pytest.mark.parametrize("days", [10**12, 0, -1, 1.5, True, "365", None])
def test_a_certificate_holds_for_a_number_of_days(days: Any) -> None:
    """Ten years at most: no date is beyond all calendars."""
    stated = {**revisions.document(revisions.latest()), "valid-days": days}
    content = orjson.dumps(stated, option=orjson.OPT_INDENT_2)
    with pytest.raises(Malformed, match="valid-days must be an integer"):
        _ = Evidence({"revision.json": content}).revision


@pytest.mark.parametrize("name", [published.JOURNAL, published.RUN, published.SNAPSHOT])
def test_what_a_run_writes_satisfies_the_published_schemas(name: str, shard: Path) -> None:
    """Its journal, and what it was asked for."""
    files = {published.JOURNAL: SHARD, published.RUN: "run.json", published.SNAPSHOT: "target.json"}
    first, *records = read(shard, files[name])
    assert published.read(orjson.dumps(first), name) == first
    for record in records:
        assert published.read(orjson.dumps(record), published.RECORD) == record
