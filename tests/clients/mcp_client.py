"""A program that uses the tool interface by the official client of its protocol."""

import asyncio
import os
import uuid
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client


async def called(client: Client, tool: str, **arguments: Any) -> Any:
    """The data of a tool's result."""
    result = await client.call_tool(tool, arguments)
    content = result.structured_content or {}
    return content["data"]


async def main() -> None:
    """Read the reviews page by page, and approve what may be approved."""
    headers = {"authorization": f"Bearer {os.environ['LOCALIZATION_TOKEN']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http:
        transport = streamable_http_client(os.environ["LOCALIZATION_TOOLS_URL"], http_client=http)
        async with Client(transport) as client:
            page = await called(client, "review_list", limit=100)
            while page.get("nextCursor"):
                cursor = page["nextCursor"]
                page = await called(client, "review_list", limit=100, cursor=cursor)
            for review in os.environ["LOCALIZATION_REVIEW_IDS"].split():
                read = await called(client, "review_get", reviewId=review)
                await called(
                    client,
                    "review_approve",
                    reviewId=review,
                    expectedSubjectRevision=read["subjectRevision"],
                    idempotencyKey=str(uuid.uuid4()),
                )


asyncio.run(main())
