"""Decides how a batch is read, and reads it: never more in memory than one result.

An error in one entry is reported for that entry alone.
"""

from collections.abc import Iterator
from datetime import datetime
from types import MappingProxyType
from typing import BinaryIO

from storage.benchmarks.store import PublishedBenchmark
from submit.batch_import.archive import read_archive
from submit.batch_import.entries import (
    MAX_BATCH_BYTES,
    MAX_ENTRIES,
    Entry,
    EntryError,
    InvalidEntry,
    Rules,
    max_entry_bytes,
    read_label,
    show_name,
    too_large_message,
    validate_entry,
)

MEDIA_TYPES = MappingProxyType({".json": "application/json", ".jsonl": "application/jsonl", ".zip": "application/zip"})
"""Suffix of a batch's file → its media type."""
_SKIPPED_BYTES = 2**20
_ZIP_START = b"PK"


def check_batch(file: str, *, size_bytes: int, published: PublishedBenchmark) -> str | None:
    """Return what is wrong with a batch before it is read; None if nothing is."""
    suffix = suffix_of(file)
    if suffix not in MEDIA_TYPES:
        return f"expected a name that ends in {', '.join(MEDIA_TYPES)}, found {show_name(file)}"
    is_single = suffix == ".json" or is_bundle(file, published)
    limit = max_entry_bytes(_rules_of(published)) if is_single else MAX_BATCH_BYTES
    if not 0 < size_bytes <= limit:
        return f"expected 1 to {limit} bytes, found {size_bytes}"
    return None


def check_tickets(published: PublishedBenchmark) -> str | None:
    """Return why a benchmark takes no batches; None if it does."""
    if published.definition.runs is None:
        return None
    return "this benchmark takes no files: each result needs the run ticket of its play, so send results one by one"


def check_window(moment: datetime, published: PublishedBenchmark) -> str | None:
    """Return why S3 received a batch too early or too late; None if it did not."""
    definition = published.definition
    if published.archived is not None and moment >= published.archived.at:
        return published.archived.describe()
    match definition.phase_at(moment):
        case "not_open_yet":
            return f"this benchmark opens at {definition.opens}"
        case "closed":
            return f"this benchmark closed at {definition.closes}"
    return None


def suffix_of(file: str) -> str:
    """Return the suffix of a file's name, in lower case, with its dot."""
    return "." + file.rpartition(".")[2].lower()


def is_bundle(file: str, published: PublishedBenchmark) -> bool:
    """Return whether a batch is a ZIP that is one result as a whole."""
    return suffix_of(file) == ".zip" and published.definition.submissions.bundle


def read_batch(content: BinaryIO, file: str, published: PublishedBenchmark) -> Iterator[Entry | EntryError]:
    """Read a batch that `check_batch` accepts. Raises UnreadableBatch."""
    rules = _rules_of(published)
    if is_bundle(file, published):
        return read_bundle(content, file, rules)
    match suffix_of(file):
        case ".zip":
            return read_archive(content, rules)
        case ".jsonl":
            return read_lines(content, rules)
        case _:
            return read_json(content, file, rules)


def read_json(file: BinaryIO, name: str, rules: Rules) -> Iterator[Entry | EntryError]:
    """Read a file that is one result, in its wrapper if entries name a part."""
    content = file.read(max_entry_bytes(rules) + 1)
    yield _label(validate_entry(show_name(name), content, rules), name, rules)


def read_lines(file: BinaryIO, rules: Rules) -> Iterator[Entry | EntryError]:
    """Read a JSONL, each line like a file of `read_json`; blank lines are skipped.

    Blank lines count as lines, and no line has a label. A line that is too long is reported without being kept; after
    MAX_ENTRIES reading stops.
    """
    limit, number, entries = max_entry_bytes(rules), 0, 0
    while line := file.readline(limit + 3):
        number += 1
        is_whole = line.endswith(b"\n")
        content = line.removesuffix(b"\n").removesuffix(b"\r")
        if len(content) <= limit and not content.strip():
            continue
        if entries == MAX_ENTRIES:
            yield EntryError(f"line {number}", f"expected at most {MAX_ENTRIES} results: the rest was not read")
            return
        entries += 1
        yield validate_entry(f"line {number}", content, rules)
        while not is_whole and (rest := file.readline(_SKIPPED_BYTES)):
            is_whole = rest.endswith(b"\n")


def read_bundle(file: BinaryIO, name: str, rules: Rules) -> Iterator[Entry | EntryError]:
    """Read a ZIP that is one result as a whole; the scorer checks its content."""
    content = file.read(rules.max_bytes + 1)
    shown = show_name(name)
    if len(content) > rules.max_bytes:
        yield EntryError(shown, too_large_message(rules))
    elif not content.startswith(_ZIP_START):
        yield EntryError(shown, "expected a ZIP")
    else:
        yield _label(Entry(shown, content), name, rules)


def _label(entry: Entry | EntryError, file: str, rules: Rules) -> Entry | EntryError:
    """Return an entry with the label that its file gives, or why that cannot be one."""
    if isinstance(entry, EntryError):
        return entry
    try:
        return entry._replace(label=read_label(file, rules, part=entry.part))
    except InvalidEntry as error:
        return EntryError(entry.name, str(error))


def _rules_of(published: PublishedBenchmark) -> Rules:
    """Return what a benchmark accepts, with parts if an entry must name one."""
    definition = published.definition
    parts = published.parts if definition.needs_part else ()
    return Rules(definition.submissions.max_bytes, parts=parts, takes_labels=definition.takes_labels)
