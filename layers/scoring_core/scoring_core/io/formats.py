"""The formats of results, and what the bytes of one must be to be stored.

A result is stored as it came, so nothing is converted and nothing is unpacked here. Each check takes time linear in the
bytes and no memory beyond them; what is in rows, lines and packed files is for the scorer. Without imports that a POST
of JSON does not need.
"""

import re
from math import prod
from types import MappingProxyType
from typing import NamedTuple

JSON = "json"
_ZIP_START = b"PK\x03\x04"
_NPY_START = b"\x93NUMPY"
_MAX_NPY_HEADER = 10_000
_NPY_HEADER = re.compile(
    rb"\{'descr': '[<>|=]([biufcSU])([0-9]{1,5})', 'fortran_order': (?:True|False), "
    rb"'shape': \(((?:[0-9]{1,12}, ?){0,31}(?:[0-9]{1,12})?)\), \} *\n"
)
_SAVE, _PACKED = "save it as {}", "unpack it first"
_FOREIGN = (
    (re.compile(rb"PK\x03\x04"), "a ZIP, or a workbook of Excel", _SAVE),
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an old workbook of Excel (.xls)", _SAVE),
    (re.compile(rb"\x1f\x8b"), "gzip", _PACKED),
    (re.compile(rb"BZh[1-9]1AY&SY"), "bzip2", _PACKED),
    (re.compile(rb"\xfd7zXZ\0"), "xz", _PACKED),
    (re.compile(rb"\x28\xb5\x2f\xfd"), "Zstandard", _PACKED),
    (re.compile(rb"7z\xbc\xaf\x27\x1c"), "7z", _PACKED),
    (re.compile(rb"Rar!\x1a\x07"), "RAR", _PACKED),
    (re.compile(rb"PAR1[\0-\x1f]"), "Parquet", _SAVE),
    (re.compile(rb"ARROW1\0"), "Feather", _SAVE),
    (re.compile(rb"\x89HDF\r\n"), "HDF5", _SAVE),
    (re.compile(rb"SQLite format 3\0"), "a database of SQLite", _SAVE),
    (re.compile(rb"\x93NUMPY"), "NPY", _SAVE),
    (re.compile(rb"%PDF-"), "a PDF", _SAVE),
    (re.compile(rb"\x80[\x02-\x05]"), "a pickle", _SAVE),
    (re.compile(rb"\xff\xfe|\xfe\xff|[^\0]?\0"), "UTF-16", "save it as {} in UTF-8"),
)
"""How files begin that are no text in UTF-8, what they are, and what to do with them."""
_UTF_16_UNIT = 4


class ResultFormat(NamedTuple):
    """A format of results.

    Args:
        media_type: The `Content-Type` of a POST, and of the stored result.
        noun: What a message calls a file of it.
        is_text: Whether it is text in UTF-8.
    """

    media_type: str
    noun: str
    is_text: bool = True


FORMATS = MappingProxyType(
    {
        JSON: ResultFormat("application/json", "JSON"),
        "csv": ResultFormat("text/csv", "CSV"),
        "tsv": ResultFormat("text/tab-separated-values", "TSV"),
        "jsonl": ResultFormat("application/jsonl", "JSON lines"),
        "txt": ResultFormat("text/plain", "text"),
        "npy": ResultFormat("application/x-npy", "an array of numpy", is_text=False),
        "zip": ResultFormat("application/zip", "a ZIP", is_text=False),
    }
)
"""Name, which is also the ending of files → format."""


def format_of(file: str) -> str | None:
    """Return the format that the ending of a name says; None for another ending.

    >>> format_of("runs/7.CSV"), format_of("result.xlsx"), format_of("csv")
    ('csv', None, None)
    """
    ending = file.rpartition(".")[2].lower() if "." in file else ""
    return ending if ending in FORMATS else None


def find_foreign(content: bytes, noun: str) -> str | None:
    r"""Return what a file is that should be text, and what to do with it; None of text.

    >>> find_foreign(b"\x1f\x8b\x08", "CSV"), find_foreign(b"PAR1\x15", "CSV"), find_foreign(b"PAR1,PAR2\n", "CSV")
    ('gzip: unpack it first', 'Parquet: save it as CSV', None)
    """
    kinds = (f"{kind}: {cure.format(noun)}" for start, kind, cure in _FOREIGN if start.match(content))
    return next(kinds, None)


def find_content_fault(content: bytes, file_format: str) -> str | None:
    r"""Return why bytes are no file of a format; None if nothing speaks against it.

    For JSON that is only whether there are any: its reader is `strict_json`.

    >>> find_content_fault(b"id,x\n1,0.5\n", "csv"), find_content_fault(b"caf\xe9", "txt")
    (None, 'expected text in UTF-8, found the byte 0xe9 in line 1; save the file as UTF-8')
    """
    noun = FORMATS[file_format].noun
    if not content:
        return f"expected {noun}, found nothing"
    if file_format == JSON:
        return None
    if file_format == "zip":
        return _find_zip_fault(content)
    if file_format == "npy":
        return _find_array_fault(content)
    return _find_text_fault(content, noun)


def _find_text_fault(content: bytes, noun: str) -> str | None:
    foreign = find_foreign(content, noun)
    if foreign is not None:
        return f"expected {noun} in UTF-8, found {foreign}"
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found_byte = f"the byte 0x{content[error.start]:02x} in line {line}"
        return f"expected {noun} in UTF-8, found {found_byte}; save the file as UTF-8"
    position = content.find(b"\0")
    if position >= 0:
        return f"expected {noun}, found a NUL in line {content.count(b'\n', 0, position) + 1}"
    return None


def _find_array_fault(content: bytes) -> str | None:
    """Compare the header of an array with the bytes that follow.

    So no reader allocates more than the file has. Arrays of Python's objects are pickles, which run code when they are
    read; arrays of records are left out.
    """
    if not content.startswith(_NPY_START):
        return "expected an array of numpy (.npy), found something else"
    width = 2 if content[6:7] == b"\x01" else 4
    start = 8 + width
    end = start + int.from_bytes(content[8:start], "little")
    if end - start > _MAX_NPY_HEADER:
        return f"expected a header of at most {_MAX_NPY_HEADER} bytes, found {end - start}"
    header = _NPY_HEADER.fullmatch(content, start, end)
    if header is None:
        return "expected a plain array of numbers or texts as numpy.save writes it; arrays of objects are not taken"
    kind, length, shape = header.groups()
    dimensions = [int(size) for size in shape.replace(b",", b" ").split()]
    size_bytes = prod(dimensions) * int(length) * (_UTF_16_UNIT if kind == b"U" else 1)
    if size_bytes != len(content) - end:
        return f"expected {size_bytes} bytes of data, as its header says, found {len(content) - end}"
    return None


def _find_zip_fault(content: bytes) -> str | None:
    """Check what a ZIP says of itself; its files are not unpacked."""
    from scoring_core.errors import ZipError  # noqa: PLC0415  # a POST of JSON imports no reader of ZIPs
    from scoring_core.io.safe_zip import check_archive  # noqa: PLC0415

    if not content.startswith(_ZIP_START):
        return "expected a ZIP with files in it, found something else"
    try:
        check_archive(content)
    except ZipError as error:
        return f"expected a ZIP: {error}"
    return None
