"""An instance of the reference implementation."""

from collections.abc import Callable
from typing import Any

from conformance.reference import description, fixtures, target
from conformance.reference.app import App
from conformance.reference.clock import Clock, SystemClock
from conformance.reference.description import DescriptionEndpoint
from conformance.reference.responses import ResponseBuilder
from conformance.reference.service import Service
from conformance.reference.store import Store


class Reference:
    """The reference with one database.

    `app` serves the API under `/v1`; `service` has the same operations without HTTP.
    `database` is a file, which other instances may share and which persists, or `:memory:`; or a
    store with the records of the seed.
    `clock` determines when credentials expire and rate limits recover.
    `projects` is the number of projects of a new database, if it is to be larger than usual.
    `make_service` makes the service, for one that behaves in another way.
    Raises ValueError if the file was made with another seed.
    """

    def __init__(
        self,
        seed: int = 1,
        database: str | Store = ":memory:",
        clock: Clock | None = None,
        projects: int | None = None,
        make_service: Callable[[Store, Clock, int], Service] = Service,
    ) -> None:
        self.seed = seed
        made = database if isinstance(database, Store) else Store(database, seed, projects)
        self.store = made
        self.service = make_service(self.store, clock or SystemClock(), seed)
        responses = ResponseBuilder(f"{seed} {self.store.open_count}")
        self._examples = fixtures.examples(self.store, target.primary_account(self.store, seed))
        self.app = App(self.service, responses, DescriptionEndpoint(self._examples))

    def profile(self, base_url: str) -> target.Table:
        """The target profile with the keys of target.toml; its reviews can still be approved."""
        return target.profile(self.store, self.seed, base_url)

    def description(self, base_url: str) -> dict[str, Any]:
        """The OpenAPI document that `app` serves at a base address."""
        return description.description(base_url, self._examples)

    def close(self) -> None:
        """Close the database."""
        self.store.close()
