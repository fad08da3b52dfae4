"""The files that the browser reads. Their models are the contract with the frontend; every file has a `schema`."""

from datetime import datetime
from typing import Literal, NotRequired, TypedDict

from pydantic import Field

from scoring_core.benchmarks.boards import RowId
from scoring_core.benchmarks.definition import Combine, Keep, RowKind
from scoring_core.metrics.score_type import Direction
from scoring_core.ranking.part_columns import DONE, name_column
from storage.gateway.models import FrozenModel, StoredModel
from storage.gateway.schema import Schema
from storage.keys import files_prefix
from storage.submissions.models import PlayerKind


class Metric(FrozenModel):
    """A metric as the board shows it."""

    id: str
    label: str
    unit: str | None
    direction: Direction
    decimals: int | None = Field(ge=0, le=15)
    help: str | None
    primary: bool


class Rows(FrozenModel):
    """Players in rank order, one array a column; every array has the same length.

    An absent score is null. `at` is when the submission of the standing was submitted, in milliseconds since 1970.
    `label` is empty unless each label of a player has a row. `scores` has a column for each metric, and those that
    `HeadParts` describes.
    """

    player: tuple[str, ...] = ()
    name: tuple[str, ...] = ()
    kind: tuple[PlayerKind, ...] = ()
    verified: tuple[bool, ...] = ()
    rank: tuple[int, ...] = ()
    tied: tuple[bool, ...] = ()
    scores: dict[str, tuple[int | float | None, ...]] = Field(default={})
    submissions: tuple[int, ...] = ()
    at: tuple[int, ...] = ()
    submission: tuple[str, ...] = ()
    label: tuple[str, ...] = ()

    @property
    def row_ids(self) -> list[str]:
        """The ids of the rows."""
        labels = self.label or (None,) * len(self.player)
        return [str(RowId(player, label)) for player, label in zip(self.player, labels, strict=True)]


class Counts(FrozenModel):
    """How much is on a board, and how many submissions are not: those of guests without a name."""

    players: int
    submissions: int
    unranked: int = 0


class WithdrawalNotices(FrozenModel):
    """A withdrawn submission: its player, when it was taken off the board, and why."""

    player: str
    name: str = ""
    at: datetime
    reason: str
    submission: str = ""


type StoredPlace = tuple[tuple[int | float | None, ...], str, str]
"""What orders rows: the values of the metrics that decide, in ascending order (null: absent), submission, row id."""


class StoredRow(TypedDict):
    """A row without its rank. `label` is only there if each label of a player has a row."""

    player: str
    name: str
    kind: str
    verified: bool
    label: NotRequired[str]
    scores: dict[str, int | float]
    submissions: int
    submission: str


class StoredChange(TypedDict):
    """The row as it is now, null if it left the board, and its place in the pages, null if it is in none."""

    row: StoredRow | None
    base: StoredPlace | None


class HeadParts(FrozenModel):
    """What the rows of a board with parts say of them, in further columns of `scores`.

    `#done` is how many of the `total` parts the row has a scored submission of; null if that is not known.
    `#PART/METRIC` is what counts of a part in `names` by a metric in `metrics`. Both are empty if a row would have too
    many values. `noun` is the plural of what the parts are. `combine`: how they become one value.
    """

    total: int
    noun: str
    combine: Combine | None = Field(default=None, exclude_if=lambda combine: combine is None)
    names: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()

    @property
    def values(self) -> list[tuple[str, str]]:
        """Part and metric of each column of values."""
        return [(part, metric) for part in self.names for metric in self.metrics]

    @property
    def columns(self) -> list[str]:
        """The columns that rows have."""
        return [DONE, *(name_column(part, metric) for part, metric in self.values)]


class HeadPages(FrozenModel):
    """What a head names of a board with more rows than its own.

    `directory` and `recent` are names of objects beside the head, as all names in a head are. `buffer` has the latest
    changes, row id → change: they win over those of `recent`, and both over the pages. `next` is the place of the row
    after the head's. `improvements` names all of the board's, if the head has only some. `end` is the primary value of
    the last row that has a bar, nine tenths down the board, as it was when `recent` or the pages were written last.
    """

    directory: str
    recent: str | None = None
    improvements: str | None = None
    buffer: dict[str, StoredChange] = Field(default={})
    next: StoredPlace | None = None
    end: int | float | None = None


class HeadWindow(FrozenModel):
    """The span of a window's instance: `starts` is its first moment, `ends` the first one after it.

    `window` is the id of the window, `time_zone` whose days it is about, `before` the instance before, null if there is
    none.
    """

    window: str
    starts: datetime = Field(alias="from")
    ends: datetime = Field(alias="to")
    time_zone: str
    before: str | None


type Step = tuple[int, int | float, str, str]
"""An improvement of the primary metric: when (milliseconds since 1970), its value, the row's id, the submission."""


class HeadLink(FrozenModel):
    """Where a visitor may go from a board."""

    label: str
    url: str


class HeadBaseline(FrozenModel):
    """A row that the owner marks as a baseline, and its metrics, as it was when the board was rendered.

    `label` is None on a board with a row for each player.
    """

    player: str
    label: str | None = None
    name: str
    verified: bool
    scores: dict[str, int | float]

    @property
    def row_id(self) -> str:
        """The id of the row."""
        return str(RowId(self.player, self.label))


class HeadFinal(FrozenModel):
    """That hidden rows of the truth rank in the end: from when on, null: once the owner reveals them; and what counts.

    `keep`: which of a player's submissions counts in the final. `is_shown`: the head is that of the final.
    """

    at: datetime | None
    keep: Keep
    is_shown: bool


class HeadRanking(FrozenModel):
    """How a board is ranked: `rule` says it in English, the others and the head's `parts` for other languages.

    `order` are the metrics that decide ranks, each with its direction. `rows` is what has a row. `has_kinds`: whether
    humans or models have boards of their own, so that no page needs to filter by kind.
    """

    rule: str
    keep: Keep
    order: tuple[tuple[str, Direction], ...]
    rows: RowKind = RowKind.PLAYER
    has_kinds: bool = Field(default=False, exclude_if=lambda has_kinds: not has_kinds)


class HeadImprovements(FrozenModel):
    """Improvements in order of time, and how many there were before downsampling."""

    steps: tuple[Step, ...] = ()
    total: int = 0


class HeadFrozen(FrozenModel):
    """Since when results wait, and how many came since then: no name and no score of theirs is public."""

    since: datetime
    count: int


class Head(StoredModel):
    """`head.json`: what the first view of a board needs.

    `publish_number` is the benchmark's. It is less if a standing was not folded by its ranking yet; the schedule then
    folds all. `corrected_at` is when a rescore last changed the board: then `corrections.json` lists what it changed.
    `sequence` rises whenever the board is rendered. `rows` are the first rows, 100 or as many as fit. `notices` are the
    newest withdrawal notices. `parts` is null if the board has no parts. `pages` is null if `rows` are all.
    `is_incomplete`: an improvement is gone, or an object that the head names; the schedule will read all standings.
    `beat`: open pages wait at least so many seconds between two requests. It is two seconds for each change a second,
    over about a minute, at most 20; a page never asks more often than its own rule lets it.
    `stalled_since`: since when the board could not be made; it may lack the results since then.
    `description`: HTML, in which no tag has an attribute but `href` of http and https; a note if it does not fit.
    `final`: a final comes, or came.
    `baselines`: the rows of the board that its owner marks as such, wherever they are.
    """

    kind = Schema.SNAPSHOT

    id: str
    board: str = "main"
    board_title: str | None = None
    title: str
    summary: str
    tags: tuple[str, ...]
    links: tuple[HeadLink, ...] = Field(default=(), exclude_if=lambda links: not links)
    baselines: tuple[HeadBaseline, ...] = Field(default=(), exclude_if=lambda baselines: not baselines)
    description: str
    version: str
    since: int = 0
    publish_number: int
    sequence: int
    generated_at: datetime
    beat: float = Field(default=0.0, exclude_if=lambda beat: beat == 0)
    opens: datetime | None
    closes: datetime | None
    total: int
    counts: Counts
    metrics: tuple[Metric, ...]
    ranking: HeadRanking
    final: HeadFinal | None = Field(default=None, exclude_if=lambda final: final is None)
    frozen: HeadFrozen | None = Field(default=None, exclude_if=lambda frozen: frozen is None)
    rows: Rows
    parts: HeadParts | None = Field(default=None, exclude_if=lambda parts: parts is None)
    pages: HeadPages | None = None
    improvements: HeadImprovements = HeadImprovements()
    is_incomplete: bool = False
    notices: tuple[WithdrawalNotices, ...] = ()
    corrected_at: datetime | None = Field(default=None, exclude_if=lambda at: at is None)
    window: HeadWindow | None = Field(default=None, exclude_if=lambda window: window is None)
    stalled_since: datetime | None = Field(default=None, exclude_if=lambda since: since is None)

    @property
    def folder(self) -> str:
        """The prefix of the head and of what it names, in the site bucket."""
        return files_prefix(self.id, self.board, version=self.version)

    @property
    def primary(self) -> Metric:
        """The metric that is ranked first."""
        return next(metric for metric in self.metrics if metric.primary)

    @property
    def baseline_rows(self) -> frozenset[str]:
        """The ids of the rows that are baselines."""
        return frozenset(baseline.row_id for baseline in self.baselines)


type State = Literal["not_open_yet", "open", "closed"]


class IndexRow(FrozenModel):
    """One of the first rows of a board, on its card."""

    player: str
    name: str
    kind: PlayerKind
    verified: bool
    rank: int
    value: int | float | None


class IndexEntry(FrozenModel):
    """One card of the front page.

    `state` changes within seconds of `opens` and `closes`. `top` are the first rows, at most three.
    `taken_at` is when the first row set the best value so far; null if it is not known.
    """

    id: str
    title: str
    summary: str
    tags: tuple[str, ...]
    state: State
    opens: datetime | None
    closes: datetime | None
    players: int
    submissions: int
    primary: Metric
    top: tuple[IndexRow, ...] = ()
    taken_at: datetime | None = None
    updated_at: datetime
    sequence: int


class Index(StoredModel):
    """`index.json`: every benchmark that is listed and not archived, in order of id."""

    kind = Schema.SNAPSHOT

    benchmarks: tuple[IndexEntry, ...] = ()
