"""Secrets from commands: successful commands, failures and renewals."""

import sys
import tomllib
from pathlib import Path

import pytest

from conformance.target import profile, snapshot
from conformance.target.profile_file import ProfileError
from conformance.target.target import Target, secret_flaw
from conformance.target.token import RETRY_SECONDS, Token, TokenCommand, TokenError

URL = "https://api.example.com/v1"
COUNTING = """
import pathlib, sys
counter = pathlib.Path(sys.argv[1])
number = int(counter.read_text()) + 1 if counter.exists() else 1
counter.write_text(str(number))
print(f"token-{number:04}")
"""


def python(script: str, *arguments: str) -> tuple[str, ...]:
    """A command that runs a script."""
    return (sys.executable, "-c", script, *arguments)


def secret_of(script: str, seconds: float = 30.0) -> str:
    """The secret that a script prints."""
    return TokenCommand(python(script), secret_flaw, seconds)()


class Source:
    """Prints s1, s2 and so on, or fails; its clock is set by the test."""

    def __init__(self) -> None:
        self.now = 0.0
        self.count = 0
        self.fails = False

    def __call__(self) -> str:
        self.count += 1
        if self.fails:
            raise TokenError("failed with exit code 1")
        return f"s{self.count}"

    def token(self, lifetime: float | None = None) -> Token:
        """A token of this source."""
        return Token(self, lifetime, lambda: self.now)


def test_a_command_prints_a_secret() -> None:
    """Spaces and line ends around it are removed."""
    assert secret_of("print('  a secret \\n')") == "a secret"


def test_a_command_runs_without_a_shell_and_without_input() -> None:
    """Arguments are passed unchanged, and standard input is empty."""
    command = TokenCommand(
        python("import sys; print(sys.argv[1] + sys.stdin.read())", "$HOME;*"), secret_flaw
    )
    assert command() == "$HOME;*"


def test_a_command_runs_in_the_folder_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So does the command that provisions reviews."""
    monkeypatch.chdir(tmp_path)
    assert secret_of("import os; print(os.getcwd())") == str(tmp_path.resolve())


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("raise SystemExit(3)", "failed with exit code 3"),
        ("print('half'); raise SystemExit(1)", "failed with exit code 1"),
        ("pass", "printed nothing"),
        ("print(' ')", "printed nothing"),
        ("print('a\\nb')", "printed a secret that contains a character, or a space at an end"),
        ("print('\\u20ac')", "printed a secret that contains a character, or a space at an end"),
        (
            "import sys; sys.stdout.buffer.write(b'\\xff')",
            "printed something that is not UTF-8 text",
        ),
    ],
)
def test_a_command_without_a_secret_is_an_error(script: str, problem: str) -> None:
    """The message names the problem and does not quote the output."""
    with pytest.raises(TokenError) as error:
        secret_of(script)
    assert str(error.value).startswith(problem)


def test_a_command_has_a_timeout() -> None:
    """It is stopped afterwards."""
    with pytest.raises(TokenError, match=r"^did not end within 0\.2 s$"):
        secret_of("import time; time.sleep(600)", seconds=0.2)


def test_a_missing_program_is_an_error() -> None:
    """The message does not contain its name, which the key of the profile identifies."""
    with pytest.raises(TokenError, match=r"^cannot be started: No such file or directory$"):
        TokenCommand(("./there-is-none",), secret_flaw)()


def test_a_program_with_an_invalid_name_is_an_error() -> None:
    """Its name contains a null character."""
    with pytest.raises(TokenError, match=r"^cannot be started: ValueError$"):
        TokenCommand(("a\0",), secret_flaw)()


def test_the_command_of_a_secret_without_a_lifetime_runs_once() -> None:
    """The secret does not expire with time."""
    source = Source()
    token = source.token()
    values = [token.value()]
    source.now = 1e9
    values.append(token.value())
    assert (values, source.count) == (["s1", "s1"], 1)


def test_a_secret_is_replaced_before_its_lifetime_ends() -> None:
    """It is replaced after 90 % of its lifetime."""
    source = Source()
    token = source.token(lifetime=100)
    values = []
    for source.now in (0, 89, 90, 179, 180):
        values.append(token.value())
    assert values == ["s1", "s1", "s2", "s2", "s3"]
    assert token.secrets == {"s1", "s2", "s3"}


def test_a_secret_is_renewed_once_for_concurrent_requests() -> None:
    """Requests with the old secret share one renewal."""
    source = Source()
    token = source.token()
    token.value()
    source.now = 20.0
    token.renew(sent_at=10.0)
    token.renew(sent_at=11.0)
    assert (token.value(), source.count) == ("s2", 2)


def test_the_old_secret_remains_in_use_if_the_command_fails_during_a_run() -> None:
    """It may still be valid; the command is not run again for every request."""
    source = Source()
    token = source.token(lifetime=10)
    token.value()
    source.now, source.fails = 20.0, True
    assert [token.value(), token.value(), source.count] == ["s1", "s1", 2]

    source.now += RETRY_SECONDS
    source.fails = False
    assert (token.value(), source.count) == ("s3", 3)


def test_a_failed_renewal_is_an_error() -> None:
    """After a 401 the old secret cannot be used any more."""
    source = Source()
    token = source.token()
    token.value()
    source.fails = True
    with pytest.raises(TokenError):
        token.renew(sent_at=1.0)


def target_with(bearer: str) -> Target:
    """The target of a profile with this bearer for primary."""
    text = f"base-url = '{URL}'\n[credentials.primary]\nbearer = {bearer}\n"
    return profile.parse(
        tomllib.loads(text), source="folder/target.toml", text=text, environ={"SCRIPT": COUNTING}
    )


def stated(*command: str, lifetime: float = 300) -> str:
    """A command in the syntax of a profile."""
    return f"{{ command = {list(command)!r}, lifetime = {lifetime} }}"


def test_a_profile_is_loaded_with_the_first_secret(tmp_path: Path) -> None:
    """The command may refer to environment variables, as any other value."""
    command = (sys.executable, "-c", "${SCRIPT}", str(tmp_path / "counter"))
    primary = target_with(stated(*command)).credentials["primary"]

    assert (primary.schemes, primary.secret("bearer")) == (("bearer",), "token-0001")
    assert primary.variable("bearer") == "$PRIMARY_BEARER"
    assert "token-0001" not in repr(primary)
    token = primary.token("bearer")
    assert token is not None
    token.renew(sent_at=float("inf"))
    assert primary.secrets == {"token-0001", "token-0002"}


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (("./there-is-none",), "cannot be started: No such file or directory"),
        (python("raise SystemExit(2)"), "failed with exit code 2"),
        (python("pass"), "printed nothing"),
    ],
)
def test_a_command_that_prints_no_secret_is_a_problem_of_the_profile(
    command: tuple[str, ...], what: str
) -> None:
    """The message names the file, the line, the key and the remedy."""
    with pytest.raises(ProfileError) as error:
        target_with(stated(*command))
    assert str(error.value) == (
        f"folder/target.toml:3: credentials.primary.bearer.command {what}: "
        "it has to print the secret on standard output and end with exit code 0"
    )


def test_a_snapshot_records_that_a_command_prints_the_secret() -> None:
    """A replay repeats requests after a 401 as the run did, without running the command."""
    target = target_with(stated(*python("print('sec' + 'ret-0123')")))
    described = snapshot.of(target, [])
    again = snapshot.target(described).credentials["primary"]

    token = again.token("bearer")
    assert token is not None
    token.renew(sent_at=0.0)
    assert again.secret("bearer") == "\x80PRIMARY_BEARER\x80"
    assert "secret-0123" not in str(described)


def test_a_colleague_may_share_any_secret() -> None:
    """All other credentials remain."""
    shared = {"bearer": "t0"}
    credentials = {"primary": shared, "outsider": {"bearer": "t1"}, "colleague": shared}
    target = profile.parse({"base-url": URL, "credentials": credentials}, environ={})
    assert set(target.credible().credentials) == set(credentials)


def test_a_snapshot_contains_product_and_connections() -> None:
    """The product is empty if the profile has none."""
    data = {"base-url": URL, "product": {"vendor": "V"}, "limits": {"connections": 3}}
    target = profile.parse(data, environ={})
    described = snapshot.of(target, [])
    again = snapshot.target(described)

    assert (described["product"], again.product) == ({"vendor": "V"}, target.product)
    assert again.limits.connections == 3
    assert snapshot.of(profile.bare(URL), [])["product"] == {}
