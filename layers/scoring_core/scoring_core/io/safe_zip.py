"""The reader of ZIPs whose maker is not trusted, and which files are hidden, in ZIPs and folders.

Nothing is unpacked to disk, and no figure of the archive's own is trusted.
"""

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import BinaryIO, Final

from scoring_core.errors import ZipError
from scoring_core.io.limits import MAX_RATIO, MAX_UNPACKED_BYTES, SMALL_BYTES
from scoring_core.io.text import shorten, show_harmless

MAX_ENTRIES = 10_000
MAX_DIRECTORY_BYTES = 4 * 2**20
"""Of the table of contents: 10,000 paths of some 350 characters."""
HIDDEN_NAMES: Final = frozenset({"__macosx", "__pycache__", "desktop.ini", "thumbs.db"})
"""Besides names that begin with a dot; in lower case. The site has the same in `folder.ts`."""

_CENTRAL_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 0x1
_SHOWN_LENGTH = 100
_SUSPICIOUS = re.compile(r"[\x00-\x1f\x7f\\]|\A/|\A[A-Za-z]:|\A\Z|(?:\A|/)\.\.(?:/|\Z)")
# What zipfile raises for archives that are cut, corrupt or made to confuse.
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, OverflowError, RuntimeError, ValueError)


def is_hidden(path: str) -> bool:
    """Return whether a file or a folder that it is in is hidden.

    A path that leads elsewhere is not: it is refused where paths are checked.

    >>> [is_hidden(path) for path in ("runs/.DS_Store", "a/.ipynb_checkpoints/b.json", "._a.json", "x/Thumbs.db")]
    [True, True, True, True]
    >>> [is_hidden(path) for path in ("a.json", "../a.json", "./a.json", "a./b..json", "thumbs.db.json")]
    [False, False, False, False, False]
    """
    return any(
        (name.startswith(".") and name not in {".", ".."}) or name.lower() in HIDDEN_NAMES for name in path.split("/")
    )


class ZipReader:
    """An open ZIP, read within limits.

    Args:
        file: A binary file that can seek.
        max_bytes: How much all entries together may unpack to, whatever sizes they declare.
        max_entries: How many entries are parsed, folders included.
        reads_windows: Whether a backslash is read as `/` in an archive without any `/`: PowerShell 5.1 makes such ones.
            It is not where the archive is passed on as it is, for the next reader would see other paths.

    Raises:
        ZipError: It is no ZIP, or its table of contents is damaged or too large.
    """

    def __init__(
        self, file: BinaryIO, *, max_bytes: int, max_entries: int = MAX_ENTRIES, reads_windows: bool = False
    ) -> None:
        self._max_bytes = self._left = max_bytes
        bounded = _BoundedFile(file, max_entries)
        with _zip_errors():
            self._archive = zipfile.ZipFile(bounded)
        bounded.is_open = True
        self._stored_names = {id(entry): entry.orig_filename for entry in self.entries}
        if reads_windows and not any("/" in name for name in self._stored_names.values()):
            for entry in self.entries:
                entry.orig_filename = entry.orig_filename.replace("\\", "/")
                entry.filename = entry.filename.replace("\\", "/")

    @property
    def entries(self) -> Sequence[zipfile.ZipInfo]:
        """All entries, in the order of the table of contents."""
        return self._archive.infolist()

    def read(self, entry: zipfile.ZipInfo) -> bytes:
        """Return the content of one entry.

        Raises ZipError if it is a link, encrypted, packed otherwise, damaged, or above `max_bytes` with those before.
        """
        _check_form(entry)
        stored = copy(entry)  # zipfile compares its name with the one beside the content
        stored.orig_filename = self._stored_names[id(entry)]
        with _zip_errors(), self._archive.open(stored) as stream:
            # One byte more than expected: only at the end of an entry does zipfile compare the checksum.
            content = stream.read(min(self._left, entry.file_size) + 1)
        self._left -= len(content)
        if self._left < 0:
            raise ZipError(f"expected at most {self._max_bytes} bytes unpacked")
        if len(content) != entry.file_size:
            raise ZipError("broken: it is not as long as the archive says")
        return content


def check_path(entry: zipfile.ZipInfo) -> str:
    """Return the path of an entry.

    Raises ZipError if the path leads out of the archive, or hides what it is.
    """
    # `filename` ends at the first NUL; `orig_filename` is what the archive really says.
    if _SUSPICIOUS.search(entry.orig_filename):
        raise ZipError("expected a plain relative path with /")
    return entry.orig_filename


def check_archive(content: bytes) -> None:
    """Check all that a ZIP which is one result says of itself; nothing is unpacked.

    Its entries must be files that `ZipReader.read` takes, each once and under a plain path; packed they fit into the
    archive, unpacked they have at most MAX_UNPACKED_BYTES, and none is packed to less than a MAX_RATIO-th. Raises
    ZipError, which says why not, with the path of the entry.
    """
    entries = ZipReader(io.BytesIO(content), max_bytes=MAX_UNPACKED_BYTES).entries
    paths: set[str] = set()
    for entry in entries:
        try:
            check_entry(entry, paths)
        except ZipError as error:
            raise ZipError(f"{show_harmless(shorten(entry.orig_filename, _SHOWN_LENGTH))}: {error}") from error
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > MAX_UNPACKED_BYTES:
        raise ZipError(f"expected at most {MAX_UNPACKED_BYTES} bytes unpacked, found {unpacked}")
    if sum(entry.compress_size for entry in entries) > len(content):
        raise ZipError("broken: its entries overlap")


def check_entry(entry: zipfile.ZipInfo, paths: set[str]) -> None:
    """Check path, form and ratio of an entry, and add its path to those before.

    Raises ZipError.
    """
    path = check_path(entry)
    _check_form(entry)
    if path in paths:
        raise ZipError("expected each path once, found this one twice")
    if entry.file_size > max(SMALL_BYTES, MAX_RATIO * entry.compress_size):  # as only a bomb is
        raise ZipError(f"expected at most {MAX_RATIO} times its packed size")
    paths.add(path)


def _check_form(entry: zipfile.ZipInfo) -> None:
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise ZipError("a link: expected a file")
    if entry.flag_bits & _ENCRYPTED:
        raise ZipError("encrypted: expected it in the clear")
    # Only the deflate reader of zipfile stops decompressing at the length that it is asked for.
    if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise ZipError("expected it stored or deflated, found another compression")


@contextmanager
def _zip_errors() -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise ZipError(f"broken: {error}") from error


class _BoundedFile:
    """A file whose reads are checked until the table of contents is parsed: zipfile builds an object for each entry."""

    def __init__(self, file: BinaryIO, max_entries: int) -> None:
        self._file = file
        self._max_entries = max_entries
        self.is_open = False
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1, /) -> bytes:
        """Read so many bytes, or what is left. Raises ZipError."""
        if self.is_open:
            return self._file.read(size)
        if size > MAX_DIRECTORY_BYTES:
            raise ZipError(f"expected at most {MAX_DIRECTORY_BYTES} bytes of table of contents")
        # Without a size zipfile reads a comment at the very end.
        content = self._file.read(size if size >= 0 else MAX_DIRECTORY_BYTES)
        # Counted before zipfile parses it; the count that the archive declares may be wrong.
        if content.count(_CENTRAL_ENTRY) > self._max_entries:
            raise ZipError(f"expected at most {self._max_entries} entries")
        return content
