"""The 20 files of a `full_duplex` result, read from a ZIP whose maker is not trusted.

Nothing is unpacked to disk, names are only compared, and only the 20 files are ever decompressed.
"""

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping

from scoring_core.errors import InvalidResult, StrictJsonError
from scoring_core.io import strict_json
from scoring_core.scorers.base import Json

MAX_ENTRIES = 10_000
MAX_TOTAL_BYTES = 20 * 2**20

type FileName = tuple[str, str]
"""Language and category."""

_CENTRAL_ENTRY = b"PK\x01\x02"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"[A-Za-z]:")
_FORGIVEN = str.maketrans("", "", "_ ")
_SHOWN_LENGTH = 100
# What zipfile raises for archives that are cut, corrupt or made to confuse.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)


def read_archive(data: bytes, wanted: Iterable[FileName]) -> dict[FileName, Json]:
    """Read the wanted files of a ZIP.

    Args:
        data: The ZIP. A file counts where its path ends in `{language}/{category}/{category}_all.json`, whatever
            stands before; `_`, spaces and case make no difference in names. Other files are left alone.
        wanted: Language and category of every file that counts.

    Returns:
        The JSON value of each file that is there; those that are missing have no key.

    Raises:
        InvalidResult: The archive is broken, encrypted, too large or ambiguous, or a file is no strict JSON.
    """
    # Counted before zipfile builds an object for each of them; the count in the archive itself may lie.
    if data.count(_CENTRAL_ENTRY) > MAX_ENTRIES:
        raise InvalidResult(f"ZIP: expected at most {MAX_ENTRIES} entries")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = _find_entries(archive.infolist(), wanted)
            contents = _read_entries(archive, entries)
    except _BROKEN as error:
        raise InvalidResult(f"ZIP: broken ({error})") from error
    return {name: _read_json(content, entries[name].filename) for name, content in contents.items()}


def _find_entries(listed: Iterable[zipfile.ZipInfo], wanted: Iterable[FileName]) -> dict[FileName, zipfile.ZipInfo]:
    names = {_fold(f"{language}/{category}/{category}_all.json"): (language, category) for language, category in wanted}
    found: dict[FileName, zipfile.ZipInfo] = {}
    for entry in listed:
        steps = _read_steps(entry)
        name = names.get(_fold("/".join(steps[-3:])))
        if name is None:
            continue
        _check_entry(entry)
        if name in found:
            first = found[name].filename
            raise InvalidResult(f"ZIP: two entries are the same file: {_show(first)} and {_show(entry.filename)}")
        found[name] = entry
    return found


def _read_steps(entry: zipfile.ZipInfo) -> list[str]:
    """Split a path, refusing one that would lead out of the archive or hides what it is."""
    # `filename` ends at the first NUL; `orig_filename` is what the archive really says.
    path = entry.orig_filename
    steps = path.split("/")
    if not path or _CONTROL.search(path) or "\\" in path or steps[0] == "" or ".." in steps or _DRIVE.match(path):
        raise InvalidResult(f"ZIP: expected plain relative paths with /, found {_show(path)}")
    return steps


def _check_entry(entry: zipfile.ZipInfo) -> None:
    if entry.flag_bits & 0x1:
        raise InvalidResult(f"ZIP: {_show(entry.filename)} is encrypted: expected it in the clear")
    # Only the deflate reader of zipfile stops decompressing at the length that it is asked for.
    if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise InvalidResult(f"ZIP: {_show(entry.filename)}: expected it stored or deflated, found another compression")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise InvalidResult(f"ZIP: {_show(entry.filename)} is a link: expected a file")


def _read_entries(archive: zipfile.ZipFile, entries: Mapping[FileName, zipfile.ZipInfo]) -> dict[FileName, bytes]:
    contents: dict[FileName, bytes] = {}
    left = MAX_TOTAL_BYTES
    for name, entry in entries.items():
        with archive.open(entry) as file:
            contents[name] = file.read(left + 1)
        left -= len(contents[name])
        if left < 0:
            raise InvalidResult(f"ZIP: expected at most {MAX_TOTAL_BYTES} bytes in its files")
    return contents


def _read_json(content: bytes, path: str) -> Json:
    try:
        return strict_json.loads(content)
    except StrictJsonError as error:
        raise InvalidResult(f"{_show(path)}: expected JSON: {error}") from error


def _fold(path: str) -> str:
    return path.translate(_FORGIVEN).lower()


def _show(path: str) -> str:
    return repr(path) if len(path) <= _SHOWN_LENGTH else f"a name of {len(path)} characters"
