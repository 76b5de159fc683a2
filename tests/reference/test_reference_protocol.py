"""The tool interface of the reference in the conformance tests of the Model Context Protocol."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import live_server
import node
import pytest
import uvicorn

from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit
from conformance.http.in_process import Message
from conformance.reference import serve

PROGRAM = "conformance"
HANDSHAKE = "2025-11-25"
MODERN = "2026-07-28"
SCHEMA = "wire-schema-valid"
HEADERS = "sep-2243"
REBINDING = {"localhost-host-rebinding-rejected", "localhost-host-valid-accepted"}
STATELESS = "sep-2575"
ABSENT = f"{STATELESS}-http-server-method-not-found-404"
Scenario = tuple[str, str]  # the name, and the version of the protocol

WHOLE = [
    (("server-initialize", HANDSHAKE), {"server-initialize", SCHEMA}),
    (("ping", HANDSHAKE), {"ping", SCHEMA}),
    (("tools-list", HANDSHAKE), {"tools-list", "tools-name-format", SCHEMA}),
    (
        ("tools-list", MODERN),
        {"tools-list", "tools-name-format", "tools-list-deterministic-order", SCHEMA},
    ),
    (("dns-rebinding-protection", HANDSHAKE), REBINDING),
    (("dns-rebinding-protection", MODERN), REBINDING),
    (
        ("http-header-validation", MODERN),
        {
            f"{HEADERS}-server-reject-invalid-headers",
            f"{HEADERS}-server-reject-error-code",
            f"{HEADERS}-server-accepts-whitespace-header-value",
            f"{HEADERS}-header-name-case-insensitive",
            SCHEMA,
        },
    ),
]
"""The scenarios for every server, with the checks that must run."""

PARTS = [
    (
        ("caching", MODERN),
        {
            "sep-2549-tools-list-caching-hints",
            "sep-2549-ttl-non-negative",
            "sep-2549-cache-scope-valid",
            SCHEMA,
        },
    ),
    (
        ("server-stateless", MODERN),
        {
            f"{STATELESS}-request-meta-invalid-missing-meta",
            f"{STATELESS}-request-meta-invalid-missing-protocol-version",
            f"{STATELESS}-request-meta-invalid-missing-client-capabilities",
            f"{STATELESS}-request-meta-client-info-optional",
            f"{STATELESS}-http-server-meta-invalid-400",
            f"{STATELESS}-server-implements-discover",
            f"{STATELESS}-discover-capabilities-match-handlers",
            f"{STATELESS}-server-unsupported-version-error",
            f"{STATELESS}-http-server-unsupported-version-400",
            f"{STATELESS}-http-server-header-mismatch-400",
            f"{STATELESS}-http-server-error-jsonrpc-id",
            *(f"{ABSENT}{suffix}" for suffix in ("", "-initialize", "-ping")),
        },
    ),
]
"""Checks that pass without the prompts, resources and tools that their scenarios also need."""


class Companion:
    """An ASGI application that forwards requests, and adds the credential that the tests lack."""

    def __init__(self, profile: dict[str, Any]) -> None:
        self._origin = profile["base-url"].removesuffix("/v1")
        self._key = profile["credentials"]["primary"]["api-key"].encode()

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        """Forward one request."""
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        headers = [*scope["headers"], (b"x-api-key", self._key)]
        async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
            response = await client.request(
                scope["method"], self._origin + scope["path"], headers=headers, content=body
            )
        await send(
            {
                "type": "http.response.start",
                "status": response.status_code,
                "headers": response.headers.raw,
            }
        )
        await send({"type": "http.response.body", "body": response.content})


@contextmanager
def accompanied(profile: dict[str, Any]) -> Iterator[str]:
    """The URL at which the tools of a profile need no credential."""
    listener = serve.listen("127.0.0.1", 0)
    ready = threading.Event()
    server = serve.Server(
        uvicorn.Config(Companion(profile), lifespan="off", log_level="warning"), ready.set
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    assert ready.wait(10)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        thread.join(10)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of the tools of `conformance serve`."""
    with (
        live_server.by_command(tmp_path_factory.mktemp("reference")) as profile,
        accompanied(profile) as address,
    ):
        yield address


def checked(
    scenario: Scenario, url: str, modules: Path, folder: Path
) -> tuple[int, set[tuple[str, str]]]:
    """The exit code, and the statuses of each check of a scenario, without informational ones."""
    options = (
        "--url",
        url,
        "--scenario",
        scenario[0],
        "--spec-version",
        scenario[1],
        "--output-dir",
        str(folder / "out"),
    )
    ran = node.run(modules, PROGRAM, "server", *options, cwd=folder)
    (file,) = (folder / "out").glob("*/checks.json")
    checks = json.loads(file.read_text(encoding="utf-8"))
    return ran.returncode, {
        (check["id"], check["status"]) for check in checks if check["status"] != "INFO"
    }


@pytest.mark.parametrize(
    ("scenario", "ids"), WHOLE, ids=[" ".join(scenario) for scenario, _ in WHOLE]
)
def test_scenarios_for_every_server_pass(
    scenario: Scenario, ids: set[str], url: str, modules: Path, tmp_path: Path
) -> None:
    """Exactly these checks run, and each always passes."""
    assert checked(scenario, url, modules, tmp_path) == (0, {(id, "SUCCESS") for id in ids})


@pytest.mark.parametrize(
    ("scenario", "ids"), PARTS, ids=[" ".join(scenario) for scenario, _ in PARTS]
)
def test_applicable_checks_of_other_scenarios_pass(
    scenario: Scenario, ids: set[str], url: str, modules: Path, tmp_path: Path
) -> None:
    """These checks run, and none fails."""
    _, checks = checked(scenario, url, modules, tmp_path)

    assert {(id, status) for id, status in checks if id in ids} == {(id, "SUCCESS") for id in ids}


@pytest.mark.parametrize(
    ("scenario", "edit", "failed"),
    [
        (
            "dns-rebinding-protection",
            Edit(
                "tool_interface",
                "allowed_hosts=hosts,",
                "enable_dns_rebinding_protection=False, allowed_hosts=hosts,",
            ),
            "localhost-host-rebinding-rejected",
        ),
        (
            "tools-list",
            Edit("tools", '"name": operation.id,', '"name": operation.id.replace("_", " "),'),
            "tools-name-format",
        ),
    ],
)
def test_a_non_conforming_server_fails(
    scenario: str, edit: Edit, failed: str, modules: Path, tmp_path: Path
) -> None:
    """Without DNS rebinding protection, or with invalid tool names, the checks fail."""
    with (
        live_server.instance(altered.load([edit]).Reference()) as profile,
        accompanied(profile) as url,
    ):
        _, checks = checked((scenario, HANDSHAKE), url, modules, tmp_path)

    assert [id for id, status in sorted(checks) if status != "SUCCESS"] == [failed]
