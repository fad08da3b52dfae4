"""What `sam build` made: which folder is which function's code, which its layers, how large, and with what content."""

import enum
import hashlib
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from local.stack import PARAMETERS, ROOT
from local.template import Properties, Template, translate


class Architecture(enum.StrEnum):
    """What Lambda runs on, in its own words."""

    ARM64 = "arm64"
    X86_64 = "x86_64"


class Artifact(NamedTuple):
    """What is in a folder; the hash covers names, contents and who may run them, but no times."""

    size_bytes: int
    content_hash: str


@dataclass(frozen=True)
class Build:
    """A finished build.

    Args:
        folder: Holds a folder for each function and each layer, by logical id.
        template: The built template, whose code lies in those folders.
    """

    folder: Path
    template: Template

    def functions(self) -> dict[str, Properties]:
        """Give the properties of every function, by logical id."""
        return self.template.resources_of("AWS::Lambda::Function")

    def code(self, function: str) -> Path:
        """Give the folder that Lambda shows a function as /var/task."""
        return self.folder / Path(self.functions()[function]["Code"]["S3Key"]).name

    def layers(self, function: str) -> list[Path]:
        """Give the folders that Lambda lays over each other as the /opt of a function, the last one on top."""
        ids = [self.template.logical_id_of(one) for one in self.functions()[function].get("Layers", [])]
        return [self.folder / Path(self.template.resources[one].properties["Content"]["S3Key"]).name for one in ids]


def this_architecture() -> Architecture:
    """Give the architecture of this machine."""
    return Architecture.ARM64 if platform.machine() in {"aarch64", "arm64"} else Architecture.X86_64


def find_build(architecture: Architecture) -> Path:
    """Give the folder of a build, whether it is there or not; SAM looks for what it deploys in the one of arm64."""
    built = ROOT / ".aws-sam"
    return built / "build" if architecture is Architecture.ARM64 else built / architecture / "build"


def read_build(architecture: Architecture) -> Build:
    """Read a finished build; FileNotFoundError where there is none."""
    folder = find_build(architecture)
    return Build(folder=folder, template=translate(folder / "template.yaml", PARAMETERS))


def measure(folder: Path) -> Artifact:
    """Measure a folder: the same content gives the same hash, whenever and wherever it was made."""
    size_bytes, digest = 0, hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            size_bytes += len(content)
            name = path.relative_to(folder).as_posix()
            digest.update(f"{name}\0{path.stat().st_mode & 0o111:o}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return Artifact(size_bytes, digest.hexdigest()[:16])
