"""Bodies of other formats than JSON, made of sound ones by mutation: what is accepted can be read within its size."""

import contextlib
import io
import struct
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.http.problems import Problem
from handlers.http.requests import check_result
from scoring_core.errors import ZipError
from scoring_core.io.formats import FORMATS
from scoring_core.io.limits import MAX_UNPACKED_BYTES
from scoring_core.io.safe_zip import ZipReader
from tests.fuzz.mutations import mutated_bytes
from tests.fuzz.test_archives import archives

ARRAYS = (
    np.arange(6, dtype="<f8").reshape(2, 3),
    np.array(["a", "bcd"]),
    np.zeros((), dtype="|b1"),
    np.zeros((0, 3), dtype="<i4", order="F"),
)
TOKENS = [b"\x93NUMPY\x01\x00", b"(999999999999,)", b"'|O'", b"<f8", b"True", *(struct.pack("<H", n) for n in (0, 118))]


def save(array: np.ndarray) -> bytes:
    """Return an array as a file."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def is_taken(body: bytes, file_format: str) -> bool:
    """Return whether a body is accepted; anything but a Problem is a fault."""
    problem = None
    try:
        check_result(body, file_format, max_bytes=100_000)
    except Problem as error:
        problem = error
    assert problem is None or (problem.status in {413, 422} and problem.detail.startswith("body: expected "))
    return problem is None


@pytest.mark.parametrize("array", ARRAYS)
def test_array_as_numpy_writes_it_is_taken(array: np.ndarray) -> None:
    """Numbers and texts of any shape and order."""
    assert is_taken(save(array), "npy")


@given(mutated_bytes([save(array) for array in ARRAYS], TOKENS))
def test_mutated_array_that_is_taken_has_the_size_that_it_says(data: bytes) -> None:
    """NumPy reads it without code of the file, and takes no more memory than the file."""
    if is_taken(data, "npy"):
        assert np.load(io.BytesIO(data), allow_pickle=False).nbytes <= len(data)


@given(archives)
def test_mutated_zip_that_is_taken_unpacks_within_limits(data: bytes) -> None:
    """No entry leads elsewhere, and all of them together are as large as the archive says, or damaged."""
    if not is_taken(data, "zip"):
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert not any(".." in name.split("/") or name.startswith("/") for name in archive.namelist())
    reader = ZipReader(io.BytesIO(data), max_bytes=MAX_UNPACKED_BYTES)
    # A checksum is compared only where an entry is unpacked.
    with contextlib.suppress(ZipError):
        assert sum(len(reader.read(entry)) for entry in reader.entries) <= 200 * len(data) + 2**20 * len(reader.entries)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode), st.sampled_from(["csv", "tsv", "jsonl", "txt"]))
def test_text_that_is_taken_is_utf_8(data: bytes, file_format: str) -> None:
    """Text of any rows and lines, but neither empty, nor of another encoding, nor with a NUL."""
    try:
        is_text = bool(data) and "\0" not in data.decode() and not data.startswith(b"PK\x03\x04")
    except UnicodeDecodeError:
        is_text = False

    assert is_taken(data, file_format) is is_text


@given(st.binary(max_size=50), st.sampled_from(sorted(FORMATS.keys() - {"json"})))
def test_any_bytes_get_an_answer(data: bytes, file_format: str) -> None:
    """No format has a body that its check fails at."""
    is_taken(data, file_format)
