"""Where the documentation has the page of a requirement."""

from functools import cache
from importlib import metadata

DISTRIBUTION = "localization-api-conformance"
LABEL = "Documentation"


@cache
def address() -> str | None:
    """The URL that the package states in its metadata ([project.urls]); None without one."""
    try:
        stated = metadata.metadata(DISTRIBUTION).get_all("Project-URL") or []
    except metadata.PackageNotFoundError:  # a checkout that was not installed
        return None
    pairs = (each.partition(", ") for each in stated)
    found = (url for label, _, url in pairs if label == LABEL)
    return next((url.rstrip("/") for url in found), None)


def page(requirement: str) -> str:
    """The page of a requirement, from the root of the documentation."""
    return f"reference/requirements/{requirement}/"


def link(requirement: str) -> str | None:
    """The URL of its page; None where the package states no address of its documentation."""
    root = address()
    return None if root is None else f"{root}/{page(requirement)}"
