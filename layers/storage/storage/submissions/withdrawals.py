"""Withdrawals: submissions that are off the boards for good. Their records stay.

The item shares no attribute with a record except its keys. A role that may only write withdrawals can therefore
neither make nor damage a record.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from storage.actors import Actor, Role
from storage.aws.errors import Conflict, NotFound
from storage.aws.schema import Schema
from storage.aws.table import Table
from storage.keys import ResultKey
from storage.submissions.models import sort_key

_SUFFIX = "withdrawal"
ATTRIBUTES = ("benchmark", "submission_version", "schema", "withdrawn_at", "withdrawn_by", "withdrawn_role", "reason")


class Withdrawal(NamedTuple):
    """A withdrawal of a submission, in UTC; its reason is a public one, as `check_reason` returns it."""

    benchmark: str
    submission: str
    reason: str
    at: datetime
    actor: Actor


def find_withdrawn(item: Mapping[str, Mapping[str, Any]]) -> ResultKey | None:
    """Return the submission that an item withdraws; None if the item is a record.

    The keys of the item are enough; the rest of the withdrawal is read from the table.
    """
    submission, _, suffix = str(item.get("submission_version", {}).get("S", "")).partition("#")
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
    )


@dataclass(frozen=True, slots=True)
class WithdrawalStore:
    """The withdrawals in the submissions table."""

    table: Table

    def put(self, withdrawal: Withdrawal) -> Withdrawal:
        """Withdraw a submission; the first withdrawal wins and is returned."""
        try:
            self.table.update(
                Schema.WITHDRAWAL,
                _key(withdrawal.benchmark, withdrawal.submission),
                attributes={
                    "withdrawn_at": withdrawal.at.isoformat(),
                    "withdrawn_by": withdrawal.actor.id,
                    "withdrawn_role": withdrawal.actor.role.value,
                    "reason": withdrawal.reason,
                },
                condition="attribute_not_exists(#withdrawn_at)",
                may_read=False,
            )
        except Conflict as error:
            existing = self.find(withdrawal.benchmark, submission=withdrawal.submission)
            if existing is None:
                raise NotFound(f"the withdrawal of {withdrawal.submission} is gone") from error
            return existing
        return withdrawal

    def find(self, benchmark: str, *, submission: str) -> Withdrawal | None:
        """Read the withdrawal of a submission (consistent); None if it is not withdrawn."""
        item = self.table.get_item(**_key(benchmark, submission))
        return None if item is None else withdrawal_from_item(item)

    def find_all(self, benchmark: str, submissions: Collection[str]) -> dict[str, Withdrawal]:
        """Read the withdrawals of these submissions, by id (consistent). Raises Busy."""
        keys = [_key(benchmark, submission) for submission in sorted(set(submissions))]
        withdrawals = map(withdrawal_from_item, self.table.get_many(keys))
        return {withdrawal.submission: withdrawal for withdrawal in withdrawals}


def _key(benchmark: str, submission: str) -> dict[str, str]:
    return {"benchmark": benchmark, "submission_version": sort_key(submission, _SUFFIX)}
