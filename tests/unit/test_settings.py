"""Settings: read from the environment by name, once, and loud about what is missing."""

import pytest

from storage.settings import (
    AggregateSettings,
    InvalidSettings,
    RecordSettings,
    SendSettings,
    SweepSettings,
)


def test_all_missing_settings_are_named_at_once() -> None:
    """One attempt is enough to learn what a function lacks."""
    with pytest.raises(InvalidSettings, match=r"STAGE is missing; RESULTS_BUCKET is missing"):
        AggregateSettings.read({"SITE_BUCKET": "s", "BOARDS_TABLE": "b", "SUBMISSIONS_TABLE": "t"})


def test_numbers_are_read_as_numbers() -> None:
    """A number has a default, and may have a variable of another name."""
    environment = dict.fromkeys(map(str.upper, filter(SendSettings.requires, SendSettings.types)), "x")

    assert SendSettings.read(environment).digest_interval_seconds == 3600
    assert SendSettings.read({**environment, "DIGEST_INTERVAL_SECONDS": "60"}).digest_interval_seconds == 60


@pytest.mark.parametrize("text", ["", "soon", "1.5", "-1", "\u0663"])
def test_setting_that_is_no_number_is_refused(text: str) -> None:
    """A number that cannot be read never becomes the default."""
    environment = {
        "STAGE": "dev",
        "RESULTS_BUCKET": "r",
        "SUBMISSIONS_TABLE": "t",
        "ACCESS_TABLE": "a",
        "EVALUATE_QUEUE_URL": "q",
    }

    with pytest.raises(InvalidSettings, match=r"SWEEP_AGE_SECONDS: expected a whole number"):
        SweepSettings.read({**environment, "SWEEP_AGE_SECONDS": text})


def test_settings_are_complete() -> None:
    """Settings without a field, or with an unknown one, cannot be made."""
    with pytest.raises(TypeError, match="expected the fields stage, results_bucket, submissions_table"):
        RecordSettings(stage="dev", results_bucket="r")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="expected the fields stage, results_bucket, submissions_table"):
        RecordSettings(stage="dev", results_bucket="r", submissions_table="t", mail_table="m")  # type: ignore[call-arg]
