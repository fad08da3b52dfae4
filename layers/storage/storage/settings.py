"""The settings of each function, read once from its environment.

They are plain classes: fifteen data classes or models would cost every cold start several milliseconds.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Self, dataclass_transform

from scoring_core.errors import LaurelError


class InvalidSettings(LaurelError):
    """Variables of the environment are missing or wrong; the message names each of them."""


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Settings:
    """The variables of the environment have the fields' names in capitals."""

    types: ClassVar[Mapping[str, Any]] = {"stage": str}

    stage: str

    def __init_subclass__(cls) -> None:
        """Add the fields of a class to those that it inherits."""
        cls.types = {**cls.types, **cls.__annotations__}

    def __init__(self, **values: str | int | None) -> None:
        """Set every field that has no default, and perhaps others."""
        missing = {name for name in self.types if self.requires(name)} - values.keys()
        if missing or values.keys() - self.types.keys():
            raise TypeError(f"{type(self).__name__}: expected the fields {', '.join(self.types)}")
        self.__dict__.update(values)

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Self:
        """Read the settings. Raises InvalidSettings."""
        values: dict[str, str | int | None] = {}
        faults = []
        for name, kind in cls.types.items():
            variable = name.upper()
            text = environ.get(variable)
            if text is None:
                if cls.requires(name):
                    faults.append(f"{variable} is missing")
            elif kind is not int:
                values[name] = text
            elif text.isascii() and text.isdigit():
                values[name] = int(text)
            else:
                faults.append(f"{variable}: expected a whole number, found {text!r}")
        if faults:
            raise InvalidSettings(f"{cls.__name__}: {'; '.join(faults)}")
        return cls(**values)

    @classmethod
    def requires(cls, name: str) -> bool:
        """Return whether a field has no default."""
        return not hasattr(cls, name)


class HttpSettings(Settings):
    """Settings of both functions behind the HTTP API."""

    results_bucket: str
    site_bucket: str
    submissions_table: str
    boards_table: str
    access_table: str
    origin_secret: str


class SubmitSettings(HttpSettings):
    """Settings of `submit/http.py`."""

    submit_benchmark: str = ""


class ApiSettings(HttpSettings):
    """Settings of `api/http.py`."""

    mail_table: str
    submit_function: str
    publish_function: str
    rescore_function: str
    sweep_function: str


class BatchImportSettings(Settings):
    """Settings of everything that writes reports of batches."""

    results_bucket: str
    submissions_table: str
    access_table: str
    mail_table: str


class BatchDeadLetterSettings(BatchImportSettings):
    """Settings of `submit/batch_dead_letters.py`."""

    drop_dead_letter_queue_url: str


class BatchSettings(BatchImportSettings):
    """Settings of `submit/batches.py`."""

    drop_queue_url: str
    retry_base_seconds: int = 30


class RecordSettings(Settings):
    """Settings of everything that reads results and looks for their records."""

    results_bucket: str
    submissions_table: str


class DeadLetterSettings(RecordSettings):
    """Settings of `evaluate/dead_letter.py`."""

    evaluate_dead_letter_queue_url: str
    share_dead_letter_queue_url: str


class ShareSettings(RecordSettings):
    """Settings of what scores results of a FIFO queue."""

    access_table: str
    boards_table: str
    evaluate_queue_url: str
    evaluate_dead_letter_queue_url: str
    share_queue_url: str
    benchmark_concurrency: int = 5
    retry_base_seconds: int = 30


class EvaluateSettings(ShareSettings):
    """Settings of `evaluate/queue.py`."""

    script_queue_url: str


class ScriptSettings(ShareSettings):
    """Settings of `evaluate/script_queue.py`.

    `runtimes` is a JSON object: runtime → hash of its lock, without the default one.
    """

    sandbox_function: str
    runtimes: str = "{}"


class SweepSettings(RecordSettings):
    """Settings of `evaluate/sweep.py`."""

    access_table: str
    boards_table: str
    evaluate_queue_url: str
    sweep_age_seconds: int = 300


class AggregateSettings(Settings):
    """Settings of everything that renders boards; without `site_url` addresses in served pages are relative."""

    results_bucket: str
    site_bucket: str
    boards_table: str
    submissions_table: str
    access_table: str
    site_url: str = ""


class UpkeepSettings(Settings):
    """Settings of `upkeep/schedule.py`; without `canary_url` there is no canary.

    `results_bucket` is what the template gives every function.
    """

    results_bucket: str
    site_bucket: str
    canary_url: str = ""


class RescoreSettings(AggregateSettings):
    """Settings of `aggregate/rescore.py`."""

    evaluate_queue_url: str
    mail_table: str


class PublishSettings(AggregateSettings):
    """Settings of `aggregate/benchmarks/publish.py`.

    `unsupported_scorers` is a JSON object: scorer → why one machine cannot score with it; `runtimes` is as of scripts.
    """

    sandbox_function: str
    runtimes: str = "{}"
    unsupported_scorers: str = "{}"


class OutboxSettings(Settings):
    """Settings of everything that queues digests."""

    mail_table: str
    mail_queue_url: str


class NotifySettings(OutboxSettings):
    """Settings of `notify/stream.py`."""

    results_bucket: str


class SendSettings(OutboxSettings):
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
    digest_interval_seconds: int = 3600
    retry_base_seconds: int = 30
