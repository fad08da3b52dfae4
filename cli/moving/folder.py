"""Reads what another person made: from inside of its folder only, through no link, and each key as what it must be."""

import io
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any, Final, Self

import yaml

from cli.exit_codes import UsageError
from scoring_core.benchmarks.validation import show_value
from scoring_core.errors import ZipError
from scoring_core.io.safe_zip import ZipReader, check_path, is_hidden

MAX_PROGRAM_BYTES: Final = 200_000_000
"""Of the files of a program with its data, or of a bundle, unpacked."""
TAG: Final = re.compile(r"<[^<>]*>")

type Files = dict[str, bytes]
"""Path → content."""


class ForeignFolder:
    """A folder whose files name each other; a name that leads out of it is refused, and so is a link."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def find(self, path: str) -> Path | None:
        """Return a file or folder inside, or None. Raises UsageError."""
        place = Path(os.path.normpath(self.root / path))
        between = [place, *place.parents]
        if self.root not in between:
            raise UsageError(f"{self.root}: expected a path inside of this folder, found {path!r}")
        parts = between[: between.index(self.root)]
        link = next(filter(os.path.islink, parts), None)  # False of a name that is too long to be one
        if link is not None:
            raise UsageError(f"{link}: a link; expected a file or folder in its place, as links may lead anywhere")
        return place if os.path.exists(place) else None  # noqa: PTH110  # as above

    def read(self, path: str) -> bytes | None:
        """Return the content of a file; None if there is none. Raises UsageError."""
        place = self.find(path) if path else None
        try:
            return place.read_bytes() if place is not None and place.is_file() else None
        except OSError as error:
            raise UsageError(f"{place}: {error.strerror}") from error

    def read_text(self, path: str) -> str:
        """Return a page, HTML without its tags; "" without a file. Raises UsageError."""
        text = (self.read(path) or b"").decode("utf-8-sig", errors="replace").strip()
        if not path.lower().endswith((".html", ".htm")):
            return text
        lines = (" ".join(TAG.sub(" ", line).split()) for line in text.splitlines())
        return "\n\n".join(filter(None, lines))

    def read_config(self, path: str) -> "Keys":
        """Return the keys of a YAML file. Raises UsageError."""
        try:
            return Keys(yaml.load(self.read(path) or b"", _Loader), path)  # noqa: S506  # a SafeLoader
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise UsageError(f"{self.root / path}: {error}") from error

    def read_files(self, path: str) -> Files:
        """Return the visible files of a folder or a ZIP.

        Where there is no ZIP, a folder of its name is read. Raises UsageError.
        """
        place = self.find(path)
        if place is None and path.endswith(".zip"):
            place = self.find(path.removesuffix(".zip"))
        if place is None or place == self.root:
            raise UsageError(f"{self.root / path}: expected a folder or a ZIP, found none")
        if not place.is_dir():
            return unpack(place)
        inside = [file for file in sorted(place.rglob("*")) if not is_hidden(file.relative_to(place).as_posix())]
        for file in inside:
            self.find(str(file.relative_to(self.root)))  # refuses a link, of a folder too
        files = [file for file in inside if file.is_file()]
        if sum(file.stat().st_size for file in files) > MAX_PROGRAM_BYTES:
            raise UsageError(f"{place}: expected at most {MAX_PROGRAM_BYTES} bytes")
        contents = ((file, self.read(str(file.relative_to(self.root)))) for file in files)
        return {file.relative_to(place).as_posix(): content or b"" for file, content in contents}


class Keys:
    """The keys of a mapping in a config, each read as what it must be. All methods raise UsageError."""

    def __init__(self, value: object, place: str) -> None:
        if not isinstance(value, dict):
            raise UsageError(f"{place}: expected keys and values, found {show_value(value)}")
        self.values: dict[Any, Any] = value
        self.place = place

    def __contains__(self, key: str) -> bool:
        return self.values.get(key) is not None

    def text(self, key: str, default: str = "") -> str:
        """Return a text, a number or a date as text."""
        value = self.values.get(key)
        return default if value is None else self._read_text(key, value)

    def texts(self, key: str) -> list[str]:
        """Return a list of texts, or those that commas or spaces divide."""
        value = self.values.get(key)
        parts = value.replace(",", " ").split() if isinstance(value, str) else self.listed(key)
        return [self._read_text(key, part) for part in parts]

    def number(self, key: str) -> int | None:
        """Return a whole number, or None without one."""
        value = self.values.get(key)
        try:
            return None if value is None else int(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise UsageError(f"{self.place}: {key}: expected a number, found {show_value(value)}") from error

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return whether something is so: `True`, or a text such as `yes`."""
        value = self.values.get(key)
        return default if value is None else str(value).strip().lower() in {"true", "yes", "on", "1"}

    def listed(self, key: str) -> list[Any]:
        """Return what a list or a mapping holds; a number is a list of one."""
        value = self.values.get(key)
        if isinstance(value, str):
            raise UsageError(f"{self.place}: {key}: expected a list, found {show_value(value)}")
        if isinstance(value, list | dict):
            return [*(value.values() if isinstance(value, dict) else value)]
        return [] if value is None else [value]

    def items(self, key: str) -> list[Self]:
        """Return a list of mappings."""
        return [type(self)(each, f"{self.place}: {key}[{at}]") for at, each in enumerate(self.listed(key))]

    def inner(self, key: str) -> Self:
        """Return a mapping; without one it is empty."""
        return type(self)({} if self.values.get(key) is None else self.values[key], f"{self.place}: {key}")

    def _read_text(self, key: str, value: object) -> str:
        if not isinstance(value, str | int | float | date):
            raise UsageError(f"{self.place}: {key}: expected a text, found {show_value(value)}")
        return str(value)


@contextmanager
def open_origin(origin: Path) -> Iterator[Path]:
    """Yield the folder of a bundle or a challenge, unpacked if it is a ZIP."""
    if not (origin.is_file() and origin.suffix.lower() == ".zip"):
        yield origin
        return
    files = unpack(origin)
    with tempfile.TemporaryDirectory() as folder:
        for path, content in files.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        inner = [*Path(folder).iterdir()]
        yield inner[0] if len(inner) == 1 and inner[0].is_dir() else Path(folder)


def unpack(path: Path) -> Files:
    """Return the visible files of a ZIP. Raises UsageError."""
    try:
        with path.open("rb") as file:
            archive = ZipReader(io.BytesIO(file.read()), max_bytes=MAX_PROGRAM_BYTES)
        entries = [entry for entry in archive.entries if not entry.is_dir() and not is_hidden(entry.orig_filename)]
        return {check_path(entry): archive.read(entry) for entry in entries}
    except (OSError, ZipError) as error:
        raise UsageError(f"{path}: expected a folder or a ZIP: {error}") from error


class _Loader(yaml.SafeLoader):
    """Reads the tags that CodaLab's own dumps have."""


for _tag in ("unicode", "str"):
    _Loader.add_constructor(f"tag:yaml.org,2002:python/{_tag}", lambda _, node: str(node.value))
