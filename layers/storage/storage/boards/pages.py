"""The immutable objects under a board's head: pages of rows, their directory, places, recent changes. Pure.

They are plain JSON, checked where it is read: a rendering may read and write thousands of rows.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple, Self

from scoring_core.benchmarks.boards import RowId, read_row_id
from scoring_core.ranking.standings import Place, RankOrder
from storage.gateway.schema import Schema

BOARD_SCHEMA = Schema.SNAPSHOT.number
LARGE_BOARD = 200_000
PAGE_ROWS = 500
LARGE_PAGE_ROWS = 1_000
"""Of a board with more than LARGE_BOARD rows."""
BUCKET_ROWS = 2_000
"""So many rows a bucket of places has at most, on average; then there are twice as many buckets."""
MAX_WHOLE_ROWS = 20_000
"""Of a board that is read as a whole while somebody waits: from all standings, or row by row. A larger one is built by
the schedule, and needs `large/`."""


class ObjectKind(StrEnum):
    """What the name of an object starts with."""

    DIRECTORY = "directory"
    PAGE = "page"
    PLACES = "places"
    RECENT = "recent"
    IMPROVEMENTS = "improvements"


class Stamp(NamedTuple):
    """What the names of new objects have in them: the sequence of the head to be written, and a random text.

    Without that text, a later attempt at the same head could make an object again while it is deleted as an orphan.
    """

    sequence: int
    nonce: str = ""

    def name(self, kind: "ObjectKind", body: bytes) -> "NamedObject":
        """Return an object under its name."""
        digest = hashlib.sha256(self.nonce.encode() + body).hexdigest()[:12]
        return NamedObject(f"{kind}.{self.sequence}-{digest}.json", body)


class NamedObject(NamedTuple):
    """An immutable object of a board, and its name in the board's folder."""

    name: str
    body: bytes


class Row(NamedTuple):
    """A row of a board, without its rank. `label` is None unless each label of a player has a row."""

    player: str
    name: str
    kind: str
    verified: bool
    label: str | None
    scores: Mapping[str, int | float]
    submissions: int
    submission: str

    @property
    def id(self) -> str:
        """The row's id."""
        return str(RowId(self.player, self.label))

    def place(self, order: RankOrder) -> Place:
        """Return where the row belongs."""
        return order.place(self.scores, self.submission, self.id)

    def to_json(self) -> dict[str, Any]:
        """Return the row as a change stores it."""
        return {name: value for name, value in self._asdict().items() if name != "label" or value is not None}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Read what `to_json` returned. Raises TypeError."""
        return cls(**{"label": None, **stored})


@dataclass(frozen=True)
class Change:
    """What the pages do not show yet: the row now (None: it left) and its place in the pages (None: in none)."""

    row: Row | None
    base: Place | None

    def to_json(self) -> dict[str, Any]:
        """Return the change as a head's buffer or the recent changes store it."""
        return {"row": self.row and self.row.to_json(), "base": self.base and self.base.to_json()}

    @cached_property
    def text(self) -> str:
        """The change as JSON.

        It is kept: each rendering writes all recent changes, thousands of them.
        """
        return dump(self.to_json())

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Read what `to_json` returned. Raises KeyError, TypeError, ValueError."""
        row, base = stored["row"], stored["base"]
        return cls(None if row is None else Row.from_json(row), None if base is None else Place.from_json(base))


type Changes = Mapping[str, Change]
"""Row id → change."""


class PageLine(NamedTuple):
    """A page in the directory.

    `lead` is how many rows at its start share the first row's key, `tail` how many at its end the last row's.
    """

    name: str
    rows: int
    first: Place
    last: Place
    lead: int
    tail: int


class Directory(NamedTuple):
    """The pages in rank order, the buckets of places (a power of two), and the metrics that places store.

    Two buckets may be one object: it has the rows of both until either is written again.
    """

    pages: tuple[PageLine, ...]
    places: tuple[str, ...]
    metrics: tuple[str, ...]

    @property
    def total(self) -> int:
        """How many rows the pages have."""
        return sum(line.rows for line in self.pages)


type Places = dict[str, list[Any]]
"""A bucket: row id → submission, number of submissions, and the values of the metrics; null: it has none."""


class PlacedRow(NamedTuple):
    """What places store of a row: all that its place follows from."""

    submission: str
    submissions: int
    scores: Mapping[str, int | float]


def encode_page(rows: Sequence[Row], metrics: Sequence[str], *, has_labels: bool) -> bytes:
    """Return rows, which are in order, as a page stores them.

    That is one list for each column; an absent score is null.
    """
    columns: dict[str, Any] = {name: [getattr(row, name) for row in rows] for name in Row._fields}
    columns["scores"] = {metric: [row.scores.get(metric) for row in rows] for metric in metrics}
    return write_object({"rows": {name: columns[name] for name in columns if has_labels or name != "label"}})


def decode_page(body: bytes) -> list[Row]:
    """Read a page. Raises NewerSchema, KeyError, ValueError."""
    return read_rows(read_object(body)["rows"])


def read_rows(columns: Mapping[str, Any]) -> list[Row]:
    """Return the rows of columns, as a page or a head has them.

    Without labels that column is absent, or empty. Raises KeyError, ValueError.
    """
    total, scores = len(columns["player"]), columns["scores"].items()
    own = [{name: value for name, values in scores if (value := values[index]) is not None} for index in range(total)]
    whole = {**columns, "label": columns.get("label") or [None] * total, "scores": own}
    return [Row(*cells) for cells in zip(*(whole[name] for name in Row._fields), strict=True)]


def encode_changes(changes: Changes) -> bytes:
    """Return recent changes as they are stored."""
    texts = (f"{dump(row_id)}:{change.text}" for row_id, change in changes.items())
    return f'{{"schema":{BOARD_SCHEMA},"changes":{{{",".join(texts)}}}}}'.encode()


def decode_changes(body: bytes) -> dict[str, Change]:
    """Read recent changes. Raises NewerSchema, KeyError, ValueError."""
    return read_changes(read_object(body)["changes"])


def read_changes(stored: Mapping[str, Any]) -> dict[str, Change]:
    """Read changes, of a head's buffer for example. Raises KeyError, ValueError."""
    return {row_id: Change.from_json(change) for row_id, change in stored.items()}


def encode_improvements(improvements: Sequence[Sequence[Any]]) -> bytes:
    """Return all improvements of a board as they are stored."""
    return write_object({"improvements": improvements})


def decode_improvements(body: bytes) -> tuple[Any, ...]:
    """Read all improvements of a board. Raises NewerSchema, KeyError, ValueError."""
    return tuple(map(tuple, read_object(body)["improvements"]))


def encode_directory(directory: Directory) -> bytes:
    """Return a directory as it is stored."""
    lines = [
        [line.name, line.rows, line.first.to_json(), line.last.to_json(), line.lead, line.tail]
        for line in directory.pages
    ]
    return write_object({"pages": lines, "places": directory.places, "metrics": directory.metrics})


def decode_directory(body: bytes) -> Directory:
    """Read a directory. Raises NewerSchema, KeyError, ValueError."""
    stored = read_object(body)
    lines = (
        PageLine(name, rows, Place.from_json(first), Place.from_json(last), lead, tail)
        for name, rows, first, last, lead, tail in stored["pages"]
    )
    return Directory(tuple(lines), tuple(stored["places"]), tuple(stored["metrics"]))


def encode_places(places: Places) -> bytes:
    """Return a bucket of places as it is stored."""
    return write_object({"places": places})


def decode_places(body: bytes) -> Places:
    """Read a bucket of places. Raises NewerSchema, KeyError, ValueError."""
    return dict(read_object(body)["places"])


def split_places(rows: Iterable[Row], buckets: int, metrics: Sequence[str]) -> list[Places]:
    """Return what each bucket stores of these rows."""
    places: list[Places] = [{} for _ in range(buckets)]
    for row in rows:
        places[bucket_of(row.id, buckets)][row.id] = place_row(row, metrics)
    return places


def place_row(row: Row, metrics: Sequence[str]) -> list[Any]:
    """Return what places store of a row."""
    return [row.submission, row.submissions, *map(row.scores.get, metrics)]


def find_placed_row(places: Places, row_id: str, metrics: Sequence[str]) -> PlacedRow | None:
    """Find a row in its bucket; None if the pages do not have it."""
    if (stored := places.get(row_id)) is None:
        return None
    submission, submissions, *values = stored
    scores = dict(zip(metrics, values, strict=True))
    return PlacedRow(submission, submissions, {name: value for name, value in scores.items() if value is not None})


def list_row_ids(row_ids: Iterable[str], player: str) -> list[str]:
    """Return which of some ids are those of a player's rows."""
    labelled = str(RowId(player, ""))
    return [row_id for row_id in row_ids if row_id == player or row_id.startswith(labelled)]


def bucket_of(row_id: str, buckets: int) -> int:
    """Return the bucket of places in which a row is: all rows of a player share one."""
    digest = hashlib.blake2b(read_row_id(row_id).player.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) % buckets


def write_object(content: Mapping[str, Any]) -> bytes:
    """Return the bytes of an object, its schema first."""
    return dump({"schema": BOARD_SCHEMA, **content}).encode()


def dump(content: object) -> str:
    """Return what objects of boards have of a value."""
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def read_object(body: bytes) -> dict[str, Any]:
    """Read an object. Raises NewerSchema, KeyError, ValueError."""
    content: dict[str, Any] = json.loads(body)
    Schema.SNAPSHOT.check(content["schema"])
    return content
