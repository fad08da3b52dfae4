"""A published bundle: a ZIP of a benchmark's files, the same bytes for the same files, unpacked with care."""

import io
import zipfile
import zlib
from collections.abc import Mapping

from scoring_core.errors import BenchmarkError

MAX_BUNDLE_BYTES = 200_000_000
EXAMPLES_FOLDER = "examples/"

_TIME = (1980, 1, 1, 0, 0, 0)
_ENCRYPTED = 0x1
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


def pack(files: Mapping[str, bytes]) -> bytes:
    """Give the ZIP of these files, path → bytes; neither their order nor the clock leaves a trace."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in sorted(files.items()):
            entry = zipfile.ZipInfo(path, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return buffer.getvalue()


def unpack(bundle: bytes, *, max_bytes: int = MAX_BUNDLE_BYTES) -> dict[str, bytes]:
    """Give the files of a ZIP that `pack` made, or that somebody made to look like one.

    Args:
        bundle: The bytes of the ZIP.
        max_bytes: How much it may unpack to, whatever sizes it declares.

    Returns:
        Path → bytes; every path is that of a plain file of the folder or of `examples`.

    Raises:
        BenchmarkError: It is no ZIP, a damaged, encrypted or too large one, or it holds a name twice or one that
            leads elsewhere.
    """
    files: dict[str, bytes] = {}
    left = max_bytes
    try:
        with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
            for entry in archive.infolist():
                _check_entry(entry, files)
                with archive.open(entry) as stream:
                    # Reading without a limit would inflate all that there is before it looks at the declared size.
                    content = stream.read(left + 1)
                left -= len(content)
                if left < 0 or entry.file_size > len(content):
                    raise BenchmarkError(f"the bundle unpacks to more than {max_bytes} bytes, or less than it says")
                files[entry.filename] = content
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, RuntimeError) as error:
        # RuntimeError: what zipfile has not implemented, such as strong encryption.
        raise BenchmarkError(f"the bundle is no sound ZIP: {error}") from error
    return files


def belongs(path: str) -> bool:
    """Tell whether a path is that of a plain file of a benchmark: in its folder or in `examples`, and not hidden.

    >>> [belongs(path) for path in ("truth.csv", "examples/a.json", "examples/.a", "../a", "a/b", "/a", "")]
    [True, True, False, False, False, False, False]
    """
    name = path.removeprefix(EXAMPLES_FOLDER)
    return name != "" and not name.startswith(".") and not any(one in "/\\" or one < " " for one in name)


def _check_entry(entry: zipfile.ZipInfo, files: Mapping[str, bytes]) -> None:
    shown = repr(entry.filename[:100])
    if not belongs(entry.filename):
        raise BenchmarkError(f"the bundle holds {shown}, which is no file of a benchmark")
    if entry.filename in files:
        raise BenchmarkError(f"the bundle holds {shown} twice")
    if entry.flag_bits & _ENCRYPTED:
        raise BenchmarkError(f"the bundle's {shown} is encrypted")
    if entry.compress_type not in _METHODS:
        raise BenchmarkError(f"the bundle's {shown} is packed in another way than by deflate")
