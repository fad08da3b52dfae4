"""The folder of an export: files that appear as a whole, and in the end a manifest with their hashes."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from cli.exit_codes import CommandError, UsageError
from scoring_core import __version__

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
LINKS: Final = "move/links.jsonl"
"""Where an import notes the links that it made; no export writes or deletes it."""
_DRAFT: Final = ".part"


@dataclass
class ExportFolder:
    """A folder that an export writes, and goes on with after it was interrupted.

    The manifest names no files before the export has ended. `files` are those that belong to it; `has_ended`: it was
    complete before.
    """

    path: Path
    benchmark: str
    site: str
    files: set[str] = field(default_factory=set, init=False)
    has_ended: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        """Take up what an earlier export has written.

        Raises UsageError if the folder is another's.
        """
        about = {"format": FORMAT, "benchmark": self.benchmark, "site": self.site}
        self.path.mkdir(parents=True, exist_ok=True)
        if (self.path / MANIFEST).exists():
            stored = read_manifest(self.path)
            self.has_ended = "files" in stored
            is_own = {name: stored.get(name) for name in about} == about
        else:
            is_own = all(file.name.endswith(_DRAFT) for file in self.path.iterdir())
        if not is_own:
            expected = f"expected a new or empty folder, or one of an export of {self.benchmark} at {self.site}"
            raise UsageError(f"{self.path}: {expected}")
        self._about = about
        self.write_lines(MANIFEST, [about])

    def keeps(self, name: str) -> bool:
        """Return whether a file that never changes is there; then it is kept."""
        is_there = (self.path / name).is_file()
        self.files |= {name} if is_there else set()
        return is_there

    def write(self, name: str, content: bytes) -> None:
        """Write a file. Raises CommandError if its name leads out of the folder."""
        file = self.path / name
        if not file.resolve().is_relative_to(self.path.resolve()):
            raise CommandError(f"{self._about['site']}: expected a file of an export, found {name!r}")
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f".{file.name}{_DRAFT}")
        with draft.open("wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())  # or the file might be there and empty after a power failure
        draft.replace(file)
        self.files.add(name)

    def write_lines(self, name: str, values: Sequence[Mapping[str, Any]]) -> None:
        """Write a file with a line of JSON for each value."""
        self.write(name, "".join(f"{json.dumps(value, ensure_ascii=False)}\n" for value in values).encode())

    def finish(self) -> dict[str, Any]:
        """Delete what only an earlier export has, write the manifest, and return it."""
        self.files.discard(MANIFEST)
        for folder in ("boards", "results", "move", "site"):
            for file in (self.path / folder).rglob("*"):
                if file.is_file() and str(file.relative_to(self.path)) not in self.files | {LINKS}:
                    file.unlink()
        published = json.loads((self.path / "benchmark.json").read_bytes())
        manifest = {
            **self._about,
            **{name: published[name] for name in ("title", "version")},
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "laurel": __version__,
            "files": {name: describe((self.path / name).read_bytes()) for name in sorted(self.files)},
        }
        self.write(MANIFEST, f"{json.dumps(manifest, ensure_ascii=False, indent=2)}\n".encode())
        return manifest


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of an export, whose format is known. Raises CommandError."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
        version = manifest["format"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise CommandError(f"{folder}: expected {MANIFEST}, as `laurel export` writes it: {error}") from error
    if version != FORMAT:
        raise CommandError(f"{folder}: expected an export of format {FORMAT}, found {version!r}")
    return manifest


def describe(content: bytes) -> dict[str, Any]:
    """Return what a manifest says of a file."""
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def find_faults(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield which files are missing, or differ from what was exported."""
    if "files" not in manifest:
        yield f"{MANIFEST}: the export did not end; run it again"
    for name, entry in manifest.get("files", {}).items():
        file = folder / name
        if not file.is_file() or describe(file.read_bytes()) != entry:
            yield f"{name}: differs from what was exported, or is missing"
