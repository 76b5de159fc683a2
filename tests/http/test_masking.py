"""What is shown of headers and URLs that others have recorded."""

import pytest

from conformance.http import masking
from conformance.http.secrecy import MASK

ID = "7f9c24e8-3b12-4d1f-9a6e-0c5d8b7a6f10"


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("access_token=s3cret-of-anna", f"access_token={MASK}"),
        ("limit=100&cursor=b3BhcXVlOjE3", "limit=100&cursor=b3BhcXVlOjE3"),
        ("page=2&min=-1.5&deep=true&sort=name", "page=2&min=-1.5&deep=true&sort=name"),
        (f"projectId={ID}", f"projectId={ID}"),
        (f"api_key={ID}&passWord=letters", f"api_key={MASK}&passWord={MASK}"),
        ("%61pi%5Fkey=1", f"%61pi%5Fkey={MASK}"),
        ("q=two%20words", f"q={MASK}"),
        ("s3cret-of-anna", MASK),
        ("a=1;token=s3cret", f"a={MASK}"),
        ("token=$PRIMARY_API_KEY", "token=$PRIMARY_API_KEY"),
        ("", ""),
    ],
)
def test_a_value_of_an_unknown_parameter_may_be_a_credential(query: str, shown: str) -> None:
    """Numbers, UUIDs and short words are none, unless the name says so."""
    assert (
        masking.url(f"https://a.example/v1?{query}", {"cursor"}) == f"https://a.example/v1?{shown}"
    )


def test_a_user_and_a_fragment_are_not_shown() -> None:
    """Some clients have credentials there."""
    url = "https://anna:s3cret@a.example/v1/@b#access_token=s3cret"
    assert masking.url(url, ()) == f"https://{MASK}@a.example/v1/@b#{MASK}"


def test_a_parameter_in_a_path_may_be_a_credential() -> None:
    """Servers of Java have their sessions there."""
    url = f"https://a.example/v1/a;jsessionid=s3cret/b;v=2;s3cret;c=d;{ID}?a=1"
    shown = f"https://a.example/v1/a;jsessionid={MASK}/b;v=2;{MASK};c=d;{ID}?a=1"
    assert masking.url(url, ()) == shown


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("content-type", "application/json", "application/json"),
        ("x-request-id", "r-17", "r-17"),
        ("x-ratelimit-remaining", "3", "3"),
        ("www-authenticate", "Bearer", "Bearer"),
        ("x-auth-token", "s3cret", MASK),
        ("x-amz-security-token", "s3cret", MASK),
        ("referer", "https://a.example/?token=s3cret", MASK),
        ("location", "/v1/account?token=s3cret", f"/v1/account?token={MASK}"),
        ("x-gateway", "$GATEWAY_TOKEN", "$GATEWAY_TOKEN"),
        ("x-gateway", "", ""),
        ("authorization", "Bearer $PRIMARY_BEARER", "Bearer $PRIMARY_BEARER"),
    ],
)
def test_only_headers_that_are_known_are_shown(name: str, value: str, shown: str) -> None:
    """Any other one may be a credential of a gateway."""
    assert masking.headers([(name, value)]) == [[name, shown]]
