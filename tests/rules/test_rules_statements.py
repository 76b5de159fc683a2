"""What records state of themselves."""

import pytest

from conformance.contract import openapi
from conformance.rules import statements

CONTRACT = openapi.load()
LANGUAGES, COUNTS, REASON = statements.LANGUAGES, statements.COUNTS, statements.EMPTY_REASON


def judged(operation: str, data: object) -> list[tuple[str, str | None]]:
    """The requirements that the data of a response exercise, and what violates them."""
    found = statements.examine(data, CONTRACT.operation(operation))
    return [(each.requirement, each.problem) for each in found]


def video(*languages: object) -> dict[str, object]:
    """A video with localizations into these languages."""
    return {"localizations": [{"language": each} for each in languages]}


def review(*, approvable: object, **reason: object) -> dict[str, object]:
    """A review that can be approved, or not, for a reason."""
    return {"approvable": approvable, **reason}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (video("de", "fr"), [(LANGUAGES, None)]),
        (video("de", "fr", "de"), [(LANGUAGES, "the languages of a video are de, fr, de")]),
        (video(), []),
        (video(5, None, 5), []),
        ({"localizations": "de"}, []),
        ("no record", []),
    ],
)
def test_a_video_has_one_localization_per_language(
    data: object, expected: list[tuple[str, str | None]]
) -> None:
    """By its id, and in a list, whichever of its records is wrong; others conform."""
    assert judged("video_get", data) == expected
    if isinstance(data, dict):
        listed = judged("video_list", {"items": [video("es"), data, video("es")]})
        assert listed == (expected or [(LANGUAGES, None)])


def test_the_place_of_a_contradiction_is_named() -> None:
    """With the index of the record."""
    page = {"items": [video("de"), None, video("de", "de"), video("fr", "fr")]}
    (judgement,) = statements.examine(page, CONTRACT.operation("video_list"))
    assert judgement.defect is not None
    assert [each.name for each in judgement.defect.where] == ["/data/items/2/localizations"]


@pytest.mark.parametrize(
    ("done", "count", "expected"),
    [
        (2, 2, []),
        (3, 2, [(COUNTS, "a project has 2 localizations, and 3 of them completed")]),
        ("3", 2, []),
    ],
)
def test_no_more_is_completed_than_there_is(
    done: object, count: object, expected: list[tuple[str, str | None]]
) -> None:
    """Whether they add up, another check compares with the list of videos."""
    project = {"completedLocalizationCount": done, "localizationCount": count}
    assert judged("project_get", project) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (review(approvable=False, approvalUnavailableReason=""), "an empty reason"),
        (review(approvable=False, approvalUnavailableReason="Not ready."), None),
        (review(approvable=False), None),
    ],
)
def test_a_reason_is_not_empty(data: object, expected: str | None) -> None:
    """It may be absent."""
    ((requirement, problem),) = judged("review_get", data)
    assert requirement == REASON
    assert (expected or "") in (problem or "")
    assert (problem is None) == (expected is None)


def test_a_review_that_can_be_approved_needs_no_reason() -> None:
    """It exercises nothing."""
    assert judged("review_get", review(approvable=True, approvalUnavailableReason="")) == []
