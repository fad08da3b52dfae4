"""ZIPs, as friends and as enemies pack them, and folders."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path


def make_zip(*entries: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Make a ZIP of these entries, in this order, whatever their names are."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in entries:
            entry = zipfile.ZipInfo()
            entry.filename, entry.compress_type = name, method  # a name that is given to it would be made safe
            archive.writestr(entry, content)
    return buffer.getvalue()


def zip_files(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Make a ZIP of files."""
    return make_zip(*files.items(), method=method)


def write_files(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write files into a folder; return it."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder
