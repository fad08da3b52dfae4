"""The boards of a benchmark: which submissions each takes, and how it ranks them. Pure.

A board is a predicate over what is fixed when a submission is received, so a submission never changes its boards.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple
from urllib.parse import quote, unquote

from scoring_core.benchmarks.definition import BoardCondition, BoardSpec, Definition, Keep, Ranking, RowKind
from scoring_core.metrics.score_type import ScoreType
from scoring_core.ranking.accumulators import FoldingRules

MAIN = "main"
"""The board that every benchmark has."""
_UNESCAPED = "!*'()"
"""With letters, digits and `-._~` what encodeURIComponent of JavaScript leaves as it is."""


class RowId(NamedTuple):
    """What names a row: a player, and on a board with a row for each label the label, "" without one."""

    player: str
    label: str | None = None

    def __str__(self) -> str:
        return self.player if self.label is None else f"{self.player}/{quote(self.label, safe=_UNESCAPED)}"


def read_row_id(text: str) -> RowId:
    """Read a row id.

    >>> read_row_id("ada"), read_row_id("ada/step%2012"), read_row_id("ada/")
    (RowId(player='ada', label=None), RowId(player='ada', label='step 12'), RowId(player='ada', label=''))
    """
    player, slash, label = text.partition("/")
    return RowId(player, unquote(label) if slash else None)


class WindowSpan(NamedTuple):
    """The time of the submissions that an instance of a window takes.

    Args:
        window: The id of the window.
        starts: The first moment.
        ends: The first moment after it.
        time_zone: Whose days they are, as IANA names it.
        before: The id of the instance before; None if there is none.
    """

    window: str
    starts: datetime
    ends: datetime
    time_zone: str
    before: str | None

    def contains(self, moment: datetime) -> bool:
        """Return whether a moment is in it."""
        return self.starts <= moment < self.ends


@dataclass(frozen=True)
class Board:
    """One board of a benchmark, with everything that it leaves out filled in.

    Args:
        id: MAIN, or the id that the owner gave.
        title: None for the main board.
        condition: Which submissions it takes, of those that have one of its parts.
        parts: The parts that count; empty if the benchmark has none.
        takes_all_parts: Whether it takes submissions whatever their part.
        ranking: The order of its rows.
        score_type: The metrics that it shows; other boards than the main one do not compute any of them.
        span: Of which time submissions are, if it is the instance of a window; None: of any.
    """

    id: str
    title: str | None
    condition: BoardCondition
    parts: tuple[str, ...]
    takes_all_parts: bool
    ranking: Ranking
    score_type: ScoreType
    span: WindowSpan | None = None

    @cached_property
    def rules(self) -> FoldingRules:
        """How submissions become a standing."""
        # Until a final nobody sees its scores, so none of them was ever the best so far.
        with_improvements = self.ranking.keep is not Keep.BEST_PUBLIC
        return FoldingRules(self.ranking, self.score_type, self.parts, with_improvements)

    def takes(self, *, kind: str, parts: Collection[str | None]) -> bool:
        """Return whether it takes what a kind of player submitted for these parts."""
        if self.condition.kind not in {None, kind}:
            return False
        return self.takes_all_parts or not frozenset(self.parts).isdisjoint(parts)

    def find_row(self, player: str, label: str | None) -> RowId:
        """Return the row that a submission of a player counts for."""
        return RowId(player, (label or "") if self.ranking.rows is RowKind.LABEL else None)

    def find_baselines(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the ids of the rows that PLAYER or PLAYER/LABEL name.

        Where players have rows, PLAYER/LABEL names none.
        """
        has_labels = self.ranking.rows is RowKind.LABEL
        read = (name.partition("/") for name in names)
        rows = (self.find_row(player, label) for player, slash, label in read if has_labels or not slash)
        return tuple(dict.fromkeys(map(str, rows)))

    def selects_as(self, other: "Board") -> bool:
        """Return whether both boards have the same rows of the same submissions."""
        return _selection(self) == _selection(other)


def list_boards(definition: Definition, parts: Sequence[str]) -> tuple[Board, ...]:
    """Return the boards of a benchmark that has these parts, the main one first."""
    main = Board(
        id=MAIN,
        title=None,
        condition=BoardCondition(),
        parts=tuple(parts),
        takes_all_parts=True,
        ranking=definition.ranking,
        score_type=definition.score_type,
    )
    return main, *(_make_board(spec, main) for spec in definition.boards)


def _make_board(spec: BoardSpec, main: Board) -> Board:
    # An expression may need metrics that this board does not show; the scores are computed already.
    shown = map(main.score_type.metric, spec.metrics or main.score_type.names)
    plain = tuple(metric.model_copy(update={"expression": None}) for metric in shown)
    return Board(
        id=spec.id,
        title=spec.title,
        condition=spec.when,
        parts=tuple(part for part in main.parts if part in spec.parts) if spec.parts else main.parts,
        takes_all_parts=not spec.parts,
        ranking=spec.ranking or main.ranking,
        score_type=ScoreType(headers=plain),
    )


def _selection(board: Board) -> tuple[object, ...]:
    parts = None if board.takes_all_parts else frozenset(board.parts)
    return board.condition, parts, board.ranking.rows
