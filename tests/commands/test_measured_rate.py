"""What `init`, `doctor` and the forecast of a run say of a rate limit, and without a key."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from process import conformance_here
from rate_limits import Limit, Limited, bucket, fixed_window, served, sliding_window

from conformance.commands import forecast
from conformance.commands.diagnosis import expectation
from conformance.commands.forecast import Measured
from conformance.reference.target import toml
from conformance.report import prospect
from conformance.target.profile import bare


@pytest.mark.parametrize("kind", [bucket, fixed_window, sliding_window])
def test_init_writes_the_rate_that_it_has_measured(
    kind: Callable[[int, float], Limit], tmp_path: Path
) -> None:
    """With a few dozen requests in all; a run with this profile is hardly ever rejected."""
    target = Limited(lambda: kind(10, 1))
    with served(target) as profile:
        key = profile["credentials"]["primary"]["api-key"]
        known = {"LOCALIZATION_API_KEY": key}
        ended = conformance_here(tmp_path, "init", "--base-url", profile["base-url"], **known)
    written = tomllib.loads((tmp_path / "target.toml").read_text())

    assert 4 <= written["limits"]["requests-per-second"] <= 10
    assert "rate         about " in ended.stdout
    assert target.statuses.total() < 80
    assert target.statuses[429] <= 10


def test_init_leaves_its_rate_where_no_limit_was_met(tmp_path: Path) -> None:
    """It is that of the template."""
    with served(Limited(lambda: lambda _: None)) as profile:
        known = {"LOCALIZATION_API_KEY": profile["credentials"]["primary"]["api-key"]}
        ended = conformance_here(tmp_path, "init", "--base-url", profile["base-url"], **known)

    assert "rate         no limit was met" in ended.stdout
    assert "requests-per-second = 100 #" in (tmp_path / "target.toml").read_text()


def test_doctor_forecasts_with_the_rate_that_it_has_measured(tmp_path: Path) -> None:
    """5,600 exchanges take no less than nine minutes at ten requests per second."""
    target = Limited(lambda: bucket(10, 1))
    with served(target) as profile:
        (tmp_path / "target.toml").write_text(toml(profile))
        ended = conformance_here(tmp_path, "doctor", "--json")
        shown = conformance_here(tmp_path, "doctor")
    found = json.loads(ended.stdout)
    standard = found["durations"][1]

    assert 5 < found["rate"] < 15
    assert standard["seconds"] == pytest.approx(standard["exchanges"] / found["rate"], rel=0.01)
    assert "rate    the target allows about " in shown.stdout


def test_doctor_names_the_credential_that_is_missing(tmp_path: Path) -> None:
    """Nothing is as it should be where there is none; a run then takes seconds."""
    with served(Limited(lambda: lambda _: None)) as profile:
        ended = conformance_here(tmp_path, "doctor", "--base-url", profile["base-url"])

    assert ended.returncode == 1
    assert "WRONG   credentials.primary: is missing" in ended.stdout
    assert "every credential" not in ended.stdout


def test_a_forecast_counts_what_the_profile_lets_a_run_check() -> None:
    """Without a key that is hardly anything."""
    without = expectation.share(prospect.of(bare("http://target.test/v1", {})))
    expected = round(5_600 * without)
    few = Measured(4, expected, 10.0, 1.0, 0.0, None, 32, None)

    assert without < 0.02
    assert f"up to {(expected - 4) / 0.4:.0f} s more" in forecast.line(few)


def test_a_forecast_names_the_rate_limit() -> None:
    """It is what makes the run long."""
    line = forecast.line(Measured(90, 5_600, 10.0, 1.0, 0.0, None, 32, None, allowed=9.6))

    assert line.endswith("; the target allows about 9.6 requests per second (429)")
