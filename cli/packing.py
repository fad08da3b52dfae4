"""Divides files and folders into batches: a file as it is, or files of a folder packed into a ZIP."""

import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import batched
from pathlib import Path
from typing import BinaryIO, NamedTuple

from scoring_core.errors import LaurelError
from scoring_core.io.formats import format_of
from scoring_core.io.safe_zip import is_hidden

MAX_FILES = 500
"""In one ZIP."""


class NothingToSubmit(LaurelError):
    """A path holds nothing that can be submitted."""


class PackedFile(NamedTuple):
    """A file, and its name in the ZIP."""

    path: Path
    name: str


class PackedBatch(NamedTuple):
    """One upload: a single file as it is, or a ZIP; `name` is shown to people."""

    name: str
    filename: str
    files: tuple[PackedFile, ...]
    is_zip: bool

    @property
    def size_bytes(self) -> int:
        """Size of the files, unpacked."""
        return sum(file.path.stat().st_size for file in self.files)


def make_batches(paths: Sequence[Path], *, takes: Sequence[str]) -> tuple[list[PackedBatch], int]:
    """Divide files and folders into batches.

    Args:
        paths: Files and folders.
        takes: The formats of results; with `zip`, a folder is a single result.

    Returns:
        The batches, and how many files of folders were left alone because they are hidden or links.

    Raises:
        NothingToSubmit: A path does not exist, has another suffix, is an empty folder, or a name is no UTF-8.
    """
    batches: list[PackedBatch] = []
    left = 0
    for path in paths:
        files, hidden = _list_files(path, takes=takes)
        left += hidden
        if not path.is_dir():
            batches.append(PackedBatch(str(path), path.name, tuple(files), is_zip=False))
            continue
        packs = list(batched(files, len(files) if "zip" in takes else MAX_FILES, strict=False))
        batches += [
            PackedBatch(f"{path} ({index} of {len(packs)})", f"{path.resolve().name}-{index}.zip", pack, is_zip=True)
            for index, pack in enumerate(packs, start=1)
        ]
    return batches, left


@contextmanager
def open_batch(batch: PackedBatch) -> Iterator[BinaryIO]:
    """Open the content of an upload."""
    if not batch.is_zip:
        with batch.files[0].path.open("rb") as content:
            yield content
        return
    with tempfile.TemporaryFile() as content:
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in batch.files:
                # Without the time of the file, equal files make equal bytes, which the site recognises.
                member = zipfile.ZipInfo(file.name)
                member.compress_type = zipfile.ZIP_DEFLATED
                with file.path.open("rb") as source, archive.open(member, "w") as target:
                    shutil.copyfileobj(source, target)
        content.seek(0)
        yield content


def _list_files(path: Path, *, takes: Sequence[str]) -> tuple[list[PackedFile], int]:
    """Return the files of a path, and how many of a folder are left alone.

    Those are hidden, or links, which may lead out of it.
    """
    if path.is_file():
        endings = {*takes, "zip"} | ({"jsonl"} if "json" in takes else set())
        if format_of(path.name) not in endings:
            advice = "; put it into a folder, and drop the folder: here a folder is one result"
            expected = ", ".join(f".{ending}" for ending in sorted(endings))
            raise NothingToSubmit(f"{path}: expected a name that ends in {expected}{advice if 'zip' in takes else ''}")
        return [_name_file(path, path.name)], 0
    every = [inner for inner in sorted(path.rglob("*")) if inner.is_file()]
    if "zip" not in takes:
        every = [file for file in every if format_of(file.name) in takes]
    inner = [file for file in every if not file.is_symlink() and not is_hidden(file.relative_to(path).as_posix())]
    if not inner:
        raise NothingToSubmit(f"{path}: expected a file, or a folder with files that end in .{', .'.join(takes)}")
    return [_name_file(file, file.relative_to(path).as_posix()) for file in inner], len(every) - len(inner)


def _name_file(path: Path, name: str) -> PackedFile:
    if any("\udc80" <= letter <= "\udcff" for letter in name):
        raise NothingToSubmit(f"{name!a}: expected a name in UTF-8")
    return PackedFile(path, name)
