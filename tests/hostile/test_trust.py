"""A profile that somebody else has written runs no command and gets no variable unasked."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import live_server
import pytest
from asked import answered
from process import conformance, report

from conformance.reference import Reference, target
from conformance.target import demands, trust
from conformance.target.demands import Demands, Origin
from conformance.target.profile import demands_of

DEAD = "http://127.0.0.1:9/v1"
KEY = "a-key-of-the-environment-0123"
FLEET = (
    '[[target]]\nname = "one"\nretries = 0\nprofile = "target.toml"\nclasses = ["description"]\n'
)
SAMPLE = Path(__file__).parents[2] / "reports" / "sample" / "mutant"
QUICK = ("--class", "description")


def clone(folder: Path, command: str = '["./token"]', base_url: str = DEAD) -> Path:
    """A folder as a stranger's repository has it; its command leaves `ran`."""
    token = folder / "token"
    token.write_text("#!/bin/sh\ntouch ran\necho a-token-0123456789\n")
    token.chmod(0o755)
    text = f'base-url = "{base_url}"\n[credentials.primary]\nbearer = {{ command = {command} }}\n'
    (folder / "target.toml").write_text(text)
    (folder / "fleet.toml").write_text(FLEET)
    return folder


def sending(folder: Path, base_url: str, variable: str) -> Path:
    """A folder whose profile sends a variable."""
    text = f'base-url = "{base_url}"\n[credentials.primary]\napi-key = "${{{variable}}}"\n'
    (folder / "target.toml").write_text(text)
    (folder / "fleet.toml").write_text(FLEET)
    return folder


class Listener(ThreadingHTTPServer):
    """A server of a stranger, and the keys that it gets."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Receiving)
        self.keys: set[str] = set()


class Receiving(BaseHTTPRequestHandler):
    """Takes every key, and serves nothing."""

    server: Listener

    def do_GET(self) -> None:
        """Note the key."""
        self.server.keys.add(self.headers.get("x-api-key", ""))
        self.send_response(401)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def stranger() -> Iterator[Listener]:
    """A server of a stranger."""
    with Listener() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(autouse=True)
def nothing_allowed(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each test begins with a user who has allowed nothing."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


COMMANDS = {
    "run": ("run", *QUICK),
    "run --target": ("run", *QUICK, "--target", "target.toml"),
    "doctor": ("doctor",),
    "doctor --json": ("doctor", "--json"),
    "doctor --target": ("doctor", "--target", "target.toml"),
    "replay": ("replay", str(SAMPLE)),
    "replay --target": ("replay", str(SAMPLE), "--target", "target.toml"),
    "verify --probe": ("verify", "--probe", "1", "--target", "target.toml", "certificate.zip"),
    "fleet run": ("fleet", "run", "fleet.toml"),
}
"""Every command that reads a profile, so that its target gets requests."""


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_command_of_a_profile_is_not_run_unasked(words: tuple[str, ...], tmp_path: Path) -> None:
    """Without a terminal that is a usage error with file, line, key and remedy."""
    done = conformance(clone(tmp_path), *words)

    assert (done.returncode, done.stdout) == (4, "")
    assert (
        "target.toml:3: credentials.primary.bearer.command is a command, and this file is not"
        " trusted: read the file, and add --trust if it may do that\n" in done.stderr
    )
    assert not (tmp_path / "ran").exists()


def test_a_command_that_a_template_has_taken_over_is_not_run_unasked(tmp_path: Path) -> None:
    """`init --template` sends nothing and asks nobody, so nobody has allowed the connection."""
    (tmp_path / "gateway.toml").write_text(
        '[connection]\nheaders = { "x-key" = { command = ["touch", "ran"] } }\n'
    )
    options = ("--template", "--base-url", DEAD, "--connection", "gateway.toml")
    assert conformance(tmp_path, "init", *options).returncode == 0

    done = conformance(tmp_path, "run", "--target", "target.toml", LOCALIZATION_API_KEY=KEY)
    assert done.returncode == 4
    assert "connection.headers.x-key.command is a command, and this file is not" in done.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_trust_runs_the_command_of_a_profile(words: tuple[str, ...], tmp_path: Path) -> None:
    """A fleet hands it on to its runs; it is not remembered."""
    conformance(clone(tmp_path), *words, "--trust")
    assert (tmp_path / "ran").exists()

    (tmp_path / "ran").unlink()
    assert conformance(tmp_path, *words).returncode == 4
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("table", "key"), [("fixtures.provision", "approvable-review"), ("fixtures", "reset")]
)
def test_the_command_of_a_provision_is_a_command(table: str, key: str, tmp_path: Path) -> None:
    """So is whatever else the schema of a profile has as the arguments of a command."""
    (tmp_path / "target.toml").write_text(
        f'base-url = "{DEAD}"\n[{table}]\n{key} = ["touch", "ran"]\n'
    )
    done = conformance(tmp_path, "run", *QUICK)

    assert done.returncode == 4
    assert f"target.toml:3: {table}.{key} is a command" in done.stderr


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "with workers"])
def test_pytest_runs_no_command_of_the_folder(options: tuple[str, ...], tmp_path: Path) -> None:
    """Nor does it with workers; with --trust it does."""
    suite = ("-p", "no:cacheprovider", "--pyargs", "conformance.suite.test_description", *options)
    done = pytest_in(clone(tmp_path), *suite)
    assert "credentials.primary.bearer.command is a command" in done
    assert not (tmp_path / "ran").exists()

    pytest_in(tmp_path, *suite, "--trust")
    assert (tmp_path / "ran").exists()


def pytest_in(folder: Path, *words: str) -> str:
    """The output of pytest in a folder."""
    command = [sys.executable, "-m", "pytest", "-q", *words]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "variable"),
    [
        (("run", *QUICK), "LOCALIZATION_API_KEY"),
        (("doctor",), "LOCALIZATION_API_KEY"),
        (("run", *QUICK, "--target", "target.toml"), "AWS_SECRET_ACCESS_KEY"),
        (("doctor", "--target", "target.toml"), "AWS_SECRET_ACCESS_KEY"),
        (("fleet", "run", "fleet.toml"), "AWS_SECRET_ACCESS_KEY"),
    ],
)
def test_a_variable_is_not_sent_unasked(
    words: tuple[str, ...], variable: str, stranger: Listener, tmp_path: Path
) -> None:
    """A found file gets none, a named one only those that are meant for this API."""
    folder = sending(tmp_path, f"http://127.0.0.1:{stranger.server_port}/v1", variable)
    done = conformance(folder, *words, **{variable: KEY})

    assert done.returncode == 4
    is_ours = variable.startswith("LOCALIZATION_")
    assert ("or add --trust" in done.stderr) is is_ours  # it is enough to name the file
    assert (
        f"target.toml:3: credentials.primary.api-key sends {variable} to an address" in done.stderr
    )
    assert (KEY in done.stdout + done.stderr, stranger.keys) == (False, set())

    conformance(folder, *words, "--trust", **{variable: KEY})
    assert KEY in stranger.keys


def test_a_named_file_says_where_variables_of_this_api_go(
    stranger: Listener, tmp_path: Path
) -> None:
    """So a job of a CI system that names its profile needs no other option."""
    folder = sending(tmp_path, f"http://127.0.0.1:{stranger.server_port}/v1", "LOCALIZATION_EU")
    done = conformance(folder, "run", "--target", "target.toml", *QUICK, LOCALIZATION_EU=KEY)

    assert "every operation" in done.stderr
    assert KEY in stranger.keys


def test_the_question_shows_what_would_run(tmp_path: Path) -> None:
    """Escaped, so that no part of a command hides; without a yes nothing runs."""
    hidden = json.dumps(["./token", "--a b", "\u202eevil\x1b[2K", "\n"])
    folder = clone(tmp_path, hidden)
    code, shown = answered(folder, "run", *QUICK, answer="", COLUMNS="400")

    assert "target.toml has not been used here:\r\n  runs   ./token '--a b' " in shown
    assert r"'\u202eevil\u001b[2K' '\n'  (credentials.primary.bearer.command, in " in shown
    assert f"to     {DEAD}\r\n" in shown
    assert (code, "not allowed, so nothing was run or sent" in shown) == (4, True)
    assert ("\x1b[2K" in shown, (tmp_path / "ran").exists()) == (False, False)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://api.example.com/v1", "https://api.example.com/v1"),
        ("https://\u0430pi.example.com/v1", "(xn--pi-6kc.example.com)"),
        ("https://api.example\u2024com/v1", "(api.example.com)"),
        ("https://[\u0430", "(https://[\\u0430)"),
    ],
)
def test_letters_that_only_look_like_others_are_shown(address: str, shown: str) -> None:
    """The host that gets a secret is spelled as the system looks it up."""
    stated = {"base-url": address, "credentials": {"primary": {"api-key": "${LOCALIZATION_KEY}"}}}
    found = demands.of(stated, Origin(Path("target.toml"), ""))
    (line,) = (each for each in found.described() if each.startswith("to "))
    assert line.endswith(shown)


def test_a_long_command_leaves_the_question_on_the_screen(tmp_path: Path) -> None:
    """It says how long the command is, which nobody would read there."""
    folder = clone(tmp_path, json.dumps(["./token", "x" * 100_000]))
    code, shown = answered(folder, "run", *QUICK, answer="n", COLUMNS="80")
    question = shown[shown.index("has not been used here") :]
    assert code == 4
    assert "characters)" in question
    assert len(question.splitlines()) < 24


@pytest.mark.parametrize("answer", ["n", "", "yess", "\x04"])
def test_whatever_is_no_clear_yes_is_a_no(answer: str, tmp_path: Path) -> None:
    """The end of the input, too."""
    code, _ = answered(clone(tmp_path), "doctor", answer=answer)
    assert (code, (tmp_path / "ran").exists()) == (4, False)


def test_what_was_typed_before_the_question_is_no_answer(tmp_path: Path) -> None:
    """Such as the next line of what somebody has pasted: nobody had seen the question."""
    code, _ = answered(clone(tmp_path), "doctor", answer="", before="yes\n")
    assert (code, (tmp_path / "ran").exists()) == (4, False)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_a_folder_whose_name_is_no_text_is_remembered(tmp_path: Path) -> None:
    """Its name stands in the memory as it is."""
    folder = tmp_path / os.fsdecode(b"\xff")
    folder.mkdir()
    assert "nothing responds" in answered(clone(folder), "doctor", answer="y")[1]
    assert "nothing responds" in conformance(folder, "doctor").stderr


def test_a_question_is_interrupted(tmp_path: Path) -> None:
    """Ctrl-C ends the command, though a run defers signals until it can leave a report."""
    code, _ = answered(clone(tmp_path), "run", *QUICK, answer="\x03")
    assert (code, (tmp_path / "ran").exists()) == (2, False)


def test_a_yes_is_remembered_until_the_demands_change(tmp_path: Path) -> None:
    """Other keys may change; another command, address or variable is asked for anew."""
    code, shown = answered(clone(tmp_path), "doctor", answer="y")
    assert (code, (tmp_path / "ran").exists()) == (4, True), shown  # nothing responds there

    profile = tmp_path / "target.toml"
    before = profile.read_text()
    profile.write_text(f"{before}[limits]\nconnections = 2\n")
    assert "nothing responds" in conformance(tmp_path, "doctor").stderr

    authority = before + '[connection]\nca = "ca.pem"\n'  # whose server may stand at the address
    others = [before.replace("./token", "touch"), before.replace(DEAD, "http://127.0.0.1:10/v1")]
    for other in (*others, authority):
        profile.write_text(other)
        assert "is not trusted" in conformance(tmp_path, "doctor").stderr


@pytest.mark.parametrize("named", ["list", "file"])
def test_a_yes_holds_for_the_reviews_that_may_be_approved(named: str, tmp_path: Path) -> None:
    """An approval cannot be undone; without the consent to approvals the list does not matter."""
    ids = [f"019c1347-d280-7ff6-b0a6-d1cd38dc75{number}" for number in (10, 11, 12, 13)]
    profile, listed = clone(tmp_path) / "target.toml", tmp_path / "reviews.txt"
    command = profile.read_text()

    def write(*reviews: str, consent: bool = True) -> None:
        listed.write_text("\n".join(reviews))
        stated = '{ file = "reviews.txt" }' if named == "file" else json.dumps(reviews)
        consented = "[consent]\napprove-reviews = true\n" if consent else ""
        profile.write_text(f"{command}[fixtures]\napprovable-reviews = {stated}\n{consented}")

    write(*ids)
    _, shown = answered(tmp_path, "doctor", answer="y", COLUMNS="400")
    assert f"may    approve 4 reviews: {', '.join(ids[:3])}, …\r\n" in shown
    write(*reversed(ids))
    assert "nothing responds" in conformance(tmp_path, "doctor").stderr
    write(*ids[:3], ids[0].replace("10", "14"))
    assert "is not trusted" in conformance(tmp_path, "doctor").stderr

    write(*ids, consent=False)
    answered(tmp_path, "doctor", answer="y")
    write(ids[0], consent=False)
    assert "nothing responds" in conformance(tmp_path, "doctor").stderr


def test_another_folder_is_asked_for_anew(tmp_path: Path) -> None:
    """The same text elsewhere runs another program."""
    here, there = (tmp_path / name for name in ("here", "there"))
    here.mkdir()
    there.mkdir()
    answered(clone(here), "doctor", answer="y")
    assert "is not trusted" in conformance(clone(there), "doctor").stderr
    # Its own path, but another folder: ./token is that of the folder where the run begins.
    again = conformance(there, "doctor", "--target", here / "target.toml")
    assert "is not trusted" in again.stderr


def test_an_answer_that_cannot_be_remembered_holds_once(tmp_path: Path) -> None:
    """A state folder that cannot be written stops nobody."""
    state = tmp_path / "state"
    state.write_text("a file")
    code, shown = answered(clone(tmp_path), "run", *QUICK, answer="y", XDG_STATE_HOME=str(state))
    assert (code, (tmp_path / "ran").exists()) == (4, True), shown
    assert "nothing responds" in shown


def test_a_profile_that_init_has_written_needs_no_question(
    stranger: Listener, tmp_path: Path
) -> None:
    """The user has just named the address; what somebody adds to it needs one."""
    base_url = f"http://127.0.0.1:{stranger.server_port}/v1"
    written = conformance(tmp_path, "init", "--template", "--base-url", base_url)
    assert written.returncode == 0, written.stderr
    conformance(tmp_path, "doctor", LOCALIZATION_API_KEY=KEY)
    assert KEY in stranger.keys

    profile = tmp_path / "target.toml"
    profile.write_text(profile.read_text() + '[credentials.expired]\napi-key = "${HOME}"\n')
    again = conformance(tmp_path, "doctor", LOCALIZATION_API_KEY=KEY)
    assert "sends LOCALIZATION_API_KEY, HOME to an address of this file" in again.stderr


def test_a_profile_that_demands_nothing_needs_no_question(tmp_path: Path) -> None:
    """Such as that of a sandbox, which holds its own secrets."""
    with live_server.instance(Reference()) as profile:
        (tmp_path / "target.toml").write_text(target.toml(profile))
        done = conformance(tmp_path, "run", *QUICK)
    assert done.returncode in (0, 5), done.stderr
    assert report(tmp_path)["target"]["profile"] == "target.toml"


def test_every_variable_counts_wherever_it_stands(tmp_path: Path) -> None:
    """In an address, an id, a name that a report repeats, or an argument."""
    (tmp_path / "target.toml").write_text(
        'base-url = "${A}"\n[product]\nname = "${B}"\n[fixtures]\napprovable-reviews = ["${C}"]\n'
        'provision.approvable-review = ["x", "${D}"]\n[parameters.video_list]\ncursor = "${E}"\n'
        "[consent]\napprove-reviews = true\n"
    )
    id = "019c1347-d280-7ff6-b0a6-d1cd38dc751c"
    environ = {"A": DEAD, "B": "b", "C": id, "D": "d", "E": "e"}
    demanded = demands_of(tmp_path / "target.toml", environ=environ)

    assert [each.words for each in demanded.variables] == [(name,) for name in "ABCDE"]
    assert (demanded.addresses, demanded.changes) == (("${A}",), ("consent.approve-reviews",))


def test_the_state_folder_is_that_of_the_xdg_specification(tmp_path: Path) -> None:
    """A relative path is ignored."""
    ours = ("localization-api-conformance", "trusted")
    usual = Path.home().joinpath(".local", "state", *ours)
    assert trust.state_folder({"XDG_STATE_HOME": str(tmp_path)}) == tmp_path.joinpath(*ours)
    assert trust.state_folder({"XDG_STATE_HOME": "here"}) == usual
    assert trust.state_folder({}) == usual


def test_a_relative_home_remembers_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It would be in the folder of whoever has made the profile, as would be a yes in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", ".")
    monkeypatch.setenv("USERPROFILE", ".")
    assert trust.state_folder({}) is None


def test_a_user_without_a_home_remembers_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing is trusted then, and nothing fails."""

    def no_home() -> Path:
        raise RuntimeError

    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(Path, "home", no_home)
    demanded = Demands(tmp_path / "target.toml", tmp_path, (), (), (DEAD,), ())
    assert (trust.remember(demanded), trust.is_remembered(demanded)) == (False, False)
