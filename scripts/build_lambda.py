"""Builds functions and layers with `sam build`, and prints sizes and content hashes."""  # noqa: INP001 — scripts are no package

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from local.artifacts import Architecture, Artifact, Build, find_build, measure, read_build
from local.stack import ROOT

LIMIT_BYTES: Final = 250 << 20
"""A function and its layers, unzipped. Source: AWS, Lambda quotas."""
_MIB: Final = 1 << 20


def main() -> int:
    """Build for the architectures asked for.

    Returns:
        0; 1 where a function with its layers is too large, or where a second build differs.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "architectures", nargs="*", type=Architecture, default=list(Architecture), metavar="ARCHITECTURE"
    )
    parser.add_argument("--twice", action="store_true", help="build again, and fail where a hash differs")
    arguments = parser.parse_args()
    run_program(["uv", "lock", "--check", "--quiet"])  # requirements are exported from a lock that is not stale
    passed = [build_and_report(one, twice=arguments.twice) for one in arguments.architectures]
    return 0 if all(passed) else 1


def build_and_report(architecture: Architecture, *, twice: bool) -> bool:
    """Build for one architecture and print what came of it; False where it does not hold."""
    build = run_build(architecture)
    artifacts = {path.name: measure(path) for path in list_artifacts(build)}
    sys.stdout.write(f"{architecture}: {build.folder.relative_to(ROOT)}\n")
    for name, artifact in artifacts.items():
        sys.stdout.write(f"  {name:24} {artifact.size_bytes / _MIB:7.2f} MiB  {artifact.content_hash}\n")
    fits = [report_total(build, function, artifacts) for function in build.functions()]
    same = not twice or report_difference(artifacts, run_build(architecture))
    return all(fits) and same


def run_build(architecture: Architecture) -> Build:
    """Run `sam build` for an architecture, from nothing; template.yaml names arm64, any other is built from a copy."""
    folder = find_build(architecture)
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    template = ROOT / "template.yaml"
    if architecture is not Architecture.ARM64:
        copy = folder.with_suffix(".yaml")
        copy.write_text(
            template.read_text(encoding="utf-8").replace(Architecture.ARM64, architecture), encoding="utf-8"
        )
        template = copy
    command = ["sam", "build", "--template", str(template), "--base-dir", str(ROOT), "--build-dir", str(folder)]
    run_program(command, {"LAMBDA_ARCHITECTURE": architecture, "SAM_CLI_TELEMETRY": "0"})
    return read_build(architecture)


def list_artifacts(build: Build) -> Iterator[Path]:
    """Give the folders of a build, functions and layers, by name."""
    return (path for path in sorted(build.folder.iterdir()) if path.is_dir())


def report_total(build: Build, function: str, artifacts: dict[str, Artifact]) -> bool:
    """Print what a function weighs together with its layers; False where Lambda would refuse it."""
    parts = [build.code(function), *build.layers(function)]
    total = sum(artifacts[path.name].size_bytes for path in parts)
    verdict = "" if total <= LIMIT_BYTES else "  too large"
    sys.stdout.write(f"  {function:24} {total / _MIB:7.2f} MiB of {LIMIT_BYTES / _MIB:.0f} with its layers{verdict}\n")
    return total <= LIMIT_BYTES


def report_difference(artifacts: dict[str, Artifact], again: Build) -> bool:
    """Print which artifacts of a second build differ from the first; True where none does."""
    second = {path.name: measure(path) for path in list_artifacts(again)}
    different = sorted(name for name in artifacts | second if artifacts.get(name) != second.get(name))
    sys.stdout.write(f"  built again: {', '.join(different) + ' differ' if different else 'the same hashes'}\n")
    return not different


def run_program(command: list[str], environment: dict[str, str] | None = None) -> None:
    """Run a program of this environment; what it says is shown only where it fails, which ends this one."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    completed = subprocess.run(  # noqa: S603 — programs of our own lock, arguments of our own
        [shutil.which(command[0], path=path) or command[0], *command[1:]],
        cwd=ROOT,
        env=os.environ | {"PATH": path} | (environment or {}),
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if completed.returncode != 0:
        sys.exit(f"{completed.stdout}\n{' '.join(command)}: failed")


if __name__ == "__main__":
    sys.exit(main())
