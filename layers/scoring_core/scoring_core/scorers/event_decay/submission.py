"""A result of `event_decay` → values and answers, question by question.

Faults are reported in the order of docs/sources.md, "Event decay": question, videos, shape, values.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scoring_core.errors import InvalidResult
from scoring_core.io.text import is_absent, list_some, text_key
from scoring_core.scorers.base import MAX_DOUBLE, Json, describe, pointer
from scoring_core.scorers.event_decay.ground_truth import TYPE_NAMES, Question, QuestionType

type Number = int | float
type Steps = tuple[str | int, ...]
type _NamedQuestions = tuple[tuple[str, Steps], ...]

MAX_VALUES = 100_000
"""In one body; each takes memory many times over its two bytes."""
_SHAPES = ("text", "answers", "answerSets", "submissions")
_DECIMAL = re.compile(r"[+-]?\d+(?:\.\d+)?", re.ASCII)
# Up to this a double holds every whole number, so showing it as an int loses nothing.
_EXACT = 2**53
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}\s*+\Z")
_FRAMES = re.compile(r"-[0-9]++\s*+\Z")


class QuestionBody(NamedTuple):
    """The JSON object, at `steps` of a result, with the `text` or `answers` for one question."""

    question: Question
    members: Mapping[str, Json]
    steps: Steps


class Span(NamedTuple):
    """One value of a player, in frames (TR) or milliseconds (KIS, QA); a point has `start == end`."""

    start: Number
    end: Number


class Response(NamedTuple):
    """The values of a body, and the texts that answer a QA question, each in the order of its entries."""

    values: tuple[Span, ...]
    answers: tuple[str, ...]


class _Candidate(NamedTuple):
    """A value that is not yet checked to be a number."""

    start: Json
    end: Json
    steps: Steps
    label: str


class _TextParts(NamedTuple):
    """The parts of a text; `answer` is None except for QA, `values` is the unparsed rest after the video."""

    type: QuestionType
    answer: str | None
    video: str
    values: str


def read_bodies(result: Json, questions: Mapping[str, Question], *, part: str | None = None) -> list[QuestionBody]:
    """Return the body of each question that a result answers.

    Args:
        result: `{"text": …}`, `{"answers": […]}`, `{"answerSets": […]}` or `{"submissions": […]}`.
        questions: id → question of the benchmark.
        part: The question that the submission named outside the body.

    Raises:
        InvalidResult: A question is unknown, missing, contradictory or answered twice.
    """
    names: _NamedQuestions = ()
    if part is not None:
        names = ((_read_id(part, questions, ()), ()),)
    bodies: dict[str, QuestionBody] = {}
    for members, steps, body_names in _walk(result, (), questions, names):
        question = questions[_agree(body_names, questions, steps)]
        if question.id in bodies:
            first = pointer(*bodies[question.id].steps)
            raise InvalidResult(f"question {question.id!r} is answered twice, first at {first!r}", pointer(*steps))
        bodies[question.id] = QuestionBody(question, members, steps)
    return list(bodies.values())


def _check_one_shape(members: Mapping[str, Json], steps: Steps) -> None:
    present = [key for key in _SHAPES if not is_absent(members.get(key))]
    if len(present) != 1:
        shown = " and ".join(present) or "none of them"
        raise InvalidResult(f"expected exactly one of {', '.join(_SHAPES)}, found {shown}", pointer(*steps))


def _walk(
    value: Json, steps: Steps, questions: Mapping[str, Question], names: _NamedQuestions
) -> Iterator[tuple[Mapping[str, Json], Steps, _NamedQuestions]]:
    """Yield each body, its path and the questions named in it or around it."""
    if not isinstance(value, dict):
        raise InvalidResult(f"expected an object, found {describe(value)}", pointer(*steps))
    for key in ("question", "taskName"):
        if not is_absent(named := value.get(key)):
            names = (*names, (_read_id(named, questions, (*steps, key)), (*steps, key)))
    run = next((key for key in ("submissions", "answerSets") if not is_absent(value.get(key))), None)
    if run is None or (run == "submissions" and steps) or "answerSets" in steps:
        yield value, steps, names
        return
    _check_one_shape(value, steps)
    members = value[run]
    if not isinstance(members, list) or not members:
        shown = "an empty array" if members == [] else describe(members)
        raise InvalidResult(f"expected an array of at least one object, found {shown}", pointer(*steps, run))
    for index, member in enumerate(members):
        yield from _walk(member, (*steps, run, index), questions, names)


def _read_id(named: Json, questions: Mapping[str, Question], steps: Steps) -> str:
    if isinstance(named, int) and not isinstance(named, bool):
        named = str(named)
    if not isinstance(named, str):
        raise InvalidResult(f"expected the id of a question, found {describe(named)}", pointer(*steps))
    if (key := text_key(named)) not in questions:
        message = f"unknown question: expected one of {list_some(questions)}, found {describe(named)}"
        raise InvalidResult(message, pointer(*steps))
    return key


def _agree(names: _NamedQuestions, questions: Mapping[str, Question], steps: Steps) -> str:
    if not names:
        if len(questions) == 1:
            return next(iter(questions))
        message = f'expected the question, as "question" or "taskName": one of {list_some(questions)}'
        raise InvalidResult(message, pointer(*steps))
    first = names[0][0]
    for name, name_steps in names[1:]:
        if name != first:
            raise InvalidResult(f"two questions are named for one body: {first!r} and {name!r}", pointer(*name_steps))
    return first


def read_response(body: QuestionBody) -> Response:
    """Read the values and answers of a body; it is valid without any.

    Raises InvalidResult with the first fault and its pointer. The message never reveals the right video.
    """
    entries = list(_entries(body))
    _check_count(entries)
    for entry, steps in entries:
        _check_video(entry, steps, body.question)
    _check_shape(body)
    candidates: list[_Candidate] = []
    answers: list[str] = []
    for entry, steps in entries:
        entry_candidates, answer = _read_entry(entry, steps, body.question)
        candidates += entry_candidates
        if answer is not None:
            answers.append(answer)
    return Response(tuple(_read_span(candidate, body.question.type) for candidate in candidates), tuple(answers))


def _entries(body: QuestionBody) -> Iterator[tuple[Json, Steps]]:
    """Yield the entries of a body; a bare text is one."""
    if not is_absent(text := body.members.get("text")):
        yield {"text": text}, body.steps
    if isinstance(answers := body.members.get("answers"), list):
        for index, entry in enumerate(answers):
            yield entry, (*body.steps, "answers", index)


def _check_count(entries: Sequence[tuple[Json, Steps]]) -> None:
    """Reject a body with too many values before any text is parsed."""
    count = 0
    for entry, steps in entries:
        text = entry.get("text") if isinstance(entry, dict) else None
        count += text.count(",") + 1 if isinstance(text, str) else 1
        if count > MAX_VALUES:
            at = pointer(*steps, "text") if isinstance(text, str) else pointer(*steps)
            raise InvalidResult(f"expected at most {MAX_VALUES} values for a question, found more", at)


def _check_video(entry: Json, steps: Steps, question: Question) -> None:
    # An entry without a video fails later, because of its shape.
    if not isinstance(entry, dict):
        return
    key, video = "mediaItemName", entry.get("mediaItemName")
    if is_absent(video) and isinstance(text := entry.get("text"), str) and (parsed := _parse_text(text, question)):
        key, video = "text", parsed.video
    if isinstance(video, str) and not is_absent(video) and text_key(video) not in question.videos:
        message = f"{describe(video)} is not the video of question {question.id!r}{_hint_at_spelling(video, question)}"
        raise InvalidResult(message, pointer(*steps, key))


def _hint_at_spelling(video: str, question: Question) -> str:
    """Return how the names of videos are spelt here, if this one is not.

    It depends on the spelling alone, so that it does not tell right names from wrong ones.
    """
    names = "".join(question.videos)
    if "/" in video + names or "\\" in video + names:
        return "" if "/" in names or "\\" in names else ": leave out the folder"
    if _ENDING.search(video) and not any(map(_ENDING.search, question.videos)):
        return ": leave out the ending"
    if _FRAMES.search(video) and "-" not in names:
        return ": put commas between the values"
    differs = (video != video.upper() and names == names.upper()) or (video != video.lower() and names == names.lower())
    return ": upper and lower case differ" if differs else ""


def _check_shape(body: QuestionBody) -> None:
    _check_one_shape(body.members, body.steps)
    if not is_absent(body.members.get("text")):
        return
    answers = body.members.get("answers")
    if not isinstance(answers, list):
        nested = next(key for key in _SHAPES[1:] if not is_absent(body.members.get(key)))
        expected = "an array" if nested == "answers" else "text or answers here"
        raise InvalidResult(
            f"expected {expected}, found {describe(body.members[nested])}", pointer(*body.steps, nested)
        )


def _read_entry(entry: Json, steps: Steps, question: Question) -> tuple[list[_Candidate], str | None]:
    if not isinstance(entry, dict):
        raise InvalidResult(f"expected an object, found {describe(entry)}", pointer(*steps))
    if not is_absent(entry.get("mediaItemName")):
        return _read_media(entry, steps, question)
    if not is_absent(entry.get("text")):
        return _read_text(entry["text"], (*steps, "text"), question)
    raise InvalidResult("expected mediaItemName (with start) or text, found neither", pointer(*steps))


def _read_media(entry: Mapping[str, Json], steps: Steps, question: Question) -> tuple[list[_Candidate], str | None]:
    video, answer = entry["mediaItemName"], entry.get("text")
    if not isinstance(video, str):
        raise InvalidResult(f"expected a string, found {describe(video)}", pointer(*steps, "mediaItemName"))
    if is_absent(entry.get("start")):
        raise InvalidResult("expected a start, found none", pointer(*steps))
    if question.type is not QuestionType.QA:
        answer = None
    elif answer is not None and not isinstance(answer, str):
        raise InvalidResult(f"expected a string, found {describe(answer)}", pointer(*steps, "text"))
    end = None if is_absent(entry.get("end")) else entry["end"]
    return [_Candidate(entry["start"], end, steps, "")], None if is_absent(answer) else answer


def _read_text(text: Json, steps: Steps, question: Question) -> tuple[list[_Candidate], str | None]:
    pattern = f"{question.type}-{'<ANSWER>-' if question.type is QuestionType.QA else ''}<VIDEO>-<VALUE>,<VALUE>,…"
    if not isinstance(text, str):
        raise InvalidResult(f"expected a text {pattern}, found {describe(text)}", pointer(*steps))
    parsed = _parse_text(text, question)
    if parsed is None or parsed.type is not question.type:
        raise InvalidResult(f"question {question.id!r} expects {pattern}, found {describe(text)}", pointer(*steps))
    written = parsed.values.split(",") if parsed.values.strip() else []
    # Only a comma at the end is forgiven: skipping an empty value between two would score the next one elsewhere.
    if len(written) > 1 and not written[-1].strip():
        written.pop()
    return [_Candidate(value.strip(), None, steps, f"value {n}: ") for n, value in enumerate(written, 1)], parsed.answer


def _read_span(candidate: _Candidate, question_type: QuestionType) -> Span:
    start_steps = candidate.steps if candidate.label else (*candidate.steps, "start")
    start = _read_number(candidate.start, candidate.label, start_steps, question_type)
    if candidate.end is None:
        return Span(start, start)
    end_steps = (*candidate.steps, "end")
    end = _read_number(candidate.end, "", end_steps, question_type)
    if start > end:
        raise InvalidResult(f"expected start <= end, found {start} and {end}", pointer(*end_steps))
    if start < end and question_type is QuestionType.TR:
        raise InvalidResult(
            f"TR takes single frames: expected end = start, found {start} and {end}", pointer(*end_steps)
        )
    return Span(start, end)


def _read_number(value: Json, label: str, steps: Steps, question_type: QuestionType) -> Number:
    """Read a JSON number or a decimal string; a whole one becomes an int."""
    is_whole = question_type is QuestionType.TR
    expected = "a whole frame number" if is_whole else "milliseconds"
    number = _to_float(value)
    if number is None or (is_whole and not number.is_integer() and math.isfinite(number)):
        raise InvalidResult(f"{label}expected {expected}, found {describe(value)}", pointer(*steps))
    if math.isinf(number):
        raise InvalidResult(f"{label}expected {expected}, found a number too large for a double", pointer(*steps))
    return int(number) if number.is_integer() and abs(number) <= _EXACT else number


def _to_float(value: Json) -> float | None:
    """Return the number, infinite if it is too large; None if the value is no number."""
    match value:
        case bool():
            return None
        case str() if _DECIMAL.fullmatch(value.strip()):
            return float(value)
        case int() | float():
            return float(value) if abs(value) <= MAX_DOUBLE else math.inf
        case _:
            return None


def _parse_text(text: str, question: Question) -> _TextParts | None:
    """Split `TR-<VIDEO>-<VALUES>` (likewise KIS) or `QA-<ANSWER>-<VIDEO>-<VALUES>`.

    An answer may hold hyphens, so the split begins at the right. None if a part is missing.
    """
    head, values = _split_values(text_key(text))
    prefix, _, rest = head.strip().partition("-")
    if prefix not in TYPE_NAMES or not rest:
        return None
    if TYPE_NAMES[prefix] is not QuestionType.QA:
        return _TextParts(TYPE_NAMES[prefix], None, rest, values)
    # A video may hold hyphens too: the right one is recognised whole, any other begins after the last hyphen.
    ending = max((video for video in question.videos if rest.endswith("-" + video)), key=len, default=None)
    video = ending if ending is not None else rest.rpartition("-")[2]
    answer = rest.removesuffix("-" + video)
    return None if answer == rest else _TextParts(QuestionType.QA, answer, video, values)


def _split_values(text: str) -> tuple[str, str]:
    """Split a text at the last hyphen that is no minus sign, in linear time.

    A hyphen after a comma or another hyphen is a minus sign.

    >>> _split_values("TR-V017-4945,-1"), _split_values("TR-V017--1"), _split_values("TR-V017-")
    (('TR-V017', '4945,-1'), ('TR-V017', '-1'), ('TR-V017', ''))
    """
    end = len(text)
    while end >= 0:
        start = text.rfind(",", 0, end) + 1
        item = text[start:end]
        hyphen = item.rfind("-")
        before = item[: max(hyphen, 0)].rstrip()
        if before.endswith("-"):
            hyphen = len(before) - 1
        if before:
            return text[: start + hyphen], text[start + hyphen + 1 :]
        end = start - 1
    return "", text
