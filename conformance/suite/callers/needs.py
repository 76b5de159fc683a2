"""What a run needs where a request that should be served was not."""


def needed(status: int | None, credential: str, scheme: str | None = None) -> str:
    """What is needed where a request of a credential, perhaps by one scheme, had this status."""
    if status in (401, 403):
        return f"credentials.{credential}.{scheme}" if scheme else f"credentials.{credential}"
    if status == 429:
        return "limits.requests-per-second"
    if status is None or status >= 500:
        return "a target that responds"
    return "a target that serves the baseline request"
