"""Reads what `sam build` made: the folders of functions and layers, and their size."""  # noqa: INP001 — scripts are no package

import enum
import platform
from dataclasses import dataclass
from pathlib import Path

from local.layout import ROOT
from local.stack import PARAMETERS
from local.template import Properties, Template
from scripts.translation import translate


class Architecture(enum.StrEnum):
    """A processor architecture, by Lambda's name."""

    ARM64 = "arm64"
    X86_64 = "x86_64"


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


def measure_bytes(folder: Path) -> int:
    """Return the size of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
