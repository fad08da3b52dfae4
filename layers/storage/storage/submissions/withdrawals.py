"""Withdrawals: submissions that are off the boards, unless they are restored within an hour. Their records stay.

A submission has one item, which is never deleted: that a withdrawal was undone is a later state of it. A player who is
erased has such an item too, with the player's id in the place of a submission's; nobody undoes it.
The item shares no attribute with a record except its keys. A role that may only write withdrawals can therefore
neither make nor damage a record.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from storage.actors import Actor, Role
from storage.gateway.conditions import Absent, Equals, ItemChange
from storage.gateway.errors import Conflict, NotFound
from storage.gateway.schema import Plain, Schema
from storage.gateway.table import Table, retry_on_conflict
from storage.keys import ResultKey
from storage.submissions.models import sort_key, split_sort_key

_SUFFIX = "withdrawal"
ATTRIBUTES = (
    "benchmark", "submission_version", "schema", "withdrawn_at", "withdrawn_by", "withdrawn_role", "reason",
    "withdrawn_with", "restored_at", "changes",
)  # fmt: skip


class Withdrawal(NamedTuple):
    """A withdrawal of a submission, in UTC; its reason is a public one, as `check_reason` returns it.

    Args:
        benchmark: The benchmark's id.
        submission: The submission's id.
        reason: Why.
        at: When it was withdrawn last.
        actor: The person who withdrew it last.
        batch: The batch with which it was withdrawn as a whole.
        restored_at: When that was undone; None: it is withdrawn.
        changes: How often it was withdrawn or restored, so that of two readings the later one is known.
    """

    benchmark: str
    submission: str
    reason: str
    at: datetime
    actor: Actor
    batch: str | None = None
    restored_at: datetime | None = None
    changes: int = 1

    @property
    def is_active(self) -> bool:
        """Return whether the submission is withdrawn."""
        return self.restored_at is None

    def holds_against(self, role: Role) -> bool:
        """Return whether a withdrawal in this role would change nothing.

        One in a higher role replaces it, or a player could undo what an owner has withdrawn, too.
        """
        return self.is_active and not role.outranks(self.actor.role)


def find_withdrawn(item: Mapping[str, Mapping[str, Any]]) -> ResultKey | None:
    """Return the submission that an item withdraws; None if the item is a record.

    The keys of the item are enough; the rest of the withdrawal is read from the table.
    """
    submission, suffix = split_sort_key(item)
    return ResultKey(item["benchmark"]["S"], submission) if suffix == _SUFFIX else None


def withdrawal_from_item(item: Mapping[str, Mapping[str, Any]]) -> Withdrawal:
    """Read a withdrawal from its item. Raises KeyError or ValueError on any other."""
    plain = Schema.WITHDRAWAL.read(item)
    return Withdrawal(
        benchmark=str(plain["benchmark"]),
        submission=str(plain["submission_version"]).removesuffix(f"#{_SUFFIX}"),
        reason=str(plain["reason"]),
        at=datetime.fromisoformat(str(plain["withdrawn_at"])),
        actor=Actor(id=str(plain["withdrawn_by"]), role=Role(str(plain["withdrawn_role"]))),
        batch=str(plain["withdrawn_with"]) if "withdrawn_with" in plain else None,
        restored_at=datetime.fromisoformat(str(plain["restored_at"])) if "restored_at" in plain else None,
        changes=int(plain["changes"]),
    )


def is_restored(item: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return whether the withdrawal in an item was undone."""
    return "restored_at" in item


@dataclass(frozen=True, slots=True)
class WithdrawalStore:
    """The withdrawals in the submissions table."""

    table: Table

    def erase(self, benchmark: str, player: str, *, at: datetime) -> None:
        """Take all that a player submitted or is yet to have scored off the boards.

        A repeat changes nothing.
        """
        self.put(Withdrawal(benchmark, player, "", at, Actor(id=player, role=Role.PLAYER)))

    def put(self, withdrawal: Withdrawal) -> Withdrawal:
        """Withdraw a submission; return the withdrawal that is active.

        The first one wins, unless it was undone, or made in a lower role.
        """

        def attempt() -> Withdrawal:
            try:
                return self._write(withdrawal, seen=0)
            except Conflict as error:
                existing = self._find(withdrawal.benchmark, withdrawal.submission)
                if existing is None:
                    raise NotFound(f"the withdrawal of {withdrawal.submission} is gone") from error
                if existing.holds_against(withdrawal.actor.role):
                    return existing
                return self._write(withdrawal, seen=existing.changes)

        return retry_on_conflict(attempt, what=f"withdrawal of {withdrawal.submission}")

    def restore(
        self, benchmark: str, *, submission: str, at: datetime, changes: int | None = None
    ) -> Withdrawal | None:
        """Undo the withdrawal of a submission; None if there is none.

        It is undone once: the first `at` wins, until the submission is withdrawn again. With `changes` only the
        withdrawal of that number is: since somebody looked who may undo it, others may have withdrawn it again.
        """

        def attempt() -> Withdrawal | None:
            existing = self._find(benchmark, submission)
            if existing is None or not existing.is_active:
                return existing
            if changes not in {None, existing.changes}:
                return existing
            restored = existing._replace(restored_at=at, changes=existing.changes + 1)
            self._change(
                restored,
                attributes={"restored_at": at.isoformat(), "changes": restored.changes},
                seen=existing.changes,
            )
            return restored

        return retry_on_conflict(attempt, what=f"withdrawal of {submission}")

    def find(self, benchmark: str, *, submission: str) -> Withdrawal | None:
        """Read the withdrawal of a submission (consistent); None if it is not withdrawn."""
        withdrawal = self._find(benchmark, submission)
        return withdrawal if withdrawal is not None and withdrawal.is_active else None

    def find_all(self, benchmark: str, submissions: Collection[str]) -> dict[str, Withdrawal]:
        """Read the withdrawals of these submissions, by id (consistent). Raises Busy."""
        withdrawals = self.find_changed(benchmark, submissions)
        return {submission: withdrawal for submission, withdrawal in withdrawals.items() if withdrawal.is_active}

    def find_changed(self, benchmark: str, submissions: Collection[str]) -> dict[str, Withdrawal]:
        """Read withdrawals as `find_all` does, also undone ones. Raises Busy."""
        keys = [_key(benchmark, submission) for submission in sorted(set(submissions))]
        withdrawals = map(withdrawal_from_item, self.table.get_many(keys))
        return {withdrawal.submission: withdrawal for withdrawal in withdrawals}

    def _find(self, benchmark: str, submission: str) -> Withdrawal | None:
        item = self.table.get_item(**_key(benchmark, submission))
        return None if item is None else withdrawal_from_item(item)

    def _write(self, withdrawal: Withdrawal, *, seen: int) -> Withdrawal:
        """Write a withdrawal that follows after so many changes; 0: the first."""
        written = withdrawal._replace(restored_at=None, changes=seen + 1)
        attributes: dict[str, Plain] = {
            "withdrawn_at": withdrawal.at.isoformat(),
            "withdrawn_by": withdrawal.actor.id,
            "withdrawn_role": withdrawal.actor.role.value,
            "reason": withdrawal.reason,
            "changes": written.changes,
        }
        if withdrawal.batch is not None:
            attributes["withdrawn_with"] = withdrawal.batch
        gone = ["restored_at"] if seen else []
        gone += ["withdrawn_with"] if seen and withdrawal.batch is None else []
        self._change(written, attributes=attributes, seen=seen, gone=gone)
        return written

    def _change(
        self, withdrawal: Withdrawal, *, attributes: Mapping[str, Plain], seen: int, gone: Collection[str] = ()
    ) -> None:
        """Change the item if it has had so many changes; 0: there must be none."""
        self.table.update(
            Schema.WITHDRAWAL,
            _key(withdrawal.benchmark, withdrawal.submission),
            ItemChange(set=attributes, remove=gone),
            Equals("changes", seen) if seen else Absent("withdrawn_at"),
            may_read=False,
        )


def _key(benchmark: str, submission: str) -> dict[str, str]:
    return {"benchmark": benchmark, "submission_version": sort_key(submission, _SUFFIX)}
