"""Checks the stored state of a stack: every acknowledged result is recorded once, and on a board or an error."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple

import pytest

from aggregate.aggregator import Aggregator
from aggregate.rebuilder import Rebuilder
from handlers.http.benchmarks import list_published
from local.stack import Stack
from notify.recipients import plan_mails
from scoring_core.benchmarks.examples import Expectation
from scoring_core.outcome import Outcome
from scoring_core.ranking.standings import NO_PART
from storage.batches.reports import BatchReportStore
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.entries import BoardEntryStore
from storage.boards.models import Counts, Rows
from storage.boards.reading import BoardReader
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import BoardKey
from storage.boards.views import RankedRow
from storage.gateway.bucket import Bucket
from storage.gateway.schema import unmarshal
from storage.keys import ResultKey, parse_result_key
from storage.submissions.decisions import find_decided
from storage.submissions.models import NAMELESS, SubmissionRecord, record_from_item

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
NEVER = datetime.fromtimestamp(0, UTC)
HALF_WAY = "stopped half-way"
"""The reason stored for a mail whose sender died twice: it may have been sent, so it is not sent a third time."""


class Mail(NamedTuple):
    """A mail that SES accepted: its address, its id, and the submissions or the batch that it names."""

    to: str
    mail_id: str
    submissions: frozenset[str]


@dataclass
class StoredState:
    """Everything that a stack stores, read without its functions."""

    stack: Stack
    aggregator: Aggregator

    def results(self) -> list[ResultKey]:
        """List the raw results."""
        keys = map(parse_result_key, self.list_keys("results/"))
        return [key for key in keys if key is not None]

    def records(self) -> list[SubmissionRecord]:
        """Read every submission record of what was published last."""
        latest = {published.id: published.active_versions[-1].version for published in self.published()}
        items = (item for item in self.items("SubmissionsTable") if find_decided(item) is None)
        records = map(record_from_item, items)
        return [record for record in records if record.version == latest[record.submission.benchmark]]

    def published(self) -> list[PublishedBenchmark]:
        """Return all benchmarks as they are published now."""
        return list_published(self.aggregator.benchmarks, unlisted=True)

    def batch_entries(self) -> dict[str, str | None]:
        """Return entry → submission of all batch reports; None for a refused entry."""
        store = BatchReportStore(Bucket(self.stack.cloud.objects, self._name_of("ResultsBucket")))
        places = [key.removesuffix(".json").split("/")[1:] for key in self.list_keys("reports/")]
        reports = [store.find(*place) for place in places]
        return {entry.entry: entry.submission for report in reports if report is not None for entry in report.entries}

    def boards(self) -> list[BoardKey]:
        """Return all boards of each benchmark."""
        return [board.key for published in self.published() for board in published.boards]

    def mails(self) -> list[Mail]:
        """Read the mails."""
        return [
            Mail(
                str(mail["To"]),
                str(mail["X-Laurel-Mail"]),
                frozenset(_ID.findall(mail.get_body(("plain",)).get_content())),
            )
            for _, mail in self.stack.outbox.list_mails()
        ]

    def waiting(self) -> dict[str, int]:
        """Count the work that is left at each stage of the pipeline."""
        records = self.records()
        recorded = {record.submission.id for record in records}
        counts = {
            "results": sum(key.submission not in recorded for key in self.results()),
            "entries": len(_contributed(records) - self.entries),
            "pending mails": len(_due_mails(records) - self._noted()),
            "mails": sum("waiting" in item for item in self.items("MailTable")),
        }
        counts |= {name: self._count_messages(name) for name in self.stack.store.list_resources("queue")}
        if all(record.outcome is not Outcome.INTERNAL_ERROR for record in records):  # a final waits for those
            counts["finals"] = sum(bool(each.final_at or each.next) for each in self.published())
        counts["boards"] = 0 if any(counts.values()) else sum(map(self.is_behind, self.boards()))
        return {name: number for name, number in counts.items() if number}

    @property
    def entries(self) -> set[tuple[str, str, str]]:
        """Return benchmark, submission and part of every board entry."""
        store = BoardEntryStore(self.aggregator.standings.table)
        return {
            (board.benchmark, entry.submission, part)
            for board in self.boards()
            for entry in store.list_all(BoardKey(board.benchmark, board.version))
            for part in entry.scores
        }

    def is_behind(self, board: BoardKey) -> bool:
        """Return whether a board differs from a new fold of its records."""
        return bool(self.compare(board))

    def compare(self, board: BoardKey) -> list[str]:
        """Return where a board differs from a new fold of its records."""
        current = self.aggregator.benchmarks.current(board.benchmark, fresh=True)
        defined = current.get_version(board.version)
        published = defined and defined.find_board(board.board)
        assert published is not None
        entries = self.rebuilder.list_entries(BoardKey(board.benchmark, board.version))
        due = self.rebuilder.fold(published, entries, current.bans)
        shown = BoardReader(SnapshotStore(self.aggregator.snapshots.bucket)).find(board.benchmark, board.board)
        rows = list(shown.view.all_rows()) if shown else []
        counts = shown.head.counts if shown else Counts(players=0, submissions=0)
        differences = {
            "rows": list(map(_read_ranked_row, rows)) != list(_list_due_rows(due)),
            "total": (shown.head.total if shown else 0) != len(due.player),
            "players": counts.players != len(set(due.player)),
            "submissions": counts.submissions != sum(due.submissions),
            "unranked": counts.unranked != self._count_unranked(board),
        }
        return [f"{board}: {name} differ" for name, differs in differences.items() if differs]

    def _count_unranked(self, board: BoardKey) -> int:
        """Count the submissions of guests without a name."""
        (published,) = (
            each for each in self.aggregator.benchmarks.current(board.benchmark).boards if each.key == board
        )
        own = (record for record in self.records() if record.submission.benchmark == board.benchmark)
        return sum(record.submission.player.id in NAMELESS and published.takes(record) for record in own)

    @cached_property
    def rebuilder(self) -> Rebuilder:
        """Return the rebuilder, which folds a board again."""
        return Rebuilder(self.aggregator)

    def items(self, table: str) -> Iterator[Mapping[str, Any]]:
        """Read every item of a table."""
        tables: Any = self.stack.cloud.tables
        return iter(tables.list_items(self._name_of(table)))

    def refused_mails(self) -> Counter[str]:
        """Count why mails were refused."""
        return Counter(str(unmarshal(item)["reason"]) for item in self.items("MailTable") if "reason" in item)

    def find_digests(self, unmailed: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
        """Return the pending mails and leases of the digests of unmailed submissions."""
        items = [unmarshal(item) for item in self.items("MailTable")]
        submissions = {submission for _, submission in unmailed}
        digests = {item["thread"] for item in items if item.get("subject") in submissions}
        return [dict(item) for item in items if item["thread"] in digests]

    def list_keys(self, prefix: str) -> list[str]:
        """List the keys of the results bucket under a prefix."""
        return list(Bucket(self.stack.cloud.objects, self._name_of("ResultsBucket")).list_keys(prefix))

    def _noted(self) -> set[tuple[str, str]]:
        return {(item["thread"]["S"], item["item"]["S"]) for item in self.items("MailTable")}

    def _count_messages(self, name: str) -> int:
        ((count,),) = self.stack.store.read("SELECT count(*) FROM messages WHERE queue = ?", name)
        return int(count)

    def _name_of(self, logical_id: str) -> str:
        return self.stack.template.resources[logical_id].name


def find_inconsistent(stored: StoredState, submitted: Mapping[str, Expectation]) -> list[str]:
    """Return what is lost, doubled or wrong.

    Args:
        stored: The state of a stack in which nothing waits.
        submitted: Submission → expected outcome, of all acknowledged requests and all entries of batches.
    """
    records = stored.records()
    results = Counter(key.submission for key in stored.results())
    recorded = Counter(record.submission.id for record in records)
    expected = Counter(submitted.keys())
    return [
        *_differ("stored", results, expected),
        *_differ("recorded", recorded, expected),
        *(f"{record.submission.id}: {fault}" for record in records for fault in _judge(record, submitted)),
        *(f"entry missing: {key}" for key in _contributed(records) - stored.entries),
        *(f"entry unexpected: {key}" for key in stored.entries - _contributed(records)),
        *(difference for board in stored.boards() for difference in stored.compare(board)),
    ]


def judge_final(stored: StoredState, benchmark: str, *, given_up: int) -> Iterator[str]:
    """Yield what is wrong with a final but for its rows: the board is shown, and its owner got one mail."""
    head = stored.aggregator.snapshots.read_head(benchmark)
    if head is None or head.value.final is None or not head.value.final.is_shown:
        yield f"{benchmark}: the final is not shown"
    finals = (mail for _, mail in stored.stack.outbox.list_mails() if "Final" in str(mail["Subject"]))
    mailed = {str(mail["X-Laurel-Mail"]) for mail in finals}
    if len(mailed) != 1 and not given_up:
        yield f"{benchmark}: {len(mailed)} mails about the final"


def find_unmailed(stored: StoredState) -> set[tuple[str, str]]:
    """Return address and submission of every invalid submission that was not mailed."""
    mailed = {(mail.to, submission) for mail in stored.mails() for submission in mail.submissions}
    due = {
        (f"{record.submission.player.id}@example.com", record.submission.id)
        for record in stored.records()
        if record.outcome is Outcome.INVALID and record.submission.player.verified and record.submission.batch is None
    }
    return due - mailed


def count_repeats(mails: Iterable[Mail]) -> int:
    """Count the mails that were sent again."""
    return sum(number - 1 for number in Counter(mail.mail_id for mail in mails).values())


def count_repeated_outcomes(mails: Iterable[Mail]) -> int:
    """Count how often a second mail, with another id, names the same submission."""
    distinct = {(mail.to, mail.mail_id, submission) for mail in mails for submission in mail.submissions}
    return len(distinct) - len({(to, submission) for to, _, submission in distinct})


def _read_ranked_row(ranked: RankedRow) -> tuple[Any, ...]:
    rank, tied, row = ranked
    return rank, tied, row.player, row.name, row.label or "", dict(row.scores), row.submissions, row.submission


def _list_due_rows(rows: Rows) -> Iterator[tuple[Any, ...]]:
    for index, player in enumerate(rows.player):
        scores = {name: value for name, column in rows.scores.items() if (value := column[index]) is not None}
        label = rows.label[index] if rows.label else ""
        ranked = rows.rank[index], rows.tied[index], player, rows.name[index], label, scores
        yield *ranked, rows.submissions[index], rows.submission[index]


def _contributed(records: Iterable[SubmissionRecord]) -> set[tuple[str, str, str]]:
    return {
        (record.submission.benchmark, record.submission.id, evaluation.part or NO_PART)
        for record in records
        for evaluation in record.evaluations
        if record.outcome is Outcome.SCORED
    }


def _due_mails(records: Iterable[SubmissionRecord]) -> set[tuple[str, str]]:
    pending = [mail for record in records for mail in plan_mails(record, now=NEVER)]
    return {(str(mail.digest), mail.key) for mail in pending}


def _judge(record: SubmissionRecord, submitted: Mapping[str, Expectation]) -> Iterator[str]:
    expected = submitted.get(record.submission.id)
    if expected is None:
        return
    if record.outcome != expected.outcome:
        yield f"{record.outcome} instead of {expected.outcome}: {record.message}"
    elif expected.scores is not None and dict(record.scores) != pytest.approx(expected.scores, rel=1e-12, abs=1e-12):
        yield f"{record.scores} instead of {expected.scores}"


def _differ(state: str, actual: Counter[str], expected: Counter[str]) -> list[str]:
    lost, added = expected - actual, actual - expected
    return [f"not {state}: {key}" for key in lost] + [f"{state} twice or unexpected: {key}" for key in added]
