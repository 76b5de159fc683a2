"""Clients that call a reference in this process, without a network."""

from collections.abc import Mapping

import httpx

from conformance.http.in_process import InProcess
from conformance.reference import Reference

URL = "http://reference.test/v1"


def client(reference: Reference, headers: Mapping[str, str] | None = None) -> httpx.Client:
    """A client of an instance, which sends these headers with every request."""
    return httpx.Client(
        transport=InProcess(reference.app, lambda _: None), base_url=URL, headers=headers
    )
