"""Reads what `sam build` made: the folders of functions and layers, their size and content."""  # noqa: INP001 — scripts are no package

import enum
import hashlib
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from local.layout import ROOT
from local.stack import PARAMETERS
from local.template import Properties, Template
from scripts.translation import translate


class Architecture(enum.StrEnum):
    """A processor architecture, by Lambda's name."""

    ARM64 = "arm64"
    X86_64 = "x86_64"


class Artifact(NamedTuple):
    """The size and hash of a folder; the hash covers names, contents and execute bits, but no times."""

    size_bytes: int
    content_hash: str


@dataclass(frozen=True)
class Build:
    """A finished build: its template, and a folder for each function and layer."""

    folder: Path
    template: Template

    def functions(self) -> dict[str, Properties]:
        """Return the properties of every function, by logical id."""
        return self.template.resources_of("AWS::Lambda::Function")

    def code(self, function: str) -> Path:
        """Return the folder that becomes a function's /var/task."""
        return self.folder / Path(self.functions()[function]["Code"]["S3Key"]).name

    def layers(self, function: str) -> list[Path]:
        """Return the folders that are merged into a function's /opt; later ones win."""
        ids = [self.template.logical_id_of(layer) for layer in self.functions()[function].get("Layers", [])]
        return [self.folder / Path(self.template.resources[name].properties["Content"]["S3Key"]).name for name in ids]


def this_architecture() -> Architecture:
    """Return the architecture of this machine."""
    return Architecture.ARM64 if platform.machine() in {"aarch64", "arm64"} else Architecture.X86_64


def find_build(architecture: Architecture) -> Path:
    """Return the folder of a build, which may not exist; SAM deploys arm64."""
    built = ROOT / ".aws-sam"
    return built / "build" if architecture is Architecture.ARM64 else built / architecture / "build"


def read_build(architecture: Architecture) -> Build:
    """Read a finished build. Raises FileNotFoundError."""
    folder = find_build(architecture)
    return Build(folder=folder, template=translate(folder / "template.yaml", PARAMETERS))


def measure(folder: Path) -> Artifact:
    """Measure a folder; the same content always has the same hash."""
    size_bytes, digest = 0, hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            size_bytes += len(content)
            name = path.relative_to(folder).as_posix()
            digest.update(f"{name}\0{path.stat().st_mode & 0o111:o}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return Artifact(size_bytes, digest.hexdigest()[:16])
