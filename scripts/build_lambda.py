"""Builds functions and layers with `sam build`, and prints sizes."""  # noqa: INP001 — scripts are no package

import argparse
import json
import os
import shutil
import subprocess
import sys
from typing import Any, Final

from scripts.artifacts import Architecture, Build, find_build, measure_bytes, read_build
from scripts.tools import ROOT, SAM, find_uv, tool_command
from scripts.translation import read_source

LIMIT_BYTES: Final = 250 << 20
"""A function and its layers, unzipped. Source: AWS, Lambda quotas."""
_MIB: Final = 1 << 20


def main() -> int:
    """Build for the architectures that the command line names, all by default.

    Return 1 if a function with its layers is too large, else 0.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "architectures", nargs="*", type=Architecture, default=list(Architecture), metavar="ARCHITECTURE"
    )
    parser.add_argument("--read-rate", type=int, metavar="N", help="what ReadRate will be; its default without it")
    arguments = parser.parse_args()
    run_program([find_uv(), "lock", "--check", "--quiet"])  # the packages are exported from this lock
    fits = [build_and_report(architecture, arguments.read_rate) for architecture in arguments.architectures]
    return 0 if all(fits) else 1


def build_and_report(architecture: Architecture, read_rate: int | None = None) -> bool:
    """Build for an architecture, print the sizes, and return whether all fits."""
    build = run_build(architecture, read_rate)
    sizes = {path.name: measure_bytes(path) for path in sorted(build.folder.iterdir()) if path.is_dir()}
    sys.stdout.write(f"{architecture}: {build.folder.relative_to(ROOT)}\n")
    for name, size in sizes.items():
        sys.stdout.write(f"  {name:24} {size / _MIB:7.2f} MiB\n")
    fits = [report_total(build, function, sizes) for function in build.functions()]
    return all(fits)


def run_build(architecture: Architecture, read_rate: int | None = None) -> Build:
    """Run `sam build` into an empty folder, on the template with all runtimes."""
    folder = find_build(architecture)
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    template = folder.with_suffix(".yaml")
    text = json.dumps(prepare_source(read_rate))  # JSON is YAML
    template.write_text(text.replace(Architecture.ARM64, architecture), encoding="utf-8")
    options = ["--template", str(template), "--base-dir", str(ROOT), "--build-dir", str(folder)]
    options += ["--config-file", str(ROOT / "samconfig.toml")]
    run_program(
        tool_command(SAM, "sam", "build", *options), {"LAMBDA_ARCHITECTURE": architecture, "SAM_CLI_TELEMETRY": "0"}
    )
    return read_build(architecture)


def prepare_source(read_rate: int | None = None) -> dict[str, Any]:
    """Return the template with all runtimes, and the route settings with numbers.

    They are free JSON, in which CloudFormation would make text of a reference.

    Args:
        read_rate: Requests a second, as the deployment passes `ReadRate`; None: its default.
    """
    source: dict[str, Any] = read_source(ROOT / "template.yaml")
    rate = source["Parameters"]["ReadRate"]["Default"] if read_rate is None else read_rate
    for settings in source["Resources"]["HttpApi"]["Properties"]["RouteSettings"].values():
        settings.update(dict.fromkeys(settings, rate))
    return source


def report_total(build: Build, function: str, sizes: dict[str, int]) -> bool:
    """Print a function's size with its layers; return whether Lambda accepts it."""
    parts = [build.code(function), *build.layers(function)]
    total = sum(sizes[path.name] for path in parts)
    fits = total <= LIMIT_BYTES
    limit = f"of {LIMIT_BYTES / _MIB:.0f} with its layers{'' if fits else '  too large'}"
    sys.stdout.write(f"  {function:24} {total / _MIB:7.2f} MiB {limit}\n")
    return fits


def run_program(command: list[str], environment: dict[str, str] | None = None) -> None:
    """Run a program; if it fails, print its output and exit."""
    completed = subprocess.run(  # noqa: S603 — programs of our own locks, arguments of our own
        command,
        cwd=ROOT,
        env=os.environ | (environment or {}),
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if completed.returncode != 0:
        sys.exit(f"{completed.stdout}\n{' '.join(command)}: failed")


if __name__ == "__main__":
    sys.exit(main())
