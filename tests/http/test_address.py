"""What belongs to a base URL."""

import pytest

from conformance.http.address import below


@pytest.mark.parametrize(
    ("above", "url", "path"),
    [
        ("http://host", "http://host/account", "/account"),
        ("http://host/", "http://host/account?a=b", "/account?a=b"),
        ("http://host", "http://host:8080/mcp", None),
        ("http://host", "http://host.example/mcp", None),
        ("http://[::1]:80/api/v1", "http://[::1]:80/api/v1/projects", "/projects"),
        ("http://host/v1", "http://host/v10/projects", None),
        ("http://host/v1", "http://host/v1", None),
    ],
)
def test_an_address_is_below_a_base_url_or_elsewhere(
    above: str, url: str, path: str | None
) -> None:
    """A longer host, port or segment is another one."""
    assert below(above, url) == path
