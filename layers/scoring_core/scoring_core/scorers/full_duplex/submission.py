"""A result of `full_duplex`, JSON or ZIP → the checked numbers of its 20 category files."""

import io
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple
from zipfile import ZipInfo

from scoring_core.errors import InvalidResult, StrictJsonError, ZipError
from scoring_core.io import strict_json
from scoring_core.io.safe_zip import ZipReader, check_path
from scoring_core.io.text import list_some, shorten, text_key
from scoring_core.scorers.base import Json, describe, pointer

MAX_TOTAL_BYTES = 20 * 2**20
"""Of the 20 files of a ZIP, unpacked."""
LANGUAGES = ("cn", "en")


class FileField(StrEnum):
    """A field of a category file: scores and rates in [0, 1], delays in seconds."""

    RESPOND = "average_RESPOND_score"
    RESUME = "average_RESUME_score"
    REJECT_RATE = "reject_rate"
    STOP = "avg_latency_stop"
    RESPONSE = "avg_latency_resp"
    FIRST_DELAY = "avg_first_time_delay"


INTERRUPTION = (
    "Follow-up Questions",
    "Negation or Dissatisfaction",
    "Repetition Requests",
    "Silence or Termination",
    "Topic Switching",
)
REJECTION: Mapping[str, FileField] = {
    "Speech Directed at Others": FileField.RESUME,
    "Third-party Speech_after": FileField.RESUME,
    "User Real-time Backchannels": FileField.RESUME,
    "Pause Handling": FileField.REJECT_RATE,
    "Third-party Speech_before": FileField.REJECT_RATE,
}
FIELDS: Mapping[str, tuple[FileField, ...]] = {
    **dict.fromkeys(INTERRUPTION, (FileField.RESPOND, FileField.STOP, FileField.RESPONSE, FileField.FIRST_DELAY)),
    **{category: (field, FileField.FIRST_DELAY) for category, field in REJECTION.items()},
}
"""Category → the fields that each of its two files must have."""

type FileName = tuple[str, str]
"""Language and category."""


class CategoryFile(NamedTuple):
    """The JSON value of a category file, and its place in a JSON result as that spells it."""

    value: Json
    steps: tuple[str, ...]


type Measures = Mapping[FileName, Mapping[FileField, float]]
"""(language, category) → field → number."""

FILE_NAMES: tuple[FileName, ...] = tuple((language, category) for language in LANGUAGES for category in FIELDS)

_DELAYS = frozenset({FileField.STOP, FileField.RESPONSE, FileField.FIRST_DELAY})
# Delays up to this add up without overflow.
_MAX_DELAY = 1e300
_ZIP_START = b"PK"
_IGNORED_IN_NAMES = str.maketrans("", "", "_ ")
_SHOWN_LENGTH = 100


def read_result(result: bytes) -> Measures:
    """Return the numbers of all 20 files of a result, ZIP or JSON.

    Raises:
        InvalidResult: It is neither, or files or fields are missing (all named at once), or a number is out of range.
    """
    files, others = read_archive(result) if result.startswith(_ZIP_START) else _read_object(result)
    objects = {name: _expect_object(files[name].value, files[name].steps) for name in FILE_NAMES if name in files}
    missing = {
        "files": ["/".join(name) for name in FILE_NAMES if name not in files],
        "fields": [
            f"{language}/{category}: {field}"
            for (language, category), members in objects.items()
            for field in FIELDS[category]
            if field not in members
        ],
    }
    lists = [f"missing {kind}: {', '.join(names)}" for kind, names in missing.items() if names]
    if missing["files"] and others:
        lists.append(f"found names that are none of the 20: {list_some(map(repr, others))}")
    if lists:
        raise InvalidResult(f"expected 20 category files with all their fields; {'; '.join(lists)}")
    return {
        name: {field: _read_number(members[field], field, name, files[name].steps) for field in FIELDS[name[1]]}
        for name, members in objects.items()
    }


def read_archive(data: bytes) -> tuple[dict[FileName, CategoryFile], list[str]]:
    """Return each category file in a ZIP, and the paths of others that are not read.

    Args:
        data: The ZIP. A file counts if its path ends in `{language}/{category}/{category}_all.json`, whatever comes
            before; `_`, spaces and case make no difference in names. Other files are ignored.

    Raises:
        InvalidResult: The archive is not safe to read or ambiguous, or a file is no strict JSON.
    """
    try:
        archive = ZipReader(io.BytesIO(data), max_bytes=MAX_TOTAL_BYTES)
    except ZipError as error:
        raise InvalidResult(f"ZIP: {error}") from error
    entries, others = _find_entries(archive.entries)
    files: dict[FileName, CategoryFile] = {}
    for name, entry in entries.items():
        try:
            files[name] = CategoryFile(strict_json.loads(archive.read(entry)), name)
        except ZipError as error:
            raise InvalidResult(f"ZIP: {_show(entry)}: {error}") from error
        except StrictJsonError as error:
            raise InvalidResult(f"{_show(entry)}: expected JSON: {error}") from error
    return files, others


def _find_entries(listed: Iterable[ZipInfo]) -> tuple[dict[FileName, ZipInfo], list[str]]:
    names = {_fold(f"{name[0]}/{name[1]}/{name[1]}_all.json"): name for name in FILE_NAMES}
    entries: dict[FileName, ZipInfo] = {}
    others: list[str] = []
    for entry in listed:
        try:
            path = check_path(entry)
        except ZipError as error:
            raise InvalidResult(f"ZIP: {_show(entry)}: {error}") from error
        name = names.get(_fold("/".join(path.split("/")[-3:])))
        if name in entries:
            raise InvalidResult(f"ZIP: two entries are the same file: {_show(entries[name])} and {_show(entry)}")
        if name is not None:
            entries[name] = entry
        elif len(path) <= _SHOWN_LENGTH and path.endswith(".json"):
            others.append(path)
    return entries, others


def _fold(path: str) -> str:
    return text_key(path).translate(_IGNORED_IN_NAMES).casefold()


def _show(entry: ZipInfo) -> str:
    path = entry.orig_filename
    return repr(path) if len(path) <= _SHOWN_LENGTH else f"a name of {len(path)} characters"


def _read_object(result: bytes) -> tuple[dict[FileName, CategoryFile], list[str]]:
    """Return each category file of a JSON result, and the names of other members."""
    try:
        value = strict_json.loads(result)
    except StrictJsonError as error:
        raise InvalidResult(f"expected JSON or a ZIP: {error}") from error
    names = {_fold("/".join(name)): name for name in FILE_NAMES}
    files: dict[FileName, CategoryFile] = {}
    others: list[str] = []
    for language, members_of in _expect_object(value, ()).items():
        is_read = _fold(language) in LANGUAGES or isinstance(members_of, dict)
        for category, members in _expect_object(members_of, (language,)).items() if is_read else ():
            steps = (language, category)
            name = names.get(_fold("/".join(steps)))
            if name in files:
                raise InvalidResult(f"two members are the same file: {files[name].steps} and {steps}", pointer(*steps))
            if name is not None:
                files[name] = CategoryFile(members, steps)
            else:
                others.append(shorten("/".join(steps), _SHOWN_LENGTH))
    return files, others


def _read_number(value: Json, field: FileField, name: FileName, steps: tuple[str, ...]) -> float:
    limit = _MAX_DELAY if field in _DELAYS else 1
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= limit:
        expected = "seconds, at least 0" if field in _DELAYS else "a number between 0 and 1"
        message = f"{'/'.join(name)}: {field}: expected {expected}, found {describe(value)}"
        raise InvalidResult(message, pointer(*steps, field))
    return float(value)


def _expect_object(value: Json, steps: tuple[str, ...]) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        path = "/".join(steps) or "result"
        raise InvalidResult(f"{path}: expected an object, found {describe(value)}", pointer(*steps))
    return value
