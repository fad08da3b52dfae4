"""The settings of each function, read once from its environment."""

from collections.abc import Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, Field


class Settings(BaseModel):
    """The variables of the environment have the fields' names in capitals."""

    model_config = ConfigDict(frozen=True, alias_generator=str.upper, populate_by_name=True, extra="ignore")

    stage: str

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Self:
        """Read the settings; pydantic's ValidationError names what is missing."""
        return cls.model_validate(dict(environ))


class AccessSettings(Settings):
    """Settings of the commands that make and revoke tokens."""

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


class DeadLetterSettings(Settings):
    """Settings of `evaluate/dead_letter.py`."""

    results_bucket: str
    submissions_table: str


class ShareSettings(DeadLetterSettings):
    """Settings of what scores results of a FIFO queue."""

    evaluate_queue_url: str
    evaluate_dead_letter_queue_url: str
    share_queue_url: str
    benchmark_concurrency: int = 5
    retry_base_seconds: int = 30


class EvaluateSettings(ShareSettings):
    """Settings of `evaluate/queue.py`."""

    script_queue_url: str


class ScriptSettings(ShareSettings):
    """Settings of `evaluate/script_queue.py`."""

    access_table: str
    sandbox_function: str


class SweepSettings(DeadLetterSettings):
    """Settings of `evaluate/sweep.py`."""

    access_table: str
    evaluate_queue_url: str
    sweep_age_seconds: int = 300


class AggregateSettings(Settings):
    """Settings of everything that publishes boards."""

    results_bucket: str
    site_bucket: str
    boards_table: str
    submissions_table: str


class StreamSettings(AggregateSettings):
    """Settings of `aggregate/stream.py`."""

    access_table: str


class RescoreSettings(StreamSettings):
    """Settings of `aggregate/rescore.py` and of the commands that rescore and rebuild."""

    evaluate_queue_url: str


class NotifySettings(Settings):
    """Settings of `notify/stream.py`."""

    mail_table: str
    mail_queue_url: str


class FlushSettings(NotifySettings):
    """Settings of `notify/flush.py`."""

    digest_interval_seconds: int = Field(default=3600, alias="GATHER_SECONDS")


class SendSettings(FlushSettings):
    """Settings of `notify/send.py`.

    Without a `sender_address` every mail is refused, without an `admin_address` the mails to the administrator are.
    """

    results_bucket: str
    submissions_table: str
    access_table: str
    configuration_set: str
    sender_address: str
    admin_address: str
    site_url: str
    retry_base_seconds: int = 30
