"""What counts nowhere until somebody says so: an owner of what is in review, the player of a private try.

A record says `in_review`, a submission `private`, and neither changes. An acceptance or a revelation is one item of
the same form beside the records of its submission, as a withdrawal is, and shares no attribute with a record except
its keys. Both are of the submission, so a rescore leaves them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from storage.actors import Actor
from storage.aws.errors import Conflict
from storage.aws.schema import Schema
from storage.aws.table import Table, TableIndex
from storage.keys import ResultKey
from storage.submissions.models import (
    Submission,
    SubmissionRecord,
    record_from_item,
    review_partition,
    sort_key,
    split_sort_key,
)
from storage.submissions.withdrawals import WithdrawalStore, find_withdrawn

_ACCEPTED: Final = "accepted"
_REVEALED: Final = "revealed"
ATTRIBUTES: Final = ("accepted_at", "accepted_by", "accepted_role")
"""What an acceptance or a revelation has beside `reason` and its keys."""
MAX_READS: Final = 10
"""Pages of submissions in review that are read for one page of those that wait."""
_IN_REVIEW: Final = TableIndex("by_failure", "failed_benchmark")


class ReviewPage(NamedTuple):
    """Submissions that wait, newest first, and where the next page begins; None: there are no others."""

    records: Sequence[SubmissionRecord]
    position: str | None


def find_decided(item: Mapping[str, Mapping[str, Any]]) -> ResultKey | None:
    """Return the submission that an item decides about; None for a record."""
    submission, suffix = split_sort_key(item)
    return ResultKey(item["benchmark"]["S"], submission) if suffix in (_ACCEPTED, _REVEALED) else find_withdrawn(item)


def find_accepted(item: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return the submission that an item accepts; None if it is another item."""
    submission, suffix = split_sort_key(item)
    return submission if suffix == _ACCEPTED else None


@dataclass(frozen=True, slots=True)
class ReviewStore:
    """What the submissions table says of records in review and of private tries."""

    table: Table

    def accept(self, benchmark: str, *, submission: str, actor: Actor, at: datetime, reason: str) -> None:
        """Accept a submission in review; the first one stays. `reason` may be empty.

        Raises NewerSchema.
        """
        self._write(_key(benchmark, submission, _ACCEPTED), actor, at, reason)

    def reveal(self, benchmark: str, *, submission: str, actor: Actor, at: datetime) -> None:
        """Have a private try count as any other submission, for good. Raises NewerSchema."""
        self._write(_key(benchmark, submission, _REVEALED), actor, at, "")

    def _write(self, key: Mapping[str, str], actor: Actor, at: datetime, reason: str) -> None:
        try:
            self.table.update(
                Schema.ACCEPTANCE,
                key,
                attributes={
                    "accepted_at": at.isoformat(),
                    "accepted_by": actor.id,
                    "accepted_role": actor.role.value,
                    "reason": reason,
                },
                condition="attribute_not_exists(#accepted_at)",
                may_read=False,
            )
        except Conflict:
            list(map(Schema.ACCEPTANCE.read, self.table.get_many([key])))  # raises if newer code wrote it

    def find_accepted(self, benchmark: str, submissions: Collection[str]) -> frozenset[str]:
        """Return which of these submissions are accepted (consistent). Raises Busy."""
        return frozenset(submissions) - self._find_missing(benchmark, ((each, _ACCEPTED) for each in submissions))

    def find_waiting(self, records: Iterable[SubmissionRecord]) -> frozenset[str]:
        """Return the submissions of one benchmark that count nowhere (consistent).

        They are in review and not accepted, or private and not revealed. Of other records nothing is read. Raises Busy.
        """
        read = list(records)
        needed = {(record.submission.id, _ACCEPTED) for record in read if record.in_review}
        needed |= {(record.submission.id, _REVEALED) for record in read if record.submission.private}
        return self._find_missing(read[0].submission.benchmark, needed) if needed else frozenset()

    def find_private(self, submissions: Iterable[Submission]) -> frozenset[str]:
        """Return the private tries of one benchmark that are not revealed (consistent).

        Of those that never were private nothing is read. Raises Busy.
        """
        private = [submission for submission in submissions if submission.private]
        needed = ((submission.id, _REVEALED) for submission in private)
        return self._find_missing(private[0].benchmark, needed) if private else frozenset()

    def _find_missing(self, benchmark: str, needed: Iterable[tuple[str, str]]) -> frozenset[str]:
        """Return the submissions that lack an item with one of these suffixes."""
        keys = {sort_key(*each): _key(benchmark, *each) for each in sorted(set(needed))}
        items = map(Schema.ACCEPTANCE.read, self.table.get_many(keys.values()))
        missing = keys.keys() - {str(plain["submission_version"]) for plain in items}
        return frozenset(name.partition("#")[0] for name in missing)

    def list_waiting(
        self, benchmark: str, withdrawals: WithdrawalStore, *, version: str, before: str | None, length: int
    ) -> ReviewPage:
        """Return a page of what waits for the owner under a version, newest first.

        Nothing withdrawn waits for the owner, and no private try. It may lack the latest ones, and has fewer than
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
                    return ReviewPage(waiting, sort_key(last.submission.id, last.version))
                waiting.append(record)
            if before is None or len(waiting) == length:
                break
        return ReviewPage(waiting, before)

    def _read_waiting(
        self, benchmark: str, withdrawals: WithdrawalStore, names: Iterable[str], *, version: str
    ) -> list[SubmissionRecord]:
        """Return the records of these sort keys that wait, newest first (consistent)."""
        wanted = [name for name in names if name.partition("#")[2] == version]
        keys = [{"benchmark": benchmark, "submission_version": name} for name in wanted]
        records = [record_from_item(item) for item in self.table.get_many(keys)]
        waiting = self.find_waiting(records) - self.find_private(record.submission for record in records)
        withdrawn = withdrawals.find_all(benchmark, waiting)
        left = [record for record in records if record.submission.id in waiting - withdrawn.keys()]
        return sorted(left, key=lambda record: record.submission.id, reverse=True)


def _read_sort_key(item: Mapping[str, Mapping[str, Any]]) -> str:
    return str(item["submission_version"]["S"])


def _key(benchmark: str, submission: str, suffix: str) -> dict[str, str]:
    return {"benchmark": benchmark, "submission_version": sort_key(submission, suffix)}
