"""Releases: the owner has looked at a held submission, and it counts. The record that says `held` never changes.

A release is one item beside the records of its submission, as a withdrawal is, and shares no attribute with a record
except its keys. It is of the submission, whose raw result the owner looked at, so a rescore leaves it good.
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
from storage.submissions.models import SubmissionRecord, held_partition, record_from_item, sort_key
from storage.submissions.withdrawals import WithdrawalStore, find_withdrawn

_SUFFIX: Final = "release"
ATTRIBUTES: Final = ("released_at", "released_by", "released_role")
"""What a release has beside `reason` and its keys."""
MAX_READS: Final = 10
"""Pages of held submissions that are read for one page of those that wait."""
_HELD: Final = TableIndex("by_failure", "failed_benchmark")


class HeldPage(NamedTuple):
    """Held submissions that wait, newest first, and where the next page begins; None: there are no others."""

    records: Sequence[SubmissionRecord]
    position: str | None


def find_decided(item: Mapping[str, Mapping[str, Any]]) -> ResultKey | None:
    """Return the submission that an item withdraws or releases; None for a record."""
    released = find_released(item)
    return find_withdrawn(item) if released is None else ResultKey(item["benchmark"]["S"], released)


def find_released(item: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return the submission that an item releases; None if it is another item."""
    submission, _, suffix = str(item.get("submission_version", {}).get("S", "")).partition("#")
    return submission if suffix == _SUFFIX else None


@dataclass(frozen=True, slots=True)
class HoldStore:
    """The held records of the submissions table, and their releases."""

    table: Table

    def release(self, benchmark: str, *, submission: str, actor: Actor, at: datetime, reason: str) -> None:
        """Release a submission; the first release stays. `reason` may be empty.

        Raises NewerSchema.
        """
        try:
            self.table.update(
                Schema.RELEASE,
                _key(benchmark, submission),
                attributes={
                    "released_at": at.isoformat(),
                    "released_by": actor.id,
                    "released_role": actor.role.value,
                    "reason": reason,
                },
                condition="attribute_not_exists(#released_at)",
                may_read=False,
            )
        except Conflict:
            self.find_released(benchmark, [submission])  # raises if newer code wrote it

    def find_released(self, benchmark: str, submissions: Collection[str]) -> frozenset[str]:
        """Return which of these submissions are released (consistent). Raises Busy."""
        keys = [_key(benchmark, submission) for submission in sorted(set(submissions))]
        read = map(Schema.RELEASE.read, self.table.get_many(keys))
        return frozenset(str(plain["submission_version"]).partition("#")[0] for plain in read)

    def waits(self, record: SubmissionRecord) -> bool:
        """Return whether a record is held and not released."""
        return bool(self.find_waiting([record]))

    def find_waiting(self, records: Iterable[SubmissionRecord]) -> frozenset[str]:
        """Return the submissions that wait, of the records of one benchmark (consistent).

        If none is held, nothing is read. Raises Busy.
        """
        held = [record.submission for record in records if record.held]
        if not held:
            return frozenset()
        submissions = frozenset(submission.id for submission in held)
        return submissions - self.find_released(held[0].benchmark, submissions)

    def list_waiting(self, benchmark: str, *, version: str, before: str | None, length: int) -> HeldPage:
        """Return a page of the submissions held under a version that nobody has decided.

        It may lack the latest ones, and has fewer than `length` if very many are decided.
        """
        waiting: list[SubmissionRecord] = []
        for _ in range(MAX_READS):
            page = self.table.read_page(
                _HELD, held_partition(benchmark), before=before, length=length, read=_read_sort_key
            )
            before = page.position
            for record in self._drop_decided(benchmark, page.entries, version=version):
                if len(waiting) == length:
                    last = waiting[-1]
                    return HeldPage(waiting, sort_key(last.submission.id, last.version))
                waiting.append(record)
            if before is None or len(waiting) == length:
                break
        return HeldPage(waiting, before)

    def _drop_decided(self, benchmark: str, names: Iterable[str], *, version: str) -> list[SubmissionRecord]:
        """Return the records of these sort keys that wait, newest first (consistent)."""
        wanted = [name for name in names if name.partition("#")[2] == version]
        keys = [{"benchmark": benchmark, "submission_version": name} for name in wanted]
        records = [record_from_item(item) for item in self.table.get_many(keys)]
        waiting = self.find_waiting(records)
        withdrawn = WithdrawalStore(self.table).find_all(benchmark, waiting)
        left = [record for record in records if record.submission.id in waiting - withdrawn.keys()]
        return sorted(left, key=lambda record: record.submission.id, reverse=True)


def _read_sort_key(item: Mapping[str, Mapping[str, Any]]) -> str:
    return str(item["submission_version"]["S"])


def _key(benchmark: str, submission: str) -> dict[str, str]:
    return {"benchmark": benchmark, "submission_version": f"{submission}#{_SUFFIX}"}
