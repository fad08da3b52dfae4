"""Submissions that wait for a runner of their benchmark's owner, the leases of the runners, and what these report.

A submission waits under a version as one item of the boards table, from when the evaluate queue brought it until its
outcome is an object of the results bucket: `put_outcome` writes it once, and S3 announces it to the same queue.
"""

from collections.abc import Container, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Literal, NamedTuple

from pydantic import Field

from scoring_core.output import Output
from scoring_core.scorers.base import Scores
from storage.gateway.bucket import Bucket
from storage.gateway.conditions import Absent, AtMost, Equals, Prefix
from storage.gateway.models import FrozenModel, StoredModel
from storage.gateway.schema import Schema, from_attributes, to_attributes
from storage.gateway.table import Table
from storage.keys import ReportedKey

LEASE = timedelta(seconds=60)
MAX_LEASES = 3
"""A result whose leases all end without an outcome is given to nobody any more."""
MAX_COUNTED = 1000
KEEP_RUNNER = timedelta(days=30)
"""So long a runner that is not seen any more is listed."""
_RUNNER = "runner"


class ReportedEvaluation(FrozenModel):
    """The scores of one part, by the metrics of the benchmark."""

    part: str | None = None
    scores: Scores = Field(default={})
    detail: dict[str, Any] = Field(default={})


class Reported(FrozenModel):
    """What a runner made of a result: as a judgement, before it is combined over parts."""

    outcome: Literal["scored", "invalid", "evaluator_error"]
    evaluations: tuple[ReportedEvaluation, ...] = ()
    message: str = Field(default="", max_length=4000)
    pointer: str = Field(default="", max_length=1000)
    output: Output | None = None
    signature: str = Field(default="", max_length=2000)


class RunnerOutcome(Reported, StoredModel):
    """What a runner reported, as it is stored."""

    kind = Schema.RUNNER_OUTCOME


class WorkItem(NamedTuple):
    """A submission that waits under a version; or a runner, as it was last seen.

    `since`: since when it waits, or when the runner was seen. `until`: when its lease ends, in seconds since 1970.
    `leases` counts those that were taken and not given back. `submission` is "" of a runner.
    """

    version: str
    since: datetime
    submission: str = ""
    leases: int = 0
    until: int = 0
    lease: str | None = None
    runner: str | None = None
    sandbox: str | None = None


class Taken(NamedTuple):
    """How many submissions wait, at most MAX_COUNTED, and the one that a runner has now."""

    waits: int
    work: WorkItem | None


class WorkStore(NamedTuple):
    """What waits for runners, in the boards table, and what they report, in the results bucket."""

    table: Table
    bucket: Bucket

    def wait(self, key: ReportedKey, now: datetime) -> None:
        """Have a submission wait for a runner under a version, if it does not yet."""
        work = WorkItem(version=key.version, since=now, submission=key.submission)
        self.table.put_if(Schema.WORK, {**_key(key), **to_attributes(work)}, Absent("board"))

    def take(self, benchmark: str, versions: Sequence[str], runner: WorkItem) -> Taken:
        """Return the oldest submission that is free, which a runner then has.

        Args:
            benchmark: The benchmark.
            versions: Those that the runner has.
            runner: The lease, when it begins, the name of the runner and its sandbox.
        """
        now, ends = (int(moment.timestamp()) for moment in (runner.since, runner.since + LEASE))
        waiting = [work for each in versions for work in islice(self._list(benchmark, f"{each}#"), MAX_COUNTED)]
        for work in (each for each in waiting if each.until <= now):
            taken = runner._replace(submission=work.submission, version=work.version, until=ends)
            taken = taken._replace(since=work.since, leases=work.leases + 1)
            if self._change(benchmark, work, taken):
                return Taken(len(waiting), taken)
        return Taken(len(waiting), None)

    def renew(self, key: ReportedKey, lease: str, until: datetime | None) -> bool:
        """Lengthen a lease, or without `until` end it as if it had never been.

        Return whether the runner had it still.
        """
        work = self.find(key)
        if work is None or work.lease != lease:
            return False
        if until is not None:
            self.see(key.benchmark, work._replace(since=until - LEASE, submission="", leases=0, until=0, lease=None))
        ended = work._replace(until=0, lease=None, leases=work.leases - 1)
        renewed = work._replace(until=int(until.timestamp())) if until else ended
        return self._change(key.benchmark, work, renewed)

    def find(self, key: ReportedKey) -> WorkItem | None:
        """Read what waits (consistent); None if it does not."""
        plain = self.table.get(Schema.WORK, **_key(key))
        return None if plain is None else from_attributes(WorkItem, plain)

    def list_waiting(self, benchmark: str) -> Iterator[WorkItem]:
        """List what waits under any version (consistent): by version, the oldest first."""
        return (work for work in self._list(benchmark, "") if work.submission)

    def finish(self, key: ReportedKey) -> None:
        """Have a submission wait no more."""
        self.table.delete(None, **_key(key))

    def put_outcome(self, key: ReportedKey, outcome: RunnerOutcome) -> bool:
        """Write what a runner reports; return whether it was the first."""
        return self.bucket.put_new(str(key), outcome.to_body())

    def find_outcome(self, key: ReportedKey) -> RunnerOutcome | None:
        """Read what a runner reported; None if none did. Raises NewerSchema."""
        stored = self.bucket.find_model(str(key), RunnerOutcome)
        return stored and stored.value

    def see(self, benchmark: str, runner: WorkItem) -> None:
        """Note that a runner was there."""
        item = _key(ReportedKey(benchmark, str(runner.runner), _RUNNER)) | to_attributes(runner)
        self.table.put_if(Schema.WORK, item, Absent("board") | AtMost("since", runner.since.isoformat()))

    def tidy(self, benchmark: str, versions: Container[str], now: datetime) -> set[str]:
        """Return what waits under one of these versions, and forget all others.

        So are runners that were not seen for KEEP_RUNNER.
        """
        waiting = set[str]()
        for work in self._list(benchmark, ""):
            if work.submission and work.version in versions:
                waiting.add(work.submission)
            elif work.submission or work.since < now - KEEP_RUNNER:
                name = (work.submission, work.version) if work.submission else (str(work.runner), _RUNNER)
                self.table.delete(None, **_key(ReportedKey(benchmark, *name)))
        return waiting

    def list_runners(self, benchmark: str) -> list[WorkItem]:
        """List the runners that were ever there (consistent), the last seen first."""
        return sorted(self._list(benchmark, f"{_RUNNER}#"), key=lambda runner: runner.since, reverse=True)

    def _list(self, benchmark: str, prefix: str) -> Iterator[WorkItem]:
        sort = Prefix("item", prefix) if prefix else None
        items = self.table.query(("board", f"work#{benchmark}"), sort, length=MAX_COUNTED)
        return (from_attributes(WorkItem, Schema.WORK.read(item)) for item in items)

    def _change(self, benchmark: str, before: WorkItem, after: WorkItem) -> bool:
        """Replace an item that was read; return whether nobody did since."""
        item = {**_key(ReportedKey(benchmark, after.submission, after.version)), **to_attributes(after)}
        return self.table.put_if(Schema.WORK, item, Equals("until", before.until) & Equals("leases", before.leases))


def _key(key: ReportedKey) -> dict[str, str]:
    """Return the key of what waits; a runner has its name and `_RUNNER` there."""
    return {"board": f"work#{key.benchmark}", "item": f"{key.version}#{key.submission}"}
