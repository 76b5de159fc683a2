"""The description that the target publishes, fetched without a credential or as primary."""

from urllib.parse import urlsplit

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.runner.facts import fact_name
from conformance.suite.lists.live import Live

KEY = "description.url"
ACCEPT = ("accept", "application/json, application/yaml;q=0.9, */*;q=0.1")


def fetch_description(live: Live) -> Exchange:
    """The response without a credential, or to primary if one is required: a fact of the run."""
    return live.fact(fact_name("description", "published"), _fetch)


def _fetch(live: Live) -> Exchange:
    url = live.session.target.description_url
    if url is None:
        raise Inconclusive("the URL of the description is unknown", needs=(KEY,))
    sending = Sending(
        None, purpose="the published description", headers=(ACCEPT,), in_contract=False, url=url
    )
    response = live.session.client.send(Call("description"), sending)
    if response.status in (401, 403):
        return _fetch_as_primary(live, url, response)
    if response.status is not None and 300 <= response.status < 400:
        needs = (f"{KEY} without a redirect",)
        raise Inconclusive("the description is elsewhere", needs=needs, exchanges=[response.id])
    return response


def _fetch_as_primary(live: Live, url: str, rejected: Exchange) -> Exchange:
    # A credential belongs to the API and is never sent to another host.
    if urlsplit(url)[:2] != urlsplit(live.session.target.base_url)[:2]:
        message = f"the URL of the description returned {rejected.describe()}"
        needs = (f"{KEY} without a credential",)
        raise Inconclusive(message, needs=needs, exchanges=[rejected.id])
    sending = Sending(
        live.callers.credential("primary"),
        purpose="the description, as primary",
        headers=(ACCEPT,),
        in_contract=False,
        url=url,
    )
    return live.session.client.send(Call("description"), sending)


def text_of(response: Exchange) -> str:
    """The body of a response as text."""
    return response.body.decode("utf-8-sig", "replace")
