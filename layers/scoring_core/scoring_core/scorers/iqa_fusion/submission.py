"""A result of `iqa_fusion` → its items, each checked and with its log-probabilities."""

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from scoring_core.errors import InvalidResult
from scoring_core.io.strict_json import read_result
from scoring_core.io.text import is_absent, text_key
from scoring_core.scorers.base import MAX_DOUBLE, Json, describe, pointer


class Level(IntEnum):
    """The five levels of quality."""

    BAD = 1
    POOR = 2
    FAIR = 3
    GOOD = 4
    EXCELLENT = 5


class QueryType(StrEnum):
    """What a query asks for; the final answer is of that type."""

    SCORING = "scoring"
    """A number on the scale of the levels."""
    MCQ = "mcq"
    """One letter of several options."""
    EXPLANATION = "explanation"
    """A text."""


_LEVEL_KEYS = {str(level.value): level for level in Level}
_LEVELS_BY_TEXT = (
    {level.name.casefold(): level for level in Level} | dict(zip("edcba", Level, strict=True)) | _LEVEL_KEYS
)
_CERTAINTY = 0.7
_DOUBT = 0.075
_MAX_OFF_ONE = 0.025  # five numbers, each rounded to two digits

_OPTION = re.compile(r"(?<![\w.])([A-Za-z])(?:\)|\.(?!\S))")
_CHOICE = re.compile(r"\bchoose\s+from\b", re.IGNORECASE)
_RATING = re.compile(
    r"\b(?:rate|score|assess|evaluate)\b|\bwhat(?:'s|\s+is)\s+the\s+(?:\w+\s+)?quality\s+(?:score|level)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Item:
    """The statements of a player about one image.

    Args:
        id: Names the image and its query, as `text_key` has it.
        query: The query as it was asked; "" if the result omits it.
        tool_scores: Measured by quality tools, each in [1, 5]; may be empty.
        log_probs: Level → log-probability, any finite number; empty if the result has no levels.
        final_answer: As submitted.
        quality_reasoning: As submitted.
    """

    id: str
    query: str = ""
    tool_scores: tuple[float, ...] = ()
    log_probs: Mapping[Level, float] = field(default_factory=dict)
    final_answer: str | float | None = None
    quality_reasoning: str | None = None


def read_items(result: bytes) -> dict[str, Item]:
    """Read a result.

    Args:
        result: JSON `{"items": [{"id", "query"?, "tool_scores"?, "quality_probs"?, "quality_level"?, "final_answer"?,
            "quality_reasoning"?}]}`; null counts as absent, other fields are ignored.

    Returns:
        Id → item, in the order of the result.

    Raises:
        InvalidResult: With the pointer of the first fault; an id that occurs twice is one.
    """
    value = read_result(result)
    if not isinstance(value, dict) or "items" not in value:
        shown = "an object without it" if isinstance(value, dict) else describe(value)
        raise InvalidResult(f'expected an object with the key "items", found {shown}')
    entries = value["items"]
    if not isinstance(entries, list):
        raise InvalidResult(f"expected an array of items, found {describe(entries)}", pointer("items"))
    items: dict[str, Item] = {}
    for index, entry in enumerate(entries):
        item = _read_item(entry, pointer("items", index))
        if item.id in items:
            raise InvalidResult("expected each id once, found this one a second time", pointer("items", index, "id"))
        items[item.id] = item
    return items


def classify_query(query: str) -> QueryType:
    """Return what a query asks for.

    Two different options ("A)" or "A."), or "choose from", make a multiple-choice question; else rate, score, assess,
    evaluate, or "what is the quality score" (or level), ask for a score; anything else asks for an explanation.

    >>> classify_query("Is the quality: A) Excellent B) Good C) Fair?").value, classify_query("Rate it.").value
    ('mcq', 'scoring')
    """
    options = {letter.casefold() for letter in _OPTION.findall(query)}
    if len(options) > 1 or _CHOICE.search(query):
        return QueryType.MCQ
    return QueryType.SCORING if _RATING.search(query) else QueryType.EXPLANATION


def spread_level(level: Level) -> dict[Level, float]:
    """Return log-probabilities for one named level: 0.7 for it, 0.075 for each other."""
    return {other: math.log(_CERTAINTY if other is level else _DOUBT) for other in Level}


def read_number(value: Json) -> float | None:
    """Return a JSON number as a double; None if it is no number, or too large for one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > MAX_DOUBLE:
        return None
    return float(value)


def _read_item(entry: Json, at: str) -> Item:
    if not isinstance(entry, dict):
        raise InvalidResult(f"expected an object, found {describe(entry)}", at)
    if is_absent(entry.get("id")):
        raise InvalidResult('expected an object with the key "id", found one without it', at)
    if not isinstance(entry["id"], str):
        raise InvalidResult(f"expected a string, found {describe(entry['id'])}", at + "/id")
    level = _read_level(entry.get("quality_level"), at + "/quality_level")
    probs = _read_log_probs(entry.get("quality_probs"), at + "/quality_probs")
    return Item(
        id=text_key(entry["id"]),
        query=_read_text(entry.get("query"), at + "/query") or "",
        tool_scores=_read_tool_scores(entry.get("tool_scores"), at + "/tool_scores"),
        log_probs=probs or ({} if level is None else spread_level(level)),
        final_answer=_read_answer(entry.get("final_answer"), at + "/final_answer"),
        quality_reasoning=_read_text(entry.get("quality_reasoning"), at + "/quality_reasoning"),
    )


def _read_text(value: Json, at: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise InvalidResult(f"expected a string, found {describe(value)}", at)


def _read_answer(value: Json, at: str) -> str | float | None:
    if value is None or isinstance(value, str):
        return value
    number = read_number(value)
    if number is None:
        raise InvalidResult(f"expected a letter, a number or a text, found {describe(value)}", at)
    return number


def _read_tool_scores(value: Json, at: str) -> tuple[float, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise InvalidResult(f"expected an array of numbers from 1 to 5, found {describe(value)}", at)
    scores = tuple(read_number(score) for score in value)
    for index, score in enumerate(scores):
        if score is None or not Level.BAD <= score <= Level.EXCELLENT:
            raise InvalidResult(f"expected a number from 1 to 5, found {describe(value[index])}", f"{at}/{index}")
    return tuple(score for score in scores if score is not None)


def _read_log_probs(value: Json, at: str) -> dict[Level, float]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidResult(f"expected an object of log-probabilities, found {describe(value)}", at)
    log_probs: dict[Level, float] = {}
    for key, log_prob in value.items():
        if key not in _LEVEL_KEYS:
            raise InvalidResult('expected the levels "1" to "5" as keys, found another', at + pointer(key))
        number = read_number(log_prob)
        if number is None:
            raise InvalidResult(f"expected a log-probability, found {describe(log_prob)}", at + pointer(key))
        log_probs[_LEVEL_KEYS[key]] = number
    if _are_probabilities(log_probs.values()):
        raise InvalidResult(
            "expected log-probabilities, found numbers that add up to 1 or 100, as probabilities do: "
            "send their natural logarithms",
            at,
        )
    return log_probs


def _are_probabilities(numbers: Collection[float]) -> bool:
    """Return whether numbers look like probabilities, in parts of 1 or of 100."""
    return min(numbers, default=-1) >= 0 and any(abs(sum(numbers) / whole - 1) <= _MAX_OFF_ONE for whole in (1, 100))


def _read_level(value: Json, at: str) -> Level | None:
    if is_absent(value):
        return None
    if isinstance(value, str) and (level := _LEVELS_BY_TEXT.get(value.strip().casefold())):
        return level
    number = read_number(value)
    if number is None or number not in tuple(Level):
        raise InvalidResult(
            f"expected a level: 1 to 5, Bad to Excellent, or a letter A to E, found {describe(value)}", at
        )
    return Level(int(number))
