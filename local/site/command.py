"""The package of the command, packed again from its installed files, for people who install it from this site."""

import base64
import hashlib
import io
import zipfile
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Final

from scoring_core import __version__

NAME: Final = f"command/laurel-{__version__}-py3-none-any.whl"
"""The wheel's path in the site, which the build of the site writes where there is a repository."""
_METADATA: Final = f"laurel-{__version__}.dist-info"
_INSTALLERS: Final = frozenset({"INSTALLER", "RECORD", "REQUESTED", "direct_url.json", "uv_cache.json"})
"""What an installer adds to the files of a wheel."""


@cache
def pack_wheel() -> bytes:
    """Return the wheel of the installed package."""
    package = distribution("laurel")
    contents = {
        file.as_posix(): Path(str(file.locate())).read_bytes()
        for file in package.files or ()
        if file.parts[0] != ".."
        and file.suffix != ".pyc"
        and not (file.parts[0] == _METADATA and file.name in _INSTALLERS)
    }
    hashes = {name: base64.urlsafe_b64encode(hashlib.sha256(content).digest()) for name, content in contents.items()}
    record = [f"{name},sha256={hashes[name].decode().rstrip('=')},{len(contents[name])}\n" for name in contents]
    contents[f"{_METADATA}/RECORD"] = "".join([*record, f"{_METADATA}/RECORD,,\n"]).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in contents.items():
            wheel.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
