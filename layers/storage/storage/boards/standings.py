"""Boards: contributions and standings, one item each, every change one conditional write."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from scoring_core.ranking.standings import Contribution, Standing
from storage.aws.attributes import Plain
from storage.aws.errors import Conflict, retry_on_conflict
from storage.aws.schema import Schema
from storage.aws.table import Item, Table
from storage.boards.withdrawal_notices import (
    PlayerWithdrawalNotice,
    WithdrawalNotice,
    join_notices,
    read_notices_file,
    write_notices,
)
from storage.submissions.models import Player, PlayerKind


class BoardKey(NamedTuple):
    """A board: the standings of one benchmark version."""

    benchmark: str
    version: str

    def __str__(self) -> str:
        return f"{self.benchmark}@{self.version}"


class PlayerContribution(NamedTuple):
    """A contribution with whose it is; of two with the same key the one with the higher revision stands.

    One that is withdrawn no longer counts; its removal is what the board says of it.
    """

    player: Player
    contribution: Contribution
    revision: int
    withdrawn: bool = False
    removal: WithdrawalNotice | None = None


type Steps = tuple[tuple[str, int | float], ...]
"""A player's records of the primary metric: (submission, value), in order of submission."""


class PlayerStanding(NamedTuple):
    """A standing with whose it is, and the player's records."""

    player: Player
    standing: Standing
    steps: Steps = ()


class BoardState(NamedTuple):
    """The standings of those who are on a board, player id → standing, and what was taken off it.

    `revision` is the least under which one of them was folded; None where nobody ever contributed.
    """

    standings: dict[str, PlayerStanding]
    removed: tuple[PlayerWithdrawalNotice, ...]
    revision: int | None


def _stand_still(_: Iterable[Contribution]) -> Steps:
    return ()


@dataclass(frozen=True, slots=True)
class StandingStore:
    """The boards table."""

    table: Table

    def put_contribution(self, board: BoardKey, one: PlayerContribution) -> None:
        """Write a contribution unless one of the same or a newer revision stands."""
        contribution = one.contribution
        item: dict[str, Plain | None] = {
            "board": str(board),
            "item": f"contribution#{one.player.id}#{contribution.part}#{contribution.submission}",
            **_player_attributes(one.player),
            "submission": contribution.submission,
            "part": contribution.part,
            "scores": json.dumps(contribution.scores),
            "revision": one.revision,
            "withdrawn": one.withdrawn,
            "withdrawn_at": one.removal and one.removal.at.isoformat(),
            "reason": one.removal and one.removal.reason,
        }
        try:
            self.table.put(
                Schema.CONTRIBUTION,
                item,
                condition="attribute_not_exists(#board) OR #revision < :revision",
                values={"revision": one.revision},
            )
        except Conflict:
            return

    def update_standing(
        self,
        board: BoardKey,
        player: str,
        *,
        fold: Callable[[Iterable[Contribution]], Standing | None],
        climb: Callable[[Iterable[Contribution]], Steps] = _stand_still,
        revision: int,
    ) -> None:
        """Fold a player's contributions, read consistently, into the standing; a lost race starts over.

        Args:
            board: The board.
            player: The player's id.
            fold: From the contributions that are not withdrawn to the standing; None removes it from the board.
            climb: From the same contributions to the player's records.
            revision: That of the published benchmark whose ranking `fold` and `climb` apply.

        Raises:
            Conflict: The standing was folded by a newer ranking than this one.
            Busy: The race was lost too often.
        """

        def attempt() -> bool:
            before = self.table.get(Schema.STANDING, board=str(board), item=_standing_key(player))
            contributions = list(self._contributions(board, f"contribution#{player}#"))
            if before is not None and int(before["revision"]) > revision:
                return False
            self._fold(board, before, contributions, fold=fold, climb=climb, revision=revision)
            return True

        what = f"standing of {player} on {board}"
        if not retry_on_conflict(attempt, what=what):
            raise Conflict(f"{what}: folded by a newer ranking")

    def update_standings(
        self,
        board: BoardKey,
        *,
        fold: Callable[[Iterable[Contribution]], Standing | None],
        climb: Callable[[Iterable[Contribution]], Steps] = _stand_still,
        revision: int,
    ) -> None:
        """Fold everybody's contributions, as `update_standing` does.

        The board is read page by page, the standings before the contributions: who contributes meanwhile is folded
        by whoever wrote that, or makes the write fail.

        Raises:
            Conflict: A standing was folded by a newer ranking than this one.
            Busy: A race was lost too often.
        """
        standings = {str(one["player"]): one for one in map(Schema.STANDING.read, self._query(board, "player#"))}
        for player, group in groupby(self.all_contributions(board), key=lambda one: one.player.id):
            before = standings.get(player)
            if before is None or int(before["revision"]) <= revision:
                try:
                    self._fold(board, before, list(group), fold=fold, climb=climb, revision=revision)
                except Conflict:
                    pass
                else:
                    continue
            self.update_standing(board, player, fold=fold, climb=climb, revision=revision)

    def _fold(
        self,
        board: BoardKey,
        before: Mapping[str, Any] | None,
        contributions: list[PlayerContribution],
        *,
        fold: Callable[[Iterable[Contribution]], Standing | None],
        climb: Callable[[Iterable[Contribution]], Steps],
        revision: int,
    ) -> None:
        """Write the standing that follows from all contributions of a player. Raises Conflict, it has changed."""
        if not contributions:
            return
        contributions.sort(key=lambda one: one.contribution.submission)
        player = contributions[-1].player
        counted = [one.contribution for one in contributions if not one.withdrawn]
        standing = fold(counted)
        after = {
            **_player_attributes(player),
            "revision": revision,
            "scores": json.dumps(standing.scores) if standing else "{}",
            "submission": standing.submission if standing else "",
            "submissions": standing.submissions if standing else 0,
            "steps": json.dumps(climb(counted) if standing else ()),
            "removed": write_notices(join_notices(one.removal for one in contributions)),
        }
        if before is None or any(before.get(name) != value for name, value in after.items()):
            self._write_standing(board, player.id, after, counter=int(before["counter"]) if before else 0)

    def read_board(self, board: BoardKey, players: Iterable[str] | None) -> BoardState:
        """Read what these players have on a board (consistent).

        Args:
            board: The board.
            players: Ids; None: of everybody.

        Raises:
            Busy: Throttled too often.
        """
        if players is None:
            return _make_state(self._query(board, "player#"))
        keys = [{"board": str(board), "item": _standing_key(player)} for player in set(players)]
        return _make_state(self.table.get_many(keys))

    def find_standings(self, board: BoardKey, players: Iterable[str]) -> dict[str, PlayerStanding]:
        """Read the standings of these players (consistent); one that has none is left out. Raises Busy."""
        return self.read_board(board, players).standings

    def all_standings(self, board: BoardKey) -> dict[str, PlayerStanding]:
        """Read every standing of a board (consistent)."""
        return self.read_board(board, None).standings

    def all_contributions(self, board: BoardKey) -> Iterator[PlayerContribution]:
        """Read every contribution to a board (consistent), withdrawn ones too; those of a player are together."""
        return self._contributions(board, "contribution#")

    def _contributions(self, board: BoardKey, prefix: str) -> Iterator[PlayerContribution]:
        for item in self._query(board, prefix):
            plain = Schema.CONTRIBUTION.read(item)
            yield PlayerContribution(
                player=_player(plain),
                contribution=Contribution(
                    submission=str(plain["submission"]),
                    part=str(plain["part"]),
                    scores=json.loads(str(plain["scores"])),
                ),
                revision=int(plain["revision"]),
                withdrawn=bool(plain["withdrawn"]),
                removal=_read_removal(plain),
            )

    def _query(self, board: BoardKey, prefix: str) -> Iterator[Item]:
        return self.table.query(key=("board", str(board)), prefix=("item", prefix))

    def _write_standing(self, board: BoardKey, player: str, after: Mapping[str, Plain], *, counter: int) -> None:
        """Write on condition of the counter that was read. Raises Conflict."""
        self.table.put(
            Schema.STANDING,
            {"board": str(board), "item": _standing_key(player), "counter": counter + 1, **after},
            condition="#counter = :counter" if counter else "attribute_not_exists(#board)",
            values={"counter": counter} if counter else None,
        )


def _standing_key(player: str) -> str:
    return f"player#{player}"


def _make_state(items: Iterable[Mapping[str, Any]]) -> BoardState:
    standings: dict[str, PlayerStanding] = {}
    removed: list[PlayerWithdrawalNotice] = []
    revisions: set[int] = set()
    for plain in map(Schema.STANDING.read, items):
        player = _player(plain)
        revisions.add(int(plain["revision"]))
        removed += (PlayerWithdrawalNotice(player, one) for one in read_notices_file(plain))
        if plain["submissions"]:
            standing = Standing(
                scores=json.loads(str(plain["scores"])),
                submission=str(plain["submission"]),
                submissions=int(plain["submissions"]),
            )
            steps = tuple((submission, value) for submission, value in json.loads(str(plain.get("steps", "[]"))))
            standings[player.id] = PlayerStanding(player, standing, steps)
    return BoardState(standings, tuple(removed), min(revisions, default=None))


def _read_removal(plain: Mapping[str, Plain]) -> WithdrawalNotice | None:
    """Read what a board says of a contribution; None where it counts, or where it was withdrawn without a word."""
    if "withdrawn_at" not in plain:
        return None
    at = datetime.fromisoformat(str(plain["withdrawn_at"]))
    return WithdrawalNotice(at=at, submission=str(plain["submission"]), reason=str(plain["reason"]))


def _player_attributes(player: Player) -> dict[str, str | bool]:
    return {"player": player.id, "name": player.name, "kind": player.kind.value, "verified": player.verified}


def _player(plain: Mapping[str, str | int | bool]) -> Player:
    return Player(
        id=str(plain["player"]),
        name=str(plain["name"]),
        kind=PlayerKind(str(plain["kind"])),
        verified=bool(plain["verified"]),
    )
