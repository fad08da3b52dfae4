"""The files that the workers of functions write their lines to, and what of them a person should read."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

_SHOWN: Final = ("WARNING", "ERROR", "CRITICAL")
"""Levels of the lines that a person should read."""


class LogFiles:
    """A file for each function, to which its workers write without help.

    Args:
        folder: Where the files are.
        log: Takes what a person should read.
    """

    def __init__(self, folder: Path, log: Callable[[str], None]) -> None:
        self._folder, self._log = folder, log
        self._read = {path: path.stat().st_size for path in folder.glob("*.jsonl")}

    def open(self, function: str) -> IO[bytes]:
        """Open the file of a function, to write at its end."""
        self._folder.mkdir(exist_ok=True)  # somebody may have deleted it
        return (self._folder / f"{function}.jsonl").open("ab")

    def show_warnings(self) -> bool:
        """Pass on the warnings and errors since the last time; return False: no more."""
        for path in sorted(self._folder.glob("*.jsonl")):
            with suppress(FileNotFoundError):  # somebody has just deleted it
                read, size = self._read.get(path, 0), path.stat().st_size
                if read != size:
                    self._read[path] = self._show_after(path, read if read < size else 0)
        return False

    def _show_after(self, path: Path, position: int) -> int:
        """Pass on what is behind a position; return the end of the last whole line."""
        with path.open("rb") as file:
            file.seek(position)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                position += len(line)
                self._show(path.stem, line.decode(errors="replace"))
        return position

    def _show(self, function: str, line: str) -> None:
        if not any(f'"{level}"' in line for level in _SHOWN):  # hardly any is, and to parse each takes longer
            return
        try:
            entry = json.loads(line)
        except ValueError:
            return
        if isinstance(entry, dict) and entry.get("level") in _SHOWN:
            error = str(entry.get("exception", "")).strip().rpartition("\n")[2]
            self._log(" ".join(filter(None, (f"{function}:", entry.get("message"), entry.get("submission"), error))))
