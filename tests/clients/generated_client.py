"""A program that uses the client which openapi-python-client has generated, in this folder."""

import os
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from generated import AuthenticatedClient  # type: ignore[import-not-found]
from generated.api.account import account_get  # type: ignore[import-not-found]
from generated.api.projects import project_list  # type: ignore[import-not-found]
from generated.api.reviews import (  # type: ignore[import-not-found]
    review_approve,
    review_get,
    review_list,
)
from generated.api.videos import video_get  # type: ignore[import-not-found]
from generated.models import ApprovalRequest  # type: ignore[import-not-found]
from generated.types import UNSET  # type: ignore[import-not-found]


def records(operation: Callable[..., Any], client: Any) -> Iterator[Any]:
    """The records of a list, page by page."""
    cursor = UNSET
    while cursor is not None:
        page = operation(client=client, limit=100, cursor=cursor).data
        yield from page.items
        cursor = page.next_cursor or None


def main() -> None:
    """Read, and approve what may be approved."""
    stated = os.environ
    with AuthenticatedClient(
        base_url=stated["LOCALIZATION_BASE_URL"],
        token=stated["LOCALIZATION_TOKEN"],
        httpx_args={"trust_env": False},
    ) as client:
        account_get.sync(client=client)
        list(records(project_list.sync, client))
        list(records(review_list.sync, client))
        video_get.sync(uuid.UUID(stated["LOCALIZATION_VIDEO_ID"]), client=client)
        for review in map(uuid.UUID, stated["LOCALIZATION_REVIEW_IDS"].split()):
            read = review_get.sync(review, client=client).data
            body = ApprovalRequest(read.subject_revision, str(uuid.uuid4()))
            review_approve.sync(review, client=client, body=body)


main()
