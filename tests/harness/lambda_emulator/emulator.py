"""Runs a built function under Lambda's own runtime interface emulator, with the file system of Lambda.

/var/task is the function, /opt its layers, /var/lang Python, /var/runtime Lambda's client of the runtime interface;
/tmp has 512 MiB, and the calls that Lambda refuses are refused (`lambda_wall`). Unlike in Lambda, the network and the C
library are those of the machine, and memory and CPU are not limited.
"""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from local.layout import ROOT
from sandbox.seccomp import this_architecture as this_call_table
from scripts.artifacts import Build, this_architecture
from tests.harness.lambda_wall.wall import build_rules
from tests.harness.processes import find_ports

START_SECONDS: Final = 20.0
_LOCALHOST: Final = "127.0.0.1"
# `sam build`, which makes the functions, has created this environment.
_RAPID: Final = ROOT / "scripts/sam/.venv/lib/python3.13/site-packages/samcli/local/rapid"
# Lambda sets it in every function that is no SnapStart; the emulator does not.
INITIALIZATION: Final = {"AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand"}
_INIT: Final = re.compile(r"INIT REPORT\(durationMs: ([0-9.]+)\)")
# Where Python looks for modules, in the order of Lambda.
_BOOTSTRAP: Final = """#!/bin/sh
export PYTHONPATH=/var/task:/opt/python/lib/python3.13/site-packages:/opt/python:/var/runtime
exec /var/lang/bin/python3.13 -m awslambdaric "$_HANDLER"
"""


class Code(NamedTuple):
    """A function's code: the folder of /var/task and those that are merged into /opt."""

    task: Path
    layers: Sequence[Path]
    handler: str


class EmulatorAnswer(NamedTuple):
    """The answer as JSON, or the emulator's error message."""

    payload: Any
    milliseconds: float


@dataclass
class EmulatedFunction:
    """A function under the emulator, with one invocation at a time."""

    address: str
    lines: list[str] = field(default_factory=list)

    def invoke(self, event: object) -> EmulatorAnswer:
        """Invoke the function; the first invocation initialises it."""
        request = urllib.request.Request(
            f"http://{self.address}/2015-03-31/functions/function/invocations", data=json.dumps(event).encode()
        )
        began = time.perf_counter()
        try:
            with urllib.request.urlopen(request, timeout=120) as response:  # noqa: S310 — as above
                body = response.read()
        except urllib.error.HTTPError as error:
            body = error.read()
        milliseconds = (time.perf_counter() - began) * 1000
        try:
            return EmulatorAnswer(json.loads(body), milliseconds)
        except ValueError:
            return EmulatorAnswer(body.decode(errors="replace"), milliseconds)

    def init_milliseconds(self) -> list[float]:
        """Return the durations of initialisations, as the emulator reports them."""
        return [float(match.group(1)) for line in list(self.lines) if (match := _INIT.search(line))]


def code_of(build: Build, function: str) -> Code:
    """Return the code of a function of a build."""
    return Code(build.code(function), build.layers(function), build.functions()[function]["Handler"])


def variables_of(build: Build, function: str) -> dict[str, str]:
    """Return the environment of a function, with the variables of Lambda."""
    properties = build.functions()[function]
    return {
        **{name: str(value) for name, value in properties.get("Environment", {}).get("Variables", {}).items()},
        "AWS_LAMBDA_FUNCTION_NAME": build.template.resources[function].name,
        "AWS_LAMBDA_FUNCTION_TIMEOUT": str(properties["Timeout"]),
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(properties["MemorySize"]),
    }


@contextlib.contextmanager
def emulate(code: Code, variables: Mapping[str, str]) -> Iterator[EmulatedFunction]:
    """Run a function under the emulator while the context lasts.

    Args:
        code: The function's code.
        variables: Its environment, without the variables of the runtime.

    Raises:
        TimeoutError: The emulator does not start.
    """
    front, back = find_ports(2)
    emulated = EmulatedFunction(f"{_LOCALHOST}:{front}")
    with tempfile.TemporaryDirectory(dir=code.task.parent, prefix=".opt-") as folder:
        opt, bootstrap = Path(folder) / "opt", Path(folder) / "bootstrap"
        _merge_layers(code.layers, opt)
        bootstrap.write_text(_BOOTSTRAP, encoding="utf-8")
        bootstrap.chmod(0o755)
        command = [
            *_view({code.task: "/var/task", opt: "/opt", bootstrap: "/var/bootstrap"}, variables),
            *("/var/rapid", "--runtime-interface-emulator-address", emulated.address),
            *("--runtime-api-address", f"{_LOCALHOST}:{back}", "--log-level", "info", "/var/bootstrap", code.handler),
        ]
        rules, writer = os.pipe()
        os.write(writer, build_rules(this_call_table()))
        os.close(writer)
        with subprocess.Popen(
            [*command[:1], "--seccomp", str(rules), *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            pass_fds=[rules],
        ) as process:
            os.close(rules)
            reader = threading.Thread(target=_read_lines, args=(process.stdout, emulated.lines), daemon=True)
            reader.start()
            try:
                _wait_for(front)
                yield emulated
            finally:
                process.kill()
                reader.join()


def find_runtime() -> Path:
    """Return the folder of Lambda's runtime client, installed once from the lock."""
    folder = ROOT / ".aws-sam" / "runtime"
    if not folder.is_dir():
        with tempfile.TemporaryDirectory() as scratch:
            requirements = str(Path(scratch) / "requirements.txt")
            export = [
                "export",
                "--frozen",
                "--only-group",
                "runtime",
                "--no-emit-project",
                "--output-file",
                requirements,
            ]
            for arguments in (
                export,
                ["pip", "install", "--require-hashes", "-r", requirements, "--target", str(folder)],
            ):
                subprocess.run(["uv", "--quiet", *arguments], cwd=ROOT, check=True)
    return folder


def _view(shown: Mapping[Path, str], variables: Mapping[str, str]) -> list[str]:
    rapid = _RAPID / f"aws-lambda-rie-{this_architecture()}"
    places = {
        **shown,
        Path(sys.base_prefix).resolve(): "/var/lang",
        find_runtime(): "/var/runtime",
        rapid: "/var/rapid",
    }
    environment = {
        "PATH": "/var/lang/bin:/usr/local/bin:/usr/bin:/bin:/opt/bin",
        "LD_LIBRARY_PATH": "/var/lang/lib:/var/task:/opt/lib",
        "LANG": "en_US.UTF-8",
        "TZ": ":UTC",
        "LAMBDA_TASK_ROOT": "/var/task",
        "LAMBDA_RUNTIME_DIR": "/var/runtime",
        **INITIALIZATION,
        **variables,
    }
    arguments = ["bwrap", "--unshare-user", "--uid", "993", "--gid", "990", "--unshare-pid", "--unshare-ipc"]
    arguments += ["--cap-drop", "ALL", "--die-with-parent", "--clearenv", "--chdir", "/var/task"]
    arguments += ["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]
    arguments += ["--size", str(512 << 20), "--tmpfs", "/tmp"]  # noqa: S108 — in the view
    for link in ("lib", "lib64", "bin"):
        arguments += ["--symlink", f"usr/{link}", f"/{link}"]
    for source, target in places.items():
        arguments += ["--ro-bind", str(source), target]
    for name, value in environment.items():
        arguments += ["--setenv", name, value]
    return arguments


def _merge_layers(layers: Sequence[Path], opt: Path) -> None:
    """Merge layers into one folder of hard links, because they are large."""
    opt.mkdir()
    for layer in layers:
        shutil.copytree(layer, opt, copy_function=_link, dirs_exist_ok=True)


def _link(source: str, target: str) -> None:
    Path(target).unlink(missing_ok=True)
    os.link(source, target)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection((_LOCALHOST, port), timeout=1):
            return
        time.sleep(0.02)
    raise TimeoutError(f"the emulator does not listen on port {port} after {START_SECONDS:.0f} seconds")


def _read_lines(stream: IO[str] | None, lines: list[str]) -> None:
    lines.extend(line.rstrip("\n") for line in stream or ())
