"""A run: a fork of the zygote that confines itself and then is the script."""

import contextlib
import importlib.util
import os
import resource
import socket
import sys
from pathlib import Path
from types import CodeType
from typing import NoReturn

from runner.landlock import Landlock
from runner.monitor import OWN_PROCESSES
from runner.processes import set_readable
from runner.protocol import RunLimits, RunnerFault, RunRequest

_MIB = 1 << 20
_OPEN_FILES = 256
_PENDING_SIGNALS = 256


def become_run(control: socket.socket, request: RunRequest, outputs: list[int], landlock: Landlock) -> None:
    """Turn this fork into a run, report its process id to the supervisor, and close everything else."""
    try:
        os.setsid()
        while os.getppid() != request.supervisor:
            os.sched_yield()
        os.dup2(outputs[0], 1)
        os.dup2(outputs[1], 2)
        os.chdir(request.work)
        os.umask(0o077)
        _set_limits(RunLimits(*request.limits))
        landlock.restrict()
        set_readable(True)
        control.send(str(os.getpid()).encode())
    except (OSError, ValueError, RunnerFault) as error:
        control.send(f"the run cannot be confined: {error!r}".encode())
        os._exit(1)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))


def _set_limits(limits: RunLimits) -> None:
    for which, most in (
        (resource.RLIMIT_AS, read_address_space_bytes() + limits.memory_mib * _MIB),
        (resource.RLIMIT_CPU, int(limits.timeout_seconds) + 1),
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
        value = limit_within(resource.getrlimit(which)[1], most)
        resource.setrlimit(which, (value, value))


def limit_within(hard: int, most: int) -> int:
    """Return a resource limit of `most`, or the hard limit if that is lower."""
    return most if hard == resource.RLIM_INFINITY else min(most, hard)


def read_address_space_bytes() -> int:
    """Return how much address space this process has."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def compile_strictly(source: bytes, script: str) -> CodeType:
    """Compile as Python compiles a file: given bytes, `compile` would accept a wrong encoding inside a comment."""
    return compile(importlib.util.decode_source(source), script, "exec", dont_inherit=True)


def run_script(code: CodeType | None, source: bytes, script: str, result: str) -> NoReturn:
    """Run the script as `python -I evaluate.py result.json` would, and end as Python ends."""
    main = type(sys)("__main__")
    main.__dict__.update(__file__=script, __builtins__=__builtins__)
    # A script finds no module of the runner.
    for name in [name for name in sys.modules if name.partition(".")[0] == "runner"]:
        del sys.modules[name]
    sys.modules["__main__"] = main
    sys.argv = [script, result]
    _seed_numpy()
    status = 0
    try:
        exec(code or compile_strictly(source, script), main.__dict__)  # noqa: S102  # our purpose
    except SystemExit as request:
        status = _exit_status(request)
    except BaseException as error:  # noqa: BLE001  # as Python itself: print it and exit with 1
        own = error.__traceback__
        shown = error.with_traceback(own and own.tb_next)
        sys.excepthook(type(shown), shown, shown.__traceback__)
        status = 1
    _finish(status)


def _seed_numpy() -> None:
    # Forks would otherwise all draw the same "random" numbers. The standard library's generator reseeds itself.
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.seed()


def _exit_status(request: SystemExit) -> int:
    if request.code is None:
        return 0
    if isinstance(request.code, int):
        return request.code & 0xFF
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{request.code}\n")
    return 1


def _finish(status: int) -> NoReturn:
    """Join threads, run what the script registered for its end, flush; skip taking the modules apart."""
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
