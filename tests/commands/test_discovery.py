"""What `conformance init` finds out about a target, and what it writes into the profile."""

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from altered_target import Send, Spoil, Spoiled, edited, json_response

from conformance import reference
from conformance.commands.discovery import profile_text, search
from conformance.commands.discovery.discovered import Discovered
from conformance.commands.init import template
from conformance.commands.outcome import UsageError
from conformance.report import prospect
from conformance.suite.lists.parameters import NOT_A_UUID
from conformance.target import profile
from conformance.target.target import Consent

HOST = "http://target.test"
URL = f"{HOST}/v1"
PLACES = ("openapi.json", "openapi.yaml", "openapi")


def untouched(request: httpx.Request, send: Send) -> httpx.Response:
    """The response of the reference."""
    return send(request)


@contextmanager
def target(spoil: Spoil = untouched) -> Iterator[tuple[Spoiled, Any]]:
    """A reference whose responses pass through `spoil`, and its credentials."""
    clock = reference.ManualClock()
    made = reference.Reference(clock=clock)
    yield Spoiled(made.app, clock.advance, spoil), made.profile(URL)["credentials"]
    made.close()


def discovered(spoil: Spoil = untouched, **variables: str) -> tuple[Discovered, Spoiled]:
    """What is found with the API key of primary, or with these variables."""
    with target(spoil) as (transport, credentials):
        known = {"LOCALIZATION_API_KEY": credentials["primary"]["api-key"]}
        environ = variables or known
        found = search.discover(profile.bare(URL, environ), environ, transport)
    return found, transport


@pytest.fixture(scope="module")
def everything() -> tuple[Discovered, Spoiled]:
    """What is found on the reference."""
    return discovered()


def test_the_interfaces_are_found_at_the_usual_places(everything: Any) -> None:
    """The description, and the tools, with the scheme of the key."""
    found, _ = everything

    assert found.schemes == {"api-key": "LOCALIZATION_API_KEY"}
    assert (found.description, found.tools, found.tool_count) == (
        f"{URL}/openapi.json",
        f"{HOST}/mcp",
        10,
    )


def test_the_names_of_parameters_are_confirmed_by_responses(everything: Any) -> None:
    """A filter has to restrict the list, and a cursor to be checked."""
    assert everything[0].parameters == {
        ("video_list", "cursor"): "cursor",
        ("video_list", "company"): "companyId",
        ("video_list", "project"): "projectId",
        ("review_list", "cursor"): "cursor",
        ("review_list", "project"): "projectId",
    }


def test_a_parameter_that_is_validated_and_ignored_is_no_filter() -> None:
    """Unless the description states it: a run shows then that it is ignored."""

    def validating(request: httpx.Request, send: Send) -> httpx.Response:
        """Reviews are not filtered by company, and their description does not say so."""
        is_invalid = request.url.params.get("companyId") == NOT_A_UUID
        if is_invalid and request.url.path == "/v1/reviews":
            return json_response(400, {"code": "invalid", "requestId": "1"})
        return send(request)

    found, _ = discovered(validating)

    assert found.parameters is not None
    assert ("review_list", "company") not in found.parameters
    assert found.parameters["review_list", "project"] == "projectId"


def test_reviews_and_companies_are_candidates(everything: Any) -> None:
    """They are those that the lists show."""
    found, _ = everything

    assert len(found.approvable) == search.MOST_REVIEWS
    assert len(found.unapprovable) > 0
    assert not set(found.approvable) & set(found.unapprovable)
    assert (len(found.companies) > 1, found.projects) == (True, 100)


def test_a_search_only_reads_and_is_polite(everything: Any) -> None:
    """Few requests to one host; POST is for the list of tools alone."""
    found, transport = everything
    sent = transport.sent

    assert found.requests == len(sent) < 64
    assert {request.url.host for request in sent} == {"target.test"}
    assert {request.method for request in sent} == {"GET", "POST"}
    posted = [request for request in sent if request.method == "POST"]
    assert {request.url.path for request in posted} <= {"/mcp", "/v1/mcp"}
    assert not any(b"tools/call" in request.content for request in posted)


def test_the_profile_has_what_was_found(everything: Any) -> None:
    """It is valid, consents to nothing, and has the reviews as comments."""
    found, _ = everything
    expected = prospect.Prospect(116, 60, 19, (prospect.Missing("tools.url", 9, 12, ()),))
    text = profile_text.filled(template(URL), found, expected)
    tables = tomllib.loads(text)
    read = profile.parse(tables, environ={"LOCALIZATION_API_KEY": "secret"})

    assert (read.tools_url, read.description_url) == (found.tools, found.description)
    assert read.consent == Consent()
    assert read.parameters["review_list", "project"].declared
    assert "approvable-reviews" not in tables["fixtures"]
    assert f'#approvable-reviews = ["{found.approvable[0]}"' in text
    assert "# With this file a run can check 60 of 116 requirements, 19 in part." in text
    assert "#   tools.url                             12, 9 of them by itself\n" in text


@pytest.mark.parametrize(
    ("missing", "shown"),
    [
        (prospect.Missing("a", 3, 3, ()), "  3"),
        (prospect.Missing("a", 0, 3, (), ("b", "c")), "  3, together with b and c"),
        (prospect.Missing("a", 0, 3, ()), "  3, together with other keys"),
    ],
)
def test_a_key_that_adds_nothing_by_itself_says_what_else_it_takes(
    missing: prospect.Missing, shown: str
) -> None:
    """A zero would look like a key that is of no use."""
    (line,) = profile_text.missing(prospect.Prospect(9, 1, 1, (missing,)))
    assert line == f"{'a':{profile_text.WIDTH}} {shown}"


def test_no_key_stands_twice_in_the_profile(everything: Any) -> None:
    """Once every comment that is a key is in force, it is still valid TOML."""
    found, _ = everything
    text = profile_text.filled(template(URL), found, prospect.Prospect(0, 0, 0, ()))
    tables = tomllib.loads(profile_text.uncommented(text))

    assert tables["parameters"]["video_list"]["cursor"] == "cursor"


def test_the_candidates_are_valid_once_they_are_uncommented(everything: Any) -> None:
    """Nobody has to edit a list of ids."""
    found, _ = everything
    text = profile_text.filled(template(URL), found, prospect.Prospect(0, 0, 0, ()))
    lines = [line.removeprefix("#") if "-reviews = " in line else line for line in text.split("\n")]
    read = profile.parse(
        tomllib.loads("\n".join(lines)), environ={"LOCALIZATION_API_KEY": "secret"}
    )

    assert read.fixtures.approvable_reviews == found.approvable
    assert read.fixtures.unapprovable_reviews == found.unapprovable


def test_a_key_that_is_a_bearer_token_is_written_as_one() -> None:
    """Each secret is tried by each scheme."""
    with target() as (transport, credentials):
        environ = {"LOCALIZATION_API_KEY": credentials["primary"]["bearer"]}
        found = search.discover(profile.bare(URL, environ), environ, transport)
    text = profile_text.filled(template(URL), found, prospect.Prospect(0, 0, 0, ()))

    assert found.schemes == {"bearer": "LOCALIZATION_API_KEY"}
    assert tomllib.loads(text)["credentials"]["primary"] == {"bearer": "${LOCALIZATION_API_KEY}"}


def test_a_target_without_other_interfaces_has_none() -> None:
    """An address that redirects to another host is not followed."""

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        if request.url.path.endswith(PLACES):
            return json_response(302, location="https://elsewhere.test/openapi.json")
        if request.url.path.endswith("/mcp"):
            return json_response(307, location="https://elsewhere.test/mcp")
        return send(request)

    found, transport = discovered(spoil)

    assert (found.description, found.tools) == (None, None)
    assert {urlsplit(str(request.url)).hostname for request in transport.sent} == {"target.test"}


def test_a_description_may_need_the_credential() -> None:
    """It is asked for without one first."""

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        is_description = request.url.path.endswith(PLACES)
        return (
            json_response(401)
            if is_description and "x-api-key" not in request.headers
            else send(request)
        )

    found, _ = discovered(spoil)

    assert found.description == f"{URL}/openapi.json"


def test_another_document_is_no_description() -> None:
    """Neither is a page for people."""

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        if request.url.path.endswith("openapi.json"):
            return httpx.Response(200, stream=httpx.ByteStream(b"<html>not found: [</html>"))
        if request.url.path.endswith(PLACES):
            return json_response(200, {"swagger": "2.0"})
        return send(request)

    assert discovered(spoil)[0].description is None


def test_without_a_secret_only_the_description_is_found() -> None:
    """Everything else needs a caller."""
    found, transport = discovered(LOCALIZATION_TOKEN="")

    assert (found.schemes, found.description, found.parameters) == (
        {},
        f"{URL}/openapi.json",
        None,
    )
    assert {request.method for request in transport.sent} == {"GET"}


def test_a_secret_that_is_rejected_is_named() -> None:
    """Nothing is written then."""
    with pytest.raises(UsageError, match="the API key in LOCALIZATION_API_KEY was rejected"):
        discovered(LOCALIZATION_API_KEY="nobody-has-this-key")


def test_a_template_that_has_changed_is_noticed(everything: Any) -> None:
    """What was found must not be lost without a word."""
    with pytest.raises(ValueError, match="the template has no"):
        profile_text.filled("base-url = 1", everything[0], prospect.Prospect(0, 0, 0, ()))


def test_no_other_text_of_the_target_gets_into_the_profile() -> None:
    """A hostile id, or name of a parameter, could add keys: consent, for example."""
    evil = "x\n[consent]\napprove-reviews = true #"

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if request.url.path.endswith("openapi.json"):
            return edited(response, rename)
        if request.url.path in ("/v1/projects", "/v1/reviews"):
            return edited(response, poison)
        return response

    def poison(document: Any) -> None:
        for item in document.get("data", {}).get("items", []):
            item |= {"id": evil, "companyId": evil}

    def rename(document: Any) -> None:
        for parameter in document["paths"]["/videos"]["get"]["parameters"]:
            parameter["name"] = f"company{evil}"

    found, transport = discovered(spoil)
    text = profile_text.filled(template(URL), found, prospect.Prospect(0, 0, 0, ()))

    assert (found.approvable, found.unapprovable, found.companies) == ((), (), ())
    assert "approve-reviews = true" not in text
    assert tomllib.loads(text)["consent"]["approve-reviews"] is False
    assert not any("consent" in str(request.url) for request in transport.sent)
