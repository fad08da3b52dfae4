"""A stack of any checkout in processes of its own: started, asked over HTTP, and what its processes have used."""

import http.client
import json
import os
import re
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

PATIENCE_SECONDS: Final = 180
ASK_SECONDS: Final = 0.01
"""How often a reader asks for the board of a result that is alone."""
WATCH_SECONDS: Final = 0.25
"""How often a reader asks for the boards of a burst: what it costs the stack counts as the stack's."""
TICKS: Final = os.sysconf("SC_CLK_TCK")
MAKE_JOBS: Final = """
import json, sys
from pathlib import Path
from under_load import stack as under
only, state = sys.argv[1].split(","), json.loads(Path(sys.argv[2]).read_text())
every = under.load_benchmarks
under.load_benchmarks = lambda: [each for each in every() if each.definition.id in only]
given = {"url": state["url"], "environment": state["environment"]}
running = under.Running(**{field: given.get(field) for field in under.Running._fields})
jobs = under.make_jobs(running, players=int(sys.argv[5]), submissions=int(sys.argv[3]), name=sys.argv[4])
print(json.dumps([[*job[:4], job.body.decode(), job.part] for job in jobs]))
"""
"""Run by the checkout's own Python: what a stack keeps of players is its own matter."""

_KEPT: Final = threading.local()


class Job(NamedTuple):
    """A result to submit."""

    benchmark: str
    player: str
    token: str
    key: str
    body: str
    part: str | None


class Sent(NamedTuple):
    """An acknowledged result; seconds since 1970."""

    job: Job
    started: float
    answered: float
    status_url: str


class Running(NamedTuple):
    """A running stack, with what is needed to submit and to look."""

    process: int
    port: int
    make_jobs: Callable[[Sequence[str], int, str, int], list[Job]]
    database: Path | None


class Spent(NamedTuple):
    """Seconds of processor time: of the stack, and of this program."""

    stack: float
    generator: float


@contextmanager
def running(checkout: Path, samples: str, answered: Callable[[float], None] = lambda _: None) -> Iterator[Running]:
    """Run the stack of a checkout in a folder of its own; `answered` gets the time of its first answer."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as free:
        port, log, python = free.getsockname()[1], Path(folder, "log"), str(checkout / ".venv" / "bin" / "python")
        free.close()
        with log.open("w") as output:
            command = [python, "-m", "local", "--port", str(port), samples]
            process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        database = Path(folder, ".laurel", "data", "laurel.db")

        def make_jobs(only: Sequence[str], count: int, name: str, players: int) -> list[Job]:
            state = Path(folder, ".laurel", "stack.json")
            command = [python, "-c", MAKE_JOBS, ",".join(only), str(state), str(count), name, str(players)]
            jobs = subprocess.run(command, cwd=checkout / "bench", stdout=subprocess.PIPE, check=True).stdout
            return [Job(*job) for job in json.loads(jobs)]

        try:
            stack = Running(process.pid, port, make_jobs, database)
            await_true(lambda: answers(stack), ASK_SECONDS)
            answered(time.time())
            await_true(lambda: "Laurel runs at" in log.read_text())
            yield stack._replace(database=database if database.exists() else None)
        finally:
            process.terminate()
            process.wait()


def submit(stack: Running, job: Job) -> Sent:
    """POST a result until it is accepted."""
    path = f"/api/benchmarks/{job.benchmark}/submissions{f'?part={job.part}' if job.part else ''}"
    headers = {"Authorization": f"Bearer {job.token}", "Content-Type": "application/json", "Idempotency-Key": job.key}
    started, deadline = time.time(), time.time() + PATIENCE_SECONDS
    while True:
        status, body = ask(stack, "POST", path, job.body, headers)
        if status == HTTPStatus.ACCEPTED:
            return Sent(job, started, time.time(), json.loads(body)["status_url"])
        assert time.time() < deadline, (status, body[:300])
        time.sleep(1)


def await_boards(stack: Running, numbers: Mapping[str, int], *, pause: float = WATCH_SECONDS) -> float:
    """Wait until boards count as many results; return when they did."""
    waiting = dict(numbers)

    def shown() -> bool:
        for benchmark in [name for name, number in waiting.items() if count_shown(stack, name) >= number]:
            del waiting[benchmark]
        return not waiting

    return await_true(shown, pause)


def await_score(stack: Running, result: Sent) -> float:
    """Wait until a result has an outcome; return when it did."""
    return await_true(lambda: json.loads(ask(stack, "GET", result.status_url)[1])["status"] != "queued", 0.1)


def await_true(holds: Callable[[], bool], pause: float = WATCH_SECONDS) -> float:
    """Wait for a condition; return when it held."""
    deadline = time.time() + PATIENCE_SECONDS
    while not holds():
        assert time.time() < deadline, "it takes too long"
        time.sleep(pause)
    return time.time()


def count_shown(stack: Running, benchmark: str) -> int:
    """Return how many results a board counts."""
    status, body = ask(stack, "GET", f"/data/b/{benchmark}/head.json")
    return int(json.loads(body)["counts"]["submissions"]) if status == HTTPStatus.OK else 0


def answers(stack: Running) -> bool:
    """Return whether the site answers."""
    try:
        return ask(stack, "GET", "/")[0] == HTTPStatus.OK
    except OSError:
        return False


def written_at(stack: Running, benchmark: str) -> float | None:
    """Return when the head of a board was written; None if there is no engine's file."""
    rows = query(stack, "SELECT at FROM objects WHERE key = ? AND current", f"data/b/{benchmark}/head.json")
    return rows[0] if rows else None


def query(stack: Running, sql: str, value: Any) -> list[float]:
    """Return a column of the engine's file; nothing if there is none."""
    if stack.database is None:
        return []
    with closing(sqlite3.connect(f"file:{stack.database}?mode=ro", uri=True)) as connection:
        return [row[0] for row in connection.execute(sql, (value,))]


def ask(
    stack: Running, method: str, path: str, body: str | None = None, headers: Mapping[str, str] = MappingProxyType({})
) -> tuple[int, bytes]:
    """Return status and body of an answer; each thread keeps its connection."""
    port, connection = getattr(_KEPT, "last", (0, None))
    for opened in (connection if port == stack.port else None, None):
        connection = opened or http.client.HTTPConnection("127.0.0.1", stack.port, timeout=PATIENCE_SECONDS)
        _KEPT.last = (0, None)
        try:
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            status_and_body = answer.status, answer.read()
        except ConnectionError:  # the stack may have closed it
            if opened is None:
                raise
        else:
            _KEPT.last = (stack.port, connection)
            return status_and_body
    raise AssertionError


def spent_by(stack: Running) -> Spent:
    """Return the processor time of a stack until now, with its children that ended, and of this program."""
    total = 0
    for process in list_processes(stack.process):
        try:
            total += sum(map(int, Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:15]))
        except OSError:
            continue
    own = os.times()
    return Spent(total / TICKS, own.user + own.system)


def measure_memory(root: int) -> float:
    """Return the memory of a process and all below it in megabytes, shared pages divided among their users."""
    kilobytes = 0
    for process in list_processes(root):
        found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{process}/smaps_rollup").read_text(), re.MULTILINE)
        kilobytes += int(found[1]) if found else 0
    return kilobytes / 1024


def list_processes(root: int) -> Iterator[int]:
    """Yield a process and all below it."""
    yield root
    for children in Path(f"/proc/{root}/task").glob("*/children"):
        try:
            for child in children.read_text().split():
                yield from list_processes(int(child))
        except OSError:
            continue
