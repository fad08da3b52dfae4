"""`safe_zip`: what is refused of an archive whose maker is not trusted, and how little of it is read."""

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from scoring_core.errors import ZipError
from scoring_core.io.safe_zip import ZipReader, check_path
from tests.harness.archives import make_zip

LOCAL_HEADER, CENTRAL_HEADER = b"PK\x03\x04", b"PK\x01\x02"


def read_all(content: bytes, max_bytes: int = 1_000) -> list[bytes]:
    """Read every entry of a ZIP."""
    reader = ZipReader(io.BytesIO(content), max_bytes=max_bytes)
    return [reader.read(entry) for entry in reader.entries]


def lie(content: bytes, field: str, value: int, *, central: int, local: int | None = None) -> bytes:
    """Return a ZIP of one file with another value in a field of its entry in the table, and of its own header."""
    patched = bytearray(content)
    struct.pack_into(field, patched, content.index(CENTRAL_HEADER) + central, value)
    if local is not None:
        struct.pack_into(field, patched, content.index(LOCAL_HEADER) + local, value)
    return bytes(patched)


def point_beyond_64_bits(content: bytes) -> bytes:
    """Return the ZIP of one file whose ZIP64 extra field puts it at an offset that no file reaches."""
    central = content.index(CENTRAL_HEADER)
    extra = struct.pack("<HHQ", 1, 8, 2**64 - 1)
    entry, end = bytearray(content[central:-22]), bytearray(content[-22:])
    struct.pack_into("<H", entry, 30, len(extra))
    struct.pack_into("<L", entry, 42, 2**32 - 1)
    struct.pack_into("<L", end, 12, len(entry) + len(extra))
    return content[:central] + bytes(entry) + extra + bytes(end)


def share_bytes() -> bytes:
    """Return a ZIP whose two entries are at the same place."""
    content = bytearray(make_zip(("a", b"1"), ("b", b"1"), method=zipfile.ZIP_STORED))
    struct.pack_into("<L", content, content.rindex(CENTRAL_HEADER) + 42, 0)
    return bytes(content)


def make_huge_directory() -> bytes:
    """Return a ZIP whose table of contents has more than 4 MiB."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(70):
            entry = zipfile.ZipInfo(f"{number}")
            entry.comment = bytes(65_000)
            archive.writestr(entry, b"")
    return buffer.getvalue()


ONE = make_zip(("a", b"[1]"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (lie(ONE, "<L", (stat.S_IFLNK | 0o777) << 16, central=38), "a link: expected a file"),
        (lie(ONE, "<H", 0x1, central=8, local=6), "encrypted: expected it in the clear"),
        (make_zip(("a", b"1"), method=zipfile.ZIP_LZMA), "stored or deflated, found another compression"),
        (make_zip(("a", b"1"), method=zipfile.ZIP_BZIP2), "stored or deflated, found another compression"),
        (lie(ONE, "<H", 0x63, central=10), "stored or deflated, found another compression"),
        (lie(ONE, "<L", 0, central=16), "broken: Bad CRC-32"),
        (lie(ONE, "<L", 2, central=24), "broken: "),
        (lie(ONE, "<L", 900, central=24), "broken: "),
        (lie(make_zip(("a", b"[1]"), method=zipfile.ZIP_STORED), "<L", 7, central=42), "broken: "),
        (lie(ONE, "<H", 0x20, central=8, local=6), "broken: "),
        (lie(ONE, "<H", 0x40, central=8, local=6), "broken: "),
        (point_beyond_64_bits(ONE), "broken: "),
        (share_bytes(), "broken: "),
        (make_zip(("a", bytes(99)))[30:], "broken: "),
    ],
    ids=["link", "encrypted", "lzma", "bzip2", "unknown", "crc", "longer", "shorter", "offset", "patched", "strong",
         "64 bits", "overlap", "middle"],
)  # fmt: skip
def test_entry_that_is_not_what_it_says_is_refused(content: bytes, message: str) -> None:
    """A link, an encrypted or damaged entry and any other compression are refused, with the reason."""
    with pytest.raises(ZipError, match=message):
        read_all(content)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: b"", "broken: "),
        (lambda: b"[1]", "broken: "),
        (lambda: ONE[:-10], "broken: "),
        (make_huge_directory, "at most 4194304 bytes of table of contents"),
        (lambda: ONE + CENTRAL_HEADER * 10_000, "at most 10000 entries"),
    ],
    ids=["empty", "json", "cut", "directory", "entries"],
)
def test_archive_that_is_none_is_refused(make: Callable[[], bytes], message: str) -> None:
    """What is no ZIP, and a table of contents that is too long, is refused as a whole."""
    with pytest.raises(ZipError, match=message):
        ZipReader(io.BytesIO(make()), max_bytes=1_000)


def test_entries_are_counted_before_they_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive of more than 10,000 entries is refused before an object is built for each."""
    packed = make_zip(*((f"{number:05}", b"") for number in range(10_001)), method=zipfile.ZIP_STORED)
    monkeypatch.delattr(zipfile.ZipInfo, "_decodeExtra")  # called for each entry

    with pytest.raises(ZipError, match="at most 10000 entries"):
        ZipReader(io.BytesIO(packed), max_bytes=1_000)


@pytest.mark.parametrize("declared", [0, 10, 999, 5_000, 1_000_000_000])
def test_no_more_is_unpacked_than_allowed(declared: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever size is declared, no inflation is asked for more than the limit and a buffer."""
    asked: list[int] = []
    real = zlib.decompressobj

    class Watched:
        """A decompressor that notes how much it may give."""

        def __init__(self, bits: int) -> None:
            self._inner = real(bits)

        def decompress(self, data: bytes, limit: int = 0) -> bytes:
            asked.append(limit)
            return self._inner.decompress(data, limit)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inner, name)

    packed = lie(make_zip(("a", bytes(3_000_000))), "<L", declared, central=24, local=22)
    monkeypatch.setattr(zlib, "decompressobj", Watched)

    with pytest.raises(ZipError):
        read_all(packed)

    assert asked
    assert all(0 < limit <= 4096 for limit in asked)


def test_limit_holds_for_all_entries_together() -> None:
    """Exactly as much as is allowed is unpacked, and no byte more."""
    assert read_all(make_zip(("a", bytes(400)), ("b", bytes(600)))) == [bytes(400), bytes(600)]

    with pytest.raises(ZipError, match="at most 1000 bytes unpacked"):
        read_all(make_zip(("a", bytes(400)), ("b", bytes(601))))


@pytest.mark.parametrize(
    "path", ["../a", "a/../../b", "..", "/etc/a", "C:/a", "a\\b", "a\nb", "", "a.json\0.txt", "a\x7f"]
)
def test_path_that_leads_elsewhere_is_refused(path: str) -> None:
    """A name that leads out of the archive, or hides what it is, is refused; dots inside a name are not."""
    entry = zipfile.ZipInfo("x")
    entry.orig_filename = path

    with pytest.raises(ZipError, match="expected a plain relative path with /"):
        check_path(entry)
    entry.orig_filename = "./a/b..json"
    assert check_path(entry) == "./a/b..json"
