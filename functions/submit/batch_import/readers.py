"""Readers of drops that are JSON, JSONL or a bundle: never more in memory than one result.

What is wrong with one entry is told of that entry alone.
"""

from collections.abc import Iterator
from typing import BinaryIO

from submit.batch_import.entries import Entry, EntryError, Rules, max_entry_bytes, too_large_message, validate_entry

MAX_ENTRIES = 10_000
_SKIPPED_BYTES = 2**20
_ZIP_START = b"PK"


def read_json(file: BinaryIO, name: str, rules: Rules) -> Iterator[Entry | EntryError]:
    """Read a file that is one result, or `{"part": …, "result": …}` where results name a part."""
    content = file.read(max_entry_bytes(rules) + 1)
    yield validate_entry(name, content, rules)


def read_lines(file: BinaryIO, rules: Rules) -> Iterator[Entry | EntryError]:
    """Read a JSONL, each line as `read_json` reads a file; blank lines are passed over, but counted.

    A line that is too long is told without being kept; after MAX_ENTRIES nothing more is read.
    """
    limit, number, entries = max_entry_bytes(rules), 0, 0
    while line := file.readline(limit + 3):
        number += 1
        whole = line.endswith(b"\n")
        content = line.removesuffix(b"\n").removesuffix(b"\r")
        if len(content) <= limit and not content.strip():
            continue
        if entries == MAX_ENTRIES:
            yield EntryError(f"line {number}", f"expected at most {MAX_ENTRIES} results: from here on nothing was read")
            return
        entries += 1
        yield validate_entry(f"line {number}", content, rules)
        while not whole and (rest := file.readline(_SKIPPED_BYTES)):
            whole = rest.endswith(b"\n")


def read_bundle(file: BinaryIO, name: str, rules: Rules) -> Iterator[Entry | EntryError]:
    """Read a ZIP that is one result as a whole; what is in it is for the scorer to judge."""
    content = file.read(rules.max_bytes + 1)
    if len(content) > rules.max_bytes:
        yield EntryError(name, too_large_message(rules))
    elif not content.startswith(_ZIP_START):
        yield EntryError(name, "expected a ZIP")
    else:
        yield Entry(name, content)
