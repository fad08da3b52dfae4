"""The zygote itself: imports and compiles for a script, then forks a run for each request."""

import ast
import contextlib
import importlib
import json
import os
import re
import resource
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

from runner.landlock import Landlock, reject_rules_and_filters
from runner.processes import LIBC, set_readable
from runner.protocol import ZYGOTE_READY, RunRequest
from runner.run import become_run, compile_strictly, limit_within, read_address_space_bytes, run_script

WARM_PACKAGES = ("numpy", "pandas", "scipy")

_MIB = 1 << 20
_READING_MIB = 192
_M_ARENA_MAX = -8


def run_zygote(
    control: socket.socket, script: str, scratch: str, packages: list[str], *, warm_cpu_seconds: int
) -> None:
    """Import what the script names, then fork a run for each request until the supervisor is gone."""
    set_readable(False)
    # The C library would reserve 64 MiB of address space for each thread of a run, which count towards its limit.
    with contextlib.suppress(AttributeError):  # a C library that reserves none has no such call
        LIBC.mallopt(_M_ARENA_MAX, 1)
    sys.path += packages
    source = Path(script).read_bytes()
    code = _warm_up(source, script, warm_cpu_seconds) if warm_cpu_seconds else None
    landlock = Landlock.build(scratch)
    reject_rules_and_filters()
    control.send(ZYGOTE_READY)
    while True:
        message, outputs, _, _ = socket.recv_fds(control, 4096, 2)
        if not message:
            return
        request = RunRequest(*json.loads(message))
        # A process in between forks the run and ends, so that the run becomes a child of the supervisor.
        between = os.fork()
        if between == 0:
            if os.fork() == 0:
                become_run(control, request, outputs, landlock)
                run_script(code, source, script, request.result)
            os._exit(0)
        os.waitpid(between, 0)
        for output in outputs:
            os.close(output)


def _warm_up(source: bytes, script: str, cpu_seconds: int) -> CodeType | None:
    """Import what the source names and compile it; what fails otherwise than Python foresees ends this process."""
    times = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (limit_within(times[1], cpu_seconds), times[1]))
    sizes = resource.getrlimit(resource.RLIMIT_AS)
    most = limit_within(sizes[1], read_address_space_bytes() + _READING_MIB * _MIB)
    resource.setrlimit(resource.RLIMIT_AS, (most, sizes[1]))
    modules, code = _find_modules(source), _compile(source, script)
    resource.setrlimit(resource.RLIMIT_AS, sizes)
    _import_all(modules)
    resource.setrlimit(resource.RLIMIT_CPU, times)
    return code


def _find_modules(source: bytes) -> set[str]:
    """Return the packages worth importing that the source names; the source is parsed, never run."""
    modules = {name for name in WARM_PACKAGES if re.search(rb"\b" + name.encode() + rb"\b", source)}
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        modules.update(_list_imports(ast.parse(source)))
    return modules


def _list_imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            if name.partition(".")[0] in WARM_PACKAGES and "__main__" not in name:
                yield name


def _import_all(modules: set[str]) -> None:
    # One thread: a fork inherits no others, and sums of the same numbers come out the same on every machine.
    threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    os.environ.update(dict.fromkeys(threads, "1"))
    for name in sorted(modules):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for name in threads:
        del os.environ[name]


def _compile(source: bytes, script: str) -> CodeType | None:
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return compile_strictly(source, script)
    return None
