"""The reader of ZIPs whose maker is not trusted: never more in memory than a table of contents and one result.

Nothing is unpacked to disk and names are only ever labels. What is wrong with one entry is told of that entry alone.
"""

import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from scoring_core.errors import LaurelError
from submit.batch_import.entries import (
    MAX_NAME_LENGTH,
    Entry,
    EntryError,
    InvalidEntry,
    Rules,
    list_parts,
    show_name,
    too_large_message,
    validate_entry,
)
from submit.batch_import.readers import MAX_ENTRIES

MAX_DROP_BYTES = 1_000_000_000
MAX_DIRECTORY_BYTES = 4 * 2**20
"""Of a ZIP's table of contents: 10,000 paths of some 350 characters."""
MAX_RATIO = 200
"""Of an entry that is larger than SMALL_BYTES; deflate reaches 1,032, JSON of numbers hardly 20."""
SMALL_BYTES = 2**20
_SYSTEM_FOLDER = "__MACOSX/"
_DRIVE = re.compile(r"[A-Za-z]:")
# What zipfile raises for archives that are cut, corrupt or made to confuse.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)


class UnreadableBatch(LaurelError):
    """Nothing of the drop can be read."""


def read_archive(file: BinaryIO, rules: Rules) -> Iterator[Entry | EntryError]:
    """Read a ZIP of JSON files, in the order in which they lie in it; folders are passed over.

    Where results name a part, the folder that holds the file names it, else the file itself: `level-1/anything.json`,
    `level-1.json`.

    Raises:
        BrokenDrop: It is no ZIP, or one with too much in it. Raised before the first entry, never later.
    """
    bounded = _Bounded(file)
    try:
        archive = zipfile.ZipFile(bounded)
    except _BROKEN as error:
        raise UnreadableBatch(f"expected a ZIP: {error}") from error
    with archive:
        bounded.limit = max(rules.max_bytes, SMALL_BYTES) + 1
        listed = sorted((one for one in archive.infolist() if _is_meant(one)), key=lambda one: one.header_offset)
        _check_amount(listed, rules)
        names: set[str] = set()
        for info in listed:
            yield _read_entry(archive, info, names, rules)


class _Bounded:
    """A file that refuses to read more at once than `limit`, whatever a table of contents says of its own size."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.limit = MAX_DIRECTORY_BYTES
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1, /) -> bytes:
        """Read so many bytes, or what is left. Raises ValueError."""
        if size > self.limit:
            raise ValueError(f"expected at most {MAX_DIRECTORY_BYTES} bytes of table of contents")
        # Without a size zipfile reads a comment at the very end.
        return self._file.read(size if size >= 0 else self.limit)


def _is_meant(info: zipfile.ZipInfo) -> bool:
    return not info.is_dir() and not info.filename.startswith(_SYSTEM_FOLDER)


def _check_amount(listed: Sequence[zipfile.ZipInfo], rules: Rules) -> None:
    if len(listed) > MAX_ENTRIES:
        raise UnreadableBatch(f"expected at most {MAX_ENTRIES} entries, found {len(listed)}")
    unpacked = sum(one.file_size for one in listed if one.file_size <= rules.max_bytes)
    if unpacked > MAX_DROP_BYTES:
        raise UnreadableBatch(f"expected at most {MAX_DROP_BYTES} bytes unpacked, found {unpacked}")


def _read_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, names: set[str], rules: Rules) -> Entry | EntryError:
    name = show_name(info.orig_filename)
    try:
        _check_entry(info, names, rules)
        part = _find_part(info.filename, rules)
        with archive.open(info) as file:
            content = file.read(rules.max_bytes + 1)  # beyond the end, where zipfile compares the checksum
    except InvalidEntry as error:
        return EntryError(name, str(error))
    except _BROKEN as error:
        return EntryError(name, f"broken: {show_name(str(error))}")
    if len(content) != info.file_size:
        return EntryError(name, "broken: it is not as long as the archive says")
    return validate_entry(name, content, Rules(rules.max_bytes), part=part)


def _check_entry(info: zipfile.ZipInfo, names: set[str], rules: Rules) -> None:
    # `filename` ends at the first NUL; `orig_filename` is what the archive really says.
    path = info.orig_filename
    steps = path.split("/")
    if "\\" in path or steps[0] == "" or ".." in steps or _DRIVE.match(path):
        raise InvalidEntry("expected a plain relative path with /")
    # What is shown of it must tell it from every other: its submission id is derived from that.
    if not path.isprintable() or len(path) > MAX_NAME_LENGTH:
        raise InvalidEntry(f"expected a path of at most {MAX_NAME_LENGTH} printable characters")
    if path in names:
        raise InvalidEntry("this name is there twice: expected it once")
    names.add(path)
    if stat.S_ISLNK(info.external_attr >> 16):
        raise InvalidEntry("a link: expected a file")
    if not path.lower().endswith(".json"):
        raise InvalidEntry("expected a name that ends in .json")
    if info.flag_bits & 0x1:
        raise InvalidEntry("encrypted: expected it in the clear")
    # Only the deflate reader of zipfile stops decompressing at the length that it is asked for.
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise InvalidEntry("expected it stored or deflated, found another compression")
    if info.file_size > rules.max_bytes:
        raise InvalidEntry(too_large_message(rules))
    if info.file_size > max(SMALL_BYTES, MAX_RATIO * info.compress_size):
        raise InvalidEntry(f"expected it to be at most {MAX_RATIO} times larger unpacked")


def _find_part(path: str, rules: Rules) -> str | None:
    if not rules.parts:
        return None
    folder, _, file = path.rpartition("/")
    for name in (folder.rpartition("/")[2], file[: -len(".json")]):
        if name in rules.parts:
            return name
    raise InvalidEntry(f"expected its folder, or the file itself, to be named {list_parts(rules.parts)}")
