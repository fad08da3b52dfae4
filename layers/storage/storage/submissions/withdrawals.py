"""Withdrawals: submissions that are off the boards for good and stay in the record. One item is the truth of each.

The item lies beside the records of its submission and names nothing that they name, so whoever may write it can neither
make nor spoil a record.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from storage.audit import Actor, Role
from storage.aws.attributes import Plain, marshal
from storage.aws.conditional import update_item
from storage.aws.errors import Conflict, NotFound, aws_errors
from storage.aws.queries import read_items
from storage.aws.schema import Schema
from storage.keys import ResultKey
from storage.submissions.models import sort_key

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

MAX_TRIES = 20
_BATCH = 100
_MARK = "withdrawal"
ATTRIBUTES = ("benchmark", "submission_version", "schema", "withdrawn_at", "withdrawn_by", "withdrawn_role", "reason")
_CHANGE = (
    "SET #schema = :schema, #withdrawn_at = :withdrawn_at, #withdrawn_by = :withdrawn_by, "
    "#withdrawn_role = :withdrawn_role, #reason = :reason"
)


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

    dynamodb: "DynamoDBClient"
    table: str

    def put(self, withdrawal: Withdrawal) -> Withdrawal:
        """Withdraw a submission; the first withdrawal stands.

        Returns:
            The withdrawal that stands: the given one, or an earlier one.
        """
        values: dict[str, Plain] = {
            ":schema": Schema.WITHDRAWAL.schema,
            ":withdrawn_at": withdrawal.at.isoformat(),
            ":withdrawn_by": withdrawal.actor.id,
            ":withdrawn_role": withdrawal.actor.role.value,
            ":reason": withdrawal.reason,
        }
        try:
            update_item(
                self.dynamodb,
                table=self.table,
                form=None,
                key=_key(withdrawal.benchmark, withdrawal.submission),
                change=_CHANGE,
                condition="attribute_not_exists(#withdrawn_at)",
                values=marshal(values),
            )
        except Conflict as error:
            standing = self.find(withdrawal.benchmark, submission=withdrawal.submission)
            if standing is None:
                raise NotFound(f"the withdrawal of {withdrawal.submission} is gone") from error
            return standing
        return withdrawal

    def find(self, benchmark: str, *, submission: str) -> Withdrawal | None:
        """Read the withdrawal of a submission (consistent); None where it is not withdrawn."""
        with aws_errors(f"read the withdrawal of {submission}"):
            answer = self.dynamodb.get_item(TableName=self.table, Key=_key(benchmark, submission), ConsistentRead=True)
        return withdrawal_from_item(answer["Item"]) if "Item" in answer else None

    def find_all(self, benchmark: str, submissions: Collection[str]) -> dict[str, Withdrawal]:
        """Read which of these submissions are withdrawn, submission → withdrawal (consistent). Raises Busy."""
        keys = [_key(benchmark, one) for one in sorted(set(submissions))]
        found = map(withdrawal_from_item, read_items(self.dynamodb, table=self.table, keys=keys))
        return {one.submission: one for one in found}


def _key(benchmark: str, submission: str) -> dict[str, Any]:
    return {"benchmark": {"S": benchmark}, "submission_version": {"S": sort_key(submission, _MARK)}}
