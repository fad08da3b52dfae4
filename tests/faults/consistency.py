"""Reads what a stack holds, and tells what is lost or doubled: acknowledged = recorded = on a board or in errors."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple

from aggregate.aggregator import Aggregator
from aggregate.rebuilder import Rebuilder
from local.stack import Stack
from notify.recipients import plan_mails
from scoring_core.benchmarks.examples import Expectation
from scoring_core.outcome import Outcome
from scoring_core.ranking.standings import NO_PART
from storage.aws.attributes import unmarshal
from storage.aws.bucket import Bucket
from storage.batches.reports import BatchReportStore
from storage.boards.models import Head
from storage.boards.standings import BoardKey
from storage.keys import ResultKey, parse_result_key
from storage.submissions.models import SubmissionRecord, record_from_item
from storage.submissions.withdrawals import find_withdrawn

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
NEVER = datetime.fromtimestamp(0, UTC)
HALF_WAY = "stopped half-way"
"""What is noted of a mail whose sender died twice: it may have gone, and is not sent a third time."""


class Mail(NamedTuple):
    """A mail that SES took: its address, its id, and the submissions or the drop that it names."""

    to: str
    message_id: str
    told: frozenset[str]


@dataclass
class StoredState:
    """Everything that a stack keeps, read behind the back of its functions."""

    stack: Stack
    aggregator: Aggregator

    def results(self) -> list[ResultKey]:
        """List the raw results."""
        keys = map(parse_result_key, self.list_keys("results/"))
        return [key for key in keys if key is not None]

    def records(self) -> list[SubmissionRecord]:
        """Read every record."""
        return [record_from_item(one) for one in self.items("SubmissionsTable") if find_withdrawn(one) is None]

    def drop_entries(self) -> dict[str, str | None]:
        """Return what the reports of drops tell, entry → its submission; None where it was refused."""
        store = BatchReportStore(Bucket(self.stack.cloud.s3, self._name_of("ResultsBucket")))
        places = [key.removesuffix(".json").split("/")[1:] for key in self.list_keys("reports/")]
        reports = [store.find(*place) for place in places]
        return {entry.entry: entry.submission for one in reports if one is not None for entry in one.entries}

    def boards(self) -> list[BoardKey]:
        """Return the board of each benchmark."""
        benchmarks = self.aggregator.benchmarks
        return [BoardKey(one, benchmarks.current(one).version) for one in benchmarks.list_ids()]

    def mails(self) -> list[Mail]:
        """Read the mails."""
        self.stack.outbox.poll()
        return [
            Mail(
                str(mail["To"]),
                str(mail["Message-ID"]),
                frozenset(_ID.findall(mail.get_body(("plain",)).get_content())),
            )
            for _, mail in self.stack.outbox.list_mails()
        ]

    def waiting(self) -> dict[str, int]:
        """Count what is still to be done, each step of the way after the one before it."""
        records = self.records()
        recorded = {one.submission.id for one in records}
        counts = {
            "results": sum(key.submission not in recorded for key in self.results()),
            "contributions": len(_contributed(records) - self.contributions),
            "intents": len(_due_intents(records) - self._noted()),
            "mails": sum("waiting" in one for one in self.items("MailTable")),
        }
        counts |= {url.rpartition("/")[2]: self._count_messages(url) for url in self.list_queues()}
        counts["boards"] = 0 if any(counts.values()) else sum(map(self.is_behind, self.boards()))
        return {name: number for name, number in counts.items() if number}

    @property
    def contributions(self) -> set[tuple[str, str, str]]:
        """Benchmark, submission and part of all that counts on some board."""
        return {
            (board.benchmark, one.contribution.submission, one.contribution.part)
            for board in self.boards()
            for one in self.aggregator.standings.all_contributions(board)
        }

    def is_behind(self, board: BoardKey) -> bool:
        """Return whether a board shows anything else than what its records, folded afresh, come to."""
        return bool(self.compare(board))

    def compare(self, board: BoardKey) -> list[str]:
        """Return where a board differs from a new fold of its records."""
        due = self.rebuilder.preview(board)
        shown = self.rebuilder.read_rows(board.benchmark).model_copy(update={"delta": ()})
        head, index = self._head(board.benchmark), self.aggregator.snapshots.read_index()
        card = next((one for one in index.value.benchmarks if one.id == board.benchmark), None) if index else None
        differences = {
            "rows": shown != due,
            "players": (head.total if head else 0) != len(due.player),
            "submissions": (head.counts.submissions if head else 0) != sum(due.submissions),
            "card": (card.players if card else 0) != len(due.player),
        }
        return [f"{board.benchmark}: {name} differ" for name, differs in differences.items() if differs]

    @cached_property
    def rebuilder(self) -> Rebuilder:
        """What folds a board again."""
        return Rebuilder(self.aggregator)

    def items(self, table: str) -> Iterator[Mapping[str, Any]]:
        """Read every item of a table."""
        pages = self.stack.cloud.dynamodb.get_paginator("scan").paginate(TableName=self._name_of(table))
        return (item for page in pages for item in page["Items"])

    def refused_intents(self) -> Counter[str]:
        """Count why mails were refused."""
        return Counter(str(unmarshal(one)["reason"]) for one in self.items("MailTable") if "reason" in one)

    def tell_threads(self, unmailed: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
        """Return the intents of submissions that nobody was told of, and the leases of their threads."""
        items = [unmarshal(one) for one in self.items("MailTable")]
        threads = {
            one["thread"] for one in items if one.get("submission") in {submission for _, submission in unmailed}
        }
        return [dict(one) for one in items if one["thread"] in threads]

    def list_keys(self, prefix: str) -> list[str]:
        """List the keys of the results bucket under a prefix."""
        pages = self.stack.cloud.s3.get_paginator("list_objects_v2").paginate(
            Bucket=self._name_of("ResultsBucket"), Prefix=prefix
        )
        return [one["Key"] for page in pages for one in page.get("Contents", ())]

    def list_queues(self) -> list[str]:
        """Return the URLs of all queues, those of dead letters too."""
        return self.stack.cloud.sqs.list_queues()["QueueUrls"]

    def _noted(self) -> set[tuple[str, str]]:
        return {(one["thread"]["S"], one["item"]["S"]) for one in self.items("MailTable")}

    def _count_messages(self, url: str) -> int:
        told = self.stack.cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        return sum(int(number) for name, number in told.items() if name.startswith("ApproximateNumberOfMessages"))

    def _head(self, benchmark: str) -> Head | None:
        found = self.aggregator.snapshots.read_head(benchmark)
        return found.value if found else None

    def _name_of(self, logical_id: str) -> str:
        return self.stack.template.resources[logical_id].name


def find_unbalanced(stored: StoredState, handed_in: Mapping[str, Expectation]) -> list[str]:
    """Return what is lost, doubled or wrong.

    Args:
        stored: Of a stack in which all is quiet.
        handed_in: Submission → what it must get, of all that was acknowledged and of all entries of drops.
    """
    records = stored.records()
    results = Counter(key.submission for key in stored.results())
    recorded = Counter(one.submission.id for one in records)
    expected = Counter(handed_in.keys())
    return [
        *_differ("kept", results, expected),
        *_differ("recorded", recorded, expected),
        *(f"{one.submission.id}: {fault}" for one in records for fault in _judge(one, handed_in)),
        *(f"lacks a contribution: {one}" for one in _contributed(records) - stored.contributions),
        *(f"contributes, and should not: {one}" for one in stored.contributions - _contributed(records)),
        *(difference for board in stored.boards() for difference in stored.compare(board)),
    ]


def find_unmailed(stored: StoredState) -> set[tuple[str, str]]:
    """Return who should have been told of which invalid submission, and was not."""
    told = {(mail.to, submission) for mail in stored.mails() for submission in mail.told}
    due = {
        (f"{one.submission.player.id}@example.com", one.submission.id)
        for one in stored.records()
        if one.outcome is Outcome.INVALID and one.submission.player.verified and one.submission.batch is None
    }
    return due - told


def count_repeats(mails: Iterable[Mail]) -> int:
    """Count the mails that went again."""
    return sum(number - 1 for number in Counter(mail.message_id for mail in mails).values())


def count_repeated_outcomes(mails: Iterable[Mail]) -> int:
    """Count how often somebody was told of a submission in a second mail, which is not the first one repeated."""
    distinct = {(mail.to, mail.message_id, one) for mail in mails for one in mail.told}
    return len(distinct) - len({(to, one) for to, _, one in distinct})


def _contributed(records: Iterable[SubmissionRecord]) -> set[tuple[str, str, str]]:
    return {
        (record.submission.benchmark, record.submission.id, one.part or NO_PART)
        for record in records
        for one in record.evaluations
        if record.outcome is Outcome.SCORED
    }


def _due_intents(records: Iterable[SubmissionRecord]) -> set[tuple[str, str]]:
    intents = [intent for one in records for intent in plan_mails(one, now=NEVER)]
    return {(str(one.thread), one.key) for one in intents}


def _judge(record: SubmissionRecord, handed_in: Mapping[str, Expectation]) -> Iterator[str]:
    expected = handed_in.get(record.submission.id)
    if expected is None:
        return
    if record.outcome is not expected.outcome:
        yield f"{record.outcome} in the place of {expected.outcome}: {record.message}"
    elif expected.scores is not None and dict(record.scores) != expected.scores:
        yield f"{record.scores} in the place of {expected.scores}"


def _differ(what: str, found: Counter[str], expected: Counter[str]) -> list[str]:
    lost, added = expected - found, found - expected
    return [f"not {what}: {one}" for one in lost] + [f"{what} twice or uncalled for: {one}" for one in added]
