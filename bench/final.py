"""Times the final of a contest on one machine: from `laurel reveal` until the board shows it.

`uv run python bench/final.py [--results N] [--rows N] [--closes-in SECONDS]` runs the local stack in a process of its
own, publishes a contest over HTTP whose truth is half hidden, submits N results of that many rows before it closes, and
reveals it. Beside it, as the peer of the same run: the time one core takes to score a result by both halves, outside
the stack. The bench fails if the final lacks a result or a rank, never because of the time.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from under_load.stack import Running, add_player, running_stack

from scoring_core.benchmarks.loading import load_folder
from scoring_core.judgement import judge

PLAYERS = 500
AT_ONCE = 16
DEFINITION = """\
id: contest
title: Contest
summary: Predict numbers; half of them are hidden until the final.
scorer: table
ground_truth: solution.csv
parameters:
  target: price
  metrics: [rmse]
  rows: {{column: Usage, now: Public, final: Private}}
score_type:
  headers: [{{name: rmse, label: Error, type: float, min: 0, direction: lower, decimals: 3}}]
ranking: {{by: [rmse]}}
submissions: {{takes: [csv], per_day: 10000}}
closes: {closes}
contacts: {{owner: owner@example.com}}
"""


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=int, default=1000, help="results (default: 1,000)")
    parser.add_argument("--rows", type=int, default=10_000, help="rows of each (default: 10,000)")
    parser.add_argument("--closes-in", type=int, default=120, help="seconds until the contest closes (default: 120)")
    arguments = parser.parse_args()
    generator = random.Random(2026)
    with tempfile.TemporaryDirectory() as folder, running_stack(Path(folder)) as stack:
        contest = Path(folder) / "contest"
        closes = write_contest(contest, arguments.rows, arguments.closes_in, generator)
        environment = {**os.environ, "LAUREL_API": stack.url}
        command = [sys.executable, "-m", "cli"]
        subprocess.run([*command, "publish", contest], cwd=folder, env=environment, check=True)
        asyncio.run(submit(stack, arguments.results, arguments.rows, generator))
        scored = time.time()
        wait_for(stack, lambda head: head["counts"]["submissions"] == arguments.results)
        print(f"all public scores shown {time.time() - scored:.1f} s after the last answer")
        time.sleep(max(0.0, (closes - datetime.now(UTC)).total_seconds()) + 1)
        started, before = time.time(), stack.processor_seconds()
        subprocess.run(
            [*command, "reveal", "contest", "--json"],
            cwd=folder,
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        head = wait_for(stack, lambda head: bool(head.get("final")))
        seconds, spent = time.time() - started, stack.processor_seconds() - before
        alone = time_scoring(contest, make_table(arguments.rows, generator))
    print(f"{arguments.results} results of {arguments.rows} rows: the final took {seconds:.1f} s")
    print(f"processor        {1000 * spent / arguments.results:6.1f} ms a result")
    print(f"scoring alone    {1000 * alone:6.1f} ms a result")
    print(f"ratio            {spent / arguments.results / alone:6.2f}")
    whole = head["counts"]["submissions"] == arguments.results and head["total"] == min(PLAYERS, arguments.results)
    return 0 if whole else 1


def write_contest(folder: Path, rows: int, closes_in: int, generator: random.Random) -> datetime:
    """Write the folder of a contest; return when it closes."""
    folder.mkdir()
    closes = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=closes_in)
    (folder / "benchmark.yaml").write_text(DEFINITION.format(closes=closes.isoformat()))
    (folder / "description.md").write_text("Predict the numbers.\n")
    lines = (f"h{n},{generator.uniform(100, 600):.1f},{'Public' if n % 2 else 'Private'}" for n in range(rows))
    (folder / "solution.csv").write_text("\n".join(["id,price,Usage", *lines]) + "\n")
    return closes


def make_table(rows: int, generator: random.Random) -> bytes:
    """Make a result."""
    lines = (f"h{number},{generator.uniform(100, 600):.3f}" for number in range(rows))
    return ("\n".join(["id,price", *lines]) + "\n").encode()


async def submit(stack: Running, results: int, rows: int, generator: random.Random) -> None:
    """Submit results, and print how long their 202 took."""
    tokens = [add_player(stack, f"team-{number}")[1] for number in range(min(PLAYERS, results))]
    taken: list[float] = []
    free = asyncio.Semaphore(AT_ONCE)
    async with httpx.AsyncClient(base_url=stack.url, timeout=120) as client, asyncio.TaskGroup() as group:
        for number in range(results):
            await free.acquire()
            body = make_table(rows, generator)

            async def post(token: str = tokens[number % len(tokens)], body: bytes = body) -> None:
                started = time.time()
                headers = {"Authorization": f"Bearer {token}", "Content-Type": "text/csv"}
                answer = await client.post("/api/benchmarks/contest/submissions", headers=headers, content=body)
                assert answer.status_code == httpx.codes.ACCEPTED, answer.text
                taken.append(time.time() - started)
                free.release()

            group.create_task(post())
    taken.sort()
    print(f"{results} POSTs, {AT_ONCE} at once: p95 of the 202 {1000 * taken[len(taken) * 95 // 100]:.0f} ms")


def wait_for(stack: Running, holds: Callable[[Any], bool]) -> Any:
    """Wait until the contest's head is so, and return it."""
    with httpx.Client(base_url=stack.url) as client:
        while True:
            answer = client.get("/data/b/contest/head.json")
            if answer.status_code == httpx.codes.OK and holds(head := json.loads(answer.content)):
                return head
            time.sleep(0.5)


def time_scoring(contest: Path, result: bytes) -> float:
    """Return the processor time that one result takes outside the stack, in seconds."""
    benchmark = load_folder(contest).reveal()
    scorer = benchmark.prepare_scorer()
    started = time.process_time()
    for _ in range(20):
        judge(benchmark, scorer, result, file_format="csv")
    return (time.process_time() - started) / 20


if __name__ == "__main__":
    sys.exit(main())
