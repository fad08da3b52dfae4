"""Writes editions of large boards in one pass over their rows, with bounded memory."""

import gzip
import heapq
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import batched
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TextIO

from scoring_core.benchmarks.boards import MAIN
from scoring_core.metrics.score_type import Direction
from storage.aws.errors import Conflict
from storage.boards.csv_rows import write_header, write_lines
from storage.boards.editions import (
    LAST,
    SUBMISSIONS,
    CsvPart,
    Edition,
    EditionPart,
    EditionStore,
    encode_names,
    encode_rows,
    encode_words,
    fold_words,
    pack_row,
)
from storage.boards.pages import MAX_WHOLE_ROWS
from storage.boards.reading import BoardReader, ShownBoard
from storage.boards.views import RankedRow
from storage.ids import Clock
from storage.keys import files_prefix

type FindValue = Callable[[RankedRow], int | float | None]
"""Returns what a row is sorted by; None if it has no such value."""
type WritePart = Callable[[EditionPart, bytes], str]
"""Writes an object of the edition and returns its name."""


class EditionSizes(NamedTuple):
    """How much goes where; tests use small numbers."""

    minimum: int = MAX_WHOLE_ROWS
    sorted: int = 1_000
    names: int = 4_000
    """Words of a page of names."""
    csv_bytes: int = 4_500_000
    """Of a part of the CSV, gzipped; it may have one batch of rows more."""
    batch: int = 1_000
    run: int = 200_000
    """Words that are sorted in memory at once."""


SIZES = EditionSizes()


@dataclass(frozen=True, slots=True)
class EditionWriter:
    """Writes editions."""

    boards: BoardReader
    store: EditionStore
    clock: Clock
    sizes: EditionSizes = SIZES

    def write(self, benchmark: str, board: str = MAIN, *, version: str | None = None) -> bool:
        """Write an edition if a large board has changed; return whether it did."""
        shown = self.boards.find(benchmark, board, version=version)
        if shown is None or shown.total <= self.sizes.minimum:
            return False
        folder = files_prefix(benchmark, board, version=version)
        before = self.store.find(folder)
        shown = self.boards.find(benchmark, board, version=version)  # after the edition: a newer one is never replaced
        if shown is None or shown.total <= self.sizes.minimum:
            return False
        head = shown.head
        if before is not None and (before.value.version, before.value.sequence) == (head.version, head.sequence):
            return False

        def write_part(part: EditionPart, body: bytes) -> str:
            return self.store.write_part(folder, part, body, sequence=head.sequence)

        edition = self._write_parts(shown, write_part)
        try:
            self.store.write(folder, edition, replacing=before)
        except Conflict:  # another run was faster
            return False
        return True

    def _write_parts(self, shown: ShownBoard, write_part: WritePart) -> Edition:
        head, sizes = shown.head, self.sizes
        tops = [
            FirstRows(metric, direction, sizes.sorted, find_value)
            for metric, find_value in _list_sorts(shown).items()
            for direction in Direction
        ]
        csv = CsvWriter(write_part, sizes.csv_bytes)
        csv.add(write_header(head.metrics, has_labels=head.row_kind == "label", parts=head.parts), rows=0)
        with TemporaryDirectory() as folder, ExitStack() as files:
            words = WordSorter(Path(folder), sizes.run)
            for group in batched(shown.all_rows(), sizes.batch, strict=False):
                for ranked in group:
                    packed = pack_row(ranked)
                    for top in tops:
                        top.add(ranked, packed)
                    words.add(ranked, packed)
                csv.add("".join(write_lines(group, head.metrics, parts=head.parts)), rows=len(group))
            pages = list(_write_names(words.merge(files), sizes.names, write_part))
        sorted_rows: dict[str, dict[Direction, str]] = {}
        for top in tops:
            name = write_part(EditionPart.SORTED, encode_rows(top.take()))
            sorted_rows.setdefault(top.metric, {})[top.direction] = name
        return Edition(
            version=head.version,
            sequence=head.sequence,
            generated_at=self.clock(),
            total=shown.total,
            sorted=sorted_rows,
            words=write_part(EditionPart.WORDS, encode_words(pages)),
            csv=tuple(csv.finish()),
        )


@dataclass(slots=True)
class FirstRows:
    """The first rows by a metric in one direction, of rows that come in rank order."""

    metric: str
    direction: Direction
    limit: int
    find_value: FindValue
    _rows: list[tuple[int | float, int, str]] = field(default_factory=list)
    _added: int = 0
    _last: float | int | None = None

    def add(self, ranked: RankedRow, packed: str) -> None:
        """Add a row if it may be among the first."""
        value = self.find_value(ranked)
        if value is None:
            return
        key = -value if self.direction is Direction.HIGHER else value
        if self._last is not None and key >= self._last:
            return
        self._added += 1
        self._rows.append((key, self._added, packed))
        if len(self._rows) >= 2 * self.limit:
            self._cut()

    def take(self) -> list[str]:
        """Return the first rows, packed and in order."""
        self._cut()
        return [packed for _, _, packed in self._rows]

    def _cut(self) -> None:
        self._rows.sort()
        del self._rows[self.limit :]
        self._last = self._rows[-1][0] if len(self._rows) == self.limit else None


@dataclass(slots=True)
class WordSorter:
    """Sorts the words of names by files of sorted runs."""

    folder: Path
    limit: int
    _lines: list[str] = field(default_factory=list)
    _runs: list[Path] = field(default_factory=list)

    def add(self, ranked: RankedRow, packed: str) -> None:
        """Add the words of a row's name."""
        row_id = ranked.row.id
        self._lines += [f"{word}\0{row_id}\0{packed}\n" for word in fold_words(ranked.row.name)]
        if len(self._lines) >= self.limit:
            self._write_run()

    def merge(self, files: ExitStack) -> Iterator[tuple[str, str]]:
        """Return words and rows, sorted by both; `files` closes what is read."""
        self._write_run()
        opened = [gzip.open(run, "rt", encoding="utf-8") for run in self._runs]  # noqa: SIM115  # `files` closes them
        runs: list[TextIO] = [files.enter_context(run) for run in opened]
        for line in heapq.merge(*runs):
            word, _, packed = line.rstrip("\n").split("\0")
            yield word, packed

    def _write_run(self) -> None:
        self._lines.sort()
        path = self.folder / str(len(self._runs))
        with gzip.open(path, "wt", compresslevel=1, encoding="utf-8") as file:
            file.writelines(self._lines)
        self._runs.append(path)
        self._lines.clear()


@dataclass(slots=True)
class CsvWriter:
    """Writes CSV as gzipped parts."""

    write_part: WritePart
    max_bytes: int
    _body: io.BytesIO = field(default_factory=io.BytesIO)
    _file: gzip.GzipFile | None = None
    _rows: int = 0
    _parts: list[CsvPart] = field(default_factory=list)

    def add(self, text: str, *, rows: int) -> None:
        """Add lines."""
        if self._file is None:
            self._body = io.BytesIO()
            self._file = gzip.GzipFile(fileobj=self._body, mode="wb", mtime=0)
        self._file.write(text.encode())
        self._rows += rows
        if self._body.tell() >= self.max_bytes:
            self._end_part()

    def finish(self) -> Sequence[CsvPart]:
        """Write the last part and return all."""
        self._end_part()
        return self._parts

    def _end_part(self) -> None:
        if self._file is not None:
            self._file.close()
            body = self._body.getvalue()
            name = self.write_part(EditionPart.CSV, body)
            self._parts.append(CsvPart(name=name, rows=self._rows, size_bytes=len(body)))
            self._file, self._rows = None, 0


def _list_sorts(shown: ShownBoard) -> dict[str, FindValue]:
    """Return what rows are sorted by; a metric may have one of our names."""
    sorts: dict[str, FindValue] = {
        LAST: lambda ranked: int(ranked.row.submission.replace("-", ""), 16),
        SUBMISSIONS: lambda ranked: ranked.row.submissions,
    }
    return sorts | {metric.id: partial(_find_score, metric.id) for metric in shown.head.metrics}


def _find_score(metric: str, ranked: RankedRow) -> int | float | None:
    return ranked.row.scores.get(metric)


def _write_names(words: Iterable[tuple[str, str]], size: int, write_part: WritePart) -> Iterator[tuple[str, str]]:
    """Write pages of names; yield the first word and the name of each."""
    for page in batched(words, size, strict=False):
        yield page[0][0], write_part(EditionPart.NAMES, encode_names(page))
