"""The ground truth of `event_decay`: a CSV file of questions, each with its video and its events."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from scoring_core.errors import EvaluatorError
from scoring_core.io.text import shorten, text_key
from scoring_core.scorers.base import ScorerInputs
from scoring_core.scorers.event_decay import LARGEST_SIZE, SMALLEST_SIZE

# Beyond 2^53 a double no longer distinguishes neighbouring frames.
_MAX_POINT = 2**53
_MAX_DIGITS = 16
_SEPARATOR = re.compile("[,-]")
_SHOWN_LENGTH = 40
_MAX_COLUMNS = 64
_DECIMAL = re.compile(r"\d{1,40}(?:\.\d{1,40})?", re.ASCII)
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class QuestionType(StrEnum):
    """The type of a question: TR counts in frames, KIS and QA in milliseconds."""

    TR = "TR"
    KIS = "KIS"
    QA = "QA"


TYPE_NAMES = {"TR": QuestionType.TR, "TRAKE": QuestionType.TR, "KIS": QuestionType.KIS, "QA": QuestionType.QA}
"""Spelling → type, in the ground truth and at the head of a player's text."""


class Event(NamedTuple):
    """A stretch of the video, both ends inclusive, `start <= end`; in frames or in milliseconds."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Question:
    """One row of the ground truth.

    Args:
        id: The name by which players refer to it, and that of its part.
        type: What it asks for.
        videos: The accepted names of the video, as `text_key` has them: `video_id`, and `scene_id_video_id` if it has a
            scene.
        events: At least one, in the order in which they are scored.
        answer: The text that a QA answer must equal; None if any is accepted.
        weights: The multiple of the benchmark's maximum that each event is worth; empty if all are worth it once.
        fps: Frames per second of the video; None for those of the benchmark.
    """

    id: str
    type: QuestionType
    videos: tuple[str, ...]
    events: tuple[Event, ...]
    answer: str | None = None
    weights: tuple[float, ...] = ()
    fps: float | None = None


def read_questions(data: bytes) -> dict[str, Question]:
    r"""Read the ground truth.

    Args:
        data: UTF-8 CSV (a byte order mark is tolerated) with the columns `id` (or `stt`), `type`, `scene_id`,
            `video_id`, `points` and, where questions have them, `answer`, `weight` (a number for each event, separated
            by commas) and `fps` (of the video). An empty cell is as no column. Other columns are ignored, and so is
            the answer of a question that is not QA.

    Returns:
        id → question, at least one, in the order of the file.

    Raises:
        EvaluatorError: Names the line and the column; it may quote the file, which is the owner's.

    >>> read_questions(b'id,type,scene_id,video_id,points\n1,TR,L26,V017,"4945-5010,5001-5020"\n')["1"].events
    (Event(start=4945, end=5010), Event(start=5001, end=5020))
    """
    questions: dict[str, Question] = {}
    frame_rates: dict[str, float | None] = {}
    for row in _rows(data):
        question = _read_question(row)
        if question.id in questions:
            raise row.error("id", f"the question {question.id!r} is there twice")
        if frame_rates.setdefault(question.videos[-1], question.fps) != question.fps:
            raise row.error("fps", f"the video {question.videos[-1]!r} has other frames per second on an earlier line")
        questions[question.id] = question
    if not questions:
        raise EvaluatorError("ground truth: expected at least one question, found none")
    return questions


def list_parts(inputs: ScorerInputs) -> tuple[str, ...]:
    """Return the ids of the questions. Raises EvaluatorError."""
    return tuple(read_questions(inputs.ground_truth or b""))


class _Row(NamedTuple):
    line: int
    cells: Mapping[str, str]

    def error(self, column: str, message: str) -> EvaluatorError:
        return EvaluatorError(f"ground truth, line {self.line}, column {column}: {message}")

    def required(self, column: str) -> str:
        if not self.cells[column]:
            raise self.error(column, "expected a value, found nothing")
        return self.cells[column]


def _rows(data: bytes) -> Iterator[_Row]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise EvaluatorError(f"ground truth: not UTF-8 (byte {error.start})") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    columns: list[str] = []
    try:
        for fields in reader:
            cells = [*map(text_key, fields)]
            if not any(cells):
                continue
            if not columns:
                columns = _read_columns(cells, line=reader.line_num)
                continue
            if len(cells) != len(columns):
                raise EvaluatorError(
                    f"ground truth, line {reader.line_num}: expected {len(columns)} columns, found {len(cells)} "
                    "(points that hold commas need quotes)"
                )
            yield _Row(reader.line_num, dict(zip(columns, cells, strict=True)))
    except csv.Error as error:
        raise EvaluatorError(f"ground truth, line {reader.line_num}: {error}") from error


def _read_columns(cells: list[str], *, line: int) -> list[str]:
    if len(cells) > _MAX_COLUMNS:
        raise EvaluatorError(f"ground truth, line {line}: expected at most {_MAX_COLUMNS} columns, found {len(cells)}")
    columns = cells if "id" in cells else ["id" if cell == "stt" else cell for cell in cells]
    for name in ("id", "type", "scene_id", "video_id", "points"):
        if name not in columns:
            hint = " (or stt)" if name == "id" else ""
            shown = ", ".join(shorten(cell, _SHOWN_LENGTH) for cell in cells)
            raise EvaluatorError(f"ground truth, line {line}: expected a column {name}{hint}, found {shown}")
    for name in columns:
        if columns.count(name) > 1:
            raise EvaluatorError(f"ground truth, line {line}: the column {shorten(name, _SHOWN_LENGTH)} is there twice")
    return columns


def _read_question(row: _Row) -> Question:
    written_type = row.required("type")
    if written_type not in TYPE_NAMES:
        raise row.error("type", f"expected one of {', '.join(TYPE_NAMES)}, found {written_type!r}")
    question_type = TYPE_NAMES[written_type]
    video, scene = row.required("video_id"), row.cells["scene_id"]
    answer = row.cells.get("answer") if question_type is QuestionType.QA else None
    events = _read_events(row)
    weights = _read_sizes(row, "weight")
    if weights and len(weights) != len(events):
        raise row.error("weight", f"expected a number for each of {len(events)} events, found {len(weights)}")
    fps = _read_sizes(row, "fps")
    if len(fps) > 1:
        raise row.error("fps", f"expected one number, found {len(fps)}")
    return Question(
        id=_read_id(row),
        type=question_type,
        videos=(video, f"{scene}_{video}") if scene else (video,),
        events=events,
        answer=answer or None,
        weights=weights,
        fps=fps[0] if fps else None,
    )


def _read_id(row: _Row) -> str:
    written = row.required("id")
    # An id names a part, and so is used in keys and addresses.
    if not _ID.fullmatch(written):
        raise row.error("id", f"expected 1 to 64 letters, digits, '.', '_' or '-', found {written[:_SHOWN_LENGTH]!r}")
    return written


def _read_events(row: _Row) -> tuple[Event, ...]:
    points = [_read_point(row, written.strip()) for written in _SEPARATOR.split(row.required("points"))]
    if len(points) % 2:
        raise row.error("points", f"expected two points for each event, found an odd count of {len(points)}")
    events = tuple(Event(*pair) for pair in zip(points[::2], points[1::2], strict=True))
    for event in events:
        if event.start > event.end:
            raise row.error("points", f"expected start <= end, found {event.start} and {event.end}")
    return events


def _read_point(row: _Row, written: str) -> int:
    if not (written.isascii() and written.isdigit()):
        raise row.error("points", f"expected whole numbers separated by , or -, found {written[:_SHOWN_LENGTH]!r}")
    if len(written) > _MAX_DIGITS or int(written) > _MAX_POINT:
        raise row.error("points", f"expected points of at most 2^53, found {written[:_SHOWN_LENGTH]}")
    return int(written)


def _read_sizes(row: _Row, column: str) -> tuple[float, ...]:
    """Return the numbers of an optional cell, each within the bounds of a parameter."""
    written = row.cells.get(column, "")
    sizes = []
    for number in written.split(",") if written else ():
        if not (_DECIMAL.fullmatch(number.strip()) and SMALLEST_SIZE <= float(number) <= LARGEST_SIZE):
            raise row.error(column, f"expected numbers from 1e-9 to 1e9, found {number.strip()[:_SHOWN_LENGTH]!r}")
        sizes.append(float(number))
    return tuple(sizes)
