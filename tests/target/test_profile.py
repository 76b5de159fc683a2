"""The target profile: a file becomes a frozen target, or all its problems are reported together."""

import dataclasses
import json
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.target import profile, trust
from conformance.target.profile_file import ProfileError
from conformance.target.target import (
    Consent,
    Credential,
    Fixtures,
    Limits,
    ParameterName,
    Product,
    RateLimit,
    Target,
)
from conformance.target.toml_schema import Problem, lines

ONE = "0b0e7a52-3f6c-4d1e-9a55-1c1f6d2b7a01"
TWO = "0197a3c4-58e0-7f3b-8c11-5b0a9e6d4f02"
URL = "https://api.example.com/v1"
FULL = f"""\
base-url = "{URL}/"

[credentials.primary]
api-key = "${{LOCALIZATION_API_KEY}}"
bearer  = "token-of-primary"

[credentials.expired]
bearer = "token-that-expired"

[credentials.revoked]
api-key = "key-that-was-revoked"

[credentials.lacking."reviews:approve"]
api-key = "key-that-only-reads"
bearer = "${{READING_TOKEN}}"

[credentials.outsider]
api-key = "key-of-the-outsider"

[credentials.no-review-role]
api-key = "key-of-a-viewer"

[credentials.colleague]
api-key = "key-of-a-colleague"

[credentials.throttled]
api-key = "key-to-exhaust"

[fixtures]
approvable-reviews   = ["{ONE}"]
unapprovable-reviews = ["{TWO}"]
reset = ["./reset", "--staging"]
foreign   = {{ company = "{ONE}", project = "{ONE}", video = "{ONE}", review = "{ONE}" }}
ungranted = {{ project = "{TWO}", video = "{TWO}", review = "{TWO}" }}

[fixtures.provision]
approvable-review = ["./make-review", "--staging"]

[limits]
max-body-bytes = 1048576
rate-limit = {{ requests = 100, seconds = 60 }}
requests-per-second = 50
connections = 16
lag = 3

[parameters.video_list]
cursor = "after"
company = false
[parameters.review_list]
project = "projectId"

[product]
vendor = "Example Ltd"
name = "Example Localization API"
version = "2026.11"

[tools]
url = "https://api.example.com/mcp"

[description]
url = "https://api.example.com/v1/openapi.json"

[consent]
approve-reviews    = true
exhaust-rate-limit = true
oversized-bodies   = true
fuzz-writes        = true
"""
ENVIRONMENT = {"LOCALIZATION_API_KEY": "key-of-primary", "READING_TOKEN": "token-that-only-reads"}


Rejected: TypeAlias = Callable[..., list[Problem]]


@pytest.fixture
def problems(tmp_path: Path) -> Rejected:
    """Loads a profile from a text, and returns its problems."""

    def rejected(text: str, environ: Mapping[str, str] = ENVIRONMENT) -> list[Problem]:
        path = tmp_path / "target.toml"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ProfileError) as raised:
            profile.load(path, environ=environ, allow=trust.anything)
        return list(raised.value.problems)

    return rejected


@pytest.fixture
def full(tmp_path: Path) -> Target:
    """The target of a file that uses every key."""
    (tmp_path / "target.toml").write_text(FULL, encoding="utf-8")
    file = tmp_path / "target.toml"
    return profile.load(file, environ=ENVIRONMENT, allow=trust.anything)


def test_a_base_url_alone_is_a_valid_profile() -> None:
    """All other values are absent or have their defaults."""
    target = profile.bare(f"{URL}/")

    assert target == Target(base_url=URL)
    assert (target.credentials, target.consent, target.source) == ({}, Consent(), None)
    assert dataclasses.astuple(target.consent) == (False, False, False, False)
    assert (target.limits, target.fixtures) == (
        Limits(None, None, None),
        Fixtures((), (), {}, {}, ()),
    )


def test_undeclared_parameters_have_default_names() -> None:
    """All five have a name without a profile."""
    assert profile.bare(URL).parameters == {
        ("video_list", "cursor"): ParameterName("cursor", declared=False),
        ("video_list", "company"): ParameterName("companyId", declared=False),
        ("video_list", "project"): ParameterName("projectId", declared=False),
        ("review_list", "cursor"): ParameterName("cursor", declared=False),
        ("review_list", "project"): ParameterName("projectId", declared=False),
        ("review_list", "company"): ParameterName(None, declared=False),
    }


def test_a_full_profile_becomes_a_target(full: Target) -> None:
    """Every key of the format has its value in the target."""
    assert (full.base_url, full.source) == (URL, "target.toml")
    assert full.fixtures == Fixtures(
        approvable_reviews=(ONE,),
        unapprovable_reviews=(TWO,),
        foreign=dict.fromkeys(("company", "project", "video", "review"), ONE),
        ungranted=dict.fromkeys(("project", "video", "review"), TWO),
        provision=("./make-review", "--staging"),
        reset=("./reset", "--staging"),
    )
    assert full.limits == Limits(1048576, RateLimit(100, 60.0), 50.0, 16, lag=3.0)
    assert full.product == Product("Example Ltd", "Example Localization API", "2026.11")
    assert (full.tools_url, full.description_url) == (
        "https://api.example.com/mcp",
        f"{URL}/openapi.json",
    )
    assert full.consent == Consent(
        approve_reviews=True, exhaust_rate_limit=True, oversized_bodies=True, fuzz_writes=True
    )


def test_credentials_are_keyed_by_their_names(full: Target) -> None:
    """The tables under `lacking` are named by their permission."""
    assert list(full.credentials) == [
        "primary",
        "expired",
        "revoked",
        "lacking.reviews:approve",
        "outsider",
        "no-review-role",
        "colleague",
        "throttled",
    ]
    assert {name: credential.name for name, credential in full.credentials.items()} == {
        name: name for name in full.credentials
    }
    assert full.lacking("reviews:approve") == full.credentials["lacking.reviews:approve"]
    assert full.lacking("videos:read") is None


def test_a_credential_has_the_schemes_of_its_secrets(full: Target) -> None:
    """The API key precedes the bearer token; an absent secret is a KeyError."""
    assert full.credentials["primary"].schemes == ("api-key", "bearer")
    assert full.credentials["primary"].secret("api-key") == "key-of-primary"
    assert full.credentials["expired"].schemes == ("bearer",)
    with pytest.raises(KeyError, match="api-key"):
        full.credentials["expired"].secret("api-key")


@pytest.mark.parametrize(
    ("name", "scheme", "variable"),
    [
        ("primary", "api-key", "$LOCALIZATION_API_KEY"),
        ("primary", "bearer", "$PRIMARY_BEARER"),
        ("revoked", "api-key", "$REVOKED_API_KEY"),
        ("no-review-role", "api-key", "$NO_REVIEW_ROLE_API_KEY"),
        ("lacking.reviews:approve", "api-key", "$LACKING_REVIEWS_APPROVE_API_KEY"),
        ("lacking.reviews:approve", "bearer", "$READING_TOKEN"),
    ],
)
def test_each_secret_has_a_shell_variable(
    full: Target, name: str, scheme: str, variable: str
) -> None:
    """It is the variable in the file, or derived from the name of the credential."""
    assert full.credentials[name].variable(scheme) == variable


def test_the_secrets_of_a_target_are_complete(full: Target) -> None:
    """They include those from the environment."""
    assert full.secrets == {
        "key-of-primary",
        "token-of-primary",
        "token-that-expired",
        "key-that-was-revoked",
        "key-that-only-reads",
        "token-that-only-reads",
        "key-of-the-outsider",
        "key-of-a-viewer",
        "key-of-a-colleague",
        "key-to-exhaust",
    }


def test_a_repr_contains_no_secret(full: Target) -> None:
    """This holds for credentials and for targets."""
    assert [
        secret
        for secret in full.secrets
        if secret in repr(full) + repr(full.credentials["primary"])
    ] == []


def test_parameter_names_are_renamed_removed_and_confirmed(full: Target) -> None:
    """`false` removes a parameter; a name that equals the default is declared as well."""
    assert full.parameters == {
        ("video_list", "cursor"): ParameterName("after", declared=True),
        ("video_list", "company"): ParameterName(None, declared=True),
        ("video_list", "project"): ParameterName("projectId", declared=False),
        ("review_list", "cursor"): ParameterName("cursor", declared=False),
        ("review_list", "project"): ParameterName("projectId", declared=True),
        ("review_list", "company"): ParameterName(None, declared=False),
    }


@pytest.mark.parametrize(
    ("roles", "project", "company"),
    [
        ({"company": "companyId"}, ParameterName(None), ParameterName("companyId", declared=True)),
        ({"company": False}, ParameterName("projectId"), ParameterName(None, declared=True)),
        (
            {"company": "company", "project": "project"},
            ParameterName("project", declared=True),
            ParameterName("company", declared=True),
        ),
    ],
)
def test_the_filter_of_reviews_is_a_project_or_a_company(
    roles: dict[str, Any], project: ParameterName, company: ParameterName
) -> None:
    """The specification does not state its purpose: a declared filter replaces the default."""
    target = profile.parse({"base-url": URL, "parameters": {"review_list": roles}}, environ={})
    assert target.parameters["review_list", "project"] == project
    assert target.parameters["review_list", "company"] == company


def test_a_target_is_frozen(full: Target) -> None:
    """Neither its fields nor its mappings can be changed, and it is hashable."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        full.base_url = "http://elsewhere"  # type: ignore[misc]
    for mapping in (
        full.credentials,
        full.parameters,
        full.fixtures.foreign,
        full.fixtures.ungranted,
    ):
        with pytest.raises(TypeError):
            mapping["primary"] = None  # type: ignore[index]
    assert hash(full) == hash(dataclasses.replace(full))


def test_data_is_parsed_like_a_file() -> None:
    """The same tables as Python data give the same values; tuples may replace lists."""
    data = {
        "base-url": URL,
        "credentials": {"primary": {"api-key": "key"}},
        "fixtures": {"approvable-reviews": (ONE, TWO)},
        "limits": {"rate-limit": {"requests": 20, "seconds": 2.5}},
    }

    target = profile.parse(data, source="the bundled reference", environ={})

    assert target.credentials == {"primary": Credential("primary", api_key="key")}
    assert target.fixtures.approvable_reviews == (ONE, TWO)
    assert target.limits.rate_limit == RateLimit(20, 2.5)
    assert target.source == "the bundled reference"


def test_the_base_url_argument_overrides_that_of_the_file(tmp_path: Path) -> None:
    """An empty argument is ignored."""
    path = tmp_path / "target.toml"
    path.write_text(f'base-url = "{URL}"', encoding="utf-8")

    assert profile.load(path, base_url="http://localhost:1/v1").base_url == "http://localhost:1/v1"
    assert profile.load(path, base_url="").base_url == URL


def test_a_reference_to_a_variable_is_the_whole_string() -> None:
    """A reference within a longer string is not replaced."""
    data = {
        "base-url": URL,
        "fixtures": {
            "provision": {"approvable-review": ["make", "--as=${NAME}", "${NAME}", "$NAME"]}
        },
    }

    target = profile.parse(data, environ={"NAME": "someone"})

    assert target.fixtures.provision == ("make", "--as=${NAME}", "someone", "$NAME")


@pytest.mark.parametrize(
    "table",
    [
        "",
        "[credentials]",
        "[fixtures]",
        "[fixtures.provision]",
        "[limits]",
        "[parameters.video_list]",
    ],
)
def test_an_empty_table_changes_nothing(tmp_path: Path, table: str) -> None:
    """A profile can be written step by step."""
    path = tmp_path / "target.toml"
    path.write_text(f'base-url = "{URL}"\n{table}\n', encoding="utf-8-sig")

    assert profile.load(path) == Target(base_url=URL, source="target.toml")


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/v1",
        "https://[::1]:8443/v1",
        "HTTPS://API.EXAMPLE.COM/tenants/7/v1",
        "http://127.0.0.1:8000",
        "https://übersetzung.example/v1",
    ],
)
def test_every_http_url_is_a_base_url(url: str) -> None:
    """It need not end with the version segment."""
    assert profile.bare(f"{url}///").base_url == url


@pytest.mark.parametrize(
    ("url", "flaw"),
    [
        ("api.example.com/v1", "is not an http or https URL"),
        ("ftp://api.example.com/v1", "is not an http or https URL"),
        ("https:///v1", "is not an http or https URL"),
        ("http://:8080/v1", "is not an http or https URL"),
        ("http://[::1/v1", "is not a URL: its host or port is malformed"),
        ("http://localhost:port/v1", "is not a URL: its host or port is malformed"),
        ("http://localhost:70000/v1", "is not a URL: its host or port is malformed"),
        ("https://someone:hush@api.example.com/v1", "contains a user name or a password"),
        ("https://api.example.com/v1?", "has a query"),
        ("https://api.example.com/v1?key=hush", "has a query"),
        ("https://api.example.com/v1#", "has a fragment"),
        ("https://api.example.com/v1\n", "contains a space, a backslash or a control character"),
        (" https://api.example.com/v1", "contains a space, a backslash or a control character"),
        ("https:\\\\api.example.com", "contains a space, a backslash or a control character"),
    ],
)
def test_an_invalid_base_url_is_rejected_from_both_sources(
    tmp_path: Path, url: str, flaw: str
) -> None:
    """The message names the source and does not quote the URL."""
    (tmp_path / "target.toml").write_text(f"base-url = {json.dumps(url)}", encoding="utf-8")
    remedy = "write http:// or https://, the host and the path up to the version segment"

    with pytest.raises(ProfileError) as given_on_the_command_line:
        profile.bare(url)
    with pytest.raises(ProfileError) as given_in_the_file:
        profile.load(tmp_path / "target.toml")

    assert given_on_the_command_line.value.problems == (
        Problem(None, None, "--base-url", flaw, remedy),
    )
    assert str(given_on_the_command_line.value) == f"--base-url {flaw}: {remedy}"
    assert given_in_the_file.value.problems == (
        Problem(str(tmp_path / "target.toml"), 1, "base-url", flaw, remedy),
    )


def test_the_remedy_for_a_missing_base_url_names_both_sources(problems: Rejected) -> None:
    """The problem concerns the whole file, so it has no line."""
    (problem,) = problems("[consent]\napprove-reviews = true")

    assert (problem.line, problem.key, problem.what) == (None, "base-url", "is missing")
    assert (
        problem.remedy
        == 'write base-url = "https://…/v1" above the first table, or use --base-url URL'
    )


def test_all_problems_are_reported_in_the_order_of_their_lines(tmp_path: Path) -> None:
    """Each names file, line, key, problem and remedy."""
    text = """\
base-url = "${BASE}"
[credentials.primary]
apikey = "hush-1"
bearer = 7
[credentials.expired]
[credentials.lacking."reviews:aprove"]
api-key = "hush-2"
[fixtures]
approvable-reviews = [
  "no-id",
]
[limits]
rate-limit = { requests = -1 }
[consent]
approve-reviews = "yes"
"""
    file = tmp_path / "target.toml"
    file.write_text(text, encoding="utf-8")
    a_secret = 'write the secret, or "${NAME}" for an environment variable that holds it'

    with pytest.raises(ProfileError) as raised:
        profile.load(file, environ={})

    assert str(raised.value).splitlines() == [
        f"{file}:1: base-url names the environment variable 'BASE', which is not set: "
        "set it, or write http:// or https://, the host and the path up to the version segment",
        f"{file}:3: credentials.primary.apikey is an unknown key: did you mean api-key?",
        f"{file}:4: credentials.primary.bearer is an integer: {a_secret}",
        f"{file}:5: credentials.expired has no secret: add an api-key, a bearer, or both",
        f'{file}:6: credentials.lacking."reviews:aprove" is an unknown key: '
        'did you mean "reviews:approve"?',
        f"{file}:9: fixtures.approvable-reviews[0] is not a UUID of the specified pattern: "
        "write the id of a record in quotes",
        f"{file}:13: limits.rate-limit.requests is not above zero: write an integer ≥ 1",
        f"{file}:15: consent.approve-reviews is a string: write true or false",
    ]


def test_a_problem_without_a_line_comes_first(problems: Rejected) -> None:
    """Its key does not matter."""
    reported = problems("aaa = 1")

    assert [(problem.line, problem.key) for problem in reported] == [(None, "base-url"), (1, "aaa")]


@pytest.mark.parametrize(
    ("text", "key", "what"),
    [
        ("credentials = 1", "credentials", "must be a table, not an integer"),
        ("credentials.primary = 'key'", "credentials.primary", "must be a table, not a string"),
        (
            "[credentials.lacking]\n'reviews:approve' = true",
            'credentials.lacking."reviews:approve"',
            "must be a table, not a boolean",
        ),
        ("[credentials.somebody]\nbearer = 'token'", "credentials.somebody", "is an unknown key"),
        ("[credentials.revoked]", "credentials.revoked", "has no secret"),
        (
            "[credentials.lacking.'videos:read']",
            'credentials.lacking."videos:read"',
            "has no secret",
        ),
        ("credentials.primary.api-key = ''", "credentials.primary.api-key", "is empty"),
        (
            f"credentials.primary.api-key = '{'x' * 65_537}'",
            "credentials.primary.api-key",
            "has more than 65,536 characters: no header carries it",
        ),
        ("credentials.primary.bearer = ['token']", "credentials.primary.bearer", "is an array"),
        (
            "fixtures.approvable-reviews = 'all'",
            "fixtures.approvable-reviews",
            "must be an array, not a string",
        ),
        ("fixtures.approvable-reviews = [[]]", "fixtures.approvable-reviews[0]", "is an array"),
        (
            "fixtures.foreign.project = 2020-01-01",
            "fixtures.foreign.project",
            "is of the type date",
        ),
        ("fixtures.ungranted.company = 'x'", "fixtures.ungranted.company", "is an unknown key"),
        (
            "fixtures.provision.approvable-review = []",
            "fixtures.provision.approvable-review",
            "names no program",
        ),
        (
            "fixtures.provision.approvable-review = ['']",
            "fixtures.provision.approvable-review",
            "names no program",
        ),
        (
            "fixtures.provision.approvable-review = ['a', '${ZERO}']",
            "fixtures.provision.approvable-review[1]",
            "contains a null character",
        ),
        ("fixtures.reset = []", "fixtures.reset", "names no program"),
        ("fixtures.reset = ['']", "fixtures.reset", "names no program"),
        ("fixtures.reset = 'make'", "fixtures.reset", "must be an array, not a string"),
        ("fixtures.reset = {}", "fixtures.reset", "must be an array, not a table"),
        (
            "fixtures.provision.approvable-review = 'make'",
            "fixtures.provision.approvable-review",
            "must be an array, not a string",
        ),
        (
            "limits.max-body-bytes = 0",
            "limits.max-body-bytes",
            "is not above zero",
        ),
        (
            "limits.connections = 0",
            "limits.connections",
            "is not above zero",
        ),
        ("limits.connections = 1.5", "limits.connections", "is a float"),
        ("product.vendor = ' '", "product.vendor", "is empty"),
        ('product.name = "a\\nb"', "product.name", "has a control character"),
        ("product.version = 2", "product.version", "is an integer"),
        (
            "credentials.primary.bearer = {}",
            "credentials.primary.bearer",
            "has no command",
        ),
        (
            "credentials.primary.bearer = { command = [] }",
            "credentials.primary.bearer.command",
            "names no program",
        ),
        (
            "credentials.primary.bearer = { command = './token' }",
            "credentials.primary.bearer.command",
            "must be an array, not a string",
        ),
        (
            "credentials.primary.bearer = { command = ['a'], lifetime = 0 }",
            "credentials.primary.bearer.lifetime",
            "is not above zero",
        ),
        (
            "credentials.primary.bearer = { command = ['a'], lifetim = 1 }",
            "credentials.primary.bearer.lifetim",
            "is an unknown key",
        ),
        ("limits.max-body-bytes = 1.5", "limits.max-body-bytes", "is a float"),
        ("limits.max-body-bytes = true", "limits.max-body-bytes", "is a boolean"),
        (
            "limits.requests-per-second = nan",
            "limits.requests-per-second",
            "is not above zero",
        ),
        (
            "limits.requests-per-second = inf",
            "limits.requests-per-second",
            "is too large",
        ),
        ("limits.lag = -1", "limits.lag", "is below zero"),
        ("limits.lag = nan", "limits.lag", "is below zero"),
        ("limits.lag = 601", "limits.lag", "is too long"),
        ("limits.rate-limit = { requests = 5 }", "limits.rate-limit", "has no seconds"),
        ("limits.rate-limit = {}", "limits.rate-limit", "has no requests and no seconds"),
        ("limits.rate-limit = 5", "limits.rate-limit", "must be a table, not an integer"),
        (
            "parameters.video_list.company = true",
            "parameters.video_list.company",
            "is not a parameter name",
        ),
        (
            "parameters.video_list.company = ''",
            "parameters.video_list.company",
            "is not a parameter name",
        ),
        (
            "parameters.review_list.video = 'videoId'",
            "parameters.review_list.video",
            "is an unknown key",
        ),
        (
            "parameters.project_list.cursor = 'cursor'",
            "parameters.project_list",
            "is an unknown key",
        ),
        ("tools.url = 'localhost'", "tools.url", "is not an http or https URL"),
        ("description.url = false", "description.url", "is a boolean"),
        ("consent.fuzz-writes = 1", "consent.fuzz-writes", "is an integer"),
        ('"line\\nbreak" = 1', '"line\\nbreak"', "is an unknown key"),
    ],
)
def test_one_mistake_is_one_problem(problems: Rejected, text: str, key: str, what: str) -> None:
    """The problem has a line and a remedy."""
    (problem,) = problems(f"base-url = '{URL}'\n{text}", {"ZERO": "\0"})

    assert (
        problem.key,
        problem.what.removesuffix(" (the value of the environment variable 'ZERO')"),
    ) == (key, what)
    assert problem.remedy != ""
    assert problem.line == (
        None if "break" in key else 3 if text.startswith("[credentials.lacking]") else 2
    )


@pytest.mark.parametrize(
    ("key", "suggestion"),
    [
        ("base_url", "did you mean base-url?"),
        ("BASE-URL", "did you mean base-url?"),
        ("parameter", "did you mean parameters?"),
        (
            "zzz",
            "the known keys are base-url, credentials, fixtures, limits, connection, parameters, "
            "gate, product, tools, description, consent",
        ),
    ],
)
def test_the_remedy_for_a_mistyped_key_is_the_nearest_known_key(
    problems: Rejected, key: str, suggestion: str
) -> None:
    """Without a near key, all keys are listed."""
    (problem,) = problems(f"base-url = '{URL}'\n{key} = 1")

    assert (problem.line, problem.key, problem.remedy) == (2, key, suggestion)


@pytest.mark.parametrize(
    "secret", ["two\nlines", "tail ", "\thead", "snow ☃", "null\0", "${not-a-name}", "\x7f", ""]
)
def test_a_secret_that_is_invalid_in_a_header_is_rejected_without_quoting_it(
    problems: Rejected, secret: str
) -> None:
    """The message names its key and its environment variable."""
    (problem,) = problems(
        f"base-url = '{URL}'\ncredentials.primary.bearer = '${{THE_TOKEN}}'", {"THE_TOKEN": secret}
    )

    assert (problem.line, problem.key) == (2, "credentials.primary.bearer")
    assert problem.what.endswith("(the value of the environment variable 'THE_TOKEN')")
    assert not secret or secret not in str(problem)


@pytest.mark.parametrize(
    "secret", ["k", "two words", "tab\tinside", "ключ".encode().decode("latin-1"), "a=b;c,d", "é"]
)
def test_a_secret_that_is_valid_in_a_header_is_accepted_unchanged(secret: str) -> None:
    """HTTP field values allow Latin-1."""
    target = profile.parse(
        {"base-url": URL, "credentials": {"primary": {"api-key": secret}}}, environ={}
    )

    assert target.secrets == {secret}


@settings(deadline=None, database=None)  # a slow machine is not a failure
@given(st.text(min_size=6))
def test_messages_do_not_quote_values(value: str) -> None:
    """Any value may be a secret."""
    secret = f"hush{value}hush"
    data = {
        "base-url": secret,
        "credentials": {
            "primary": secret,
            "expired": {"bearer": [secret]},
            "revoked": {"api-key": f"{secret}\n"},
        },
        "fixtures": {"approvable-reviews": [secret, secret], "foreign": secret},
        "limits": {"max-body-bytes": secret},
        "tools": {"url": secret},
        "consent": {"fuzz-writes": secret},
    }

    with pytest.raises(ProfileError) as raised:
        profile.parse(data, environ={})

    assert len(raised.value.problems) == 10
    assert "hush" not in str(raised.value) + repr(raised.value)


@pytest.mark.parametrize(
    ("reviews", "key", "first"),
    [
        (
            f"approvable-reviews = ['{ONE}', '{TWO}', '{ONE}']",
            "fixtures.approvable-reviews[2]",
            "fixtures.approvable-reviews[0]",
        ),
        (
            f"approvable-reviews = ['{ONE}', '{ONE.upper()}']",
            "fixtures.approvable-reviews[1]",
            "fixtures.approvable-reviews[0]",
        ),
        (
            f"approvable-reviews = ['{ONE}']\nunapprovable-reviews = ['{TWO}', '{ONE}']",
            "fixtures.unapprovable-reviews[1]",
            "fixtures.approvable-reviews[0]",
        ),
    ],
)
def test_a_review_is_listed_only_once(
    problems: Rejected, reviews: str, key: str, first: str
) -> None:
    """Each approval uses up a review, so an id occurs once in both lists, in either letter case."""
    (problem,) = problems(f"base-url = '{URL}'\n[fixtures]\n{reviews}")

    assert (problem.key, problem.what) == (key, f"repeats {first}")


@pytest.mark.parametrize(
    "uuid",
    [
        ONE,
        ONE.upper(),
        TWO,
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "12345678-1234-8234-b234-123456789abc",
    ],
)
def test_an_id_is_a_uuid_of_the_specified_pattern(uuid: str) -> None:
    """Versions 1 to 8 of the RFC variant, and the nil and max UUIDs."""
    assert profile.parse(
        {"base-url": URL, "fixtures": {"approvable-reviews": [uuid]}}
    ).fixtures.approvable_reviews == (uuid,)


@pytest.mark.parametrize(
    "text",
    [
        ONE[:-1],
        f"{ONE}\n",
        f"{{{ONE}}}",
        ONE.replace("-", ""),
        "12345678-1234-0234-b234-123456789abc",
        "12345678-1234-4234-c234-123456789abc",
        "١" * 8 + ONE[8:],
    ],
)
def test_an_id_of_another_form_is_rejected(text: str) -> None:
    """Version 0, other variants, braces and digits beyond ASCII are invalid."""
    with pytest.raises(ProfileError, match="is not a UUID of the specified pattern"):
        profile.parse({"base-url": URL, "fixtures": {"approvable-reviews": [text]}})


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (
            "base-url = 'x'\n[credentials.primary]\napi-key = hush\n",
            3,
            "invalid TOML: Invalid value (at line 3, column 11)",
        ),
        ("[credentials.lacking.reviews:approve]", 1, "invalid TOML"),
        ("\na = 1\na = 2", 3, "invalid TOML: Cannot overwrite a value"),
        ("a = [1,\n2,", 2, "invalid TOML"),
        ("a = " + "[" * 100_000, None, "invalid TOML: nested too deeply"),
    ],
)
def test_invalid_toml_is_reported_where_the_parser_stopped(
    problems: Rejected, text: str, line: int | None, what: str
) -> None:
    """The message contains the reason."""
    (problem,) = problems(text)

    assert (problem.line, problem.key) == (line, "")
    assert problem.what.startswith(what)


def test_a_file_that_cannot_be_read_is_a_problem_of_the_profile(tmp_path: Path) -> None:
    """It is missing, a directory, or in another encoding."""
    (tmp_path / "utf-16.toml").write_text(FULL, encoding="utf-16")
    whats = {}
    for name in ("absent.toml", ".", "utf-16.toml"):
        with pytest.raises(ProfileError) as raised:
            profile.load(tmp_path / name)
        whats[name] = raised.value.problems[0].what

    assert whats == {
        "absent.toml": "cannot be read: No such file or directory",
        ".": "cannot be read: Is a directory",
        "utf-16.toml": "is not UTF-8 text",
    }


def test_a_problem_names_the_file_and_a_remedy(tmp_path: Path) -> None:
    """It has a line if one is known."""
    absent, odd, packed = tmp_path / "absent.toml", tmp_path / "odd.toml", tmp_path / "utf-16.toml"
    odd.write_text("a = 1\nb", encoding="utf-8")
    packed.write_text(FULL, encoding="utf-16")
    messages = {}
    for file in (absent, odd, packed):
        with pytest.raises(ProfileError) as raised:
            profile.load(file)
        messages[file] = str(raised.value)

    assert (
        messages[absent]
        == f"{absent}: cannot be read: No such file or directory: give the path of a profile"
    )
    assert messages[packed] == f"{packed}: is not UTF-8 text: save it as UTF-8"
    assert messages[odd].startswith(f"{odd}:2: invalid TOML: ")
    assert messages[odd].endswith(": correct the file")


def test_a_profile_error_can_be_pickled() -> None:
    """All its problems are included."""
    with pytest.raises(ProfileError) as raised:
        profile.bare("localhost")
    received = pickle.loads(pickle.dumps(raised.value))

    assert (received.args, str(received)) == ((raised.value.problems,), str(raised.value))


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("limits.rate-limit = {}", "write { requests = 100, seconds = 60 }"),
        ("credentials.revoked = {}", "add an api-key, a bearer, or both"),
        (
            f"fixtures.approvable-reviews = ['{ONE}', '{ONE.upper()}']",
            "list each review once, in one of the two lists",
        ),
        (
            "fixtures.provision.approvable-review = []",
            "write the command and its arguments as an array of strings",
        ),
        (
            "fixtures.provision.approvable-review = [1]",
            "write the command and its arguments as an array of strings",
        ),
    ],
)
def test_a_remedy_states_the_correction(problems: Rejected, text: str, remedy: str) -> None:
    """It is specific to the problem."""
    (problem,) = problems(f"base-url = '{URL}'\n{text}")

    assert problem.remedy == remedy


def test_only_slashes_are_removed_from_the_end_of_a_base_url() -> None:
    """Other characters at its end remain."""
    assert (
        profile.bare("https://api.example.com/XAPIX//").base_url == "https://api.example.com/XAPIX"
    )


@pytest.mark.parametrize(
    ("number", "flaw"),
    [
        ("0", "is not above zero"),
        ("1", None),
        ("9007199254740991", None),
        ("9007199254740992", "is too large"),
    ],
)
def test_an_integer_is_positive_and_exact_as_a_float(
    problems: Rejected, tmp_path: Path, number: str, flaw: str | None
) -> None:
    """The range is 1 to 2^53 - 1."""
    text = f"base-url = '{URL}'\nlimits.max-body-bytes = {number}"
    if flaw is None:
        file = tmp_path / "target.toml"
        file.write_text(text, encoding="utf-8")
        assert profile.load(file).limits.max_body_bytes == int(number)
    else:
        (problem,) = problems(text)
        assert problem.what == flaw


def test_tables_and_dotted_and_quoted_keys_have_lines() -> None:
    """Comments, values that look like keys, and items of arrays have none."""
    text = """\
# a = 1
a.b = 1
"c.d" = "e = 2"
[ f . 'g:h' ] # [i]
j = [
  "k = 3",
  "l",
]
m."n" = { o = 1 }
[[p]]
q = 1
[[p]]
q = 2
"""

    assert lines(text) == {
        ("a",): 2,
        ("a", "b"): 2,
        ("c.d",): 3,
        ("f",): 4,
        ("f", "g:h"): 4,
        ("f", "g:h", "j"): 5,
        ("f", "g:h", "m"): 9,
        ("f", "g:h", "m", "n"): 9,
        ("p",): 10,
        ("p", 0): 10,
        ("p", 0, "q"): 11,
        ("p", 1): 12,
        ("p", 1, "q"): 13,
    }


def test_the_gate_accepts_classes_and_requirements(problems: Rejected) -> None:
    """Other names are rejected with their position."""
    tables = {"base-url": URL, "gate": {"require": ["read", "approval/replay"]}}
    assert profile.parse(tables).required == ("read", "approval/replay")

    (problem,) = problems(f"base-url = '{URL}'\n[gate]\nrequire = ['reading']")
    assert (problem.line, problem.key, problem.what) == (
        3,
        "gate.require[0]",
        "is neither a conformance class nor a requirement",
    )


def test_a_claim_of_speed_is_about_each_read_or_about_some() -> None:
    """A duration with its unit; one for all of them is that of every operation that reads."""
    every = profile.parse({"base-url": URL, "gate": {"p95": "300ms"}}).p95
    assert (len(every), set(every.values())) == (9, {0.3})
    assert "review_approve" not in every

    some = {"project_list": "1.5s", "account_get": "50ms"}
    stated = profile.parse({"base-url": URL, "gate": {"p95": some}}).p95
    assert stated == {"project_list": 1.5, "account_get": 0.05}
    assert profile.parse({"base-url": URL}).p95 == {}


@pytest.mark.parametrize(
    ("claim", "key", "what"),
    [
        ("300", "gate.p95", "is an integer"),
        ("'300'", "gate.p95", "is not a duration with its unit"),
        ("'-1s'", "gate.p95", "is not a duration with its unit"),
        ("'0ms'", "gate.p95", "is not above zero"),
        ("{ project_list = '1m' }", "gate.p95.project_list", "is not a duration with its unit"),
        ("{ review_approve = '1s' }", "gate.p95.review_approve", "is an unknown key"),
    ],
)
def test_a_claim_that_says_nothing_is_rejected(
    problems: Rejected, claim: str, key: str, what: str
) -> None:
    """With its line, before any request."""
    (problem,) = problems(f"base-url = '{URL}'\n[gate]\np95 = {claim}")

    assert (problem.line, problem.key, problem.what) == (3, key, what)


def test_ids_may_stand_in_a_file_beside_the_profile(tmp_path: Path) -> None:
    """One a line, with comments and empty lines; an invalid one is a problem of the profile."""
    id, other = "01980000-0000-7000-8000-000000000001", "01980000-0000-7000-8000-000000000002"
    file, listed = tmp_path / "target.toml", tmp_path / "reviews.txt"
    file.write_text(
        'base-url = "http://target.test/v1"\n'
        '[fixtures]\napprovable-reviews = { file = "reviews.txt" }\n',
        encoding="utf-8",
    )
    listed.write_text(f"# made today\n{id} # one\n\n{other}\n", encoding="utf-8")
    assert profile.load(file, environ={}).fixtures.approvable_reviews == (id, other)

    listed.write_text("nothing", encoding="utf-8")
    with pytest.raises(ProfileError, match=r"approvable-reviews\[0\] is not a UUID") as caught:
        profile.load(file, environ={})
    assert "nothing" not in str(caught.value)

    listed.write_bytes(b"\xff")
    with pytest.raises(ProfileError, match="not UTF-8"):
        profile.load(file, environ={})

    listed.unlink()
    with pytest.raises(ProfileError, match="names a file that cannot be read"):
        profile.load(file, environ={})


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("{folder}/token", "it has to be in the folder of the profile"),
        ("../token", "it has to be in the folder of the profile"),
        ("below/../../token", "it has to be in the folder of the profile"),
        ("link", "it has to be in the folder of the profile"),
        ("linked/token", "it has to be in the folder of the profile"),
        ("loop", "Too many levels of symbolic links"),
        ("\\u0000", "is not a path"),
    ],
)
def test_a_file_elsewhere_lists_no_ids(tmp_path: Path, name: str, what: str) -> None:
    """The profile of a stranger would have what is in it sent to an address of the stranger."""
    (tmp_path / "token").write_text("01980000-0000-7000-8000-000000000001", encoding="utf-8")
    folder = tmp_path / "clone"
    (folder / "below").mkdir(parents=True)
    for link, path in {"link": "../token", "linked": "..", "loop": "loop"}.items():
        (folder / link).symlink_to(path)
    file = folder / "target.toml"
    stated = f'{{ file = "{name.format(folder=tmp_path)}" }}'
    file.write_text(
        f'base-url = "http://target.test/v1"\n[fixtures]\nunapprovable-reviews = {stated}\n',
        encoding="utf-8",
    )
    with pytest.raises(ProfileError) as raised:
        profile.load(file, environ={}, allow=trust.anything)

    (problem,) = raised.value.problems
    assert (problem.key, what in problem.what) == ("fixtures.unapprovable-reviews.file", True)


def test_links_in_the_folder_may_lead_to_ids_in_it(tmp_path: Path) -> None:
    """So are the files of a volume of Kubernetes, whose folder may be a link itself."""
    folder, id = tmp_path / "real" / "..data", "01980000-0000-7000-8000-000000000001"
    folder.mkdir(parents=True)
    (folder / "reviews.txt").write_text(id, encoding="utf-8")
    (tmp_path / "real" / "reviews.txt").symlink_to("..data/reviews.txt")
    (tmp_path / "mounted").symlink_to("real")
    file = tmp_path / "mounted" / "target.toml"
    file.write_text(
        f'base-url = "{URL}"\n[fixtures]\napprovable-reviews = {{ file = "reviews.txt" }}\n',
        encoding="utf-8",
    )
    assert profile.load(file, environ={}).fixtures.approvable_reviews == (id,)


def test_tables_that_stand_in_no_file_have_the_ids_themselves() -> None:
    """There is no folder that a path could be in."""
    tables = {"fixtures": {"approvable-reviews": {"file": "reviews.txt"}}}
    with pytest.raises(ProfileError, match="stands in no file"):
        profile.parse(tables, base_url="http://target.test/v1", environ={})
