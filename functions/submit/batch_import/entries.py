"""One entry of a batch: what it is, and the checks it must pass."""

import json
from collections.abc import Collection
from typing import NamedTuple

from scoring_core.benchmarks.terms import find_value_fault
from scoring_core.errors import LaurelError, StrictJsonError
from scoring_core.io import strict_json
from scoring_core.io.formats import FORMATS, JSON, find_content_fault, format_of
from scoring_core.io.text import list_some
from scoring_core.scorers.base import Json, describe
from storage.players.names import InvalidName, check_name

MAX_NAME_LENGTH = 200
_WRAPPER_BYTES = 1_000
"""Room for the text around a result in `{"part": …, "result": …}`."""


class UnreadableBatch(LaurelError):
    """The whole batch is unreadable."""


class InvalidEntry(Exception):
    """An entry is rejected; the message says why."""


class Rules(NamedTuple):
    """What a benchmark accepts in a batch.

    Args:
        max_bytes: Limit of one result.
        parts: Each entry must name one of these; empty if entries name none.
        takes_labels: Whether the name of an entry's file is the label of its submission.
        takes: The formats of results.
    """

    max_bytes: int
    parts: tuple[str, ...] = ()
    takes_labels: bool = False
    takes: tuple[str, ...] = (JSON,)


class Entry(NamedTuple):
    """One result of a batch.

    Args:
        name: `line 17` of a JSONL, the path in a ZIP, else the file's name.
        body: The bytes of the result.
        part: The part that the entry names.
        label: The label that its name gives.
        file_format: The format of the result.
    """

    name: str
    body: bytes
    part: str | None = None
    label: str | None = None
    file_format: str = JSON


class EntryError(NamedTuple):
    """An entry that is not submitted, and why."""

    name: str
    error: str


def validate_entry(name: str, content: bytes, rules: Rules, *, part: str | None = None) -> Entry | EntryError:
    """Check that an entry is a JSON object or array within the size limit.

    If the rules have parts, the content is a result in its wrapper; `part` is what the name of a ZIP's entry says.
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
    fault = find_value_fault(value)
    return Entry(name, content, part) if fault is None else EntryError(name, fault)


def read_file(path: str, content: bytes, rules: Rules) -> Entry | EntryError:
    """Return the entry of a file that is one result; its path may name part and label.

    Its ending must say one of the formats that are taken; the content must fit that.
    """
    name = show_name(path)
    try:
        file_format = check_ending(path, rules)
        part = find_part(path, rules)
        label = read_label(path, rules, part=part)
    except InvalidEntry as error:
        return EntryError(name, str(error))
    if file_format == JSON:
        entry = validate_entry(name, content, rules._replace(parts=()), part=part)
        return entry._replace(label=label) if isinstance(entry, Entry) else entry
    fault = too_large_message(rules) if len(content) > rules.max_bytes else find_content_fault(content, file_format)
    return Entry(name, content, part, label, file_format) if fault is None else EntryError(name, fault)


def check_ending(path: str, rules: Rules) -> str:
    """Return the format of an entry, one of those that are taken. Raises InvalidEntry."""
    file_format = format_of(path)
    if file_format not in rules.takes:
        raise InvalidEntry(f"expected a name that ends in {list_endings(rules.takes)}")
    return file_format


def find_part(path: str, rules: Rules) -> str | None:
    """Return the part that the path of an entry names: its folder, or its file.

    None if entries name none. Raises InvalidEntry.
    """
    if not rules.parts:
        return None
    folder, _, file = path.rpartition("/")
    for name in (folder.rpartition("/")[2], file.rpartition(".")[0]):
        if name in rules.parts:
            return name
    raise InvalidEntry(f"expected its folder, or the file itself, to be named one of {list_some(rules.parts)}")


def list_endings(takes: Collection[str]) -> str:
    """Return the endings of formats, for messages: `.csv, .json`."""
    return ", ".join(f".{name}" for name in FORMATS if name in takes)


def _unwrap(content: bytes, value: Json, rules: Rules) -> tuple[str, bytes, Json]:
    """Return the part, the bytes of the result as received, and the parsed result."""
    if not isinstance(value, dict) or value.keys() != {"part", "result"}:
        raise InvalidEntry('expected {"part": …, "result": …}')
    part = value["part"]
    if not isinstance(part, str) or part not in rules.parts:
        given = repr(part[:64]) if isinstance(part, str) else describe(part)
        raise InvalidEntry(f"part: expected one of {list_some(rules.parts)}, found {given}")
    result = _cut_member(content.decode(), "result").encode()
    if len(result) > rules.max_bytes:
        raise InvalidEntry(too_large_message(rules))
    return part, result, value["result"]


def _cut_member(text: str, name: str) -> str:
    """Return the text of a member in a valid JSON object that has it once."""
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


def read_label(path: str, rules: Rules, *, part: str | None = None) -> str | None:
    """Return the label that the path of an entry gives; None if it gives none.

    It is the name of the file without its ending. If that names the part, it is the name of the folder:
    `step-1200.json`, `level-1/step-1200.json`, `step-1200/level-1.json`. Raises InvalidEntry.
    """
    if not rules.takes_labels:
        return None
    folder, _, file = path.rpartition("/")
    name = file.rpartition(".")[0]
    if name == part:
        name = folder.rpartition("/")[2]
    if name in {"", part}:
        return None
    try:
        return check_name(name)
    except InvalidName as error:
        raise InvalidEntry(f"its name is its label: {error}") from error


def max_entry_bytes(rules: Rules) -> int:
    """Return the limit of an entry with its wrapper."""
    return rules.max_bytes + (_WRAPPER_BYTES if rules.parts else 0)


def too_large_message(rules: Rules) -> str:
    """Return the message for a result that is too large."""
    return f"too large: expected at most {rules.max_bytes} bytes"


def show_name(name: str) -> str:
    """Return a name as reports show it: printable, and cut if it is long."""
    shown = "".join(character if character.isprintable() else f"\\x{ord(character):02x}" for character in name)
    return shown if len(shown) <= MAX_NAME_LENGTH else f"{shown[: MAX_NAME_LENGTH - 1]}…"
