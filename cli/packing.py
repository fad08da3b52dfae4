"""Divides files and folders into batches: a file as it is, or files of a folder packed into a ZIP."""

import hashlib
import shutil
import tempfile
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import batched
from pathlib import Path
from typing import BinaryIO, NamedTuple

from scoring_core.errors import LaurelError
from scoring_core.io.formats import format_of
from scoring_core.io.safe_zip import is_hidden

MAX_FILES = 500
"""In one ZIP: an interrupted command repeats at most this many."""


class NothingToSubmit(LaurelError):
    """A path holds nothing that can be submitted."""


class PackedFile(NamedTuple):
    """A file, its name in the ZIP, and a digest of its content and name."""

    path: Path
    name: str
    digest: str


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


def make_batches(
    paths: Sequence[Path], *, takes: Sequence[str], submitted: Collection[str]
) -> tuple[list[PackedBatch], list[PackedFile], int]:
    """Divide files and folders into batches.

    Args:
        paths: Files and folders.
        takes: The formats of results; with `zip`, a folder is a single result.
        submitted: Digests of files that were submitted before.

    Returns:
        The batches, the files that were left out because they were submitted before, and how many files of folders
        were left alone because they are hidden or links.

    Raises:
        NothingToSubmit: A path does not exist, has another suffix, is an empty folder, or a name is no UTF-8.
    """
    batches: list[PackedBatch] = []
    skipped: list[PackedFile] = []
    left = 0
    bundle = "zip" in takes
    for path in paths:
        files, hidden = _list_files(path, takes=takes)
        left += hidden
        if bundle and path.is_dir():
            whole = hashlib.sha256("".join(file.digest for file in files).encode()).hexdigest()
            files = [file._replace(digest=whole) for file in files]
        new = [file for file in files if file.digest not in submitted]
        skipped += [file for file in files if file.digest in submitted]
        if not path.is_dir():
            batches += [PackedBatch(str(path), path.name, (file,), is_zip=False) for file in new]
            continue
        size = len(files) if bundle else MAX_FILES
        packs = list(batched(new, size, strict=False)) if new else []
        batches += [
            PackedBatch(f"{path} ({index} of {len(packs)})", f"{path.resolve().name}-{index}.zip", pack, is_zip=True)
            for index, pack in enumerate(packs, start=1)
        ]
    return batches, skipped, left


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
        return [_read_file(path, path.name)], 0
    every = [inner for inner in sorted(path.rglob("*")) if inner.is_file()]
    if "zip" not in takes:
        every = [file for file in every if format_of(file.name) in takes]
    inner = [file for file in every if not file.is_symlink() and not is_hidden(file.relative_to(path).as_posix())]
    if not inner:
        raise NothingToSubmit(f"{path}: expected a file, or a folder with files that end in .{', .'.join(takes)}")
    return [_read_file(file, file.relative_to(path).as_posix()) for file in inner], len(every) - len(inner)


def _read_file(path: Path, name: str) -> PackedFile:
    with path.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    if any("\udc80" <= letter <= "\udcff" for letter in name):
        raise NothingToSubmit(f"{name!a}: expected a name in UTF-8")
    # The digest covers the name, because the folder in it may name the part.
    return PackedFile(path, name, hashlib.sha256(f"{content}\0{name}".encode()).hexdigest())
