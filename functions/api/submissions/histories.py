"""A player's submissions under one version: the board's entries, and the records that the index of players has.

What scored is in the entries of the version, what did not is in the index.
"""

from api.dependencies import ApiServices
from scoring_core.outcome import Outcome
from scoring_core.ranking.standings import NO_PART, combine_parts
from scoring_core.scorers.base import Evaluation
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.entries import BoardEntry
from storage.boards.standings import BoardKey
from storage.gateway.table import Page
from storage.submissions.models import Submission, SubmissionRecord, sort_key


def list_records(
    api: ApiServices, published: PublishedBenchmark, *, player: str, before: str | None, length: int
) -> Page[SubmissionRecord]:
    """Read a page of a player's submissions under the current version, newest first.

    Of what scored it has no more than the board's entry has: no batch, signature or moment. It may lack what was
    recorded a moment ago, and has fewer than `length` if very many other versions are skipped.
    """
    version = published.version
    indexed = api.records.list_records(published.id, player=player, version=version, before=before, length=length)
    until = before.partition("#")[0] if before else None
    boards = BoardKey(published.id, version)
    entries = api.entries.list_latest(boards, player, before=until, length=length + 1)
    records = {entry.submission: _read_entry(entry, published) for entry in entries if entry.scores}
    records |= {record.submission.id: record for record in indexed.entries}
    # Where one of the two goes on, the other may not run ahead of it.
    bounds = [indexed.position] if indexed.position else []
    if len(entries) > length:
        bounds.append(sort_key(entries[-2].submission, version))
    ordered = sorted(records, reverse=True)
    complete = [submission for submission in ordered if sort_key(submission, version) >= max(bounds, default="")]
    kept = complete[:length]
    position = max(bounds, default=None)
    if len(complete) > length:
        position = sort_key(kept[-1], version)
    return Page(tuple(records[submission] for submission in kept), position)


def _read_entry(entry: BoardEntry, published: PublishedBenchmark) -> SubmissionRecord:
    """Return what an entry has of a record, with the scores that its record has."""
    definition = published.definition
    if len(entry.scores) == 1:
        (scores,) = entry.scores.values()
    else:
        scores = combine_parts(
            entry.scores, ranking=definition.ranking, score_type=definition.score_type, parts=published.parts
        )
    return SubmissionRecord(
        Submission(entry.submission, published.id, entry.player, label=entry.label),
        published.version,
        Outcome.SCORED,
        signature="",
        recorded_at="",
        scores=scores,
        evaluations=tuple(
            Evaluation(scores=scores, detail={}, part=None if part == NO_PART else part)
            for part, scores in entry.scores.items()
        ),
    )
