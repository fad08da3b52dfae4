"""A player's submissions under one version: the board's entries, and the records that the index of players has.

What scored is in the entries of the version, what did not is in the index.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scoring_core.outcome import Outcome
from scoring_core.ranking.standings import NO_PART, combine_parts
from scoring_core.scorers.base import Scores
from storage.aws.table import Page
from storage.aws.threads import run_at_once
from storage.batches.reports import BatchReportStore
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.entries import BoardEntry, BoardEntryStore
from storage.boards.standings import BoardKey
from storage.submissions.models import Player, SubmissionRecord, sort_key
from storage.submissions.store import SubmissionStore


class HistoryLine(NamedTuple):
    """A submission in its player's history; no scores unless it scored. The part is None if it has several.

    `batch` and `entry`, its name there, are what only its player and owners may see.
    """

    submission: str
    player: Player
    outcome: Outcome
    scores: Scores
    part: str | None
    label: str | None = None
    batch: str | None = None
    entry: str | None = None


@dataclass(frozen=True, slots=True)
class HistoryStore:
    """Reads the histories of players."""

    submissions: SubmissionStore
    entries: BoardEntryStore
    reports: BatchReportStore

    def list_lines(
        self, published: PublishedBenchmark, *, player: str, before: str | None, length: int
    ) -> Page[HistoryLine]:
        """Read a page of a player's submissions under the current version, newest first.

        It may lack what was recorded a moment ago, and has fewer lines than `length` if very many other versions are
        skipped.
        """
        version = published.version
        indexed = self.submissions.list_records(
            published.id, player=player, version=version, before=before, length=length
        )
        until = before.partition("#")[0] if before else None
        boards = BoardKey(published.id, version)
        entries = self.entries.list_latest(boards, player, before=until, length=length + 1)
        lines = {entry.submission: _line_of_entry(entry, published) for entry in entries if entry.scores}
        lines |= {record.submission.id: _line_of_record(record) for record in indexed.entries}
        # Where one of the two goes on, the other may not run ahead of it.
        bounds = [indexed.position] if indexed.position else []
        if len(entries) > length:
            bounds.append(sort_key(entries[-2].submission, version))
        ordered = sorted(lines, reverse=True)
        complete = [submission for submission in ordered if sort_key(submission, version) >= max(bounds, default="")]
        kept = complete[:length]
        position = max(bounds, default=None)
        if len(complete) > length:
            position = sort_key(kept[-1], version)
        return Page(tuple(lines[submission] for submission in kept), position)

    def name_lines(
        self, published: PublishedBenchmark, player: str, lines: Sequence[HistoryLine]
    ) -> tuple[HistoryLine, ...]:
        """Return lines with their labels, batches and names there."""
        ids = [line.submission for line in lines]
        records = self.submissions.find_records(published.id, ids, version=published.version)
        submissions = {record.submission.id: record.submission for record in records}
        batches = sorted({submission.batch for submission in submissions.values() if submission.batch})
        reports = run_at_once(lambda batch: self.reports.find(published.id, player, batch), batches)
        names = {entry.submission: entry.entry for report in reports if report for entry in report.entries}
        return tuple(
            line._replace(
                label=submissions[line.submission].label,
                batch=submissions[line.submission].batch,
                entry=names.get(line.submission),
            )
            if line.submission in submissions
            else line
            for line in lines
        )


def _line_of_record(record: SubmissionRecord) -> HistoryLine:
    submission = record.submission
    return HistoryLine(
        submission.id, submission.player, record.outcome, record.scores, record.part, label=submission.label
    )


def _line_of_entry(entry: BoardEntry, published: PublishedBenchmark) -> HistoryLine:
    """Return the line of an entry, with the scores that its record has."""
    definition, parts = published.definition, list(entry.scores)
    if len(parts) == 1:
        part = None if parts[0] == NO_PART else parts[0]
        return HistoryLine(entry.submission, entry.player, Outcome.SCORED, entry.scores[parts[0]], part, entry.label)
    scores = combine_parts(
        entry.scores, ranking=definition.ranking, score_type=definition.score_type, parts=published.parts
    )
    return HistoryLine(entry.submission, entry.player, Outcome.SCORED, scores, None, entry.label)
