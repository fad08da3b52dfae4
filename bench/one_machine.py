"""Drives the local stacks of several checkouts, and a bare board as the limit, in turn on one machine.

`uv run --with fastapi --with uvicorn python bench/one_machine.py [--checkout PATH]… [--times N]`. Each stack is started
by its own Python with a new folder, and with players that its own code stores. A burst of results of built-in scorers,
results alone and thirty students at once; nothing for a minute; a burst of scripts; then a new stack with the sample
runs. Processor time and memory are those of all processes of the stack, from /proc; those of this program
are printed beside them. A result is on the board at the time that the engine's file has of the board's head; of a
stack without that file, when a reader sees it, who asks every 10 ms. There is no limit on any time: the figures are
medians of all times, for a person to compare.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from under_load.machine import (
    ASK_SECONDS,
    Job,
    Running,
    await_boards,
    await_score,
    count_shown,
    measure_memory,
    query,
    running,
    spent_by,
    submit,
    written_at,
)

ROOT: Final = Path(__file__).resolve().parent.parent
FIGURES: Final = {
    "accepted": "results accepted a second, burst",
    "shown": "results onto the boards a second, burst",
    "spent": "processor ms a result, whole stack",
    "generator": "processor ms a result, load generator",
    "scripts": "results of scripts onto the boards a second",
    "scripts_spent": "processor ms a result of a script",
    "alone_answer": "alone: POST → 202, p50 ms",
    "alone_board": "alone: POST → board, p50 ms",
    "students_answer": "thirty at once: POST → 202, p95 ms",
    "students_score": "thirty at once: POST → last score, ms",
    "idle": "idle, % of a core",
    "memory": "idle, PSS in MB",
    "samples": "sample runs on their boards after the site answers, s",
}
BUILT_IN: Final = ("aic-2025", "coin-sprint", "full-duplex", "iqa", "squad-v2")
SCRIPTS: Final = ("coin-run",)
PLAYERS: Final = 60
CONCURRENCY: Final = 16
STUDENTS: Final = 30
ALONE: Final = 20
SETTLE_SECONDS: Final = 20
"""Until what was put off is done, before a minute of nothing, after which no worker is kept that has no work."""


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkout", type=Path, action="append", default=[], help="another one, before this one")
    parser.add_argument("--times", type=int, default=1, help="how often, in turn (default: 1)")
    parser.add_argument("--submissions", type=int, default=200, help="results of the burst (default: 200)")
    parser.add_argument("--scripts", type=int, default=40, help="results of scripts (default: 40)")
    parser.add_argument("--idle", type=float, default=60, help="seconds of nothing (default: 60)")
    parser.add_argument("--no-samples", action="store_true", help="leave out the sample runs")
    parser.add_argument("--no-limit", action="store_true", help="leave out the bare board")
    arguments = parser.parse_args()
    stacks = {path.name: path.resolve() for path in (*arguments.checkout, ROOT)}
    measured: dict[str, defaultdict[str, list[float]]] = {name: defaultdict(list) for name in (*stacks, "bare board")}
    for turn in range(arguments.times):
        for name, checkout in stacks.items():
            for figure, value in measure_checkout(checkout, arguments):
                measured[name][figure].append(value)
        if not arguments.no_limit:
            for figure, value in measure_bare_board(arguments):
                measured["bare board"][figure].append(value)
        print(f"after {turn + 1} of {arguments.times}\n", flush=True)
        report(measured)
    return 0


def report(measured: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
    """Print the medians, and how much more or less the last checkout has than the first."""
    names = [name for name, figures in measured.items() if figures]
    print(f"{'medians':56}" + "".join(f"{name:>14}" for name in names))
    for figure, text in FIGURES.items():
        cells = [statistics.median(measured[name][figure]) if measured[name][figure] else None for name in names]
        if any(cell is not None for cell in cells):
            print(f"{text:56}" + "".join(f"{'' if cell is None else f'{cell:.1f}':>14}" for cell in cells))
    print(flush=True)


def measure_checkout(checkout: Path, arguments: argparse.Namespace) -> Iterator[tuple[str, float]]:
    """Yield the figures of a stack."""
    with running(checkout, "--no-samples") as stack:
        burst(stack, stack.make_jobs(BUILT_IN, 2 * CONCURRENCY, "warm", PLAYERS))
        jobs = stack.make_jobs(BUILT_IN, arguments.submissions, "burst", PLAYERS)
        yield from zip(("accepted", "shown", "spent", "generator"), burst(stack, jobs), strict=True)
        yield from measure_alone(stack, stack.make_jobs(BUILT_IN, ALONE, "alone", 1))
        yield from measure_students(stack, stack.make_jobs(("squad-v2",), STUDENTS, "students", STUDENTS))
        if arguments.idle:
            time.sleep(SETTLE_SECONDS)
            before, _ = spent_by(stack)
            time.sleep(arguments.idle)
            yield "idle", (spent_by(stack).stack - before) / arguments.idle * 100
            yield "memory", measure_memory(stack.process)
        burst(stack, stack.make_jobs(SCRIPTS, 4, "warm-scripts", 4))
        jobs = stack.make_jobs(SCRIPTS, arguments.scripts, "scripts", PLAYERS)
        _, shown, spent, _ = burst(stack, jobs)
        yield from (("scripts", shown), ("scripts_spent", spent))
    if not arguments.no_samples:
        started: list[float] = []
        with running(checkout, "--samples", answered=started.append):
            yield "samples", time.time() - started[0]


def burst(stack: Running, jobs: Sequence[Job]) -> tuple[float, float, float, float]:
    """Return results accepted and shown a second, and processor milliseconds a result: stack, generator."""
    before, started = spent_by(stack), time.time()
    with ThreadPoolExecutor(CONCURRENCY) as pool, ThreadPoolExecutor(1) as reader:
        wanted = Counter(job.benchmark for job in jobs)
        start = {benchmark: count_shown(stack, benchmark) for benchmark in wanted}
        shown = reader.submit(await_boards, stack, {name: start[name] + more for name, more in wanted.items()})
        sent = list(pool.map(lambda job: submit(stack, job), jobs))
        seen = shown.result()
        last = max(written_at(stack, benchmark) or seen for benchmark in wanted)
    after = spent_by(stack)
    accepting = max(result.answered for result in sent) - started
    milliseconds = [1000 * (b - a) / len(jobs) for a, b in zip(before, after, strict=True)]
    return len(jobs) / accepting, len(jobs) / (last - started), milliseconds[0], milliseconds[1]


def measure_alone(stack: Running, jobs: Sequence[Job]) -> Iterator[tuple[str, float]]:
    """Yield the times of results of which each has the machine for itself."""
    answers, boards = [], []
    for job in jobs:
        number = count_shown(stack, job.benchmark)
        result = submit(stack, job)
        seen = await_boards(stack, {job.benchmark: number + 1}, pause=ASK_SECONDS)
        boards.append((written_at(stack, job.benchmark) or seen) - result.started)
        answers.append(result.answered - result.started)
        time.sleep(0.5)
    yield "alone_answer", 1000 * statistics.median(answers)
    yield "alone_board", 1000 * statistics.median(boards)


def measure_students(stack: Running, jobs: Sequence[Job]) -> Iterator[tuple[str, float]]:
    """Yield the times of many who submit at the same moment, each from a thread of their own."""
    with ThreadPoolExecutor(len(jobs)) as pool:
        sent = list(pool.map(lambda job: submit(stack, job), jobs))
        seen = list(pool.map(lambda result: await_score(stack, result), sent))
    answers = [result.answered - result.started for result in sent]
    yield "students_answer", 1000 * statistics.quantiles(answers, n=20, method="inclusive")[18]
    sql = "SELECT at FROM records WHERE tbl LIKE '%submissionstable' ORDER BY number DESC LIMIT ?"
    scored = query(stack, sql, len(jobs)) or seen
    yield "students_score", 1000 * (max(scored) - min(result.started for result in sent))


def measure_bare_board(arguments: argparse.Namespace) -> Iterator[tuple[str, float]]:
    """Yield the figures of FastAPI with SQLite that stores a row and sorts, with the same results."""
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w") as log:
        command = [sys.executable, str(ROOT / "bench" / "under_load" / "bare_board.py"), f"{folder}/board.db"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)
        try:
            stack = Running(process.pid, int(process.stdout.readline()), lambda *_: [], None)  # type: ignore[union-attr]
            make = [
                Job(name, f"player-{n % PLAYERS}", "", f"key-{n}", json.dumps({"score": n}), None)
                for n, name in enumerate(BUILT_IN * (arguments.submissions // len(BUILT_IN)))
            ]
            burst(stack, [job._replace(key=f"warm-{job.key}") for job in make[: 2 * CONCURRENCY]])
            yield from zip(("accepted", "shown", "spent", "generator"), burst(stack, make), strict=True)
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
