"""A test of this project's own, beside the conformance checks."""

import httpx


def test_the_service_asks_for_a_credential(base_url: str) -> None:
    """It says so in the body, too."""
    response = httpx.get(f"{base_url}/account")

    assert response.status_code == 401
    assert response.json()["code"] == "unauthenticated"
