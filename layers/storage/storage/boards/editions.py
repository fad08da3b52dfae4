"""Editions of large boards: the first rows by each metric, an index of names, and CSV, as of one moment.

A schedule writes an edition when a large board has changed. Its objects never change; `edition.json` names them.
"""

import hashlib
import json
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from scoring_core.metrics.score_type import Direction
from storage.aws.bucket import Bucket, Versioned
from storage.aws.models import FrozenModel, StoredModel
from storage.aws.schema import Schema
from storage.boards.pages import Row
from storage.boards.reading import MAX_CACHE_BYTES
from storage.boards.snapshots import HEAD_CACHE, JSON, ROWS_CACHE, DecodedObjects
from storage.boards.views import RankedRow
from storage.keys import EDITION_FILE, files_prefix

LAST: Final = "last"
SUBMISSIONS: Final = "submissions"
"""What rows are sorted by besides the metrics: the time of the submission that is shown, and how many there are."""
GZIP: Final = "application/gzip"
MAX_WORDS: Final = 8
MAX_WORD_LENGTH: Final = 32
_COLUMNS: Final = ("rank", "tied", *Row._fields)
_WORD: Final = re.compile(r"\w+")


class EditionPart(StrEnum):
    """What the name of an object of an edition starts with."""

    SORTED = "sorted"
    NAMES = "names"
    WORDS = "words"
    CSV = "csv"


class CsvPart(FrozenModel):
    """A gzipped part of the board as CSV. All parts together are one gzipped file; the first has the header."""

    name: str
    rows: int
    size_bytes: int


class Edition(StoredModel):
    """`edition.json`: a board as of `sequence` of its head.

    `sorted` names, for each metric, `last` and `submissions`, the object with the first rows in each direction. `words`
    names the list of the pages of names. Names are of objects in the board's folder.
    """

    kind = Schema.EDITION

    version: str
    sequence: int
    generated_at: datetime
    total: int
    sorted: dict[str, dict[Direction, str]]
    words: str
    csv: tuple[CsvPart, ...]


def fold_name(name: str) -> str:
    """Return a name without case, width and accents, as the page's search compares it.

    >>> fold_name("ＡDÉLE")
    'adele'
    """
    decomposed = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in decomposed if not unicodedata.category(letter).startswith("M")).lower()


def fold_words(name: str) -> list[str]:
    """Return the words of a name without case, width and accents.

    >>> fold_words("Adèle ＣＬＯＵＤ-7")
    ['adele', 'cloud', '7']
    """
    words = dict.fromkeys(word[:MAX_WORD_LENGTH] for word in _WORD.findall(fold_name(name)))
    return list(words)[:MAX_WORDS]


def pack_row(ranked: RankedRow) -> str:
    """Return a row as the objects of an edition have it: JSON, on one line."""
    return json.dumps([ranked.rank, ranked.tied, *ranked.row], ensure_ascii=False, separators=(",", ":"))


def encode_rows(rows: Iterable[str], *, columns: Iterable[str] = _COLUMNS) -> bytes:
    """Return an object with packed rows."""
    names = json.dumps(list(columns))
    return f'{{"schema":{Schema.EDITION.number},"columns":{names},"rows":[{",".join(rows)}]}}'.encode()


def encode_names(words: Iterable[tuple[str, str]]) -> bytes:
    """Return a page of names: a word and a packed row in each line."""
    rows = (f"[{json.dumps(word, ensure_ascii=False)},{row[1:]}" for word, row in words)
    return encode_rows(rows, columns=("word", *_COLUMNS))


def encode_words(pages: Iterable[tuple[str, str]]) -> bytes:
    """Return the list of the pages of names: the first word of each, and its name."""
    return json.dumps({"schema": Schema.EDITION.number, "pages": list(pages)}, ensure_ascii=False).encode()


@dataclass(frozen=True, slots=True)
class EditionStore:
    """The editions in the site bucket."""

    bucket: Bucket

    def find(self, folder: str) -> Versioned[Edition] | None:
        """Read what `edition.json` in a folder says; None if there is none."""
        return self.bucket.find_model(folder + EDITION_FILE, Edition)

    def write(self, folder: str, edition: Edition, *, replacing: Versioned[Edition] | None) -> None:
        """Replace the edition. Raises Conflict if it changed since it was read."""
        etag = replacing and replacing.etag
        self.bucket.put(folder + EDITION_FILE, edition.to_body(), replacing=etag, CacheControl=HEAD_CACHE)

    def write_part(self, folder: str, part: EditionPart, body: bytes, *, sequence: int) -> str:
        """Write an object of an edition and return its name."""
        is_csv = part is EditionPart.CSV
        digest = hashlib.sha256(body).hexdigest()[:12]
        name = f"{part}.{sequence}-{digest}.{'csv.gz' if is_csv else 'json'}"
        self.bucket.overwrite(folder + name, body, content_type=GZIP if is_csv else JSON, CacheControl=ROWS_CACHE)
        return name

    def read_part(self, folder: str, name: str) -> bytes:
        """Read an object of an edition. Raises NotFound."""
        return self.bucket.get(folder + name).body


@dataclass(frozen=True)
class ShownEdition:
    """An edition of a board, whose objects are read when they are needed.

    Args:
        folder: That of the board's files.
        edition: What `edition.json` says.
        store: Where the objects are.
        cache: Those that were read.
    """

    folder: str
    edition: Edition
    store: EditionStore
    cache: DecodedObjects

    def first_by(self, metric: str, direction: Direction, limit: int) -> list[RankedRow]:
        """Return the first rows by a metric, equal ones by rank.

        Rows without a value are not among them. Raises KeyError if the board had no such metric.
        """
        stored = self._read(self.edition.sorted[metric][direction])
        return [_read_row(columns) for columns in stored["rows"][:limit]]

    def find_by_name(self, text: str, limit: int) -> list[RankedRow]:
        """Return rows whose names have words that start with the words of a text, by rank.

        At most `limit` rows, which are those whose words come first in the alphabet.
        """
        prefixes = fold_words(text)
        if not prefixes:
            return []
        longest = max(prefixes, key=len)
        rows: dict[str, RankedRow] = {}
        for word, ranked in self._read_names(longest):
            if not word.startswith(longest) or len(rows) >= limit:
                break
            words = fold_words(ranked.row.name)
            if all(any(each.startswith(prefix) for each in words) for prefix in prefixes):
                rows.setdefault(ranked.row.id, ranked)
        return sorted(rows.values(), key=lambda ranked: (ranked.rank, ranked.row.submission, ranked.row.id))

    def _read_names(self, word: str) -> Iterator[tuple[str, RankedRow]]:
        """Yield words and rows from a word on."""
        pages = self._read(self.edition.words)["pages"]
        # A word may begin on the page before the first one that starts with it.
        first = max(0, bisect_left(pages, word, key=lambda page: str(page[0])) - 1)
        for _, name in pages[first:]:
            for indexed, *columns in self._read(name)["rows"]:
                if indexed >= word:
                    yield indexed, _read_row(columns)

    def _read(self, name: str) -> Mapping[str, Any]:
        key = (self.folder, name)
        return self.cache.read(key, lambda: self.store.read_part(*key), _decode)


@dataclass(frozen=True, slots=True)
class EditionReader:
    """Reads editions."""

    store: EditionStore
    cache: DecodedObjects = field(default_factory=lambda: DecodedObjects(MAX_CACHE_BYTES))

    def find(self, benchmark: str, board: str, *, version: str) -> ShownEdition | None:
        """Return the edition of a board's version; None if there is none yet."""
        folder = files_prefix(benchmark, board, version=version)
        stored = self.store.find(folder)
        if stored is None or stored.value.version != version:
            return None
        return ShownEdition(folder, stored.value, self.store, self.cache)


def _decode(body: bytes) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(body)
    Schema.EDITION.check(content["schema"])
    return content


def _read_row(columns: list[Any]) -> RankedRow:
    rank, tied, *row = columns
    return RankedRow(rank, tied, Row(*row))
