"""Links, pipes and folders in the place of files: nothing is written through or read behind them.

A report folder that a user names may itself be a link. What is in it may come from anybody.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hostile_server import broken
from process import conformance, conformance_here, surroundings
from sample_reports import EXCHANGES, a_report

from conformance.assurance.certificate import bundle
from conformance.assurance.certificate.bundle import Bundle
from conformance.contract.exit_codes import CONFORMANT, USAGE_ERROR
from conformance.fleet.site.build import Site
from conformance.report import artefacts, kept_shards
from conformance.report.artefacts import FORMATS
from conformance.report.exchange_log import ExchangeLog
from conformance.report.journal import JOURNAL
from conformance.report.ledger import LEDGER_FILE, Ledger
from conformance.report.run import Run
from conformance.runner import disk
from conformance.storage import fresh_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")

PRIVATE = "a private text\n"
EVERYTHING = ",".join(FORMATS)
FILES = tuple(each.file for each in FORMATS.values() if "." in each.file)
OF_A_RUN = (
    *("report.json", "run.json", "target.json", "exchanges.jsonl", "junit.xml", "report.html"),
    *(JOURNAL, LEDGER_FILE, "exchanges-main.jsonl", "unfinished.jsonl"),
)
AT = ("--base-url", "https://api.example.com/v1")
QUICK = ("run", "--reference", "--class", "description")


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """A file that no command has any business with."""
    path = tmp_path / "private.txt"
    path.write_text(PRIVATE)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a finished run, as somebody has sent it."""
    made = tmp_path / "theirs"
    made.mkdir()
    (made / "report.json").write_text(json.dumps(a_report()))
    (made / "exchanges.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in EXCHANGES))
    return made


def rejected(ended: Any, *words: str) -> None:
    """A command has ended with a usage error of one line that has these words."""
    assert ended.returncode == USAGE_ERROR, ended.stderr
    assert len(ended.stderr.splitlines()) == 1, ended.stderr
    assert all(word in ended.stderr for word in words), ended.stderr


# --- report folders -------------------------------------------------------------------------------


def test_no_report_is_written_through_the_name_of_a_temporary_file(
    folder: Path, private: Path, tmp_path: Path
) -> None:
    """No file that a report is written into has a name that anybody can know before."""
    for name in ("report.json", *FILES):
        (folder / f"{name}.new").symlink_to(private)
    ended = conformance_here(tmp_path, "report", folder, "--report", EVERYTHING)
    assert ended.returncode == CONFORMANT, ended.stderr
    assert private.read_text() == PRIVATE


@pytest.mark.parametrize("name", FILES)
def test_no_report_is_written_where_a_link_is(
    name: str, folder: Path, private: Path, tmp_path: Path
) -> None:
    """The message names the link; before anything is written."""
    (folder / name).symlink_to(private)
    ended = conformance_here(tmp_path, "report", folder, "--report", EVERYTHING)
    rejected(ended, f"{folder / name}: a link is in the way; remove it")
    assert private.read_text() == PRIVATE


def test_no_linked_folder_is_emptied(folder: Path, tmp_path: Path) -> None:
    """`allure-results` is a folder of its own, whose old files are deleted."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "old-result.json").write_text("{}")
    (folder / "allure-results").symlink_to(other)
    ended = conformance_here(tmp_path, "report", folder, "--report", "allure")
    rejected(ended, f"{folder / 'allure-results'}: a link is in the way")
    assert [path.name for path in other.iterdir()] == ["old-result.json"]


def test_an_old_link_among_the_results_is_deleted_and_not_followed(
    folder: Path, private: Path, tmp_path: Path
) -> None:
    """What it leads to stays."""
    results = folder / "allure-results"
    results.mkdir()
    (results / "old-result.json").symlink_to(private)
    ended = conformance_here(tmp_path, "report", folder, "--report", "allure")
    assert ended.returncode == CONFORMANT, ended.stderr
    assert not (results / "old-result.json").is_symlink()
    assert private.read_text() == PRIVATE


@pytest.mark.parametrize("name", ["report.json", "exchanges.jsonl", JOURNAL])
def test_no_linked_file_is_read(name: str, folder: Path, tmp_path: Path) -> None:
    """Its content could be published with the report."""
    kept = tmp_path / "kept"
    (folder / name).touch()
    (folder / name).rename(kept)
    (folder / name).symlink_to(kept)
    rejected(conformance_here(tmp_path, "report", folder, "--report", "har"), name, "a link")


@pytest.mark.parametrize("name", ["report.json", "exchanges.jsonl", JOURNAL, "exchanges.har"])
@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_what_is_not_a_file_is_named(name: str, kind: str, folder: Path, tmp_path: Path) -> None:
    """A pipe would never end."""
    (folder / name).unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(folder / name)
    else:
        (folder / name).mkdir()
    ended = conformance_here(tmp_path, "report", folder, "--report", "har")
    rejected(ended, str(folder / name))


@pytest.mark.parametrize("command", ["compare", "replay", "appeal", "merge"])
def test_a_pipe_does_not_hold_a_command(command: str, folder: Path, tmp_path: Path) -> None:
    """Nothing ever writes to it."""
    (folder / "report.json").unlink()
    os.mkfifo(folder / "report.json")
    words = {
        "compare": (folder, folder),
        "replay": (folder, *AT),
        "appeal": ("read/names", "--report", folder),
        "merge": (folder, "--report-dir", tmp_path / "out"),
    }[command]
    rejected(conformance_here(tmp_path, command, *words), "report.json: not a regular file")


def test_the_folder_that_a_user_names_may_be_a_link(folder: Path, tmp_path: Path) -> None:
    """Where it leads is the user's choice."""
    (tmp_path / "named").symlink_to(folder)
    ended = conformance_here(tmp_path, "report", tmp_path / "named", "--report", "junit")
    assert ended.returncode == CONFORMANT, ended.stderr
    assert (folder / "junit.xml").is_file()


def test_reports_beside_that_are_pipes_are_no_history(folder: Path, tmp_path: Path) -> None:
    """The page shows the earlier runs of the folders beside it."""
    beside = tmp_path / "beside"
    beside.mkdir()
    os.mkfifo(beside / "report.json")
    ended = conformance_here(tmp_path, "report", folder, "--report", "html")
    assert ended.returncode == CONFORMANT, ended.stderr


# --- runs -----------------------------------------------------------------------------------------


def test_a_run_writes_through_no_link_of_a_clone(private: Path, tmp_path: Path) -> None:
    """A repository may have links with the names of temporary files."""
    reports = tmp_path / "reports" / "latest"
    reports.mkdir(parents=True)
    for name in (JOURNAL, "exchanges.jsonl", "report.json", "run.json", "target.json", *FILES):
        (reports / f"{name}.new").symlink_to(private)
    (reports / "exchanges-main.jsonl").hardlink_to(private)
    ended = conformance_here(tmp_path, *QUICK)
    assert ended.returncode == CONFORMANT, ended.stderr
    assert private.read_text() == PRIVATE


@pytest.mark.parametrize("name", OF_A_RUN)
def test_a_run_does_not_begin_where_a_link_is_in_the_way(
    name: str, private: Path, tmp_path: Path
) -> None:
    """It would end without its report."""
    reports = tmp_path / "reports" / "latest"
    reports.mkdir(parents=True)
    (reports / name).symlink_to(private)
    rejected(conformance_here(tmp_path, *QUICK), f"{name}: a link is in the way; remove it")
    assert private.read_text() == PRIVATE


@pytest.mark.parametrize("name", ["reports", "reports/latest"])
def test_the_default_folder_is_no_link(name: str, tmp_path: Path) -> None:
    """Nobody has named it; the same link is accepted from --report-dir, in other words."""
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "clone" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "elsewhere")
    rejected(conformance_here(tmp_path / "clone", *QUICK), f"{name}: a link is in the way")
    for command in ("report", "merge"):
        words = (command, tmp_path) if command == "merge" else (command,)
        assert conformance_here(tmp_path / "clone", *words).returncode == USAGE_ERROR
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_plain_pytest_writes_through_no_link(private: Path, tmp_path: Path) -> None:
    """It has the same folder, and ends before the first request."""
    reports = tmp_path / "reports" / "latest"
    reports.mkdir(parents=True)
    (reports / "junit.xml").symlink_to(private)
    words = ("-p", "no:cacheprovider", "--pyargs", "conformance.suite", "--depth=standard")
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=tmp_path,
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == USAGE_ERROR, ended.stdout
    assert "junit.xml: a link is in the way" in ended.stdout + ended.stderr
    assert private.read_text() == PRIVATE


def test_the_ledger_and_the_log_are_files_of_their_own(private: Path, tmp_path: Path) -> None:
    """Also where they have a second name: what is appended would be there as well."""
    (tmp_path / LEDGER_FILE).hardlink_to(private)
    with pytest.raises(OSError, match="a link is in the way"):
        Ledger(tmp_path)
    (tmp_path / "exchanges-main.jsonl").hardlink_to(private)
    log = ExchangeLog(tmp_path / "exchanges-main.jsonl")
    log.write({"id": "a#1"})
    log.close()
    assert private.read_text() == PRIVATE


def test_shards_are_kept_in_folders_of_their_own(folder: Path, tmp_path: Path) -> None:
    """A link in the folder of the merged report leads nowhere."""
    for name in ("target.json", "run.json"):
        (folder / name).write_text("{}")
    merged, other = tmp_path / "merged", tmp_path / "other"
    other.mkdir()
    (merged / kept_shards.FOLDER).mkdir(parents=True)
    (merged / kept_shards.FOLDER / "1").symlink_to(other)
    with pytest.raises(OSError, match="a link is in the way"):
        kept_shards.keep(merged, {1: folder})
    assert list(other.iterdir()) == []
    artefacts.check(merged, ())


# --- other output ---------------------------------------------------------------------------------


def test_a_written_test_goes_through_no_link(folder: Path, private: Path, tmp_path: Path) -> None:
    """The file of `replay --write-test`."""
    (tmp_path / "test_it.py").symlink_to(private)
    ended = conformance_here(tmp_path, "replay", folder, "--write-test", "test_it.py", *AT)
    rejected(ended, "a link is in the way")
    assert private.read_text() == PRIVATE


def test_a_database_goes_through_no_link(tmp_path: Path) -> None:
    """That of `serve`: a link that leads nowhere is no free name."""
    (tmp_path / "data.db").symlink_to(tmp_path / "elsewhere")
    ended = conformance_here(tmp_path, "serve", "--db", "data.db")
    rejected(ended, "a link is in the way")
    assert not (tmp_path / "elsewhere").exists()


def test_no_folder_of_another_test_run_is_deleted(tmp_path: Path) -> None:
    """pytest keeps its latest three, and a run of several processes is a run of pytest."""
    environment = surroundings(PYTEST_DEBUG_TEMPROOT=str(tmp_path))
    command = [sys.executable, "-m", "conformance", *QUICK, "-n", "2"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, check=False, timeout=300)
    assert done.returncode == CONFORMANT
    assert not [each.name for each in tmp_path.iterdir() if each.name.startswith("pytest-")]


def test_a_certificate_goes_through_no_link(private: Path, tmp_path: Path) -> None:
    """Neither does any other file that is written at once."""
    (tmp_path / "certificate.zip").symlink_to(private)
    with pytest.raises(OSError, match="a link is in the way"):
        bundle.write(tmp_path / "certificate.zip", Bundle({}, {}, b""))
    assert private.read_text() == PRIVATE


@pytest.mark.parametrize("link", ["index.html", "targets"])
def test_the_site_of_a_fleet_goes_through_no_link(link: str, private: Path, tmp_path: Path) -> None:
    """Its files, and its folders."""
    out = tmp_path / "site"
    out.mkdir()
    (out / link).symlink_to(private.parent if link == "targets" else private)
    with pytest.raises(OSError, match="a link is in the way"):
        Site(out).write("index.html" if link == "index.html" else "targets/private.txt", b"x")
    assert private.read_text() == PRIVATE


# --- registries -----------------------------------------------------------------------------------

PRODUCT = 'vendor = "V"\nname = "N"\nversion = "1"\nwebsite = "https://example.com"\n'


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    """A registry with one submission, which has a product file only."""
    made = tmp_path / "registry"
    (made / "theirs").mkdir(parents=True)
    (made / "theirs" / "PRODUCT.toml").write_text(PRODUCT)
    return made


@pytest.mark.parametrize("name", ["certificate.zip", "signer.pub", "summary.json", "PRODUCT.toml"])
def test_what_a_submission_links_to_is_not_published(
    name: str, registry: Path, private: Path, tmp_path: Path
) -> None:
    """The submission is rejected, and its page has nothing of the private file."""
    (registry / "theirs" / name).unlink(missing_ok=True)
    (registry / "theirs" / name).symlink_to(private)
    ended = conformance_here(tmp_path, "registry", "build", registry, "--out", "site")
    assert ended.returncode == CONFORMANT, ended.stderr
    assert ended.stdout.startswith("rejected")
    written = [path.read_text() for path in (tmp_path / "site").rglob("*") if path.is_file()]
    assert written
    assert not any(PRIVATE.strip() in text for text in written)


@pytest.mark.parametrize("name", ["certificate.zip", "signer.pub", "summary.json"])
def test_what_is_too_large_to_be_read_is_not_published(
    name: str, registry: Path, tmp_path: Path
) -> None:
    """A file of holes takes up no place in an archive, and all of it on the site."""
    with (registry / "theirs" / name).open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    ended = conformance_here(tmp_path, "registry", "build", registry, "--out", "site")
    assert ended.stdout.startswith("rejected"), ended.stderr
    assert not (tmp_path / "site" / "theirs" / name).exists()


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="a system without it")
def test_the_environment_of_a_registrar_is_not_published(registry: Path, tmp_path: Path) -> None:
    """It may hold the secrets of a CI system."""
    for name in ("certificate.zip", "signer.pub", "summary.json"):
        (registry / "theirs" / name).symlink_to("/proc/self/environ")
    words = ("registry", "build", registry, "--out", "site")
    ended = conformance(tmp_path, *words, CI_SECRET="the-secret-of-the-registrar")
    assert ended.returncode == CONFORMANT, ended.stderr
    written = [path.read_bytes() for path in (tmp_path / "site").rglob("*") if path.is_file()]
    assert not any(b"the-secret-of-the-registrar" in content for content in written)


def test_what_takes_the_place_of_a_private_file_is_private(tmp_path: Path) -> None:
    """Nobody may read the new one who could not read the old one; nor is it wider than others."""
    for mode, expected in ((0o600, 0o600), (0o777, 0o644)):
        (tmp_path / "known.toml").touch()
        (tmp_path / "known.toml").chmod(mode)
        fresh_file.write(tmp_path / "known.toml", b"")
        assert (tmp_path / "known.toml").stat().st_mode & 0o777 == expected


def test_a_linked_folder_is_not_a_submission(registry: Path, tmp_path: Path) -> None:
    """Nothing of it is on the site."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "PRODUCT.toml").write_text(PRODUCT)
    (registry / "linked").symlink_to(tmp_path / "private")
    ended = conformance_here(tmp_path, "registry", "build", registry, "--out", "site", "--json")
    assert [each["name"] for each in json.loads(ended.stdout)["products"]] == ["theirs"]


@pytest.mark.parametrize("name", ["certificate.zip", "signer.pub", "PRODUCT.toml"])
def test_a_pipe_does_not_hold_a_registry(name: str, registry: Path, tmp_path: Path) -> None:
    """It is a fault of the submission."""
    (registry / "theirs" / name).unlink(missing_ok=True)
    os.mkfifo(registry / "theirs" / name)
    (registry / "theirs" / "certificate.zip").touch()
    ended = conformance_here(tmp_path, "registry", "check", registry / "theirs")
    assert ended.returncode == 1, ended.stderr
    assert f"{name}: not a regular file" in ended.stdout


@pytest.mark.parametrize("name", ["index.html", "theirs"])
def test_the_site_of_a_registry_goes_through_no_link(
    name: str, registry: Path, private: Path, tmp_path: Path
) -> None:
    """Also where the site is in the repository to which vendors send their submissions."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / name).symlink_to(private.parent if name == "theirs" else private)
    ended = conformance_here(tmp_path, "registry", "build", registry, "--out", "site")
    rejected(ended, f"{name}: a link is in the way")
    assert private.read_text() == PRIVATE


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_a_run_writes_to_the_folder_in_which_it_began(kind: str, tmp_path: Path) -> None:
    """Somebody puts a link, or another folder, in its place meanwhile."""
    folder, other = tmp_path / "reports/latest", tmp_path / "other"
    other.mkdir()
    (other / "report.json").write_text(PRIVATE)
    (other / "junit.xml").write_text(PRIVATE)

    def swap(_: str) -> None:
        if (folder / JOURNAL).exists() and other.exists():
            folder.rename(tmp_path / "moved")
            if kind == "link":
                folder.symlink_to(tmp_path / "swapped")
                other.rename(tmp_path / "swapped")
            else:
                other.rename(folder)

    with broken("http", lambda answer: answer.but(), swap) as profile:
        at = ("--base-url", profile["base-url"], "--class", "read", "--depth", "quick")
        key = profile["credentials"]["primary"]["api-key"]
        ended = conformance(tmp_path, "run", *at, LOCALIZATION_API_KEY=key)
    assert ended.returncode == USAGE_ERROR
    assert f"{folder}: another folder has taken its place" in ended.stderr
    assert "Traceback" not in ended.stderr
    written = tmp_path / "swapped" if kind == "link" else folder
    assert {path.name: path.read_text() for path in written.iterdir()} == {
        "report.json": PRIVATE,
        "junit.xml": PRIVATE,
    }


def test_a_run_writes_to_the_folder_that_it_has_locked(tmp_path: Path) -> None:
    """A link takes the place of the folder above it while the run still loads its checks."""
    folder = tmp_path / "reports" / "latest"
    folder.mkdir(parents=True)
    (tmp_path / "elsewhere" / "latest").mkdir(parents=True)
    with disk.locked(folder) as is_free:
        assert is_free
        folder.parent.rename(tmp_path / "moved")
        folder.parent.symlink_to(tmp_path / "elsewhere")
        about: Any = {"suite": {}, "target": {}, "started": ""}
        run = Run(folder, about, {}, complete=False)
        with pytest.raises(OSError, match="another folder has taken its place"):
            run.start_journal()
    assert list((tmp_path / "elsewhere" / "latest").iterdir()) == []


@pytest.mark.parametrize("command", [("registry", "build", "."), ("fleet", "report")])
def test_the_default_folder_of_a_site_is_no_link(command: tuple[str, ...], tmp_path: Path) -> None:
    """Nobody has named it: a repository of submissions, or a clone, may have brought it."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "clone").mkdir()
    (tmp_path / "clone" / "site").symlink_to(tmp_path / "elsewhere")
    rejected(conformance_here(tmp_path / "clone", *command), "site: a link is in the way")
    assert list((tmp_path / "elsewhere").iterdir()) == []
