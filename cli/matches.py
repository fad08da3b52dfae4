"""What `laurel find` finds, over HTTP or in the tables of a stack."""

from pathlib import PurePath
from typing import NamedTuple

MAX_ENTRIES = 20
"""Entries of a benchmark that are shown of those with a file's name."""


class Match(NamedTuple):
    """Something that was looked for: in which benchmark, what it is, its id, and what to know of it."""

    benchmark: str
    what: str
    id: str
    summary: str


def is_file(text: str, name: str) -> bool:
    """Return whether a name in a batch is that of a file, as the command was given it.

    >>> is_file("runs/37.json", "37.json"), is_file("37.json", "deep/37.json"), is_file("7.json", "37.json")
    (True, True, False)
    """
    return PurePath(text).name == PurePath(name).name


def describe_entry(benchmark: str, file: str, entry: str, submission: str | None, status: str) -> Match:
    """Return the match of an entry of a batch."""
    return Match(benchmark, "entry", submission or "–", f"{entry} of {file}: {status}")
