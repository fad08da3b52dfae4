"""The standings in the boards table, and what they store of withdrawn submissions."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import batched, islice
from typing import NamedTuple, Self

from scoring_core.benchmarks.boards import MAIN, read_row_id
from scoring_core.benchmarks.definition import RowKind
from scoring_core.ranking.accumulators import Accumulator, FoldingRules
from scoring_core.ranking.improvement_lists import ImprovementList, Improvements
from scoring_core.ranking.part_columns import PartColumns
from scoring_core.ranking.standings import RankOrder, Standing
from storage.boards.pages import Row
from storage.boards.rendering.lease import HeldLease, lease_key, read_lease
from storage.gateway.clients import run_at_once
from storage.gateway.conditions import Prefix
from storage.gateway.schema import Plain, Schema
from storage.gateway.table import Table
from storage.submissions.models import NAMELESS, Player, player_from_attributes

_PREFIX = "player#"
_DELETED_AT_ONCE = 1_000
MAX_NOTICES = 20
"""The newest notices of a player are stored with the standing, as many as a board shows of all players."""
RESTORED = ""
"""The reason of a notice that takes back the one before. No other is empty; no board shows it."""


class WithdrawalNotice(NamedTuple):
    """A submission that no longer counts on a board, since `at` in UTC; if RESTORED, it counts again."""

    at: datetime
    submission: str
    reason: str


def join_notices(
    before: Iterable[WithdrawalNotice], later: Iterable[WithdrawalNotice | None]
) -> tuple[WithdrawalNotice, ...]:
    """Return the last notice of each submission, the newest first.

    Of those that a board may show there are MAX_NOTICES, and as many that take one back. The latter are kept only where
    `before` has a notice of the submission: otherwise no board can show it. None is skipped.
    """
    joined = {notice.submission: notice for notice in before}
    for notice in later:
        if notice is not None and (notice.reason != RESTORED or notice.submission in joined):
            joined[notice.submission] = notice
    shown = sorted((notice for notice in joined.values() if notice.reason != RESTORED), reverse=True)
    taken_back = sorted((notice for notice in joined.values() if notice.reason == RESTORED), reverse=True)
    return tuple(sorted([*shown[:MAX_NOTICES], *taken_back[:MAX_NOTICES]], reverse=True))


def write_notices(notices: Iterable[WithdrawalNotice]) -> str:
    """Return notices as a standing stores them."""
    return json.dumps([[notice.at.isoformat(), notice.submission, notice.reason] for notice in notices])


def read_notices(standing: Mapping[str, Plain]) -> tuple[WithdrawalNotice, ...]:
    """Read the notices of a standing."""
    stored = json.loads(str(standing["removed"]))
    return tuple(WithdrawalNotice(datetime.fromisoformat(at), submission, reason) for at, submission, reason in stored)


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


class PlayerStanding(NamedTuple):
    """A standing, its player, and the improvements of its row.

    `label` is None on a board with a row for each player.
    """

    player: Player
    standing: Standing
    improvements: Improvements = ()
    label: str | None = None


class OwnStanding(NamedTuple):
    """A standing, its improvements, and the submissions that count; None if all do, or if nothing says which."""

    standing: Standing
    improvements: Improvements
    counting: frozenset[str] | None


class BoardState(NamedTuple):
    """The standings on a board, row id → standing, and its withdrawal notices with their players.

    `publish_number` is the least under which one of them was folded; None if nobody ever contributed. `unranked` is
    how many submissions of guests without a name there are: they have no row. `lease` is read with some rows only: who
    renders the board.
    """

    standings: dict[str, PlayerStanding]
    notices: tuple[tuple[Player, WithdrawalNotice], ...]
    publish_number: int | None
    unranked: int = 0
    lease: HeldLease | None = None

    def without(self, players: Collection[str]) -> "BoardState":
        """Return the state without the standings of these players, who are banned."""
        if not players:
            return self
        shown = {row: entry for row, entry in self.standings.items() if entry.player.id not in players}
        return self._replace(standings=shown)


class Columns(NamedTuple):
    """What the rows of a board have: the order, all metrics, whether labels have rows, and columns of parts."""

    order: RankOrder
    metrics: tuple[str, ...]
    has_labels: bool = False
    parts: PartColumns = PartColumns()

    @classmethod
    def of(cls, rules: FoldingRules) -> Self:
        """Return the columns of a board that is folded so."""
        parts = PartColumns.of(rules.parts, rules.score_type.names, primary=rules.ranking.by[0])
        order = RankOrder.of(rules.ranking, rules.score_type, has_parts=parts.total > 0)
        return cls(order, rules.score_type.names, rules.ranking.rows is RowKind.LABEL, parts)

    @property
    def all(self) -> tuple[str, ...]:
        """The columns of scores that heads and pages have."""
        return (*self.metrics, *self.parts.names)

    @property
    def placed(self) -> tuple[str, ...]:
        """Those that places have: the metrics, and what else the order needs."""
        return (*self.metrics, *(name for name, _ in self.order.by if name not in self.metrics))

    def read_row(self, entry: PlayerStanding) -> Row:
        """Return a standing as a row."""
        player, standing = entry.player, entry.standing
        label = (entry.label or "") if self.has_labels else None
        scores = {metric: standing.scores[metric] for metric in self.metrics if metric in standing.scores}
        scores |= self.parts.read(standing.parts, done=standing.done)
        return Row(
            player.id,
            player.name,
            player.kind.value,
            player.verified,
            label,
            scores,
            standing.submissions,
            standing.submission,
        )


class StandingStore(NamedTuple):
    """The boards table."""

    table: Table

    def read_board(
        self, board: BoardKey, rows: Iterable[str] | None, *, rules: FoldingRules | None = None
    ) -> BoardState:
        """Read the standings of these rows, or of all (consistent). Raises Busy.

        With some rows the lease of the board is read by the same call; with the rules that the standings were folded
        by, also their parts.
        """
        if rows is None:
            return make_state(self.list_all(board), rules)
        keys = [{"board": str(board), "item": standing_key(row)} for row in set(rows)]
        items = [(item, read_lease(item)) for item in self.table.get_many([lease_key(str(board)), *keys])]
        lease = next((lease for _, lease in items if lease), None)
        return make_state((Schema.STANDING.read(item) for item, lease in items if not lease), rules, lease)

    def find_own(self, board: BoardKey, row: str, *, rules: FoldingRules) -> OwnStanding | None:
        """Read the standing of one row with the submissions that count (consistent).

        None if nothing counts.
        """
        items = self.table.get_many([{"board": str(board), "item": standing_key(row)}])
        plain = next(map(Schema.STANDING.read, items), None)
        standing = read_standing(plain, rules) if plain else None
        if plain is None or standing is None:
            return None
        improvements = ImprovementList.from_json(str(plain["improvements"])).kept
        if rules.is_value_of_one_submission:
            return OwnStanding(standing, improvements, frozenset({standing.submission}))
        if plain["rules"] != rules.digest or not plain["accumulator"]:
            return OwnStanding(standing, improvements, None)
        accumulator = Accumulator.from_json(str(plain["accumulator"]), ImprovementList(), rules)
        return OwnStanding(standing, improvements, accumulator.list_counting())

    def has_any(self, board: BoardKey) -> bool:
        """Return whether a board has a standing (consistent)."""
        key = ("board", str(board))
        return any(self.table.query(key, Prefix("item", _PREFIX), attributes=("board",), length=1))

    def list_rows(self, board: BoardKey, player: str) -> list[str]:
        """Read the ids of a player's rows (consistent): one, or one for each label."""
        labelled = self.table.query(("board", str(board)), Prefix("item", f"{standing_key(player)}/"))
        return [player, *(str(item["item"]["S"]).removeprefix(_PREFIX) for item in labelled)]

    def list_players(self, version: BoardKey) -> Iterator[tuple[str, int]]:
        """Read the players of a version from their anchors (consistent).

        With each the publish number up to which the boards that began have the player's rows.
        """
        items = self.table.query(
            ("board", str(version)), Prefix("item", _PREFIX), attributes=("board", "item", "begun")
        )
        for item in items:
            yield item["item"]["S"].removeprefix(_PREFIX), int(item["begun"]["N"]) if "begun" in item else 0

    def list_all(self, board: BoardKey) -> Iterator[dict[str, Plain]]:
        """Read all standings of a board in plain form (consistent), in order of rows."""
        return map(Schema.STANDING.read, self.table.query(("board", str(board)), Prefix("item", _PREFIX)))

    def delete_board(self, board: BoardKey, *, most: int | None = None) -> int:
        """Delete so many items of a board at most; return how many. Raises Busy."""
        stored = self.table.query(("board", str(board)), attributes=("board", "item"))
        deleted = 0
        for some in batched(islice(stored, most), _DELETED_AT_ONCE, strict=False):
            run_at_once(lambda item: self.table.delete(board=str(board), item=item["item"]["S"]), some)
            deleted += len(some)
        return deleted


def standing_key(row: str) -> str:
    """Return the sort key of a row's standing."""
    return f"{_PREFIX}{row}"


def read_standing_row(plain: Mapping[str, Plain]) -> str:
    """Return the id of the row whose standing an item is."""
    return str(plain["item"]).removeprefix(_PREFIX)


def read_standing(plain: Mapping[str, Plain], rules: FoldingRules | None = None) -> Standing | None:
    """Return the standing of an item; None if nothing counts.

    Its parts are those of its accumulator, which only the rules that it was folded by can read.
    """
    if not plain["submission"]:
        return None
    standing = Standing(
        scores=json.loads(str(plain["scores"])),
        submission=str(plain["submission"]),
        submissions=int(plain["submissions"]),
    )
    if rules is None or not rules.parts or plain["rules"] != rules.digest:
        return standing
    if not plain["accumulator"]:
        return replace(standing, done=int(plain["done"])) if "done" in plain else standing
    accumulator = Accumulator.from_json(str(plain["accumulator"]), ImprovementList(), rules)
    return replace(standing, done=accumulator.count_done(rules), parts=accumulator.read_parts(rules))


def make_state(
    items: Iterable[Mapping[str, Plain]], rules: FoldingRules | None, lease: HeldLease | None = None
) -> BoardState:
    """Return the state of a board from its standings in plain form.

    With the rules that they were folded by, also their parts.
    """
    standings: dict[str, PlayerStanding] = {}
    notices: list[tuple[Player, WithdrawalNotice]] = []
    publish_numbers: set[int] = set()
    unranked = 0
    for plain in items:
        player = player_from_attributes(plain)
        publish_numbers.add(int(plain["revision"]))
        notices += ((player, notice) for notice in read_notices(plain))
        if player.id in NAMELESS:
            unranked += int(plain["submissions"])
        elif (standing := read_standing(plain, rules)) is not None:
            row = read_standing_row(plain)
            improvements = ImprovementList.from_json(str(plain["improvements"])).kept
            standings[row] = PlayerStanding(player, standing, improvements, read_row_id(row).label)
    return BoardState(standings, tuple(notices), min(publish_numbers, default=None), unranked, lease)
