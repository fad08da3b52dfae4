"""Which raw results there are, and which of them lack an outcome: S3 and the submissions table, side by side."""

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
    """That a submission has an outcome under a version."""

    submission: str
    version: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ResultIndex:
    """The raw results of the results bucket and the items of the submissions table, in order of time."""

    table: Table
    bucket: Bucket

    def list_results(self, benchmark: str, *, since: datetime | None = None) -> Iterator[ResultKey]:
        """List a benchmark's raw results, the oldest first.

        Args:
            benchmark: The benchmark's id.
            since: Only results of this moment and later; what lies before is not read.
        """
        prefix = results_prefix(benchmark)
        start = str(ResultKey(benchmark, _first_id(since))) if since else prefix
        keys = map(parse_result_key, self.bucket.list_keys(prefix, after=start))
        return (key for key in keys if key is not None)

    def list_recorded(self, benchmark: str, *, since: datetime | None = None) -> Iterator[OutcomeKey]:
        """List (consistent) which submissions have an outcome under which version, in order of submission.

        Args:
            benchmark: The benchmark's id.
            since: Only submissions of this moment and later.
        """
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

    def list_lacking(
        self, benchmark: str, *, versions: Collection[str], since: datetime | None = None
    ) -> list[ResultKey]:
        """List the results that lack an outcome under one of these versions, the oldest first.

        What comes while this is read may be listed though it has its outcome by then; the other way round never
        happens: whoever is left out has all its outcomes.
        """
        results = list(self.list_results(benchmark, since=since))
        found: dict[str, set[str]] = {}
        for one in self.list_recorded(benchmark, since=since):
            if one.version in versions:
                found.setdefault(one.submission, set()).add(one.version)
        return [key for key in results if found.get(key.submission, set()) < set(versions)]


def _first_id(moment: datetime) -> str:
    """Give the least id that a submission of this moment can have."""
    return make_submission_id(moment, bytes(10))
