"""What one body of `event_decay` says: its entries → values and answers.

Everything is checked in the order of docs/sources.md, "Event decay", so a body with several faults is told the first:
the videos, the shape, the values.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scoring_core.errors import InvalidResult
from scoring_core.scorers.base import Json, describe, pointer
from scoring_core.scorers.event_decay.bodies import SHAPES, Body, Steps, check_one_shape
from scoring_core.scorers.event_decay.ground_truth import Question, QuestionType
from scoring_core.scorers.event_decay.text import parse_text

type Number = int | float

_DECIMAL = re.compile(r"[+-]?\d+(?:\.\d+)?", re.ASCII)
MAX_VALUES = 100_000
"""Of one body; each takes memory many times over its two bytes."""
# Up to here a double holds every whole number, so showing it as an int loses nothing.
_EXACT = 2**53


class Span(NamedTuple):
    """One value of a player; a point has `start == end`. In frames (TR) or milliseconds (KIS, QA)."""

    start: Number
    end: Number


@dataclass(frozen=True, slots=True)
class Response:
    """What a body says.

    Args:
        values: In the order of the body; empty where the player had none.
        answers: The texts that answer a QA question, one for each entry that has one.
    """

    values: tuple[Span, ...]
    answers: tuple[str, ...]


class _Candidate(NamedTuple):
    """A value that has its place, but is not yet known to be a number."""

    start: Json
    end: Json
    steps: Steps
    label: str


def read_response(body: Body) -> Response:
    """Read what a body says about its question: videos first, then the shape, then the values.

    Returns:
        Values and answers; `{"answers": []}` and a text without values give no values, and that is valid.

    Raises:
        InvalidResult: With the first fault and where it is. The message never tells the right video.
    """
    entries = list(_entries(body))
    _check_count(entries)
    for entry, steps in entries:
        _check_video(entry, steps, body.question)
    _check_shape(body)
    candidates: list[_Candidate] = []
    answers: list[str] = []
    for entry, steps in entries:
        placed, answer = _read_entry(entry, steps, body.question)
        candidates += placed
        if answer is not None:
            answers.append(answer)
    return Response(tuple(_read_span(candidate, body.question.type) for candidate in candidates), tuple(answers))


def _entries(body: Body) -> Iterator[tuple[Json, Steps]]:
    """Give the entries of a body; a bare text is one. Members that are no entries are for `_check_shape` to refuse."""
    if (text := body.members.get("text")) is not None:
        yield {"text": text}, body.steps
    if isinstance(answers := body.members.get("answers"), list):
        for index, entry in enumerate(answers):
            yield entry, (*body.steps, "answers", index)


def _check_count(entries: Sequence[tuple[Json, Steps]]) -> None:
    """Refuse what has far more values than any question has events, before a text is taken apart."""
    found = 0
    for entry, steps in entries:
        text = entry.get("text") if isinstance(entry, dict) else None
        found += text.count(",") + 1 if isinstance(text, str) else 1
        if found > MAX_VALUES:
            where = pointer(*steps, "text") if isinstance(text, str) else pointer(*steps)
            raise InvalidResult(f"expected at most {MAX_VALUES} values for a question, found more", where)


def _check_video(entry: Json, steps: Steps, question: Question) -> None:
    """Compare the video where it can be told already; an entry without one fails later, for its shape."""
    if not isinstance(entry, dict):
        return
    key, video = "mediaItemName", entry.get("mediaItemName")
    if video is None and isinstance(text := entry.get("text"), str) and (parsed := parse_text(text, question)):
        key, video = "text", parsed.video
    if isinstance(video, str) and video not in question.videos:
        raise InvalidResult(f"{describe(video)} is not the video of question {question.id!r}", pointer(*steps, key))


def _check_shape(body: Body) -> None:
    check_one_shape(body.members, body.steps)
    if body.members.get("text") is not None:
        return
    answers = body.members.get("answers")
    if not isinstance(answers, list):
        nested = next(key for key in SHAPES[1:] if body.members.get(key) is not None)
        wanted = "an array" if nested == "answers" else "text or answers here"
        raise InvalidResult(f"expected {wanted}, found {describe(body.members[nested])}", pointer(*body.steps, nested))


def _read_entry(entry: Json, steps: Steps, question: Question) -> tuple[list[_Candidate], str | None]:
    if not isinstance(entry, dict):
        raise InvalidResult(f"expected an object, found {describe(entry)}", pointer(*steps))
    if entry.get("mediaItemName") is not None:
        return _read_media(entry, steps, question)
    if entry.get("text") is not None:
        return _read_text(entry["text"], (*steps, "text"), question)
    raise InvalidResult("expected mediaItemName (with start) or text, found neither", pointer(*steps))


def _read_media(entry: Mapping[str, Json], steps: Steps, question: Question) -> tuple[list[_Candidate], str | None]:
    video, answer = entry["mediaItemName"], entry.get("text")
    if not isinstance(video, str):
        raise InvalidResult(f"expected a string, found {describe(video)}", pointer(*steps, "mediaItemName"))
    if entry.get("start") is None:
        raise InvalidResult("expected a start, found none", pointer(*steps))
    if question.type is not QuestionType.QA:
        answer = None
    elif answer is not None and not isinstance(answer, str):
        raise InvalidResult(f"expected a string, found {describe(answer)}", pointer(*steps, "text"))
    return [_Candidate(entry["start"], entry.get("end"), steps, "")], answer


def _read_text(text: Json, steps: Steps, question: Question) -> tuple[list[_Candidate], str | None]:
    form = f"{question.type}-{'<ANSWER>-' if question.type is QuestionType.QA else ''}<VIDEO>-<VALUE>,<VALUE>,…"
    if not isinstance(text, str):
        raise InvalidResult(f"expected a text {form}, found {describe(text)}", pointer(*steps))
    parsed = parse_text(text, question)
    if parsed is None or parsed.type is not question.type:
        raise InvalidResult(f"question {question.id!r} expects {form}, found {describe(text)}", pointer(*steps))
    written = parsed.values.split(",") if parsed.values.strip() else []
    return [_Candidate(value.strip(), None, steps, f"value {n}: ") for n, value in enumerate(written, 1)], parsed.answer


def _read_span(candidate: _Candidate, question_type: QuestionType) -> Span:
    at_start = candidate.steps if candidate.label else (*candidate.steps, "start")
    start = _read_number(candidate.start, candidate.label, at_start, question_type)
    if candidate.end is None:
        return Span(start, start)
    at_end = (*candidate.steps, "end")
    end = _read_number(candidate.end, "", at_end, question_type)
    if start > end:
        raise InvalidResult(f"expected start <= end, found {start} and {end}", pointer(*at_end))
    if start < end and question_type is QuestionType.TR:
        raise InvalidResult(f"TR takes single frames: expected end = start, found {start} and {end}", pointer(*at_end))
    return Span(start, end)


def _read_number(value: Json, label: str, steps: Steps, question_type: QuestionType) -> Number:
    """Read a JSON number or a decimal string; a whole one becomes an int."""
    is_whole = question_type is QuestionType.TR
    wanted = "a whole frame number" if is_whole else "milliseconds"
    number = _to_float(value)
    if number is None or (is_whole and not number.is_integer() and math.isfinite(number)):
        raise InvalidResult(f"{label}expected {wanted}, found {describe(value)}", pointer(*steps))
    if math.isinf(number):
        raise InvalidResult(f"{label}expected {wanted}, found a number too large for a double", pointer(*steps))
    return int(number) if number.is_integer() and abs(number) <= _EXACT else number


def _to_float(value: Json) -> float | None:
    """Give the number, infinite where it is too large; None where the value is no number."""
    match value:
        case bool():
            return None
        case str() if _DECIMAL.fullmatch(value.strip()):
            return float(value)
        case int() | float():
            try:
                return float(value)
            except OverflowError:
                return math.inf
        case _:
            return None
