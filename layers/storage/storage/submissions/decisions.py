"""What people decide of submissions: withdrawals, and acceptances of what is in review. Records never change by it.

A decision is one item beside the records of its submission, and shares no attribute with a record except its keys: a
role that may only write decisions can neither make nor damage a record. None is deleted: that a withdrawal was undone,
within an hour, is a later state of it. A player who is erased has a withdrawal too, with the player's id in the place
of a submission's; nobody undoes it. An acceptance is of the submission, whose raw result the owner looked at, so a
rescore leaves it accepted.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from storage.actors import Actor, Role
from storage.gateway.clients import run_at_once
from storage.gateway.conditions import Absent, AtLeast, Equals, ItemChange
from storage.gateway.errors import Conflict, NotFound
from storage.gateway.schema import Plain, Schema
from storage.gateway.table import Page, Table, TableIndex, retry_on_conflict
from storage.keys import ResultKey
from storage.submissions.models import SubmissionRecord, record_from_item, review_partition, sort_key, split_sort_key

ATTRIBUTES: Final = (
    "benchmark", "submission_version", "schema", "withdrawn_at", "withdrawn_by", "withdrawn_role", "reason",
    "withdrawn_with", "restored_at", "changes", "accepted",
)  # fmt: skip
"""Of decisions; `accepted` is JSON of the person, the time, and the owner's statement."""
MAX_READS: Final = 10
"""Pages of submissions in review that are read for one page of those that wait."""
WITHDRAWAL: Final = "withdrawal"
ACCEPTANCE: Final = "accepted"
"""What stands for a version in the sort key of a decision."""
_IN_REVIEW: Final = TableIndex("by_failure", "failed_benchmark")


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


def withdrawal_from_item(item: Mapping[str, Mapping[str, Any]]) -> Withdrawal:
    """Read a withdrawal from its item. Raises KeyError or ValueError on any other."""
    plain = Schema.WITHDRAWAL.read(item)
    return Withdrawal(
        benchmark=str(plain["benchmark"]),
        submission=str(plain["submission_version"]).removesuffix(f"#{WITHDRAWAL}"),
        reason=str(plain["reason"]),
        at=datetime.fromisoformat(str(plain["withdrawn_at"])),
        actor=Actor(id=str(plain["withdrawn_by"]), role=Role(str(plain["withdrawn_role"]))),
        batch=str(plain["withdrawn_with"]) if "withdrawn_with" in plain else None,
        restored_at=datetime.fromisoformat(str(plain["restored_at"])) if "restored_at" in plain else None,
        changes=int(plain["changes"]),
    )


class WithdrawalStore(NamedTuple):
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
            if existing is None or not existing.is_active or changes not in {None, existing.changes}:
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
        keys = [_key(benchmark, submission, WITHDRAWAL) for submission in sorted(set(submissions))]
        withdrawals = map(withdrawal_from_item, self.table.get_many(keys))
        return {withdrawal.submission: withdrawal for withdrawal in withdrawals}

    def _find(self, benchmark: str, submission: str) -> Withdrawal | None:
        item = self.table.get_item(**_key(benchmark, submission, WITHDRAWAL))
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
            _key(withdrawal.benchmark, withdrawal.submission, WITHDRAWAL),
            ItemChange(set=attributes, remove=gone),
            Equals("changes", seen) if seen else Absent("withdrawn_at"),
            may_read=False,
        )


def find_decided(item: Mapping[str, Mapping[str, Any]]) -> ResultKey | None:
    """Return the submission that an item withdraws or accepts; None for a record.

    The keys of the item are enough; the rest of the decision is read from the table.
    """
    submission, suffix = split_sort_key(item)
    return ResultKey(item["benchmark"]["S"], submission) if suffix in {WITHDRAWAL, ACCEPTANCE} else None


class ReviewStore(NamedTuple):
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
                _key(benchmark, submission, ACCEPTANCE),
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
        keys = [_key(benchmark, submission, ACCEPTANCE) for submission in sorted(set(submissions))]
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
                _IN_REVIEW,
                review_partition(benchmark),
                before=before,
                length=length,
                read=lambda item: str(item["submission_version"]["S"]),
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


def _key(benchmark: str, submission: str, decision: str) -> dict[str, str]:
    return {"benchmark": benchmark, "submission_version": sort_key(submission, decision)}
