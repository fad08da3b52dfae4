"""Settings: read from the environment by name, once, and loud about what is missing."""

import pytest
from pydantic import ValidationError

from storage.settings import AggregateSettings

ENVIRONMENT = {
    "STAGE": "dev",
    "RESULTS_BUCKET": "r",
    "SITE_BUCKET": "s",
    "BOARDS_TABLE": "b",
    "SUBMISSIONS_TABLE": "t",
    "PATH": "/bin",
}


def test_settings_are_read_from_the_environment() -> None:
    """Variables carry the fields' names in capitals; others are left alone."""
    settings = AggregateSettings.read(ENVIRONMENT)

    assert settings == AggregateSettings(
        stage="dev", results_bucket="r", site_bucket="s", boards_table="b", submissions_table="t"
    )


@pytest.mark.parametrize("name", ["STAGE", "RESULTS_BUCKET", "SITE_BUCKET", "BOARDS_TABLE", "SUBMISSIONS_TABLE"])
def test_missing_setting_is_named(name: str) -> None:
    """What is missing is named as the environment would have it."""
    environment = {key: value for key, value in ENVIRONMENT.items() if key != name}

    with pytest.raises(ValidationError, match=name):
        AggregateSettings.read(environment)
