"""Commands at a real target that repeats the key in escapes: what they print and write."""

import html
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from echoing_target import ENCODINGS
from escaping_target import WAYS, escaping
from process import COMMAND, conformance, surroundings

from conformance.commands import notes
from conformance.contract.exit_codes import NON_CONFORMANT
from conformance.http.redaction import Redactor
from conformance.http.secrecy import guarded, protect
from conformance.report import artefacts
from conformance.target.profile import parse

REPORTS = "reports/latest"
ALL = ",".join(artefacts.FORMATS)
NUMBER = re.compile(r"\\+(?:u|x)\{?00([0-9a-f]{2})|\\+x([0-9a-f]{2})|\\+([01][0-7]{2})")


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The key of the target, and a folder with its profile."""
    folder = tmp_path_factory.mktemp("escaping")
    with escaping(folder) as key:
        yield key, folder


@pytest.fixture(scope="module")
def finished(target: tuple[str, Path]) -> subprocess.CompletedProcess[str]:
    """A run of the target on GitHub, with all formats, and with styles on its output."""
    _, folder = target
    return conformance(
        folder,
        *("run", "--target", "target.toml", "--show-all"),
        *("--max-requests", 600, "--report", ALL, "--report-dir", REPORTS),
        FORCE_COLOR="1",
        GITHUB_ACTIONS="true",
        GITHUB_STEP_SUMMARY=str(folder / "step.md"),
    )


def decoded(text: str) -> str:
    """A text without any escape in it, by a way of its own."""
    for _ in range(6):
        plain = re.sub(r"\x1b\[[0-9;]*m", "", html.unescape(unquote(text)))
        text = NUMBER.sub(_character, plain)
    return text


def _character(number: re.Match[str]) -> str:
    if number[3]:
        return chr(int(number[3], 8))
    return chr(int(number[1] or number[2], 16))


def shown(key: str, text: str) -> list[str]:
    """The parts of a key that are in a text: its beginning, middle and end."""
    plain = decoded(text)
    parts = (key[:10], key[12:24], key[20:32], key[-10:])
    return [part for part in parts if part in text or part in plain]


def test_the_key_is_not_on_the_terminal(
    target: tuple[str, Path], finished: subprocess.CompletedProcess[str]
) -> None:
    """The run fails, and shows the places where the key was, by the name of its variable."""
    key, _ = target
    assert finished.returncode == NON_CONFORMANT, finished.stderr
    assert shown(key, finished.stdout) == shown(key, finished.stderr) == []
    assert finished.stdout.count("$PRIMARY_API_KEY") > len(WAYS)
    assert "\n::error " in finished.stdout


@pytest.mark.parametrize("name", [*(each.file for each in artefacts.FORMATS.values()), "step.md"])
def test_the_key_is_in_no_file_of_a_format(
    target: tuple[str, Path], finished: subprocess.CompletedProcess[str], name: str
) -> None:
    """Also not in the summary of the job."""
    key, folder = target
    assert finished.returncode == NON_CONFORMANT
    path = folder / name if name == "step.md" else folder / REPORTS / name
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    assert files
    assert [file.name for file in files if shown(key, file.read_text(encoding="utf-8"))] == []


def test_the_key_is_in_no_other_file(
    target: tuple[str, Path], finished: subprocess.CompletedProcess[str]
) -> None:
    """The last scan has nothing left to mask, and the log names the variable."""
    key, folder = target
    assert finished.returncode == NON_CONFORMANT
    for name in ("report.json", "exchanges.jsonl", "target.json", "run.json"):
        text = (folder / REPORTS / name).read_text(encoding="utf-8")
        assert shown(key, text) == [], name
    assert "$PRIMARY_API_KEY" in (folder / REPORTS / "exchanges.jsonl").read_text("utf-8")
    assert "masked" not in json.loads((folder / REPORTS / "report.json").read_bytes())


@pytest.mark.parametrize(
    "command",
    [
        ("doctor", "--target", "target.toml"),
        ("doctor", "--target", "target.toml", "--json"),
        ("replay", REPORTS, "--target", "target.toml"),
        ("report", REPORTS, "--show-all"),
        ("run", "--target", "target.toml", "--max-requests", "100", "--json", "--report-dir", "b"),
    ],
    ids=lambda command: " ".join(command[:1] + command[3:4]),
)
def test_the_key_is_in_the_output_of_no_command(
    target: tuple[str, Path],
    finished: subprocess.CompletedProcess[str],
    command: tuple[str, ...],
) -> None:
    """Each prints something of the target, or of its responses."""
    key, folder = target
    assert finished.returncode == NON_CONFORMANT
    base_url = json.loads((folder / REPORTS / "report.json").read_bytes())["target"]["base-url"]
    done = conformance(folder, *(base_url if word == "BASE" else word for word in command))
    assert done.stdout
    assert shown(key, done.stdout) == shown(key, done.stderr) == []


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "JSON"])
def test_the_keys_of_an_archive_are_not_printed(
    target: tuple[str, Path],
    finished: subprocess.CompletedProcess[str],
    options: tuple[str, ...],
) -> None:
    """It holds them as they were sent: `judge` knows them from the headers of the requests."""
    key, folder = target
    assert finished.returncode == NON_CONFORMANT
    archive = (folder / REPORTS / "exchanges.har").read_text(encoding="utf-8")
    sent = archive.replace('"$PRIMARY_API_KEY"', f'"{key}"')
    echo = ENCODINGS["percent in part"](key)
    (folder / "sent.har").write_text(sent.replace("$PRIMARY_API_KEY", echo), encoding="utf-8")
    base_url = json.loads((folder / REPORTS / "report.json").read_bytes())["target"]["base-url"]
    done = conformance(folder, "judge", "sent.har", "--base-url", base_url, *options)
    assert "$SECRET" in done.stdout, done.stderr
    assert shown(key, done.stdout) == shown(key, done.stderr) == []


def test_init_writes_no_key_into_the_profile(target: tuple[str, Path]) -> None:
    """It has the key from the environment."""
    key, folder = target
    base_url = json.loads((folder / REPORTS / "report.json").read_bytes())["target"]["base-url"]
    options = ("init", "found.toml", "--base-url", base_url)
    done = conformance(folder, *options, LOCALIZATION_API_KEY=key)
    written = folder / "found.toml"
    texts = [done.stdout, done.stderr, *([written.read_text("utf-8")] if written.exists() else [])]
    assert any(texts)
    assert [text for text in texts if shown(key, text)] == []


def test_the_face_of_pytest_shows_no_key(target: tuple[str, Path]) -> None:
    """Also not in what a library has logged."""
    key, folder = target
    command = [
        *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--pyargs"),
        *("conformance.suite", "--target", "target.toml", "--report-dir", "c", "-rA"),
        *("--max-requests", "60", "--log-level", "DEBUG"),
    ]
    done = subprocess.run(
        command,
        cwd=folder,
        env=surroundings(),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert "$PRIMARY_API_KEY" in done.stdout, done.stdout[-2000:] + done.stderr
    assert shown(key, done.stdout) == shown(key, done.stderr) == []


def test_a_secret_in_pieces_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Pieces of a line, styles within it, lines at once, and a line without an end."""
    key = "lk_0addf1b2454eb765f07ec27d737c795094795219"
    with guarded():
        protect({key: "$KEY"})
        sys.stdout.write(f"one {key[:7]}")
        sys.stdout.write(f"{key[7:]} end\n")
        sys.stdout.writelines([f"two \x1b[1m{key[:20]}\x1b[0m\x1b[2m{key[20:]}\x1b[0m\n", "x\n"])
        sys.stderr.write(f"three {key}")
        sys.stderr.flush()
        printed = capsys.readouterr()
        assert printed.out == "one $KEY end\ntwo \x1b[1m$KEY\x1b[0m\nx\n"
        assert printed.err == "three $KEY"
        sys.stdout.write(f"four {key[:25]}…")
    assert capsys.readouterr().out == "four $KEY…"


def test_a_traceback_shows_no_secret(target: tuple[str, Path]) -> None:
    """An internal error of a command is printed with what it was about."""
    key, folder = target
    program = (
        "import sys; from conformance import __main__ as command; "
        "from conformance.commands import schema; from conformance.http import secrecy\n"
        "def run(_):\n"
        "    secrecy.protect({sys.argv[1]: '$KEY'})\n"
        "    raise ValueError(''.join(f'\\\\x{ord(each):02x}' for each in sys.argv[1]))\n"
        "schema.run = run\n"
        "sys.exit(command.main(['schema', 'report']))"
    )
    done = subprocess.run(
        [COMMAND[0], "-c", program, key],
        cwd=folder,
        env=surroundings(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "ValueError: $KEY" in done.stderr
    assert shown(key, done.stdout + done.stderr) == []


def test_a_command_without_a_profile_prints_no_key_of_the_environment(
    target: tuple[str, Path],
) -> None:
    """`diff` sends no credential; the target knows the key all the same."""
    key, folder = target
    profile = tomllib.loads((folder / "target.toml").read_text(encoding="utf-8"))
    for options in ((), ("--json",)):
        url = profile["description"]["url"]
        done = conformance(folder, "diff", url, *options, LOCALIZATION_API_KEY=key)
        assert done.stdout + done.stderr
        assert shown(key, done.stdout) == shown(key, done.stderr) == []


LONG_SECRET = "a-secret-key-" * 6_000
ADDRESS = "http://127.0.0.1:9/v1"
READERS = {
    "run": ("--target", "target.toml"),
    "doctor": ("--target", "target.toml"),
    "init": ("--base-url", ADDRESS, "found.toml"),
    "check-files": ("target.toml",),
}


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("secret", [LONG_SECRET, "a-secret-key\nX: 1"], ids=["long", "lines"])
def test_a_secret_that_no_header_carries_is_not_shown(
    secret: str, command: str, tmp_path: Path
) -> None:
    """Neither it nor its length: one line names its place, and nothing is sent."""
    profile = {"base-url": ADDRESS, "credentials.primary.api-key": secret}
    lines = (f"{key} = {json.dumps(value)}\n" for key, value in profile.items())
    (tmp_path / "target.toml").write_text("".join(lines))
    done = conformance(tmp_path, command, *READERS[command], LOCALIZATION_API_KEY=secret)
    (said,) = (done.stdout + done.stderr).strip().splitlines()
    assert done.returncode in (1, 4)
    assert "credentials.primary.api-key" in said
    assert "no header" in said
    assert not any(each in said for each in ("a-secret", f"{len(LONG_SECRET):,}"))


@pytest.mark.parametrize("key", ["e", "10", "zq7", "true", "items", "account"])
def test_a_secret_that_occurs_by_chance_replaces_no_text(key: str) -> None:
    """Otherwise nothing of a report would be left; a note names its variable, and not the key."""
    text = f'{{"items": [], "approvable": true, "id": "e10-zq7", "account": "{key}"}}'
    assert Redactor({key: "$KEY"}).text(text) == text
    profile = {"credentials": {"primary": {"api-key": key}}}
    (note,) = notes.chance_secrets(parse(profile, base_url="http://api.test/v1", environ={}))
    assert "PRIMARY_API_KEY" in note
    assert f" {key} " not in note


@pytest.mark.parametrize("key", ["q7w8", "lk_9z1", "a-longer-key"])
def test_a_secret_that_is_no_word_needs_no_note(key: str) -> None:
    """It is replaced."""
    assert Redactor({key: "$KEY"}).text(f"the {key}") == "the $KEY"
    profile = {"credentials": {"primary": {"api-key": key}}}
    assert not [*notes.chance_secrets(parse(profile, base_url="http://api.test/v1", environ={}))]
