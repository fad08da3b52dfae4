"""Decides how a batch is read, and reads it: never more in memory than one result.

An error in one entry is reported for that entry alone.
"""

from collections.abc import Iterator, Sequence
from typing import BinaryIO
from zipfile import ZipInfo

from scoring_core.errors import ZipError
from scoring_core.io.formats import JSON, format_of
from scoring_core.io.limits import MAX_BATCH_BYTES, MAX_BATCH_ENTRIES, MAX_RESULT_BYTES
from scoring_core.io.safe_zip import ZipReader, check_entry, is_hidden
from storage.benchmarks.store import PublishedBenchmark
from submit.batch_import.entries import (
    MAX_NAME_LENGTH,
    Entry,
    EntryError,
    InvalidEntry,
    Rules,
    UnreadableBatch,
    check_ending,
    find_part,
    list_endings,
    max_entry_bytes,
    read_file,
    read_label,
    show_name,
    too_large_message,
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
    limit = rules.max_bytes if file_format in rules.takes else MAX_BATCH_BYTES
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
    rules, file_format = _rules_of(published), format_of(file)
    if file_format in rules.takes:
        return iter([read_file(file, content.read(rules.max_bytes + 1), rules)])
    return read_archive(content, rules) if file_format == "zip" else read_lines(content, rules)


def read_lines(file: BinaryIO, rules: Rules) -> Iterator[Entry | EntryError]:
    """Read a JSONL, a result on each line, in its wrapper if entries name a part.

    Blank lines are skipped, but count as lines, and no line has a label. A line that is too long is reported without
    being kept; after MAX_BATCH_ENTRIES reading stops.
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


def _rules_of(published: PublishedBenchmark) -> Rules:
    """Return what a benchmark accepts, with parts if an entry must name one."""
    definition = published.definition
    parts = published.parts if definition.needs_part else ()
    return Rules(
        min(definition.submissions.max_bytes, MAX_RESULT_BYTES),
        parts=parts,
        takes_labels=definition.takes_labels,
        takes=definition.submissions.takes,
    )


def read_archive(file: BinaryIO, rules: Rules) -> Iterator[Entry | EntryError]:
    """Read a ZIP of files, one result each, in the order in which it stores them.

    Folders and hidden files are skipped. If entries name a part, it is the name of the file's folder, else of the file:
    `level-1/anything.json`, `level-1.json`. Raises UnreadableBatch if it is no ZIP, or holds nothing or too much.
    Raised before the first entry, never later.
    """
    try:
        # The reader counts folders and system files, too; `_check_amount` counts results alone.
        entries = 10 * MAX_BATCH_ENTRIES
        archive = ZipReader(file, max_bytes=MAX_BATCH_BYTES, max_entries=entries, reads_windows=True)
    except ZipError as error:
        raise UnreadableBatch(f"expected a ZIP: {error}") from error
    results = sorted(filter(_is_result, archive.entries), key=lambda info: info.header_offset)
    _check_amount(results, rules)
    names: set[str] = set()
    for info in results:
        yield _read_entry(archive, info, names, rules)


def _is_result(info: ZipInfo) -> bool:
    return not info.is_dir() and not is_hidden(info.filename)


def _check_amount(results: Sequence[ZipInfo], rules: Rules) -> None:
    if not results:
        raise UnreadableBatch("expected a ZIP with results, found folders and hidden files at most")
    if len(results) > MAX_BATCH_ENTRIES:
        raise UnreadableBatch(f"expected at most {MAX_BATCH_ENTRIES} entries, found {len(results)}")
    unpacked = sum(info.file_size for info in results if info.file_size <= rules.max_bytes)
    if unpacked > MAX_BATCH_BYTES:
        raise UnreadableBatch(f"expected at most {MAX_BATCH_BYTES} bytes unpacked, found {unpacked}")


def _read_entry(archive: ZipReader, info: ZipInfo, names: set[str], rules: Rules) -> Entry | EntryError:
    name = show_name(info.orig_filename)
    try:
        _check_entry(info, names, rules)
        # Before it is unpacked: what its path rejects need not be.
        read_label(info.filename, rules, part=find_part(info.filename, rules))
        content = archive.read(info)
    except InvalidEntry as error:
        return EntryError(name, str(error))
    except ZipError as error:
        return EntryError(name, show_name(str(error)))
    return read_file(info.filename, content, rules)


def _check_entry(info: ZipInfo, names: set[str], rules: Rules) -> None:
    path = info.orig_filename
    # The shown name must be unique: the submission id is derived from it.
    if not path.isprintable() or len(path) > MAX_NAME_LENGTH:
        raise InvalidEntry(f"expected a path of at most {MAX_NAME_LENGTH} printable characters")
    check_entry(info, names)
    check_ending(path, rules)
    if info.file_size > rules.max_bytes:
        raise InvalidEntry(too_large_message(rules))
