"""The forms of a drop: what is taken as a whole, and which reader reads it."""

from collections.abc import Iterator
from datetime import datetime
from types import MappingProxyType
from typing import BinaryIO

from storage.benchmarks.store import PublishedBenchmark
from submit.batch_import.archive import MAX_DROP_BYTES, read_archive
from submit.batch_import.entries import Entry, EntryError, Rules, max_entry_bytes, show_name
from submit.batch_import.readers import read_bundle, read_json, read_lines

MEDIA_TYPES = MappingProxyType({".json": "application/json", ".jsonl": "application/jsonl", ".zip": "application/zip"})
"""Suffix of a drop → its media type."""


def check_batch(file: str, *, size_bytes: int, published: PublishedBenchmark) -> str | None:
    """Tell what is wrong with a drop as a whole, before it is read; None where nothing is.

    Args:
        file: Its name; the suffix tells how it is read.
        size_bytes: Its size.
        published: The benchmark.
    """
    suffix = suffix_of(file)
    if suffix not in MEDIA_TYPES:
        return f"expected a name that ends in {', '.join(MEDIA_TYPES)}, found {show_name(file)}"
    is_one = suffix == ".json" or is_bundle(file, published)
    limit = max_entry_bytes(rules_of(published)) if is_one else MAX_DROP_BYTES
    if not 0 < size_bytes <= limit:
        return f"expected 1 to {limit} bytes, found {size_bytes}"
    return None


def check_window(moment: datetime, published: PublishedBenchmark) -> str | None:
    """Tell that a drop came too early or too late; None where it did not.

    Args:
        moment: When S3 had it.
        published: The benchmark.
    """
    definition = published.definition
    match definition.phase_at(moment):
        case "not_open_yet":
            return f"this benchmark opens at {definition.opens}"
        case "closed":
            return f"this benchmark closed at {definition.closes}"
    return None


def suffix_of(file: str) -> str:
    """Give the suffix of a file's name, in lower case, with its dot."""
    return "." + file.rpartition(".")[2].lower()


def rules_of(published: PublishedBenchmark) -> Rules:
    """Give what a benchmark takes in a drop: only a script is told its part, elsewhere the result names it."""
    definition = published.definition
    return Rules(
        max_bytes=definition.submissions.max_bytes, parts=published.parts if definition.scorer == "script" else ()
    )


def is_bundle(file: str, published: PublishedBenchmark) -> bool:
    """Tell whether a drop is one result as a whole, a ZIP."""
    return suffix_of(file) == ".zip" and published.definition.submissions.bundle


def read_batch(content: BinaryIO, file: str, published: PublishedBenchmark) -> Iterator[Entry | EntryError]:
    """Read a drop that `check_drop` takes. Raises BrokenDrop."""
    rules, name = rules_of(published), show_name(file)
    if is_bundle(file, published):
        return read_bundle(content, name, rules)
    match suffix_of(file):
        case ".zip":
            return read_archive(content, rules)
        case ".jsonl":
            return read_lines(content, rules)
        case _:
            return read_json(content, name, rules)
