"""Reads a ZIP of results whose maker is not trusted: what is wrong with one entry is reported of that entry alone."""

from collections.abc import Iterator, Sequence
from typing import BinaryIO
from zipfile import ZipInfo

from scoring_core.errors import LaurelError, ZipError
from scoring_core.io.safe_zip import ZipReader, check_path
from submit.batch_import.entries import (
    MAX_NAME_LENGTH,
    Entry,
    EntryError,
    InvalidEntry,
    Rules,
    list_parts,
    show_name,
    too_large_message,
    validate_entry,
)
from submit.batch_import.readers import MAX_ENTRIES

MAX_DROP_BYTES = 1_000_000_000
MAX_RATIO = 200
"""Of an entry that is larger than SMALL_BYTES; deflate reaches 1,032, JSON of numbers hardly 20."""
SMALL_BYTES = 2**20
_SYSTEM_FOLDER = "__MACOSX/"


class UnreadableBatch(LaurelError):
    """Nothing of the batch can be read."""


def read_archive(file: BinaryIO, rules: Rules) -> Iterator[Entry | EntryError]:
    """Read a ZIP of JSON files, in the order in which they are stored in it; folders are skipped.

    Where results name a part, the folder that holds the file names it, else the file itself: `level-1/anything.json`,
    `level-1.json`.

    Raises:
        UnreadableBatch: It is no ZIP, or one with too much in it. Raised before the first entry, never later.
    """
    try:
        # Folders and files of the system are listed too, and do not count.
        archive = ZipReader(file, max_bytes=MAX_DROP_BYTES, max_entries=10 * MAX_ENTRIES)
    except ZipError as error:
        raise UnreadableBatch(f"expected a ZIP: {error}") from error
    results = sorted(filter(_is_result, archive.entries), key=lambda info: info.header_offset)
    _check_amount(results, rules)
    names: set[str] = set()
    for info in results:
        yield _read_entry(archive, info, names, rules)


def _is_result(info: ZipInfo) -> bool:
    return not info.is_dir() and not info.filename.startswith(_SYSTEM_FOLDER)


def _check_amount(results: Sequence[ZipInfo], rules: Rules) -> None:
    if len(results) > MAX_ENTRIES:
        raise UnreadableBatch(f"expected at most {MAX_ENTRIES} entries, found {len(results)}")
    unpacked = sum(info.file_size for info in results if info.file_size <= rules.max_bytes)
    if unpacked > MAX_DROP_BYTES:
        raise UnreadableBatch(f"expected at most {MAX_DROP_BYTES} bytes unpacked, found {unpacked}")


def _read_entry(archive: ZipReader, info: ZipInfo, names: set[str], rules: Rules) -> Entry | EntryError:
    name = show_name(info.orig_filename)
    try:
        _check_entry(info, names, rules)
        part = _find_part(info.filename, rules)
        content = archive.read(info)
    except InvalidEntry as error:
        return EntryError(name, str(error))
    except ZipError as error:
        return EntryError(name, show_name(str(error)))
    return validate_entry(name, content, Rules(rules.max_bytes), part=part)


def _check_entry(info: ZipInfo, names: set[str], rules: Rules) -> None:
    path = info.orig_filename
    # The shown name must be unique: the submission id is derived from it.
    if not path.isprintable() or len(path) > MAX_NAME_LENGTH:
        raise InvalidEntry(f"expected a path of at most {MAX_NAME_LENGTH} printable characters")
    check_path(info)
    if path in names:
        raise InvalidEntry("this name is there twice: expected it once")
    names.add(path)
    if not path.lower().endswith(".json"):
        raise InvalidEntry("expected a name that ends in .json")
    if info.file_size > rules.max_bytes:
        raise InvalidEntry(too_large_message(rules))
    if info.file_size > max(SMALL_BYTES, MAX_RATIO * info.compress_size):
        raise InvalidEntry(f"expected it to be at most {MAX_RATIO} times larger unpacked")


def _find_part(path: str, rules: Rules) -> str | None:
    if not rules.parts:
        return None
    folder, _, file = path.rpartition("/")
    for name in (folder.rpartition("/")[2], file[: -len(".json")]):
        if name in rules.parts:
            return name
    raise InvalidEntry(f"expected its folder, or the file itself, to be named {list_parts(rules.parts)}")
