"""What each function is told by its environment: one model a function, read once."""

from collections.abc import Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, Field


class Settings(BaseModel):
    """The environment's variables carry the fields' names in capitals."""

    model_config = ConfigDict(frozen=True, alias_generator=str.upper, populate_by_name=True, extra="ignore")

    stage: str

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Self:
        """Read the settings; pydantic's ValidationError names what is missing."""
        return cls.model_validate(dict(environ))


class AccessSettings(Settings):
    """Settings of whoever makes and revokes tokens."""

    access_table: str


class SubmitSettings(Settings):
    """Settings of `submit/http.py`.

    `uploads_url` is where presigned POSTs are sent on one machine; in the cloud that is the bucket's own host.
    """

    results_bucket: str
    site_bucket: str
    submissions_table: str
    access_table: str
    origin_secret: str
    uploads_url: str | None = None


class BatchDeadLetterSettings(Settings):
    """Settings of `submit/batch_dead_letters.py`."""

    results_bucket: str
    submissions_table: str
    access_table: str
    mail_table: str


class BatchSettings(BatchDeadLetterSettings):
    """Settings of `submit/batches.py`."""

    drop_queue_url: str
    retry_base_seconds: int = 30


class EvaluateSettings(Settings):
    """Settings of `evaluate/queue.py`."""

    results_bucket: str
    submissions_table: str
    access_table: str
    evaluate_queue_url: str
    evaluate_dead_letter_queue_url: str
    share_queue_url: str
    benchmark_concurrency: int = 5
    sandbox_function: str
    retry_base_seconds: int = 30


class DeadLetterSettings(Settings):
    """Settings of `evaluate/dead_letter.py`."""

    results_bucket: str
    submissions_table: str


class SweepSettings(Settings):
    """Settings of `evaluate/sweep.py`."""

    results_bucket: str
    submissions_table: str
    access_table: str
    evaluate_queue_url: str
    sweep_age_seconds: int = 300


class AggregateSettings(Settings):
    """Settings of whatever publishes boards."""

    results_bucket: str
    site_bucket: str
    boards_table: str
    submissions_table: str


class StreamSettings(AggregateSettings):
    """Settings of `aggregate/stream.py`."""

    access_table: str


class NotifySettings(Settings):
    """Settings of `notify/stream.py`."""

    mail_table: str
    mail_queue_url: str


class SendSettings(Settings):
    """Settings of `notify/send.py`.

    `sender_address` and `admin_address` may be empty: then nothing is sent, or nothing to the site's administrator,
    and every mail that is refused for it says so.
    """

    results_bucket: str
    submissions_table: str
    access_table: str
    mail_table: str
    mail_queue_url: str
    configuration_set: str
    sender_address: str
    admin_address: str
    site_url: str
    digest_interval_seconds: int = Field(default=3600, alias="GATHER_SECONDS")
    retry_base_seconds: int = 30


class FlushSettings(Settings):
    """Settings of `notify/flush.py`."""

    mail_table: str
    mail_queue_url: str
    digest_interval_seconds: int = Field(default=3600, alias="GATHER_SECONDS")


class RescoreSettings(AggregateSettings):
    """Settings of `aggregate/rescore.py`, and of whatever else rescores and rebuilds."""

    access_table: str
    evaluate_queue_url: str
