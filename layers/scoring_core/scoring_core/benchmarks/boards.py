"""The boards of a benchmark: which submissions each takes, and how it ranks them. Pure.

A board is a predicate over what is fixed when a submission is received, so a submission never changes its boards.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple
from urllib.parse import quote, unquote

from scoring_core.benchmarks.definition import (
    KINDS,
    BoardCondition,
    BoardSpec,
    Definition,
    Ranking,
    RowKind,
    Unfinished,
)
from scoring_core.benchmarks.validation import show_value
from scoring_core.io.suggestions import suggest_nearest
from scoring_core.metrics.score_type import ScoreType
from scoring_core.ranking.accumulators import FoldingRules

MAIN = "main"
"""The board that every benchmark has."""
MAX_BOARDS = 50
MAX_TAKING = 8
"""Boards that take one submission, the main one included: each costs two writes and a publishing."""
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


@dataclass(frozen=True)
class Board:
    """One board of a benchmark, with everything that it leaves out filled in.

    Args:
        id: MAIN, or the id that the owner gave.
        title: None for the main board.
        condition: Which submissions it takes, of those that have one of its parts.
        parts: The parts that count; empty if the benchmark has none.
        takes_all_parts: Whether it takes submissions whatever their part.
        ranking: Who leads.
        score_type: The metrics that it shows; other boards than the main one do not compute any of them.
    """

    id: str
    title: str | None
    condition: BoardCondition
    parts: tuple[str, ...]
    takes_all_parts: bool
    ranking: Ranking
    score_type: ScoreType

    @cached_property
    def rules(self) -> FoldingRules:
        """How submissions become a standing."""
        return FoldingRules(self.ranking, self.score_type, self.parts)

    def takes(self, *, kind: str, parts: Collection[str | None]) -> bool:
        """Return whether it takes what a kind of player submitted for these parts."""
        if self.condition.kind not in {None, kind}:
            return False
        return self.takes_all_parts or not frozenset(self.parts).isdisjoint(parts)

    def find_row(self, player: str, label: str | None) -> RowId:
        """Return the row that a submission of a player counts for."""
        return RowId(player, (label or "") if self.ranking.rows is RowKind.LABEL else None)

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


def find_board_faults(definition: Definition, parts: Sequence[str]) -> Iterator[str]:
    """Find the faults of a definition's boards: the key, what was expected and found."""
    if len(definition.boards) > MAX_BOARDS:
        yield f"boards: expected at most {MAX_BOARDS}, found {len(definition.boards)}"
        return
    faults = [*_find_nothing_to_finish(definition, parts)]
    faults += [
        fault
        for index, spec in enumerate(definition.boards)
        for fault in _find_faults(spec, f"boards[{index}]", definition, parts)
    ]
    ids = [spec.id for spec in definition.boards]
    faults += [
        f"boards[{index}].id: the board {board!r} is there twice"
        for index, board in enumerate(ids)
        if board in ids[:index]
    ]
    yield from faults or _find_excess(definition, parts)


def _find_faults(spec: BoardSpec, path: str, definition: Definition, parts: Sequence[str]) -> Iterator[str]:
    names = definition.score_type.names
    if spec.id == MAIN:
        yield f"{path}.id: {MAIN!r} is reserved: every benchmark has that board already"
    yield from _find_unknown(f"{path}.parts", spec.parts, parts, what="part of this benchmark")
    yield from _find_unknown(f"{path}.metrics", spec.metrics, names, what="metric of score_type")
    if spec.ranking:
        yield from _find_unknown(f"{path}.ranking.by", spec.ranking.by, names, what="metric of score_type")
    for name in (spec.ranking or definition.ranking).by:
        if spec.metrics and name in names and name not in spec.metrics:
            yield f"{path}.metrics: expected {show_value(name)} too, for it decides the ranking of this board"
    if _adds_nothing(spec, definition):
        yield f"{path}: expected parts, when, ranking or metrics; without them it is the main board again"


def _find_nothing_to_finish(definition: Definition, parts: Sequence[str]) -> Iterator[str]:
    rankings = {"ranking": definition.ranking} | {
        f"boards[{index}].ranking": spec.ranking for index, spec in enumerate(definition.boards) if spec.ranking
    }
    for path, ranking in rankings.items():
        if ranking.unfinished is Unfinished.BELOW and not parts:
            yield f"{path}.unfinished: expected as_scored, for this benchmark has no parts; found below"


def _find_unknown(path: str, given: Sequence[str], names: Sequence[str], *, what: str) -> Iterator[str]:
    for index, name in enumerate(given):
        if name not in names:
            hint = suggest_nearest(name, names) if names else "this benchmark has none"
            yield f"{path}[{index}]: {show_value(name)} is no {what}; {hint}"
        elif name in given[:index]:
            yield f"{path}[{index}]: {show_value(name)} is there twice"


def _adds_nothing(spec: BoardSpec, definition: Definition) -> bool:
    is_main = spec.ranking in {None, definition.ranking} and spec.metrics in {(), definition.score_type.names}
    return is_main and not spec.parts and spec.when == BoardCondition()


def _find_excess(definition: Definition, parts: Sequence[str]) -> Iterator[str]:
    """Find submissions that too many boards would take.

    Some scorers score one part of a submission, every other may score all of them.
    """
    boards = list_boards(definition, parts)
    scored: list[Sequence[str]] = [(part,) for part in parts] if definition.needs_part and parts else [parts]
    for tried, kind in product(scored, KINDS):
        taking = [board.id for board in boards if board.takes(kind=kind, parts=tried)]
        if len(taking) > MAX_TAKING:
            of_part = f" for the part {tried[0]!r}" if len(tried) == 1 else ""
            yield (
                f"boards: expected at most {MAX_TAKING} that take one submission, found {len(taking)} that take "
                f"a {kind}'s{of_part}: {', '.join(taking)}"
            )
            return


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
