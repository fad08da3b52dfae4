"""Decides how a batch is read, and reads it: never more in memory than one result.

An error in one entry is reported for that entry alone.
"""

from collections.abc import Iterator
from typing import BinaryIO

from scoring_core.io.formats import JSON, format_of
from scoring_core.io.limits import MAX_BATCH_BYTES, MAX_BATCH_ENTRIES
from storage.benchmarks.store import PublishedBenchmark
from submit.batch_import.archive import read_archive
from submit.batch_import.entries import (
    Entry,
    EntryError,
    InvalidEntry,
    Rules,
    list_endings,
    max_entry_bytes,
    read_file,
    read_label,
    show_name,
    validate_entry,
)

_SKIPPED_BYTES = 2**20


def check_batch(file: str, *, size_bytes: int, published: PublishedBenchmark) -> str | None:
    """Return what is wrong with a batch before it is read; None if nothing is."""
    rules, file_format = _rules_of(published), format_of(file)
    # A file with many results: a ZIP of files, or lines of JSON.
    batches = {"zip", "jsonl"} if JSON in rules.takes else {"zip"}
    if file_format not in batches.union(rules.takes):
        return f"expected a name that ends in {list_endings(batches.union(rules.takes))}, found {show_name(file)}"
    single = max_entry_bytes(rules) if file_format == JSON else rules.max_bytes
    limit = single if file_format in rules.takes else MAX_BATCH_BYTES
    if not 0 < size_bytes <= limit:
        return f"expected 1 to {limit} bytes, found {size_bytes}"
    return None


def check_tickets(published: PublishedBenchmark) -> str | None:
    """Return why a benchmark takes no batches; None if it does."""
    if published.definition.runs is None:
        return None
    return "this benchmark takes no files: each result needs the run ticket of its play, so send results one by one"


def read_batch(content: BinaryIO, file: str, published: PublishedBenchmark) -> Iterator[Entry | EntryError]:
    """Read a batch that `check_batch` accepts. Raises UnreadableBatch."""
    rules = _rules_of(published)
    match format_of(file):
        case name if name != JSON and name in rules.takes:
            return iter([read_file(file, content.read(rules.max_bytes + 1), rules)])
        case "zip":
            return read_archive(content, rules)
        case "jsonl":
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
    MAX_BATCH_ENTRIES reading stops.
    """
    limit, number, entries = max_entry_bytes(rules), 0, 0
    while line := file.readline(limit + 3):
        number += 1
        is_whole = line.endswith(b"\n")
        content = line.removesuffix(b"\n").removesuffix(b"\r")
        if len(content) <= limit and not content.strip():
            continue
        if entries == MAX_BATCH_ENTRIES:
            yield EntryError(f"line {number}", f"expected at most {MAX_BATCH_ENTRIES} results: the rest was not read")
            return
        entries += 1
        yield validate_entry(f"line {number}", content, rules)
        while not is_whole and (rest := file.readline(_SKIPPED_BYTES)):
            is_whole = rest.endswith(b"\n")


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
    return Rules(
        definition.submissions.max_bytes,
        parts=parts,
        takes_labels=definition.takes_labels,
        takes=definition.submissions.takes,
    )
