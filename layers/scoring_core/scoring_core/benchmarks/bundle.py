"""A published bundle: a ZIP of a benchmark's files, the same bytes for the same files."""

import io
import zipfile
from collections.abc import Mapping, Sequence

from scoring_core.benchmarks.definition import DEFINITION_FILE, SCRIPT_FILE
from scoring_core.errors import BenchmarkError, ZipError
from scoring_core.io.safe_zip import ZipReader, is_hidden

MAX_BUNDLE_BYTES = 200_000_000
EXAMPLES_FOLDER = "examples/"
SCRIPT_FOLDER = "evaluate/"
MAX_PATH_LENGTH = 200
MAX_NAME_BYTES = 255
"""Of a file or folder in the sandbox."""

_TIME = (1980, 1, 1, 0, 0, 0)


def pack(files: Mapping[str, bytes]) -> bytes:
    """Return the ZIP of these files (path → bytes), whatever their order and the time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in sorted(files.items()):
            entry = zipfile.ZipInfo(path, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return buffer.getvalue()


def unpack(bundle: bytes, *, max_bytes: int = MAX_BUNDLE_BYTES) -> dict[str, bytes]:
    """Return the files of a bundle, path → bytes, each accepted by `belongs`.

    What programs for archives add is ignored: a folder around all files, entries of folders, and hidden files.

    Args:
        bundle: The bytes of the ZIP; its maker is not trusted.
        max_bytes: How much it may unpack to, whatever sizes it declares.

    Raises:
        BenchmarkError: It is not a ZIP that can be read safely, or it holds a name twice or one that leads elsewhere.
    """
    files: dict[str, bytes] = {}
    try:
        archive = ZipReader(io.BytesIO(bundle), max_bytes=max_bytes, reads_windows=True)
    except ZipError as error:
        raise BenchmarkError(f"the bundle is no sound ZIP: {error}") from error
    entries = [entry for entry in archive.entries if not _is_added(entry.orig_filename)]
    around = _find_folder_around([entry.orig_filename for entry in entries])
    for entry in entries:
        path = entry.orig_filename.removeprefix(around)
        shown = repr(path[:100])
        if not belongs(path):
            raise BenchmarkError(f"the bundle holds {shown}, which is no file of a benchmark")
        if path in files:
            raise BenchmarkError(f"the bundle holds {shown} twice")
        try:
            files[path] = archive.read(entry)
        except ZipError as error:
            raise BenchmarkError(f"the bundle is no sound ZIP: {shown}: {error}") from error
    return files


def list_modules(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of `evaluate/` beside its script, path inside it → bytes."""
    return {
        path.removeprefix(SCRIPT_FOLDER): content
        for path, content in sorted(files.items())
        if path.startswith(SCRIPT_FOLDER) and path != SCRIPT_FOLDER + SCRIPT_FILE
    }


def belongs(path: str) -> bool:
    """Return whether a path names a visible file of a benchmark's folder.

    It is in the folder itself, in `examples`, or anywhere in `evaluate`.

    >>> [belongs(path) for path in ("truth.csv", "examples/a.json", "examples/.a", "../a", "a/b", "/a", "")]
    [True, True, False, False, False, False, False]
    >>> [belongs(f"evaluate/{path}") for path in ("evaluate.py", "lib/a.py", "../a", "lib/.a", "lib/", "__pycache__/a")]
    [True, True, False, False, False, False]
    """
    inner = path.removeprefix(SCRIPT_FOLDER)
    names = inner.split("/") if inner != path else [path.removeprefix(EXAMPLES_FOLDER)]
    return len(path) <= MAX_PATH_LENGTH and all(map(_is_plain, names))


def _is_added(path: str) -> bool:
    """Return whether an entry is a folder, or hidden, as what macOS adds."""
    names = path.split("/")
    return (names[-1] == "" or is_hidden(path)) and names[0] != "" and ".." not in names


def _find_folder_around(paths: Sequence[str]) -> str:
    """Return the one folder of all paths, with its slash, if it holds the definition."""
    folders = {path.partition("/")[0] + "/" for path in paths}
    around = folders.pop() if len(folders) == 1 else ""
    return around if f"{around}{DEFINITION_FILE}" in paths else ""


def _is_plain(name: str) -> bool:
    is_named = name not in {"", ".", ".."} and len(name.encode(errors="replace")) <= MAX_NAME_BYTES
    return is_named and not is_hidden(name) and not any(letter in "/\\" or letter < " " for letter in name)
