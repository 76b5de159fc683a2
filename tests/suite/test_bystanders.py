"""Which review repeats what the approval of another one did."""

from typing import Any

from conformance.suite.approval.bystanders import likeness


def review(id: str, video: str, kind: str = "transcript", **further: Any) -> dict[str, Any]:
    """A pending review of a video."""
    own = {"id": id, "videoId": video, "subjectType": kind, "status": "pending"}
    return {**own, **further}


def test_a_review_with_a_pending_one_of_the_same_video_is_like_another() -> None:
    """The more the two pairs have in common, the more."""
    own, other = review("1", "a"), review("2", "a", "localization")
    pair = [review("3", "b"), review("4", "b", "localization")]
    alone, settled = review("5", "c"), review("6", "d")
    records = [own, other, *pair, alone, settled, review("7", "d", status="rejected")]
    value = likeness(own, other, records)
    assert value(pair[0]) > value(pair[1]) > 0
    assert (value(alone), value(settled)) == (0, 0)


def test_without_a_tie_no_review_is_like_another() -> None:
    """Two reviews of different videos have none."""
    own, other = review("1", "a"), review("2", "b")
    assert likeness(own, other, [own, other])(own) == 0
