"""The boards table: contributions and standings, one item each; every change is one conditional write."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from scoring_core.benchmarks.boards import MAIN
from scoring_core.ranking.improvement_lists import ImprovementList
from scoring_core.ranking.improvements import Improvements
from scoring_core.ranking.standings import Contribution, Standing
from storage.aws.attributes import Plain
from storage.aws.errors import Conflict, NewerSchema, retry_on_conflict
from storage.aws.schema import Schema
from storage.aws.table import Item, Table
from storage.boards.withdrawal_notices import (
    PlayerWithdrawalNotice,
    WithdrawalNotice,
    join_notices,
    read_notices,
    write_notices,
)
from storage.submissions.models import Player, player_from_attributes


class FoldedFromEntries(NewerSchema):
    """Newer code folds this standing from board entries; `StandingFolder` can go on with it."""


class BoardKey(NamedTuple):
    """A board of one benchmark version.

    `since` is the publish number from which on it has had the same rows of the same submissions, 0 if it always had.
    If that changes, it begins again under another key: what late writers add to the old one, nobody reads.
    """

    benchmark: str
    version: str
    board: str = MAIN
    since: int = 0

    def __str__(self) -> str:
        board = f"/{self.board}" if self.board != MAIN or self.since else ""
        return f"{self.benchmark}@{self.version}{board}{f'~{self.since}' if self.since else ''}"


class PlayerContribution(NamedTuple):
    """A contribution and its player. If two have the same key, the higher record revision wins.

    A withdrawn one no longer counts; the board shows its notice.
    """

    player: Player
    contribution: Contribution
    record_revision: int
    withdrawn: bool = False
    notice: WithdrawalNotice | None = None


class PlayerStanding(NamedTuple):
    """A standing, its player, and the player's improvements."""

    player: Player
    standing: Standing
    improvements: Improvements = ()


class BoardState(NamedTuple):
    """The standings on a board, player id → standing, and its withdrawal notices.

    `publish_number` is the least under which one of them was folded; None if nobody ever contributed.
    """

    standings: dict[str, PlayerStanding]
    notices: tuple[PlayerWithdrawalNotice, ...]
    publish_number: int | None


type Fold = Callable[[Sequence[Contribution]], tuple[Standing | None, Improvements]]
"""From the contributions that are not withdrawn to the standing, None: none, and the player's improvements."""


@dataclass(frozen=True, slots=True)
class StandingStore:
    """The boards table."""

    table: Table

    def put_contribution(self, board: BoardKey, contributed: PlayerContribution) -> None:
        """Write a contribution, unless its stored record revision is the same or higher."""
        contribution, notice = contributed.contribution, contributed.notice
        item: dict[str, Plain | None] = {
            "board": str(board),
            "item": f"contribution#{contributed.player.id}#{contribution.part}#{contribution.submission}",
            **contributed.player.to_attributes(),
            "submission": contribution.submission,
            "part": contribution.part,
            "scores": json.dumps(contribution.scores),
            "revision": contributed.record_revision,
            "withdrawn": contributed.withdrawn,
            "withdrawn_at": notice and notice.at.isoformat(),
            "reason": notice and notice.reason,
        }
        with suppress(Conflict):
            self.table.put(
                Schema.CONTRIBUTION,
                item,
                condition="attribute_not_exists(#board) OR #revision < :revision",
                values={"revision": contributed.record_revision},
            )

    def update_standing(self, board: BoardKey, player: str, *, fold: Fold, publish_number: int) -> None:
        """Fold a player's contributions into the standing, with the published ranking.

        Raises Conflict if the standing was folded by a newer ranking, FoldedFromEntries, Busy if other writers won
        every time.
        """

        def attempt() -> bool:
            before = self.table.get(Schema.STANDING, board=str(board), item=standing_key(player))
            contributions = list(self.all_contributions(board, player=player))
            if before is not None and int(before["revision"]) > publish_number:
                return False
            self._fold(board, before, contributions, fold=fold, publish_number=publish_number)
            return True

        what = f"standing of {player} on {board}"
        if not retry_on_conflict(attempt, what=what):
            raise Conflict(f"{what}: folded by a newer ranking")

    def update_standings(self, board: BoardKey, *, fold: Fold, publish_number: int) -> set[str]:
        """Fold the contributions of all players, as `update_standing` does.

        The board is read page by page, the standings before the contributions. A player who contributes in
        between is folded by the writer of that contribution, or makes the write here fail.

        Returns:
            The players whose standings are folded from board entries; they are left alone.
        """
        standings = {str(plain["player"]): plain for plain in map(Schema.STANDING.read, self._query(board, "player#"))}
        folded = {player for player, plain in standings.items() if _is_folded_from_entries(plain)}
        for player, group in groupby(self.all_contributions(board), key=lambda contributed: contributed.player.id):
            if player in folded:
                continue
            before = standings.get(player)
            if before is None or int(before["revision"]) <= publish_number:
                try:
                    self._fold(board, before, list(group), fold=fold, publish_number=publish_number)
                except Conflict:
                    pass
                else:
                    continue
            try:
                self.update_standing(board, player, fold=fold, publish_number=publish_number)
            except FoldedFromEntries:
                folded.add(player)
        return folded

    def _fold(
        self,
        board: BoardKey,
        before: Mapping[str, Any] | None,
        contributions: list[PlayerContribution],
        *,
        fold: Fold,
        publish_number: int,
    ) -> None:
        """Write the standing of a player's contributions. Raises Conflict if it changed."""
        if before is not None and _is_folded_from_entries(before):
            raise FoldedFromEntries(f"{before['player']} on {board}: newer code folds the standing from board entries")
        if not contributions:
            return
        contributions.sort(key=lambda contributed: contributed.contribution.submission)
        player = contributions[-1].player
        counted = [contributed.contribution for contributed in contributions if not contributed.withdrawn]
        standing, improvements = fold(counted)
        after = {
            **player.to_attributes(),
            "schema": Schema.STANDING.number,
            "revision": publish_number,
            "scores": json.dumps(standing.scores) if standing else "{}",
            "submission": standing.submission if standing else "",
            "submissions": standing.submissions if standing else 0,
            "steps": json.dumps(improvements if standing else ()),
            "removed": write_notices(join_notices(contributed.notice for contributed in contributions)),
        }
        if before is None or any(before.get(name) != value for name, value in after.items()):
            self._write_standing(board, player.id, after, lock_version=int(before["counter"]) if before else 0)

    def list_folded(self, board: BoardKey) -> set[str]:
        """Return the players whose standings newer code folded from board entries."""
        standings = map(Schema.STANDING.read, self._query(board, "player#"))
        return {str(plain["player"]) for plain in standings if _is_folded_from_entries(plain)}

    def read_board(self, board: BoardKey, players: Iterable[str] | None) -> BoardState:
        """Read the standings of these players, or of all (consistent). Raises Busy."""
        if players is None:
            return _make_state(self._query(board, "player#"))
        keys = [{"board": str(board), "item": standing_key(player)} for player in set(players)]
        return _make_state(self.table.get_many(keys))

    def all_contributions(self, board: BoardKey, *, player: str | None = None) -> Iterator[PlayerContribution]:
        """Read contributions (consistent), withdrawn ones too, grouped by player."""
        for item in self._query(board, "contribution#" if player is None else f"contribution#{player}#"):
            plain = Schema.CONTRIBUTION.read(item)
            yield PlayerContribution(
                player=player_from_attributes(plain),
                contribution=Contribution(
                    submission=str(plain["submission"]),
                    part=str(plain["part"]),
                    scores=json.loads(str(plain["scores"])),
                ),
                record_revision=int(plain["revision"]),
                withdrawn=bool(plain["withdrawn"]),
                notice=_read_notice(plain),
            )

    def _query(self, board: BoardKey, prefix: str) -> Iterator[Item]:
        return self.table.query(key=("board", str(board)), prefix=("item", prefix))

    def _write_standing(self, board: BoardKey, player: str, after: Mapping[str, Plain], *, lock_version: int) -> None:
        """Write on condition of the lock version that was read. Raises Conflict."""
        self.table.put(
            Schema.STANDING,
            {"board": str(board), "item": standing_key(player), "counter": lock_version + 1, **after},
            condition="#counter = :counter" if lock_version else "attribute_not_exists(#board)",
            values={"counter": lock_version} if lock_version else None,
        )


def standing_key(player: str) -> str:
    """Return the sort key of a player's standing."""
    return f"player#{player}"


def _is_folded_from_entries(plain: Mapping[str, Plain]) -> bool:
    return "accumulator" in plain


def _make_state(items: Iterable[Mapping[str, Any]]) -> BoardState:
    standings: dict[str, PlayerStanding] = {}
    notices: list[PlayerWithdrawalNotice] = []
    publish_numbers: set[int] = set()
    for plain in map(Schema.STANDING.read, items):
        player = player_from_attributes(plain)
        publish_numbers.add(int(plain["revision"]))
        notices += (PlayerWithdrawalNotice(player, notice) for notice in read_notices(plain))
        if plain["submission"]:
            standing = Standing(
                scores=json.loads(str(plain["scores"])),
                submission=str(plain["submission"]),
                submissions=int(plain["submissions"]),
            )
            standings[player.id] = PlayerStanding(player, standing, _read_improvements(plain))
    return BoardState(standings, tuple(notices), min(publish_numbers, default=None))


def _read_improvements(plain: Mapping[str, Plain]) -> Improvements:
    if "improvements" in plain:
        return ImprovementList.from_json(str(plain["improvements"])).kept
    return tuple((submission, value) for submission, value in json.loads(str(plain.get("steps", "[]"))))


def _read_notice(plain: Mapping[str, Plain]) -> WithdrawalNotice | None:
    """Return the notice of a withdrawn contribution; None if there is none."""
    if "withdrawn_at" not in plain:
        return None
    at = datetime.fromisoformat(str(plain["withdrawn_at"]))
    return WithdrawalNotice(at=at, submission=str(plain["submission"]), reason=str(plain["reason"]))
