"""Withdrawals: submissions that are off the boards for good and stay in the record. One item is the truth of each.

The item lies beside the records of its submission and names nothing that they name, so whoever may write it can neither
make nor spoil a record.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from storage.audit import Actor, Role
from storage.aws.errors import Conflict, NotFound
from storage.aws.schema import Schema
from storage.aws.table import Table
from storage.keys import ResultKey
from storage.submissions.models import sort_key

_MARK = "withdrawal"
ATTRIBUTES = ("benchmark", "submission_version", "schema", "withdrawn_at", "withdrawn_by", "withdrawn_role", "reason")


class Withdrawal(NamedTuple):
    """That a submission was withdrawn.

    Args:
        benchmark: The benchmark's id.
        submission: The submission's id.
        reason: As shown: NFKC, one line of 1-300 code points.
        at: When, in UTC.
        actor: By whom, and in which role.
    """

    benchmark: str
    submission: str
    reason: str
    at: datetime
    actor: Actor


def find_withdrawn(item: Mapping[str, Mapping[str, Any]]) -> ResultKey | None:
    """Tell which submission an item of the submissions table, or of its stream, withdraws; None where it is a record.

    Its key alone tells that; what the withdrawal says is read from the table.
    """
    submission, _, mark = str(item.get("submission_version", {}).get("S", "")).partition("#")
    return ResultKey(item["benchmark"]["S"], submission) if mark == _MARK else None


def withdrawal_from_item(item: Mapping[str, Mapping[str, Any]]) -> Withdrawal:
    """Read a withdrawal back from its item. Raises KeyError or ValueError where the item is none."""
    plain = Schema.WITHDRAWAL.read(item)
    return Withdrawal(
        benchmark=str(plain["benchmark"]),
        submission=str(plain["submission_version"]).removesuffix(f"#{_MARK}"),
        reason=str(plain["reason"]),
        at=datetime.fromisoformat(str(plain["withdrawn_at"])),
        actor=Actor(id=str(plain["withdrawn_by"]), role=Role(str(plain["withdrawn_role"]))),
    )


@dataclass(frozen=True, slots=True)
class WithdrawalStore:
    """The withdrawals in the submissions table."""

    table: Table

    def put(self, withdrawal: Withdrawal) -> Withdrawal:
        """Withdraw a submission; the first withdrawal stands.

        Returns:
            The withdrawal that stands: the given one, or an earlier one.
        """
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
            standing = self.find(withdrawal.benchmark, submission=withdrawal.submission)
            if standing is None:
                raise NotFound(f"the withdrawal of {withdrawal.submission} is gone") from error
            return standing
        return withdrawal

    def find(self, benchmark: str, *, submission: str) -> Withdrawal | None:
        """Read the withdrawal of a submission (consistent); None where it is not withdrawn."""
        item = self.table.get_item(**_key(benchmark, submission))
        return None if item is None else withdrawal_from_item(item)

    def find_all(self, benchmark: str, submissions: Collection[str]) -> dict[str, Withdrawal]:
        """Read which of these submissions are withdrawn, submission → withdrawal (consistent). Raises Busy."""
        keys = [_key(benchmark, one) for one in sorted(set(submissions))]
        found = map(withdrawal_from_item, self.table.get_many(keys))
        return {one.submission: one for one in found}


def _key(benchmark: str, submission: str) -> dict[str, str]:
    return {"benchmark": benchmark, "submission_version": sort_key(submission, _MARK)}
