"""The boards of a benchmark: which submissions each takes, and how it ranks them. Pure.

A board is a predicate over what is fixed when a submission is received, so a submission never changes its boards.
A window is boards of a day, a week, a month or a season, by the time in a submission's id. Each moment is in exactly
one instance of a window that comes again, such as `daily-2026-11-23`; moment and time zone alone decide which.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from scoring_core.benchmarks.definition import BoardCondition, BoardSpec, Definition, Keep, Ranking, RowKind, WindowSpec
from scoring_core.benchmarks.terms import DAILY, MONTHLY, WEEKLY
from scoring_core.benchmarks.zones import find_day, start_day
from scoring_core.metrics.score_type import ScoreType
from scoring_core.outcome import is_taken_over
from scoring_core.ranking.accumulators import FoldingRules

MAIN = "main"
"""The board that every benchmark has."""
_UNESCAPED = "!*'()"
"""With letters, digits and `-._~` what encodeURIComponent of JavaScript leaves as it is."""
_DAY: Final = timedelta(days=1)
_YEARS: Final = range(1971, 9998)
"""Of instances that can be named: there is one before the first and one after the last."""
_DAY_NAME: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_WEEK_NAME: Final = re.compile(r"([0-9]{4})-w([0-9]{2})")
_MONTH_NAME: Final = re.compile(r"([0-9]{4})-([0-9]{2})")


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

    def takes(self, submission: str = "", *, kind: str, parts: Collection[str | None]) -> bool:
        """Return whether it takes what a kind of player submitted for these parts."""
        if is_taken_over(submission):  # its parts are not known, so no board of some can have it
            return self.id == MAIN
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
    plain = tuple(each.model_copy(update={"expression": None}) if each.expression else each for each in shown)
    return Board(
        id=spec.id,
        title=spec.title,
        condition=spec.when,
        parts=tuple(part for part in main.parts if part in spec.parts) if spec.parts else main.parts,
        takes_all_parts=not spec.parts,
        ranking=spec.ranking or main.ranking,
        score_type=main.score_type if plain == main.score_type.headers else ScoreType(headers=plain),
    )


def _selection(board: Board) -> tuple[object, ...]:
    parts = None if board.takes_all_parts else frozenset(board.parts)
    return board.condition, parts, board.ranking.rows


class _Period(NamedTuple):
    """How days are put together.

    Args:
        now: What the instance of the present is called.
        pattern: Of the end of an instance's id.
        first_day: Returns the first day of the instance that has a day.
        following: Returns the first day of the next one.
        name: Returns the end of the id.
        describe: Returns what people call it.
        parse: Returns the first day, of the numbers in the pattern; raises ValueError.
    """

    now: str
    pattern: re.Pattern[str]
    first_day: Callable[[date], date]
    following: Callable[[date], date]
    name: Callable[[date], str]
    describe: Callable[[date], str]
    parse: Callable[..., date]


_PERIODS: Final = {
    DAILY: _Period(
        "Today",
        _DAY_NAME,
        lambda day: day,
        lambda day: day + _DAY,
        lambda day: day.isoformat(),
        lambda day: f"{day.day} {day:%B} {day.year}",
        date,
    ),
    WEEKLY: _Period(
        "This week",
        _WEEK_NAME,
        lambda day: day - day.weekday() * _DAY,
        lambda day: day + 7 * _DAY,
        lambda day: f"{day:%G-w%V}",
        lambda day: f"Week {day.isocalendar().week} of {day:%G}",
        lambda year, week: date.fromisocalendar(year, week, 1),
    ),
    MONTHLY: _Period(
        "This month",
        _MONTH_NAME,
        lambda day: day.replace(day=1),
        lambda day: (day + 31 * _DAY).replace(day=1),
        lambda day: f"{day:%Y-%m}",
        lambda day: f"{day:%B} {day.year}",
        lambda year, month: date(year, month, 1),
    ),
}


@dataclass(frozen=True)
class Window:
    """A board whose instances each take the submissions of a span of time.

    Args:
        id: `daily`, `weekly`, `monthly` or the id of a season; behind the id of another board than the main one.
        title: What its instance of the present is called.
        base: The board of any time that it has the rules and conditions of.
        spec: What the owner wrote.
        time_zone: Whose days they are, as IANA names it.
    """

    id: str
    title: str
    base: Board
    spec: WindowSpec
    time_zone: str

    @property
    def season(self) -> WindowSpan | None:
        """The span of a season; None if the window comes again."""
        spec = self.spec
        if spec.starts is None or spec.ends is None:
            return None
        return WindowSpan(self.id, spec.starts.astimezone(UTC), spec.ends.astimezone(UTC), self.time_zone, before=None)

    def find_at(self, moment: datetime) -> Board | None:
        """Return the instance that takes what is submitted at a moment.

        None outside of a season, and outside of the years that have names.
        """
        season = self.season
        if season is not None:
            return self._make_season(season) if season.contains(moment) else None
        if moment.year not in _YEARS:
            return None
        return self._make(self._period.first_day(find_day(moment, self.time_zone)))

    def find(self, board: str) -> Board | None:
        """Return an instance by its id; None if it is none of this window, or never is."""
        season = self.season
        if season is not None:
            return self._make_season(season) if board == self.id else None
        start, _, rest = board.rpartition(f"{self.spec.id}-")
        matched = self._period.pattern.fullmatch(rest)
        if f"{start}{self.spec.id}" != self.id or matched is None or int(matched[1]) not in _YEARS:
            return None
        try:
            first = self._period.parse(*map(int, matched.groups()))
        except ValueError:  # 30 February
            return None
        made = self._make(first)
        # A country that crosses the date line skips a day: no moment is in it.
        return made if made.id == board and made.span and made.span.starts < made.span.ends else None

    def list_back(self, latest: datetime, earliest: datetime) -> Iterator[Board]:
        """Yield the instances of a time, the latest first.

        They begin until `latest` and end after `earliest`.
        """
        season = self.season
        board = self.find_at(latest) if season is None else self._make_season(season)
        if season is not None and season.starts > latest:
            return
        while board is not None and board.span is not None and board.span.ends > earliest:
            yield board
            board = self.find(board.span.before) if board.span.before else None

    def selects_as(self, other: "Window") -> bool:
        """Return whether both windows have the same rows of the same submissions."""
        return (self.id, self.season, self.time_zone) == (other.id, other.season, other.time_zone) and (
            self.base.selects_as(other.base)
        )

    @property
    def _period(self) -> _Period:
        return _PERIODS[self.spec.id]

    def _start(self, day: date) -> datetime:
        return start_day(day, self.time_zone)

    def _make(self, first: date) -> Board:
        following = self._period.following(first)
        before = self._period.first_day(first - _DAY)
        while self._start(before) == self._start(first):  # a day that was skipped
            before = self._period.first_day(before - _DAY)
        span = WindowSpan(self.id, self._start(first), self._start(following), self.time_zone, self._name(before))
        named = self._period.describe(first)
        title = ", ".join(filter(None, (self.spec.title, self.base.title, named)))
        return replace(self.base, id=self._name(first), title=title, span=span)

    def _make_season(self, season: WindowSpan) -> Board:
        return replace(self.base, id=self.id, title=self.title, span=season)

    def _name(self, first: date) -> str:
        return f"{self.id}-{self._period.name(first)}"


def list_windows(definition: Definition, parts: Sequence[str]) -> tuple[Window, ...]:
    """Return the windows of a benchmark, those of the main board first."""
    specs = {MAIN: definition.windows} | {spec.id: spec.windows for spec in definition.boards if spec.windows}
    if not any(specs.values()):
        return ()
    bases = {board.id: board for board in list_boards(definition, parts)}
    return tuple(
        _make_window(spec, bases[board], definition.time_zone) for board, listed in specs.items() for spec in listed
    )


def is_recurring(window: str) -> bool:
    """Return whether a window's id is that of one that comes again."""
    return window.rpartition("-")[2] in _PERIODS


def is_instance_of(board: str, window: str) -> bool:
    """Return whether an id is that of an instance of a window that comes again.

    >>> is_instance_of("daily-2026-11-23", "daily"), is_instance_of("daily-fun", "daily")
    (True, False)
    """
    period = _PERIODS.get(window.rpartition("-")[2])
    start, rest = board[: len(window) + 1], board[len(window) + 1 :]
    return period is not None and start == f"{window}-" and period.pattern.fullmatch(rest) is not None


def _make_window(spec: WindowSpec, base: Board, time_zone: str) -> Window:
    id_ = spec.id if base.id == MAIN else f"{base.id}-{spec.id}"
    title = spec.title or _PERIODS[spec.id].now
    return Window(id_, title if base.title is None else f"{base.title}: {title}", base, spec, time_zone)
