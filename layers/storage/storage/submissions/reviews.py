"""Reviews: what an owner accepts counts, though its record says `in_review` and never changes.

An acceptance is one item beside the records of its submission, as a withdrawal is, and shares no attribute with a
record except its keys. It is of the submission, whose raw result the owner looked at, so a rescore leaves it accepted.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from storage.actors import Actor
from storage.gateway.clients import run_at_once
from storage.gateway.conditions import Absent, AtLeast, ItemChange
from storage.gateway.errors import Conflict
from storage.gateway.schema import Schema
from storage.gateway.table import Page, Table, TableIndex
from storage.keys import ResultKey
from storage.submissions.models import SubmissionRecord, record_from_item, review_partition, sort_key, split_sort_key
from storage.submissions.withdrawals import WithdrawalStore, find_withdrawn

_SUFFIX: Final = "accepted"
ATTRIBUTES: Final = ("accepted",)
"""What an acceptance has beside its keys: JSON of the person, the time, and the owner's statement."""
MAX_READS: Final = 10
"""Pages of submissions in review that are read for one page of those that wait."""
_IN_REVIEW: Final = TableIndex("by_failure", "failed_benchmark")


def find_decided(item: Mapping[str, Mapping[str, Any]]) -> ResultKey | None:
    """Return the submission that an item withdraws or accepts; None for a record."""
    accepted = find_accepted(item)
    return find_withdrawn(item) if accepted is None else ResultKey(item["benchmark"]["S"], accepted)


def find_accepted(item: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return the submission that an item accepts; None if it is another item."""
    submission, suffix = split_sort_key(item)
    return submission if suffix == _SUFFIX else None


@dataclass(frozen=True, slots=True)
class ReviewStore:
    """The records in review of the submissions table, and what was accepted of them."""

    table: Table

    def accept(
        self, benchmark: str, *, submission: str, actor: Actor, at: datetime, statement: Mapping[str, str] | None = None
    ) -> None:
        """Accept a submission in review; the first one stays.

        `statement` is what the owner says of it, such as a `reason`. Raises NewerSchema.
        """
        accepted = {"at": at.isoformat(), "by": actor.id, "role": actor.role.value, **(statement or {})}
        try:
            self.table.update(
                Schema.ACCEPTANCE,
                _key(benchmark, submission),
                ItemChange(set={"accepted": json.dumps(accepted)}),
                Absent("accepted"),
                may_read=False,
            )
        except Conflict:
            self.find_accepted(benchmark, [submission])  # raises if newer code wrote it

    def thaw(self, benchmark: str, *, version: str, actor: Actor, at: datetime) -> None:
        """Accept all that waits only because the board was frozen.

        A withdrawn one too, which may be restored. What is accepted stays so, so this can be repeated. Raises Busy.
        """
        before: str | None = None
        while True:
            page = self.list_waiting(benchmark, None, version=version, before=before, length=1_000)
            frozen = [record.submission.id for record in page.entries if record.frozen]
            run_at_once(lambda each: self.accept(benchmark, submission=each, actor=actor, at=at), frozen)
            before = page.position
            if before is None:
                return

    def list_since(self, benchmark: str, version: str, first: str) -> list[str]:
        """Return which submissions, from this id on, were put in review.

        Whatever became of them; the latest ones may be lacking.
        """
        span = AtLeast("submission_version", first)
        partition = (_IN_REVIEW.key, review_partition(benchmark))
        items = self.table.query(partition, span, attributes=["submission_version"], index=_IN_REVIEW.name)
        names = map(split_sort_key, items)
        return [submission for submission, scored_by in names if scored_by == version]

    def find_accepted(self, benchmark: str, submissions: Collection[str]) -> frozenset[str]:
        """Return which of these submissions are accepted (consistent). Raises Busy."""
        keys = [_key(benchmark, submission) for submission in sorted(set(submissions))]
        read = map(Schema.ACCEPTANCE.read, self.table.get_many(keys))
        return frozenset(str(plain["submission_version"]).partition("#")[0] for plain in read)

    def find_waiting(self, records: Iterable[SubmissionRecord]) -> frozenset[str]:
        """Return the submissions that wait, of the records of one benchmark (consistent).

        If none is in review, nothing is read. Raises Busy.
        """
        marked = [record.submission for record in records if record.in_review]
        if not marked:
            return frozenset()
        submissions = frozenset(submission.id for submission in marked)
        return submissions - self.find_accepted(marked[0].benchmark, submissions)

    def list_waiting(
        self, benchmark: str, withdrawals: WithdrawalStore | None, *, version: str, before: str | None, length: int
    ) -> Page[SubmissionRecord]:
        """Return a page of what waits under a version, newest first.

        Nothing withdrawn waits, unless there are no `withdrawals`. It may lack the latest ones, and has fewer than
        `length` if very many are decided.
        """
        waiting: list[SubmissionRecord] = []
        for _ in range(MAX_READS):
            page = self.table.read_page(
                _IN_REVIEW, review_partition(benchmark), before=before, length=length, read=_read_sort_key
            )
            before = page.position
            for record in self._read_waiting(benchmark, withdrawals, page.entries, version=version):
                if len(waiting) == length:
                    last = waiting[-1]
                    return Page(tuple(waiting), sort_key(last.submission.id, last.version))
                waiting.append(record)
            if before is None or len(waiting) == length:
                break
        return Page(tuple(waiting), before)

    def _read_waiting(
        self, benchmark: str, withdrawals: WithdrawalStore | None, names: Iterable[str], *, version: str
    ) -> list[SubmissionRecord]:
        """Return the records of these sort keys that wait, newest first (consistent)."""
        wanted = [name for name in names if name.partition("#")[2] == version]
        keys = [{"benchmark": benchmark, "submission_version": name} for name in wanted]
        records = [record_from_item(item) for item in self.table.get_many(keys)]
        waiting = self.find_waiting(records)
        if withdrawals is not None:
            waiting -= withdrawals.find_all(benchmark, waiting).keys()
        left = [record for record in records if record.submission.id in waiting]
        return sorted(left, key=lambda record: record.submission.id, reverse=True)


def _read_sort_key(item: Mapping[str, Mapping[str, Any]]) -> str:
    return str(item["submission_version"]["S"])


def _key(benchmark: str, submission: str) -> dict[str, str]:
    return {"benchmark": benchmark, "submission_version": sort_key(submission, _SUFFIX)}
