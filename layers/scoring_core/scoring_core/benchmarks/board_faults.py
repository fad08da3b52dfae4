"""What is wrong with the boards and windows of a definition. Pure."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import product
from typing import Final

from scoring_core.benchmarks.boards import MAIN, is_instance_of, list_boards, list_windows
from scoring_core.benchmarks.definition import (
    KINDS,
    MAX_WINDOWS,
    BoardCondition,
    BoardSpec,
    Definition,
    Unfinished,
    WindowSpec,
)
from scoring_core.benchmarks.terms import RECURRING
from scoring_core.benchmarks.validation import show_value
from scoring_core.io.text import suggest_nearest

MAX_BOARDS = 50
MAX_TAKING = 8
"""Boards that take one submission, the main one included: each costs a write and a rendering."""
MAX_ID: Final = 32
_LONGEST_END: Final = len("-2026-11-23")
_ANY_MOMENT: Final = datetime(2000, 1, 1, tzinfo=UTC)


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
    faults += _find_faults_of_windows(definition)
    yield from faults or _find_excess(definition, parts)


def _find_faults_of_windows(definition: Definition) -> Iterator[str]:
    listed = [("windows", "", definition.windows)]
    listed += [
        (f"boards[{index}].windows", f"{spec.id}-", spec.windows) for index, spec in enumerate(definition.boards)
    ]
    taken = {MAIN, *(spec.id for spec in definition.boards)}
    if sum(len(windows) for _, _, windows in listed) > MAX_WINDOWS:
        yield f"windows: expected at most {MAX_WINDOWS} on all boards together"
        return
    has_days = definition.has_windows or (definition.runs is not None and definition.runs.seed == "daily")
    if definition.time_zone != "UTC" and not has_days:
        yield "time_zone: expected windows or `seed: daily`, whose days it is about; nothing else has days of its own"
    for path, start, windows in listed:
        for index, window in enumerate(windows):
            yield from _find_faults_of_window(window, f"{start}{window.id}", f"{path}[{index}]", taken)
            taken.add(f"{start}{window.id}")


def _find_faults_of_window(window: WindowSpec, id_: str, path: str, taken: set[str]) -> Iterator[str]:
    longest = len(id_) + (_LONGEST_END if window.id in RECURRING else 0)
    if id_ in taken:
        yield f"{path}.id: the id {id_!r} is there twice, or is that of a board"
    if longest > MAX_ID:
        yield f"{path}.id: expected at most {MAX_ID} characters, found {longest} with the board's id and a date: {id_}…"
    for board in sorted(taken):
        if is_instance_of(board, id_):
            yield f"{path}.id: {board!r} is an instance of {id_!r} and cannot be another board too"
    clash = next((each for each in RECURRING if window.id not in RECURRING and is_instance_of(window.id, each)), None)
    if clash is not None:
        yield f"{path}.id: {window.id!r} is an instance of {clash!r}; expected another id of a season"


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
    boards, windows = list_boards(definition, parts), list_windows(definition, parts)
    # The submissions of one moment are in one instance of each window that comes again, and in the seasons of then.
    moments = [window.season.starts for window in windows if window.season] or [_ANY_MOMENT]
    scored: list[Sequence[str]] = [(part,) for part in parts] if definition.needs_part and parts else [parts]
    for tried, kind, moment in product(scored, KINDS, moments):
        taking = [board.id for board in boards if board.takes(kind=kind, parts=tried)]
        taking += [
            window.id
            for window in windows
            if (window.season is None or window.season.contains(moment)) and window.base.takes(kind=kind, parts=tried)
        ]
        if len(taking) > MAX_TAKING:
            of_part = f" for the part {tried[0]!r}" if len(tried) == 1 else ""
            yield (
                f"boards: expected at most {MAX_TAKING} that take one submission, found {len(taking)} that take "
                f"a {kind}'s{of_part}: {', '.join(taking)}"
            )
            return
