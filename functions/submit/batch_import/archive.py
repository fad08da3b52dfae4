"""Reads an untrusted ZIP of results; an error in one entry is reported for that entry alone."""

from collections.abc import Iterator, Sequence
from typing import BinaryIO
from zipfile import ZipInfo

from scoring_core.errors import ZipError
from scoring_core.io.safe_zip import ZipReader, check_path
from scoring_core.io.text import list_some
from submit.batch_import.entries import (
    MAX_BATCH_BYTES,
    MAX_ENTRIES,
    MAX_NAME_LENGTH,
    Entry,
    EntryError,
    InvalidEntry,
    Rules,
    UnreadableBatch,
    read_label,
    show_name,
    too_large_message,
    validate_entry,
)

MAX_RATIO = 200
"""Limit of an entry larger than SMALL_BYTES; deflate reaches 1,032, JSON of numbers hardly 20."""
SMALL_BYTES = 2**20
_SYSTEM_FOLDER = "__MACOSX/"


def read_archive(file: BinaryIO, rules: Rules) -> Iterator[Entry | EntryError]:
    """Read a ZIP of JSON files in the order in which it stores them.

    Folders are skipped. If entries name a part, it is the name of the file's folder, else of the file:
    `level-1/anything.json`, `level-1.json`.

    Raises:
        UnreadableBatch: It is no ZIP, or holds too much. Raised before the first entry, never later.
    """
    try:
        # The reader counts folders and system files, too; `_check_amount` counts results alone.
        archive = ZipReader(file, max_bytes=MAX_BATCH_BYTES, max_entries=10 * MAX_ENTRIES)
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
    if unpacked > MAX_BATCH_BYTES:
        raise UnreadableBatch(f"expected at most {MAX_BATCH_BYTES} bytes unpacked, found {unpacked}")


def _read_entry(archive: ZipReader, info: ZipInfo, names: set[str], rules: Rules) -> Entry | EntryError:
    name = show_name(info.orig_filename)
    try:
        _check_entry(info, names, rules)
        part = _find_part(info.filename, rules)
        label = read_label(info.filename, rules, part=part)
        content = archive.read(info)
    except InvalidEntry as error:
        return EntryError(name, str(error))
    except ZipError as error:
        return EntryError(name, show_name(str(error)))
    entry = validate_entry(name, content, Rules(rules.max_bytes), part=part)
    return entry._replace(label=label) if isinstance(entry, Entry) else entry


def _check_entry(info: ZipInfo, names: set[str], rules: Rules) -> None:
    path = info.orig_filename
    # The shown name must be unique: the submission id is derived from it.
    if not path.isprintable() or len(path) > MAX_NAME_LENGTH:
        raise InvalidEntry(f"expected a path of at most {MAX_NAME_LENGTH} printable characters")
    check_path(info)
    if path in names:
        raise InvalidEntry("expected each name once, found this one twice")
    names.add(path)
    if not path.lower().endswith(".json"):
        raise InvalidEntry("expected a name that ends in .json")
    if info.file_size > rules.max_bytes:
        raise InvalidEntry(too_large_message(rules))
    if info.file_size > max(SMALL_BYTES, MAX_RATIO * info.compress_size):
        raise InvalidEntry(f"expected at most {MAX_RATIO} times its packed size")


def _find_part(path: str, rules: Rules) -> str | None:
    if not rules.parts:
        return None
    folder, _, file = path.rpartition("/")
    for name in (folder.rpartition("/")[2], file[: -len(".json")]):
        if name in rules.parts:
            return name
    raise InvalidEntry(f"expected its folder, or the file itself, to be named one of {list_some(rules.parts)}")
