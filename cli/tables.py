"""What an operator finds in the tables and buckets of a stack: everybody's submissions, batches and files."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cli.matches import MAX_ENTRIES, Match, describe_entry, is_file
from cli.stack import find_settings
from storage.access.names import InvalidName, check_name
from storage.access.players import PlayerStore, is_player_id
from storage.aws.bucket import Bucket
from storage.aws.clients import dynamodb_client, s3_client
from storage.aws.table import Table
from storage.batches.reports import BatchReportStore
from storage.benchmarks.store import BenchmarkStore
from storage.ids import is_submission_id, time_of, utc_now
from storage.keys import ResultKey
from storage.settings import RecordSettings
from storage.submissions.models import Submission
from storage.submissions.store import SubmissionStore

MAX_REPORTS = 500
"""The newest reports of a benchmark in which a batch or a file is looked for."""


class FindSettings(RecordSettings):
    """Settings of `laurel find`."""

    access_table: str


@dataclass(frozen=True, slots=True)
class StackTables:
    """The stores of a stack in which an operator looks for something."""

    benchmarks: BenchmarkStore
    submissions: SubmissionStore
    reports: BatchReportStore
    players: PlayerStore

    def find(self, text: str) -> Iterator[Match]:
        """Find a submission or batch by its id; else a player, and files by name.

        Of each benchmark the 500 newest reports of batches are read at most, and 20 entries are found.
        """
        if not is_submission_id(text):
            yield from self._find_player(text)
        for benchmark in self.benchmarks.list_ids():
            if is_submission_id(text):
                yield from self._find_submission(benchmark, text)
            yield from self._find_in_batches(benchmark, text)

    def _find_submission(self, benchmark: str, submission: str) -> Iterator[Match]:
        records = self.players.name_records(self.submissions.list_records_of(benchmark, submission=submission))
        for record in records:
            reason = f": {record.message}" if record.message else ""
            outcome = f"{record.outcome.value} under version {record.version}{reason}"
            yield Match(benchmark, "submission", submission, f"{outcome}, {_describe(record.submission)}")
        queued = None if records else self.submissions.find_submission(ResultKey(benchmark, submission))
        if queued is not None:
            named = replace(queued, player=self.players.name([queued.player])[0])
            yield Match(benchmark, "submission", submission, f"queued, {_describe(named)}")

    def _find_player(self, text: str) -> Iterator[Match]:
        try:
            player = text if is_player_id(text) else self.players.find_namesake(check_name(text))
        except InvalidName:
            return
        account = self.players.find(player) if player else None
        if account is not None:
            mail = account.email or "no mail"
            summary = f"{account.player.name}, {account.player.kind.value}, {mail}, since {account.created_at:%F}"
            yield Match("–", "account", account.player.id, summary)

    def _find_in_batches(self, benchmark: str, text: str) -> Iterator[Match]:
        entries = 0
        for report in self.reports.list_newest(benchmark, length=MAX_REPORTS):
            if text == report.drop or is_file(text, report.file):
                summary = f"{report.file} by {report.player}, {len(report.entries)} entries, {report.state.value}"
                yield Match(benchmark, "batch", report.drop, summary)
            for entry in report.entries:
                if entries < MAX_ENTRIES and (text == entry.submission or is_file(text, entry.entry)):
                    entries += 1
                    file, status = f"{report.file} by {report.player}", entry.error or "accepted"
                    yield describe_entry(benchmark, file, entry.entry, entry.submission, status)


def open_tables(stack: str | None) -> StackTables:
    """Return the stores of a stack; None: the local one. Raises NoStack."""
    settings = find_settings(stack, FindSettings)  # first: it sets the endpoint of a local stack
    bucket, dynamodb = Bucket(s3_client(), settings.results_bucket), dynamodb_client()
    return StackTables(
        BenchmarkStore(bucket, utc_now),
        SubmissionStore(Table(dynamodb, settings.submissions_table), bucket),
        BatchReportStore(bucket),
        PlayerStore(Table(dynamodb, settings.access_table)),
    )


def _describe(submission: Submission) -> str:
    label = f", label {submission.label}" if submission.label else ""
    batch = f", of batch {submission.batch}" if submission.batch else ""
    player = submission.player
    return f"by {player.name} ({player.id}){label}{batch}, {time_of(submission.id):%F %H:%M} UTC"
