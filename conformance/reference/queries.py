"""Queries of the store, restricted to the grant of the caller ("Authentication").

In each query `record` is the queried table. Lists are ordered by position.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from conformance.reference.store import Row, Store

COMPANY_GRANTED: Final = """EXISTS (
    SELECT 1 FROM memberships AS m
    WHERE m.account_id = :account AND m.company_id = record.company_id
)"""
PROJECT_GRANTED: Final = """EXISTS (
    SELECT 1 FROM grants AS g
    WHERE g.account_id = :account AND g.project_id = record.project_id
)"""
PROJECT_ITSELF_GRANTED: Final = """EXISTS (
    SELECT 1 FROM grants AS g
    WHERE g.account_id = :account AND g.project_id = record.id
)"""

WITH_ID: Final = "record.id = :id"
OF_COMPANY: Final = "record.company_id = :company"
OF_PROJECT: Final = "record.project_id = :project"
OF_REVIEW: Final = "record.review_id = :review"
AFTER: Final = "record.position > :after"

ONE_PROJECT: Final = (WITH_ID, COMPANY_GRANTED, PROJECT_ITSELF_GRANTED)
ONE_VIDEO: Final = (WITH_ID, COMPANY_GRANTED, PROJECT_GRANTED)
ONE_REVIEW: Final = (WITH_ID, COMPANY_GRANTED, PROJECT_GRANTED)
LISTED_PROJECTS: Final = (AFTER, COMPANY_GRANTED, PROJECT_ITSELF_GRANTED)
LISTED_VIDEOS: Final = (AFTER, COMPANY_GRANTED, PROJECT_GRANTED)
LISTED_REVIEWS: Final = (AFTER, COMPANY_GRANTED, PROJECT_GRANTED)
LISTED_COMMENTS: Final = (AFTER, OF_REVIEW)
LISTED_ACTIVITY: Final = (AFTER, OF_PROJECT)


@dataclass(frozen=True, slots=True)
class Window:
    """The records after a position: up to `limit`, and one more if there is a next page."""

    after: int
    limit: int


@dataclass(frozen=True, slots=True)
class AccountReader:
    """Reads records for one account; records outside its grant are not found."""

    store: Store
    account_id: str

    def account(self) -> Row | None:
        """The account itself."""
        return self._one("accounts", (WITH_ID,), self.account_id)

    def project(self, identifier: str) -> Row | None:
        """The project with this id."""
        return self._one("projects", ONE_PROJECT, identifier)

    def video(self, identifier: str) -> Row | None:
        """The video with this id."""
        return self._one("videos", ONE_VIDEO, identifier)

    def review(self, identifier: str) -> Row | None:
        """The review with this id."""
        return self._one("reviews", ONE_REVIEW, identifier)

    def role(self, company: str) -> str | None:
        """The role of the account in a company, or None if it is not a member."""
        sql = "SELECT role FROM memberships WHERE account_id = :account AND company_id = :company"
        membership = self.store.row(sql, {"account": self.account_id, "company": company})
        return membership["role"] if membership else None

    def projects(self, window: Window, company: str | None) -> list[Row]:
        """Projects, of one company if given."""
        conditions = [*LISTED_PROJECTS]
        if company is not None:
            conditions.append(OF_COMPANY)
        return self._many("projects", conditions, window, company=company)

    def videos(self, window: Window, company: str | None, project: str | None) -> list[Row]:
        """Videos, of one company and one project if given."""
        conditions = [*LISTED_VIDEOS]
        if company is not None:
            conditions.append(OF_COMPANY)
        if project is not None:
            conditions.append(OF_PROJECT)
        return self._many("videos", conditions, window, company=company, project=project)

    def reviews(self, window: Window, project: str | None) -> list[Row]:
        """Reviews, of one project if given."""
        conditions = [*LISTED_REVIEWS]
        if project is not None:
            conditions.append(OF_PROJECT)
        return self._many("reviews", conditions, window, project=project)

    def comments(self, window: Window, review: str) -> list[Row]:
        """Comments of a review; the caller has checked that the review is within the grant."""
        return self._many("comments", LISTED_COMMENTS, window, review=review)

    def activity(self, window: Window, project: str) -> list[Row]:
        """Activity of a project; the caller has checked that the project is within the grant."""
        return self._many("activity", LISTED_ACTIVITY, window, project=project)

    def localizations(self, videos: Sequence[Row]) -> dict[str, list[Row]]:
        """The localizations of these videos, by the id of the video."""
        return self._children("localizations", "video_id", videos)

    def replies(self, comments: Sequence[Row]) -> dict[str, list[Row]]:
        """The replies to these comments, by the id of the comment."""
        return self._children("replies", "comment_id", comments)

    def _one(self, table: str, conditions: Sequence[str], identifier: str) -> Row | None:
        sql = f"SELECT * FROM {table} AS record WHERE {' AND '.join(conditions)}"
        return self.store.row(sql, {"account": self.account_id, "id": identifier})

    def _many(
        self, table: str, conditions: Sequence[str], window: Window, **values: str | None
    ) -> list[Row]:
        where = " AND ".join(conditions)
        order = "ORDER BY record.position LIMIT :limit + 1"
        sql = f"SELECT * FROM {table} AS record WHERE {where} {order}"
        return self.store.rows(
            sql,
            {"account": self.account_id, "after": window.after, "limit": window.limit, **values},
        )

    def _children(self, table: str, parent: str, parents: Sequence[Row]) -> dict[str, list[Row]]:
        ids = orjson.dumps([row["id"] for row in parents]).decode()
        condition = f"{parent} IN (SELECT value FROM json_each(:parents))"
        sql = f"SELECT * FROM {table} WHERE {condition} ORDER BY {parent}, position"
        children: dict[str, list[Row]] = defaultdict(list)
        for row in self.store.rows(sql, {"parents": ids}):
            children[row[parent]].append(row)
        return children
