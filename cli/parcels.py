"""What is handed in as one drop: a file as it is, or files of a folder packed into a ZIP."""

import hashlib
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import batched
from pathlib import Path
from typing import BinaryIO, NamedTuple

from scoring_core.errors import LaurelError

SUFFIXES = frozenset({".json", ".jsonl", ".zip"})
MAX_FILES = 500
"""Of one ZIP: what an interrupted drop has to repeat at most."""


class NothingToSubmit(LaurelError):
    """A path that was named holds nothing that can be handed in."""


class Member(NamedTuple):
    """One file and what it is called in its ZIP; `digest` tells it from every other content."""

    path: Path
    name: str
    digest: str


class Batch(NamedTuple):
    """What becomes one drop.

    Args:
        name: As it is shown.
        filename: As it is uploaded.
        members: One file as it is, or those of a ZIP.
        is_packed: Whether they are packed.
    """

    name: str
    filename: str
    members: tuple[Member, ...]
    is_packed: bool


def make_batches(paths: Sequence[Path], *, bundle: bool, known: frozenset[str]) -> tuple[list[Batch], int]:
    """Divide what was named into drops.

    Args:
        paths: Files and folders.
        bundle: Whether a folder is one result.
        known: Digests of what was handed in before.

    Returns:
        The drops, and how many files are left out because they are known.

    Raises:
        NothingToDrop: A path is neither, or an empty folder.
    """
    parcels: list[Batch] = []
    skipped = 0
    for path in paths:
        members = _list_members(path, bundle=bundle)
        if bundle and path.is_dir():
            whole = hashlib.sha256("".join(one.digest for one in members).encode()).hexdigest()
            members = [one._replace(digest=whole) for one in members]
        new = [one for one in members if one.digest not in known]
        skipped += len(members) - len(new)
        if not path.is_dir():
            parcels += [Batch(str(path), path.name, (one,), is_packed=False) for one in new]
            continue
        size = len(members) if bundle else MAX_FILES
        packs = list(batched(new, size, strict=False)) if new else []
        parcels += [
            Batch(f"{path} ({index} of {len(packs)})", f"{path.resolve().name}-{index}.zip", pack, is_packed=True)
            for index, pack in enumerate(packs, start=1)
        ]
    return parcels, skipped


@contextmanager
def open_batch(parcel: Batch) -> Iterator[BinaryIO]:
    """Open what is to be uploaded, packed where it has to be."""
    if not parcel.is_packed:
        with parcel.members[0].path.open("rb") as file:
            yield file
        return
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for one in parcel.members:
                archive.write(one.path, one.name)
        file.seek(0)
        yield file


def _list_members(path: Path, *, bundle: bool) -> list[Member]:
    if path.is_file():
        if path.suffix.lower() not in SUFFIXES:
            raise NothingToSubmit(f"{path}: expected a name that ends in {', '.join(sorted(SUFFIXES))}")
        return [_make_member(path, path.name)]
    found = sorted(one for one in path.rglob("*" if bundle else "*.json") if one.is_file())
    if not found:
        raise NothingToSubmit(f"{path}: expected a file, or a folder with .json files in it")
    return [_make_member(one, one.relative_to(path).as_posix()) for one in found]


def _make_member(path: Path, name: str) -> Member:
    with path.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    # The name counts: in a folder it may tell the part.
    return Member(path, name, hashlib.sha256(f"{content}\0{name}".encode()).hexdigest())
