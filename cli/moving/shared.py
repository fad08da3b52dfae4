"""What the readers of foreign files have in common: what they read, and the benchmark that they make."""

import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from cli.exit_codes import UsageError
from scoring_core.benchmarks.bundle import pack
from scoring_core.errors import ZipError
from scoring_core.io.safe_zip import ZipReader, check_path

TEMPLATE = Path(__file__).parents[1] / "templates" / "moved" / "evaluate.py"
PROGRAM = "program.zip"
MAX_PROGRAM_BYTES = 200_000_000
"""Of the files of a program with its data, unpacked."""
MAX_SECONDS = 120
MAX_TITLE, MAX_SUMMARY = 100, 300

type Files = Mapping[str, bytes]
"""Path → content."""


class MovedBenchmark(NamedTuple):
    """The files of a benchmark's folder, and what a person should read about them."""

    files: dict[str, bytes]
    notes: tuple[str, ...]


def read_config(path: Path) -> dict[str, Any]:
    """Return the keys of a YAML file of another platform. Raises UsageError."""
    try:
        config = yaml.safe_load(path.read_bytes())
    except (OSError, yaml.YAMLError, ValueError) as error:
        raise UsageError(f"{path}: {error}") from error
    if not isinstance(config, dict):
        raise UsageError(f"{path}: expected keys and values, found none")
    return config


def read_files(path: Path) -> dict[str, bytes]:
    """Return the files of a folder or a ZIP, or of the folder that a ZIP is made of.

    Raises UsageError.
    """
    if path.suffix == ".zip" and not path.exists():
        path = path.with_suffix("")
    if path.is_dir():
        return {
            file.relative_to(path).as_posix(): file.read_bytes()
            for file in sorted(path.rglob("*"))
            if file.is_file() and "__pycache__" not in file.parts
        }
    try:
        archive = ZipReader(io.BytesIO(path.read_bytes()), max_bytes=MAX_PROGRAM_BYTES)
        return {check_path(entry): archive.read(entry) for entry in archive.entries if not entry.is_dir()}
    except OSError as error:
        raise UsageError(f"{path}: expected a folder or a ZIP, found none") from error
    except ZipError as error:
        raise UsageError(f"{path}: {error}") from error


class ForeignProgram(NamedTuple):
    """A program of another platform, and what is known of its challenge.

    Args:
        source: The file that describes it, and the phase.
        title: Of the challenge.
        summary: Its short description, perhaps HTML.
        description: The text of its page, Markdown.
        headers: The columns of its board, as `score_type.headers` has them; the first or `by` ranks.
        by: The column that ranks.
        takes: The formats of results.
        per_day: How many results a player may submit a day; None: as many as usual.
        seconds: How long a run may take.
        owner: The owner's address; None if it is not known.
        folders: Folder in the ground truth → its files.
        phase: The codename of EvalAI's phase; None: the program is Codabench's.
    """

    source: str
    title: object
    summary: object
    description: bytes
    headers: Sequence[Mapping[str, Any]]
    by: str
    takes: Sequence[str]
    per_day: object
    seconds: int
    owner: object
    folders: Mapping[str, Files]
    phase: str | None = None

    def write(self, name: str) -> dict[str, bytes]:
        """Return the files of a benchmark that runs the program unchanged."""
        definition = {
            "id": name,
            "title": shorten_text(self.title, MAX_TITLE, name),
            "summary": shorten_text(self.summary, MAX_SUMMARY, "Moved from another platform."),
            "scorer": "script",
            "parameters": {"timeout_seconds": min(self.seconds, MAX_SECONDS), "memory_mib": 1024, "files_mib": 256},
            "ground_truth": PROGRAM,
            "score_type": {"headers": [dict(header) for header in self.headers]},
            "ranking": {"keep": "best", "by": [self.by]},
            "submissions": {"takes": [*self.takes], "per_day": int(str(self.per_day or 100))},
            "contacts": {"owner": str(self.owner or "you@example.com")},
        }
        columns = tuple(header["name"] for header in self.headers if "expression" not in header)
        script = TEMPLATE.read_text(encoding="utf-8").replace("PHASE: str | None = None", f"PHASE = {self.phase!r}")
        placed = {
            f"{folder}/{path}": content for folder, files in self.folders.items() for path, content in files.items()
        }
        return {
            "benchmark.yaml": write_definition(definition, about=[f"Of {self.source}; docs/moving.md has the rest."]),
            "evaluate.py": script.replace("COLUMNS: tuple[str, ...] = ()", f"COLUMNS = {columns!r}").encode(),
            PROGRAM: pack(placed),
            "description.md": self.description or b"Moved from another platform.\n",
        }


def write_definition(definition: Mapping[str, Any], *, about: Sequence[str]) -> bytes:
    """Return `benchmark.yaml` with lines of comment before it."""
    comment = "".join(f"# {line}\n" for line in about)
    return (comment + yaml.safe_dump(dict(definition), sort_keys=False, allow_unicode=True, width=110)).encode()


def choose[Item: Mapping[str, Any]](items: Sequence[Item], wanted: str | None, *, keys: Sequence[str]) -> Item:
    """Return the first phase, or the one of which a key has the wanted value.

    Raises UsageError.
    """
    named = [item for item in items if wanted is None or wanted in {str(item.get(key)) for key in keys}]
    if not named:
        shown = ", ".join(str(item.get(keys[0])) for item in items)
        raise UsageError(f"--phase: expected one of {shown or 'none'}, found {wanted!r}")
    return named[0]


def shorten_text(text: object, length: int, default: str) -> str:
    """Return one line without tags, at most so long; the default if it is empty."""
    line = " ".join(re.sub(r"<[^<>]*>", " ", str(text or "")).split())
    return line[:length] or default
