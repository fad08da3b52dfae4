"""ZIPs made of sound ones by mutation: each reader takes them within its bounds, or refuses them in its own words."""

import io
import struct
import zipfile

from hypothesis import given
from hypothesis import strategies as st

from scoring_core.benchmarks import bundle
from scoring_core.errors import BenchmarkError, InvalidResult
from scoring_core.io.limits import MAX_BATCH_ENTRIES
from scoring_core.scorers.full_duplex.submission import FILE_NAMES, MAX_TOTAL_BYTES, read_archive
from submit.batch_import.entries import MAX_NAME_LENGTH, Entry, EntryError, Rules, UnreadableBatch
from submit.batch_import.readers import read_archive as read_drop
from submit.batch_import.readers import read_lines
from tests.fuzz.mutations import mutated_bytes
from tests.harness.archives import zip_files

MAX_BYTES = 500
PARTS = ("level-1", "level-2")
NAMES = ("cn/Pause Handling/Pause Handling_all.json", "level-1/a.json", "truth.csv", "../a.json", "examples/b.json")


def pack(*names: str, method: int = zipfile.ZIP_DEFLATED, content: bytes = b'{"a": [1, 2, 3]}') -> bytes:
    """Make a ZIP."""
    return zip_files(dict.fromkeys(names, content), method)


SAMPLES = [
    pack("level-1/a.json", "b.json"),
    pack("cn/Pause Handling/Pause Handling_all.json", "en/Pause_Handling/Pause_Handling_all.json"),
    pack("benchmark.yaml", "truth.csv", "examples/a.json"),
    pack("a.json", "c.json", method=zipfile.ZIP_STORED),
    pack("a.json", content=b"[" + b"0," * 100_000 + b"0]"),
    pack("a.json", "b.json", method=zipfile.ZIP_BZIP2),
]
# Of the format itself, and the lies that are told in it: sizes, counts, offsets, flags, methods.
TOKENS = [
    *(b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07", b"PK\x07\x08", b"\x01\x00", b"../"),
    *(struct.pack("<I", number) for number in (0, 1, 0xFFFF, 2**31 - 1, 2**32 - 1)),
    *(struct.pack("<H", number) for number in (0x0001, 0x0041, 0x0800, 8, 12, 14, 93, 99)),
    *(name.encode() for name in NAMES),
]
archives = mutated_bytes(SAMPLES, TOKENS)


def check_entries(entries: list[Entry | EntryError]) -> None:
    """Check that no entry is larger, and no name longer or stranger, than a report can hold."""
    assert len(entries) <= MAX_BATCH_ENTRIES + 1
    for entry in entries:
        assert len(entry.name) <= MAX_NAME_LENGTH
        assert entry.name.isprintable()
        assert isinstance(entry, EntryError) or len(entry.body) <= MAX_BYTES


@given(archives, st.sampled_from([Rules(MAX_BYTES), Rules(MAX_BYTES, PARTS)]))
def test_mutated_batch_is_refused_or_read_within_limits(data: bytes, rules: Rules) -> None:
    """A mutated drop is refused as a whole, or entry by entry; what is taken of it keeps to the limits."""
    try:
        entries = list(read_drop(io.BytesIO(data), rules))
    except UnreadableBatch:
        return

    check_entries(entries)
    for entry in entries:
        assert not isinstance(entry, Entry) or not {"..", ""} & set(entry.name.split("/"))


@given(
    mutated_bytes(
        [b'{"a": 1}\n[2]\r\n\n{"part": "level-1", "result": {"b": 3}}\n'],
        [b"\n", b"\r", b'"part"', b"[" * 99, b"1" * 600],
    )
)
def test_mutated_lines_are_refused_one_by_one(data: bytes) -> None:
    """Mutated lines are refused one by one."""
    file = io.BytesIO(data)

    check_entries(list(read_lines(file, Rules(MAX_BYTES))))  # type: ignore[arg-type]  # as good as any file


@given(archives)
def test_mutated_result_is_unpacked_within_limits_or_invalid(data: bytes) -> None:
    """A mutated result gives only wanted files, within the bound, or is invalid."""
    try:
        files, _ = read_archive(data)
    except InvalidResult:
        return

    assert set(files) <= set(FILE_NAMES)
    assert sum(len(str(content)) for content in files.values()) <= MAX_TOTAL_BYTES


@given(archives)
def test_mutated_bundle_is_unpacked_within_limits_or_refused(data: bytes) -> None:
    """A mutated bundle unpacks to files of a benchmark within the bound, or is refused."""
    try:
        files = bundle.unpack(data, max_bytes=MAX_BYTES)
    except BenchmarkError:
        return

    assert sum(map(len, files.values())) <= MAX_BYTES
    assert all(bundle.belongs(path) for path in files)
