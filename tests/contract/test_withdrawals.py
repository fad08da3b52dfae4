"""Withdrawals: the first stands, records stay as they were, and no reader of records trips over one."""

from datetime import timedelta
from typing import Any

import pytest

from storage.actors import Actor, Role
from storage.keys import time_of
from storage.submissions.decisions import Withdrawal, WithdrawalStore
from storage.submissions.models import SubmissionRecord
from storage.submissions.store import SubmissionStore


@pytest.fixture
def withdrawals(submissions: SubmissionStore) -> WithdrawalStore:
    """The store of withdrawals, in the table of the records."""
    return WithdrawalStore(submissions.table)


def withdrawn(record: SubmissionRecord, reason: str = "played twice") -> Withdrawal:
    """Return the withdrawal of a record's submission, a minute after it came."""
    submission = record.submission
    at = time_of(submission.id) + timedelta(minutes=1)
    return Withdrawal(submission.benchmark, submission.id, reason, at, Actor(id="anna", role=Role.PLAYER))


def test_withdrawal_of_a_higher_role_wins(withdrawals: WithdrawalStore, make_record: Any) -> None:
    """An owner's replaces a player's and has a higher number of changes; a player's never replaces an owner's."""
    first = withdrawn(make_record())
    owner, admin = (first._replace(reason=role, actor=Actor(id=role, role=Role(role))) for role in ("owner", "admin"))
    withdrawals.put(first._replace(batch="b"))

    stored = [withdrawals.put(each) for each in (owner, first, admin, owner, first)]

    assert [(each.reason, each.changes, each.batch) for each in stored] == [
        ("owner", 2, None),
        ("owner", 2, None),
        ("admin", 3, None),
        ("admin", 3, None),
        ("admin", 3, None),
    ]
    assert withdrawals.find(first.benchmark, submission=first.submission) == stored[-1]


def test_withdrawals_of_many_are_found(withdrawals: WithdrawalStore, make_record: Any) -> None:
    """The withdrawn ones of many submissions are returned, each once."""
    records = [make_record() for _ in range(120)]
    ids = [one.submission.id for one in records]
    for record in records[::40]:
        withdrawals.put(withdrawn(record))

    found = withdrawals.find_all("coin-run", [*ids, *ids])

    assert found == {one.submission.id: withdrawn(one) for one in records[::40]}
    assert withdrawals.find_all("coin-run", []) == {}


def test_withdrawal_is_undone_and_made_again(withdrawals: WithdrawalStore, make_record: Any) -> None:
    """Each change is made once, and the number of changes rises, so a board follows the last one."""
    record = make_record()
    first, submission = withdrawn(record), record.submission.id
    later = first.at + timedelta(minutes=5)
    none = withdrawals.restore("coin-run", submission=submission, at=later)
    withdrawals.put(first._replace(batch="b"))

    undone = withdrawals.restore("coin-run", submission=submission, at=later)
    again = withdrawals.restore("coin-run", submission=submission, at=later + timedelta(minutes=5))
    absent = withdrawals.find("coin-run", submission=submission), withdrawals.find_all("coin-run", [submission])
    changed = withdrawals.find_changed("coin-run", [submission])[submission]
    second = withdrawals.put(withdrawn(record, reason="for good"))
    third = withdrawals.put(withdrawn(record, reason="too late"))

    assert (none, absent) == (None, (None, {}))
    assert undone == again == changed == first._replace(batch="b", restored_at=later, changes=2)
    assert second == third == withdrawn(record, reason="for good")._replace(changes=3)
    assert withdrawals.find("coin-run", submission=submission) == second
    assert withdrawals.restore("coin-run", submission=submission, at=later) == second._replace(
        restored_at=later, changes=4
    )


def test_withdrawal_by_another_is_not_undone_late(withdrawals: WithdrawalStore, make_record: Any) -> None:
    """An undo that was checked against one withdrawal does not take back the next one, which an owner made."""
    record = make_record()
    submission, later = record.submission.id, time_of(record.submission.id) + timedelta(minutes=9)
    checked = withdrawals.put(withdrawn(record))
    withdrawals.restore("coin-run", submission=submission, at=later)
    owned = withdrawals.put(withdrawn(record)._replace(actor=Actor(id="olga", role=Role.OWNER)))

    late = withdrawals.restore("coin-run", submission=submission, at=later, changes=checked.changes)

    assert late == withdrawals.find("coin-run", submission=submission) == owned
