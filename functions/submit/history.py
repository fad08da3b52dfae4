"""Tells what a player has handed in, newest first, a page at a time, and where the player stands."""

import base64
import hashlib
import re
from dataclasses import dataclass
from http import HTTPStatus

from ledger.benchmark_store import Published
from ledger.snapshot_store import SnapshotStore
from ledger.submission_id import is_submission_id
from ledger.submission_store import SubmissionStore
from ledger.submissions import Player, Record
from scoring_core.judgement import Outcome
from scoring_core.score_type import Direction, ScoreType
from submit.places import find_head, find_place
from submit.problems import Problem, not_found
from submit.views import PlayerView, view_player

PAGE_LENGTH = 50
_PLAYER = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_DIGEST_LENGTH = 16
_MAX_POSITION = 128


@dataclass(frozen=True, slots=True)
class HistoryDesk:
    """Answers for one player."""

    submissions: SubmissionStore
    snapshots: SnapshotStore

    def find(self, published: Published, player: str, cursor: str | None) -> PlayerView:
        """Give a player's place and a page of the history: outcomes under the present version, newest first.

        Args:
            published: The benchmark.
            player: The player's id, from the path.
            cursor: `next` of the page before; None: the first page.

        Raises:
            Problem: 404, nothing of such a player was ever recorded here; 400, the cursor is not one of this list.
        """
        if _PLAYER.fullmatch(player) is None:
            raise not_found("there is no such player")
        before = None if cursor is None else read_cursor(cursor, benchmark=published.id, player=player)
        page = self.submissions.list_records(
            published.id, player=player, version=published.version, before=before, length=PAGE_LENGTH
        )
        head = find_head(self.snapshots, published.id, version=published.version)
        place = find_place(self.snapshots, head, player) if head else None
        return view_player(
            place.player if place else self._find_player(published, player, page.records),
            place=place,
            players=head.total if head else None,
            records=page.records,
            best=find_bests(page.records, published.definition.score_type),
            cursor=page.position and make_cursor(page.position, benchmark=published.id, player=player),
        )

    def _find_player(self, published: Published, player: str, records: tuple[Record, ...]) -> Player:
        latest = records[0] if records else self.submissions.find_latest_of(published.id, player=player)
        if latest is None:
            raise not_found("there is no such player")
        return latest.submission.player


def find_bests(records: tuple[Record, ...], score_type: ScoreType) -> dict[str, int | float]:
    """Give the best value of each column among these records."""
    scored = [one.scores for one in records if one.outcome is Outcome.SCORED]
    bests = {}
    for header in score_type.headers:
        values = [scores[header.name] for scores in scored if header.name in scores]
        if values:
            bests[header.name] = max(values) if header.direction is Direction.HIGHER else min(values)
    return bests


def make_cursor(position: str, *, benchmark: str, player: str) -> str:
    """Give the opaque form of a position in a player's history.

    It is bound to its list by a digest, not by a secret: whatever follows a position is public, a forger gains nothing.
    """
    digest = hashlib.sha256(f"{position}\n{benchmark}\n{player}".encode()).hexdigest()[:_DIGEST_LENGTH]
    return base64.urlsafe_b64encode(f"{position}.{digest}".encode()).decode().rstrip("=")


def read_cursor(cursor: str, *, benchmark: str, player: str) -> str:
    """Give the position that a cursor stands for. Raises Problem, 400: it is not one of this list."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except ValueError as error:
        raise _foreign_cursor() from error
    position = text.rpartition(".")[0]
    is_ours = is_submission_id(position.partition("#")[0]) and len(position) <= _MAX_POSITION
    # Made again and compared as a whole: a cursor has one spelling.
    if not is_ours or make_cursor(position, benchmark=benchmark, player=player) != cursor:
        raise _foreign_cursor()
    return position


def _foreign_cursor() -> Problem:
    detail = "cursor: expected `next` of the page before, of the same player on the same benchmark"
    return Problem(HTTPStatus.BAD_REQUEST, "invalid-cursor", detail, [{"parameter": "cursor", "detail": detail}])
