"""Runs evaluation scripts with nothing around them, and speaks the runner's protocol: JSON lines on stdin and stdout.

This file needs nothing beside it: `python3 -c` runs it, in a container too, under any Python from 3.10 on. A run may
use what its user may; only its time and its output are limited.
"""

from __future__ import annotations

import base64
import contextlib
import gzip
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

_STDOUT_BYTES, _STDERR_BYTES = 1 << 20, 64 << 10
_CHECK_EVERY_SECONDS = 0.05


def serve() -> None:
    """Answer each line on stdin, an event, with one line on stdout."""
    answer: dict[str, Any] = {"ready": True}
    while True:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
        if not (line := sys.stdin.buffer.readline()):
            return
        try:
            answer = run(json.loads(line))
        except (OSError, ValueError) as error:
            answer = {"failure": str(error), "spent": True}


def run(event: dict[str, Any]) -> dict[str, Any]:
    """Run a script on one result in a new interpreter and a folder of its own.

    Raises OSError or ValueError if it cannot be started.
    """
    with tempfile.TemporaryDirectory(prefix="laurel-", ignore_cleanup_errors=True) as top:
        folder = Path(top).resolve()
        script = _write(folder / "benchmark", "evaluate.py", event["script"])
        for file in (event.get("ground_truth"), *event.get("modules", ())):
            if file is not None:
                _write(folder / "benchmark", file["name"], file["content"])
        result = _write(folder / "result", event["result"]["name"], event["result"].get("content", ""))
        if (path := event["result"].get("path")) is not None:
            Path(path).stat()  # a container must have its folder, too
            result.unlink()
            result.symlink_to(path)
        if "run" in event:
            _write(folder / "result", "run.json", event["run"])
        (work := folder / "work").mkdir()
        with (folder / "stdout").open("w+b") as stdout, (folder / "stderr").open("w+b") as stderr:
            started = time.monotonic()
            process = subprocess.Popen(  # noqa: S603  # our purpose
                [sys.executable, "-B", script, result],
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                cwd=work,
                start_new_session=True,
            )
            ended, code = "", None
            try:
                while not ended and (code := process.poll()) is None:
                    if time.monotonic() - started > event["limits"]["timeout_seconds"]:
                        ended = "timed_out"
                    elif os.fstat(stdout.fileno()).st_size > _STDOUT_BYTES:
                        ended = "stdout_full"
                    elif select.select([sys.stdin], [], [], _CHECK_EVERY_SECONDS)[0]:
                        sys.exit("nobody waits for the answer")  # nothing comes while a script runs
            finally:
                with contextlib.suppress(OSError):  # nobody is left
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            seconds = time.monotonic() - started
            printed, full = _read(stdout, _STDOUT_BYTES)
            errors, dropped_bytes = _read(stderr, _STDERR_BYTES)
    ended = ended or ("stdout_full" if full else "exited" if code is not None and code >= 0 else "signalled")
    return {
        "ended": ended,
        "code": code if ended == "exited" else None,
        "signal": -(code or 0) if ended == "signalled" else None,
        "stdout": printed,
        "stderr": errors,
        "stderr_dropped_bytes": dropped_bytes,
        "seconds": seconds,
        "peak_memory_bytes": 0,
        "spent": False,
    }


def _write(folder: Path, name: str, content: str) -> Path:
    path = Path(os.path.abspath(folder / name))  # noqa: PTH100  # without following links
    if folder not in path.parents:
        raise ValueError(f"expected the name of a file below its folder, found {name!r}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.decompress(base64.b64decode(content)))
    return path


def _read(file: Any, most: int) -> tuple[str, int]:
    """Return the first bytes of a file, packed, and how many more there are."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return base64.b64encode(gzip.compress(file.read(most), 1)).decode(), max(0, size - most)


if __name__ == "__main__":
    serve()
