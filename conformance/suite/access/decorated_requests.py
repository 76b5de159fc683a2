"""Decorated requests beside the plain ones: what they may be served (Authentication, Endpoints).

A decorated request may be rejected. A success shows what the plain request shows the same caller:
nothing beyond the grant, the filters that were sent, or the largest limit.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from conformance.contract import api
from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Defect, Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.rules import arguments, page
from conformance.rules.arguments import Fitness
from conformance.rules.records import Record, record_key
from conformance.suite.access.decorations import Decorated, decorated, in_path
from conformance.suite.callers import expect
from conformance.suite.callers.forged_credentials import other_headers
from conformance.suite.callers.places import in_data
from conformance.suite.lists.calls import own_filters
from conformance.suite.lists.filters import certain_filters
from conformance.suite.lists.live import Live
from conformance.suite.lists.parameters import NOT_A_UUID
from conformance.suite.reading.other_case import ITEMS, lasting, properties_that_differ
from conformance.target.target import Credential

LIMIT, PAST_LIMIT = "10", "1000"
LARGEST = 100
ROUNDS = 3
"""How often a request is served with its decoration, and not without it, before that counts."""
NOTHING_ELSE: Mapping[str, str] = {}


@dataclass(frozen=True)
class DecoratedRequests:
    """Sends the requests of one operation that reads, plain and decorated."""

    operation: Operation
    live: Live

    def check(self) -> None:
        """Violation where a decorated request shows what the plain one does not."""
        primary = self.live.callers.credential("primary")
        baselines = [self.live.callers.baseline(each, primary) for each in self._plain_calls()]
        # A reader may also ignore a decorated filter. What any plain page shows, others report.
        are_flawed = any(map(self._flaws, baselines))
        for baseline in baselines:
            plain = baseline.call
            for each in self._decorated(plain, self._others(plain)):
                self._check_served(each, baseline, primary, are_flawed=are_flawed)
            both = _by_both_schemes(plain, primary, baseline)
            self._check_served(both, baseline, primary, are_flawed=are_flawed)
        call = self.live.call(self.operation)
        for outside in self._calls_outside(call):
            self._check_unserved(outside, primary)
        if call.path:
            no_id = call.at(**dict.fromkeys(call.path, NOT_A_UUID))
            self._check_unserved(no_id, primary, call.path)
        for caller in self._intruders():
            self._check_unserved(call, caller)
        outsider = self.live.session.target.credentials.get("outsider")
        if outsider is not None:
            self._check_beside(outsider)

    # --- what is sent ---

    def _plain_calls(self) -> Iterator[Call]:
        """A valid call; of a list with a limit, and with each of its filters as well."""
        call = self.live.call(self.operation)
        if not self.operation.is_list:
            yield call
            return
        call = call.asking(limit=LIMIT)
        yield call
        for name, value in own_filters(self.operation, self.live).items():
            yield call.asking(**{name: value})

    def _calls_outside(self, call: Call) -> Iterator[Call]:
        """The same call by each id outside the grant."""
        for name in call.path:
            for id in self._outside(api.load().id_kinds[name]):
                yield call.at(**{name: id})

    def _intruders(self) -> Iterator[Credential]:
        """The callers to whom the operation, or the record in its path, is closed."""
        target = self.live.session.target
        outsider = target.credentials.get("outsider") if "{" in self.operation.path else None
        yield from filter(None, (target.lacking(self.operation.permission), outsider))

    def _decorated(self, plain: Call, others: Mapping[str, str]) -> Sequence[Decorated]:
        every = decorated(plain, self.operation, others, self.live.session.target.base_url)
        return self.live.session.share([*every], self.operation.id)

    def _others(self, plain: Call) -> dict[str, str]:
        """Further values of the parameters of a call: outside the grant, or past the limit."""
        roles = self.live.session.roles(self.operation)
        kinds = {name: roles[name] for name, _ in plain.query if name in roles}
        kinds |= {name: api.load().id_kinds[name] for name in plain.path}
        return {name: self._other(kind) for name, kind in kinds.items()}

    def _other(self, kind: str) -> str:
        if kind == "limit":
            return PAST_LIMIT
        return next(iter(self._outside(kind)), self.live.made_up(f"another {kind}"))

    def _outside(self, kind: str) -> list[str]:
        return [group[kind] for group in self._groups if kind in group]

    @property
    def _groups(self) -> tuple[dict[str, str], dict[str, str]]:
        fixtures = self.live.session.target.fixtures
        return dict(fixtures.foreign), dict(fixtures.ungranted)

    def _sent(self, each: Decorated, caller: Credential, scheme: str | None) -> Exchange:
        sending = Sending(
            caller,
            scheme,
            f"a request with {each.label}",
            headers=each.headers,
            judge_arguments=False,
            url=each.url,
        )
        return self.live.session.client.send(each.call, sending)

    # --- what is expected ---

    def _check_served(
        self, each: Decorated, baseline: Exchange, caller: Credential, *, are_flawed: bool
    ) -> None:
        """Violation where a success shows more than plain pages, or other data than its own one."""
        response = self._sent(each, caller, baseline.scheme)
        expect.that(response.status != 500, _otherwise(response, "fails"), response)
        if response.status == 200 and not are_flawed:
            for flaw in self._flaws(response)[:1]:
                expect.violated(flaw, response)
        if response.status == 200 and each.is_neutral:
            self._check_same(each, baseline, response)

    def _flaws(self, response: Exchange) -> list[Defect]:
        """That a page has records from outside, others than were asked for, or too many."""
        if not self.operation.is_list:
            return []
        return [*self._length(response), *self._outsiders(response), *self._unfiltered(response)]

    def _length(self, response: Exchange) -> Iterator[Defect]:
        limit, length = _largest_limit(response.call), len(response.items)
        if length <= limit:
            return
        if _values(response.call, "limit"):
            yield page.too_long(length, limit).at(in_data(response, ITEMS))
        elif length > self._length_without_limit(response):
            what = "shows more records than a page without a limit"
            yield _otherwise(response, what, Kind.COUNT).at(in_data(response, ITEMS))

    def _length_without_limit(self, response: Exchange) -> int:
        """How many records the default limit allows; which one that is, is not specified."""
        query = tuple(each for each in response.call.query if not each[0].startswith("limit"))
        plain = Decorated("nothing else", replace(response.call, query=query))
        caller = self.live.callers.credential(str(response.credential))
        return len(self._sent(plain, caller, response.scheme).items)

    def _outsiders(self, response: Exchange) -> Iterator[Defect]:
        if any(self.live.is_outside(each, self.operation.id) for each in response.items):
            yield _otherwise(response, "shows a record outside the grant").on("id")

    def _unfiltered(self, response: Exchange) -> Iterator[Defect]:
        for name, restricted in certain_filters(self.operation, self.live):
            stated = {value.lower() for value in _values(response.call, name)}
            shown = {str(each[restricted]).lower() for each in _having(response, restricted)}
            if stated and not shown <= stated:
                what = f"shows another {restricted} than was sent"
                yield _otherwise(response, what).on(restricted)

    def _check_same(self, each: Decorated, baseline: Exchange, first: Exchange) -> None:
        """Violation where a request keeps being served other data than without its decoration."""
        caller = self.live.callers.credential(str(baseline.credential))
        plain = Decorated("nothing else", baseline.call)

        def again() -> Sequence[Exchange]:
            return [self._sent(one, caller, baseline.scheme) for one in (plain, each, plain)]

        names, without, other = lasting(
            (baseline, first),
            again,
            partial(self._differing, is_text_compared=not each.translates),
            self.live.session,
        )
        otherwise = _otherwise(other, "shows other data than the request without it")
        expect.that(not names, otherwise.on(*sorted(names)), without, other)

    def _differing(self, one: Exchange, other: Exchange, *, is_text_compared: bool) -> set[str]:
        if (one.status, other.status) != (200, 200):
            return set()
        first, second = (
            each.data if is_text_compared else _ids_of(each.data) for each in (one, other)
        )
        return properties_that_differ(first, second, self.operation, self.live)

    def _check_unserved(
        self, plain: Call, caller: Credential, others: Mapping[str, str] = NOTHING_ELSE
    ) -> None:
        """Violation where a request is served with a decoration that is rejected without.

        Where another id in the query may be served by itself, it is no decoration. What is served
        without one, others report.
        """
        # The matrix of access has the others.
        base_url = self.live.session.target.base_url
        for each in in_path(plain, self.operation, others, base_url):
            response = self._sent(each, caller, caller.schemes[0])
            if response.status == 200 and self._is_decisive(each, plain, caller, caller.schemes[0]):
                expect.violated(_otherwise(response, "is served, and not without it"), response)

    def _is_decisive(self, each: Decorated, plain: Call, caller: Credential, scheme: str) -> bool:
        """Whether a request is served for its decoration, and not for the server that it met.

        One plain request more in each round: servers that take turns fall out of step.
        """
        without = Decorated("nothing else", plain)
        for number in range(ROUNDS):
            rejected = [self._sent(without, caller, scheme) for _ in range(number + 1)]
            again = self._sent(each, caller, scheme)
            if again.status != 200 or any(one.status == 200 for one in rejected):
                return False
        return True

    def _check_beside(self, outsider: Credential) -> None:
        """Violation where somebody is shown records of primary beside, or as, the outsider."""
        call = self.live.call(self.operation)
        own = _keys(self.live.callers.baseline(call))
        theirs = _keys(self.live.callers.send(call, outsider, purpose="the outsider alone"))
        for caller in self._without_access():
            for scheme in caller.schemes:
                if headers := other_headers(outsider, scheme):
                    label = f"the credentials of {caller.name} and outsider"
                    both = Decorated(label, call, headers)
                    self._check_shows_none(both, caller, scheme, own - theirs)

    def _without_access(self) -> Iterator[Credential]:
        target = self.live.session.target
        named = (target.credentials.get(name) for name in ("expired", "revoked"))
        yield from filter(None, (target.lacking(self.operation.permission), *named))

    def _check_shows_none(
        self, each: Decorated, caller: Credential, scheme: str, ids: set[str]
    ) -> None:
        """Violation where a request shows some of these records for its decoration."""
        response = self._sent(each, caller, scheme)
        is_shown = not ids.isdisjoint(_keys(response))
        if is_shown and self._is_decisive(each, self.live.call(self.operation), caller, scheme):
            what = "shows records that neither of them is shown"
            expect.violated(_otherwise(response, what, Kind.FOREIGN).on("id"), response)


def _by_both_schemes(plain: Call, caller: Credential, baseline: Exchange) -> Decorated:
    """The call with each credential of its caller, of which one may reach less than the other."""
    headers = other_headers(caller, str(baseline.scheme))
    return Decorated("a credential of each scheme", plain, headers, is_neutral=False)


def _values(call: Call, name: str) -> list[str]:
    return [value for each, value in call.query if each.removesuffix("[]") == name]


def _largest_limit(call: Call) -> int:
    """The largest of the limits that were sent, of which none has to count if one is invalid."""
    values = _values(call, "limit")
    are_valid = values and all(arguments.limit(each) is Fitness.VALID for each in values)
    return max(map(int, values)) if are_valid else LARGEST


def _having(response: Exchange, name: str) -> list[Record]:
    return [each for each in response.items if is_uuid(each.get(name))]


def _keys(response: Exchange) -> set[str]:
    """The records in a success; none in an error response."""
    if response.status != 200:
        return set()
    record = response.data if isinstance(response.data, dict) else {}
    records = response.items if ITEMS in record else [record]
    return {record_key(each) for each in records}


def _ids_of(data: Any) -> Any:
    """The data of a success without texts, which may be in another language."""
    if not isinstance(data, dict):
        return data
    if not isinstance(data.get(ITEMS), list):
        return {"id": data.get("id")}
    return {**data, ITEMS: [{"id": each.get("id")} for each in data[ITEMS] if each]}


def _otherwise(response: Exchange, what: str, kind: Kind = Kind.DIFFERENCE) -> Defect:
    return defect(
        kind,
        "{request}, as {caller}, {what}",
        expected="an error response, or what the plain request shows this caller",
        actual=response.status,
        request=response.purpose,
        caller=response.credential,
        what=what,
    )
