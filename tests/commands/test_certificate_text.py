"""What `certify` and `verify` say of a certificate before anything else."""

from conformance.commands.certification import text


def test_warnings_and_gaps_of_the_data_are_prominent() -> None:
    """Whoever reads of a pass has to know what was not exercised, and which should failed."""
    observed = {"id": "observe/data", "subject": "video_list: no tie", "values": ["two records"]}

    assert list(text.shortcomings({"warned": ["a/b", "c/d"]}, {"observations": [observed]})) == [
        "WARNINGS: 2 requirements of the level should failed: a/b, c/d",
        "NOT EXERCISED, since the data of the target has none of it:",
        "  video_list: no tie",
    ]


def test_a_certificate_without_either_says_nothing_of_them() -> None:
    """No heading without content."""
    assert list(text.shortcomings({"warned": []}, {"observations": []})) == []
