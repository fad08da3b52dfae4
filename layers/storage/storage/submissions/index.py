"""All raw results of a benchmark, and which of them have no outcome: S3 and the submissions table compared."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from scoring_core.outcome import Outcome
from storage.aws.bucket import Bucket
from storage.aws.schema import Schema
from storage.aws.table import Table
from storage.ids import make_submission_id
from storage.keys import ResultKey, parse_result_key, results_prefix

_ATTRIBUTES = ("schema", "submission", "version", "outcome")


class OutcomeKey(NamedTuple):
    """The outcome of a submission under a version."""

    submission: str
    version: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ResultIndex:
    """The raw results in the bucket and the items of the submissions table, in order of time."""

    table: Table
    bucket: Bucket

    def list_results(self, benchmark: str, *, since: datetime | None = None) -> Iterator[ResultKey]:
        """List a benchmark's raw results from a moment on, the oldest first."""
        prefix = results_prefix(benchmark)
        start = str(ResultKey(benchmark, _first_id(since))) if since else prefix
        keys = map(parse_result_key, self.bucket.list_keys(prefix, after=start))
        return (key for key in keys if key is not None)

    def list_recorded(self, benchmark: str, *, since: datetime | None = None) -> Iterator[OutcomeKey]:
        """List the outcomes of submissions from a moment on (consistent), oldest first."""
        items = self.table.query(
            key=("benchmark", benchmark),
            start=("submission_version", _first_id(since) if since else "0"),
            attributes=_ATTRIBUTES,
        )
        for item in items:
            if "outcome" not in item:  # a withdrawal
                continue
            plain = Schema.RECORD.read(item)
            yield OutcomeKey(str(plain["submission"]), str(plain["version"]), Outcome(str(plain["outcome"])))

    def list_unscored(
        self, benchmark: str, *, versions: Collection[str], since: datetime | None = None
    ) -> list[ResultKey]:
        """List the results without an outcome under one of these versions, oldest first.

        A result that arrives while this reads may be listed although it has its outcome by then. A result that is not
        listed has all its outcomes.
        """
        results = list(self.list_results(benchmark, since=since))
        recorded: dict[str, set[str]] = {}
        for outcome in self.list_recorded(benchmark, since=since):
            if outcome.version in versions:
                recorded.setdefault(outcome.submission, set()).add(outcome.version)
        return [key for key in results if recorded.get(key.submission, set()) < set(versions)]


def _first_id(moment: datetime) -> str:
    """Return the least id that a submission of this moment can have."""
    return make_submission_id(moment, bytes(10))
