"""All raw results of a benchmark, and which of them have no outcome: S3 and the submissions table compared."""

from collections.abc import Collection, Iterator
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple

from scoring_core.outcome import Outcome
from storage.gateway.bucket import Bucket
from storage.gateway.conditions import AtLeast
from storage.gateway.schema import Schema
from storage.gateway.table import Table
from storage.keys import ResultKey, first_id, parse_result_key, results_prefix

_AFTER_ALL: Final = "~"
"""No id of a submission comes after this."""
_ATTRIBUTES = ("schema", "submission", "version", "player", "outcome", "in_review", "late")


class OutcomeKey(NamedTuple):
    """The outcome of a submission under a version, and its marks."""

    submission: str
    version: str
    outcome: Outcome
    in_review: bool
    late: bool
    player: str


class ResultIndex(NamedTuple):
    """The raw results in the bucket and the items of the submissions table, in order of time."""

    table: Table
    bucket: Bucket

    def list_results(self, benchmark: str, *, since: datetime | None = None) -> Iterator[ResultKey]:
        """List a benchmark's raw results from a moment on, the oldest first."""
        prefix = results_prefix(benchmark)
        start = str(ResultKey(benchmark, first_id(since))) if since else prefix
        keys = map(parse_result_key, self.bucket.list_keys(prefix, after=start))
        return (key for key in keys if key is not None)

    def list_recorded(self, benchmark: str, *, since: datetime | None = None) -> Iterator[OutcomeKey]:
        """List the outcomes of submissions from a moment on (consistent), oldest first."""
        items = self.table.query(
            ("benchmark", benchmark),
            AtLeast("submission_version", first_id(since) if since else "0"),
            attributes=_ATTRIBUTES,
        )
        for item in items:
            if "outcome" not in item:  # a withdrawal
                continue
            plain = Schema.RECORD.read(item)
            outcome, in_review = Outcome(str(plain["outcome"])), bool(plain.get("in_review", False))
            submission, version, player = (str(plain[name]) for name in ("submission", "version", "player"))
            yield OutcomeKey(submission, version, outcome, in_review=in_review, late="late" in plain, player=player)

    def list_unscored(
        self, benchmark: str, *, versions: Collection[str], since: datetime | None = None
    ) -> Iterator[ResultKey]:
        """List the results without an outcome under one of these versions, oldest first.

        Results and outcomes are in the same order, so both are read side by side, and neither is in memory. A result
        that arrives while this reads may be listed although it has its outcome by then. A result that is not listed has
        all its outcomes.
        """
        outcomes = groupby(self.list_recorded(benchmark, since=since), key=attrgetter("submission"))
        recorded, scored, wanted = "", set[str](), set(versions)
        for key in self.list_results(benchmark, since=since):
            while recorded < key.submission:
                recorded, group = next(outcomes, (_AFTER_ALL, iter(())))
                scored = {outcome.version for outcome in group}
            if recorded != key.submission or not wanted <= scored:
                yield key
