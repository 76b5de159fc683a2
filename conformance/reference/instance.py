"""One instance of the reference implementation, put together."""

from conformance.reference import target
from conformance.reference.app import App
from conformance.reference.clock import Clock, SystemClock
from conformance.reference.responses import ResponseBuilder
from conformance.reference.service import Service
from conformance.reference.store import Store


class Reference:
    """The reference over one database: `app` serves the API under `/v1`, `service` the same operations without HTTP.

    `database` is a file that other instances may share, or `:memory:`; what is in a file stays. A `clock` other than
    the system's decides when credentials expire and rate limits recover. ValueError where the file belongs to another seed.
    """

    def __init__(
        self, seed: int = 1, database: str = ":memory:", clock: Clock | None = None
    ) -> None:
        self.seed = seed
        self.store = Store(database, seed)
        self.service = Service(self.store, clock or SystemClock(), seed)
        self.app = App(self.service, ResponseBuilder(f"{seed} {self.store.open_count}"))

    def profile(self, base_url: str) -> target.Table:
        """The target profile of this instance, with the keys of a target.toml; what was approved is not offered again."""
        return target.profile(self.store, self.seed, base_url)

    def close(self) -> None:
        """Give the database back."""
        self.store.close()
