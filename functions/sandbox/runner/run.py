"""The zygote's own process and its forks: warms up, confines each run, and runs the script."""

import ast
import contextlib
import importlib.util
import json
import os
import re
import resource
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType
from typing import NoReturn

from runner.kernel import (
    LIBC,
    build_rules,
    forbid_new_privileges,
    reject_rules_and_filters,
    restrict,
    set_readable,
)
from runner.monitor import OWN_PROCESSES
from runner.processes import fork_run
from runner.protocol import RunLimits, RunnerFault, RunRequest

_MIB = 1 << 20
_READING_MIB = 192
_M_ARENA_MAX = -8
_OPEN_FILES = 256
_PENDING_SIGNALS = 256


def run_zygote(
    control: socket.socket, script: str, scratch: str, packages: Sequence[str], *, warm_cpu_seconds: int
) -> None:
    """Import what the script names of packages, then fork a run for each request.

    `packages` are folders as in `sys.path`.
    """
    closed = set_readable(readable=False)
    # The C library would reserve 64 MiB of address space for each thread of a run, which count towards its limit.
    with contextlib.suppress(AttributeError):  # a C library that reserves none has no such call
        LIBC.mallopt(_M_ARENA_MAX, 1)
    source = Path(script).read_bytes()
    code = _warm_up(source, script, set(_list_packages(packages)), warm_cpu_seconds) if warm_cpu_seconds else None
    # Without this the kernel takes neither rules nor a filter.
    unprivileged = forbid_new_privileges()
    rules = build_rules(scratch) if unprivileged else None
    filtered = unprivileged and reject_rules_and_filters()
    protections = {"closed": closed, "landlock": rules is not None, "filter": filtered}
    control.send(json.dumps(protections).encode())
    zygote = os.getpid()
    while True:
        message, outputs, _, _ = socket.recv_fds(control, 4096, 2)
        if not message:
            return
        request = RunRequest(*json.loads(message))
        pid, is_sibling = 0, True
        try:
            pid, is_sibling = fork_run()
            if pid == 0:
                _confine(control, request, outputs, rules, parent=request.supervisor if is_sibling else zygote)
                _run_script(code, source, script, request.result)
        except OSError as error:
            control.send(f"the run cannot be started: {error!r}".encode())
        for output in outputs:
            os.close(output)
        if not is_sibling:
            _, status, usage = os.wait4(pid, 0)
            control.send(json.dumps([status, usage.ru_maxrss]).encode())


def _list_packages(folders: Sequence[str]) -> Iterator[str]:
    for folder in folders:
        with contextlib.suppress(OSError):  # Lambda's path has folders that do not exist
            names = [entry.name.removesuffix(".py") for entry in Path(folder).iterdir()]
            yield from filter(str.isidentifier, names)


def _warm_up(source: bytes, script: str, packages: set[str], cpu_seconds: int) -> CodeType | None:
    """Import what the source and its modules name and compile it, or end this process."""
    code = None
    sources = [path.read_bytes() for path in sorted(Path(script).parent.rglob("*.py"))]
    modules = {name for name in packages for each in sources if re.search(rb"\b" + name.encode() + rb"\b", each)}
    times = _limit(resource.RLIMIT_CPU, cpu_seconds, for_good=False)
    sizes = _limit(resource.RLIMIT_AS, _read_address_space_bytes() + _READING_MIB * _MIB, for_good=False)
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        code = _compile(source, script)
        for each in sources:
            modules.update(name for name in _list_imports(ast.parse(each)) if name.partition(".")[0] in packages)
    resource.setrlimit(resource.RLIMIT_AS, sizes)
    # One thread: a fork inherits no others, and sums of the same numbers come out the same on every machine.
    settings = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    settings["JOBLIB_MULTIPROCESSING"] = "0"  # else it prints a warning in each run, because there are no semaphores
    os.environ.update(settings)
    for module in sorted(modules):
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    for name in settings:
        del os.environ[name]
    resource.setrlimit(resource.RLIMIT_CPU, times)
    return code


def _list_imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            if "__main__" not in name:
                yield name


def _compile(source: bytes, script: str) -> CodeType:
    # As Python compiles a file: given bytes, `compile` would accept a wrong encoding inside a comment.
    return compile(importlib.util.decode_source(source), script, "exec", dont_inherit=True)


def _confine(
    control: socket.socket, request: RunRequest, outputs: list[int], rules: int | None, *, parent: int
) -> None:
    """Turn this fork into a run, and report its id and its parent's."""
    limits = RunLimits(*request.limits)
    if os.getppid() != parent:
        control.send(b"the run has another parent than it must have")
        os._exit(1)
    try:
        os.setsid()
        os.dup2(outputs[0], 1)
        os.dup2(outputs[1], 2)
        os.chdir(request.work)
        os.umask(0o077)
        for which, most in (
            (resource.RLIMIT_AS, _read_address_space_bytes() + limits.memory_mib * _MIB),
            (resource.RLIMIT_CPU, (int(limits.timeout_seconds) + 1) * (os.cpu_count() or 1)),  # of all its threads
            (resource.RLIMIT_FSIZE, limits.files_mib * _MIB),
            (resource.RLIMIT_NPROC, limits.processes + OWN_PROCESSES),
            (resource.RLIMIT_NOFILE, _OPEN_FILES),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_MEMLOCK, 0),
            (resource.RLIMIT_MSGQUEUE, 0),
            (resource.RLIMIT_SIGPENDING, _PENDING_SIGNALS),
            (resource.RLIMIT_NICE, 0),
            (resource.RLIMIT_RTPRIO, 0),
        ):
            _limit(which, most, for_good=True)
        restrict(rules)
        set_readable(readable=True)
        control.send(json.dumps([os.getpid(), parent]).encode())
    except (OSError, ValueError, RunnerFault) as error:
        control.send(f"the run cannot be confined: {error!r}".encode())
        os._exit(1)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))


def _limit(which: int, most: int, *, for_good: bool) -> tuple[int, int]:
    """Limit a resource to `most`, within its hard limit, and return what held before."""
    before = resource.getrlimit(which)
    value = most if before[1] == resource.RLIM_INFINITY else min(most, before[1])
    resource.setrlimit(which, (value, value if for_good else before[1]))
    return before


def _read_address_space_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _run_script(code: CodeType | None, source: bytes, script: str, result: str) -> NoReturn:
    """Run the script as `python evaluate.py result.json` would."""
    main = type(sys)("__main__")
    main.__dict__.update(__file__=script, __builtins__=__builtins__)
    # A script must not find the modules of the runner.
    for name in [name for name in sys.modules if name.partition(".")[0] == "runner"]:
        del sys.modules[name]
    sys.modules["__main__"] = main
    sys.argv = [script, result]
    sys.path.insert(0, str(Path(script).parent))
    sys.dont_write_bytecode = True
    # Forks would otherwise all draw the same "random" numbers. The standard library's generator reseeds itself.
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.seed()
    status = 0
    try:
        exec(code or _compile(source, script), main.__dict__)  # noqa: S102  # our purpose
    except SystemExit as request:
        status = _exit_status(request)
    except BaseException as error:  # noqa: BLE001  # as Python itself: print it and exit with 1
        own = error.__traceback__
        shown = error.with_traceback(own and own.tb_next)
        sys.excepthook(type(shown), shown, shown.__traceback__)
        status = 1
    _finish(status)


def _exit_status(request: SystemExit) -> int:
    if isinstance(request.code, int | None):
        return (request.code or 0) & 0xFF
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{request.code}\n")
    return 1


def _finish(status: int) -> NoReturn:
    """End as Python ends, except that modules are not taken apart."""
    import atexit  # noqa: PLC0415  # only a run needs them
    import threading  # noqa: PLC0415

    try:
        threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001  # what the interpreter calls at its end
        atexit._run_exitfuncs()  # noqa: SLF001  # likewise
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                if stream is not None and not stream.closed:
                    stream.flush()
            except (OSError, ValueError):
                status = status or 120  # Python's own code for output that could not be written
        os._exit(status)
