"""One entry of a drop: what it is, what is checked of it on receipt, and how its refusal is told."""

import json
from typing import NamedTuple

from scoring_core.errors import StrictJsonError
from scoring_core.io import strict_json
from scoring_core.scorers.base import Json, describe

MAX_NAME_LENGTH = 200
_WRAPPER_BYTES = 1_000
"""Room for what stands around the result in `{"part": …, "result": …}`."""


class Rules(NamedTuple):
    """What a benchmark takes in a drop.

    Args:
        max_bytes: Of one result.
        parts: Those of which each entry must name one; empty where entries name none.
    """

    max_bytes: int
    parts: tuple[str, ...] = ()


class Entry(NamedTuple):
    """One result of a drop.

    Args:
        name: `line 17` of a JSONL, the path in a ZIP, else the file's name.
        body: The bytes of the result.
        part: The part that it names.
    """

    name: str
    body: bytes
    part: str | None = None


class EntryError(NamedTuple):
    """An entry that is not handed in, and why."""

    name: str
    error: str


class InvalidEntry(Exception):
    """The entry at hand is refused; the message says why."""


def validate_entry(name: str, content: bytes, rules: Rules, *, part: str | None = None) -> Entry | EntryError:
    """Check that a result is strict JSON of a size that is taken, an object or an array at the top.

    Args:
        name: Of the entry.
        content: The result, or its wrapper where `rules` ask for parts.
        rules: What is taken.
        part: Where the entry's name has told it.
    """
    if len(content) > max_entry_bytes(rules):
        return EntryError(name, too_large_message(rules))
    try:
        value = strict_json.loads(content)
        if rules.parts:
            part, content, value = _unwrap(content, value, rules)
    except StrictJsonError as error:
        return EntryError(name, f"expected JSON: {error}")
    except InvalidEntry as error:
        return EntryError(name, str(error))
    if not isinstance(value, dict | list):
        return EntryError(name, f"expected an object or an array, found {describe(value)}")
    return Entry(name, content, part)


def _unwrap(content: bytes, value: Json, rules: Rules) -> tuple[str, bytes, Json]:
    """Give the part, the bytes of the result as they came, and its value."""
    if not isinstance(value, dict) or value.keys() != {"part", "result"}:
        raise InvalidEntry('expected {"part": …, "result": …}')
    part = value["part"]
    if not isinstance(part, str) or part not in rules.parts:
        found = repr(part[:64]) if isinstance(part, str) else describe(part)
        raise InvalidEntry(f"part: expected {list_parts(rules.parts)}, found {found}")
    result = _cut_member(content.decode(), "result").encode()
    if len(result) > rules.max_bytes:
        raise InvalidEntry(too_large_message(rules))
    return part, result, value["result"]


def _cut_member(text: str, name: str) -> str:
    """Give the text of a member's value; the text is an object that was read before, and has the member once."""
    decoder, space = json.JSONDecoder(), " \t\r\n"
    position = text.index("{") + 1
    while True:
        start = _skip(text, position, space)
        key, end = decoder.raw_decode(text, start)
        start = _skip(text, end, space + ":")
        _, end = decoder.raw_decode(text, start)
        if key == name:
            return text[start:end]
        position = _skip(text, end, space + ",")


def _skip(text: str, position: int, characters: str) -> int:
    while text[position] in characters:
        position += 1
    return position


def max_entry_bytes(rules: Rules) -> int:
    """Give how large an entry may be, with its wrapper."""
    return rules.max_bytes + (_WRAPPER_BYTES if rules.parts else 0)


def too_large_message(rules: Rules) -> str:
    """Tell that a result is too large."""
    return f"too large: expected at most {rules.max_bytes} bytes"


def list_parts(parts: tuple[str, ...]) -> str:
    """Tell which parts there are, the first of them."""
    shown = 10
    return "one of " + ", ".join(parts[:shown]) + (f" and {len(parts) - shown} more" if len(parts) > shown else "")


def show_name(name: str) -> str:
    """Give a name as it may stand in a report: every character printable, and not too many of them."""
    shown = "".join(one if one.isprintable() else f"\\x{ord(one):02x}" for one in name)
    return shown if len(shown) <= MAX_NAME_LENGTH else f"{shown[: MAX_NAME_LENGTH - 1]}…"
