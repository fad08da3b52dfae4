"""Loads the local stack with many players, and checks that nothing is lost.

`uv run python bench/load.py [--players N] [--submissions N] [--concurrency N] [--idle SECONDS]` loads the stack over
HTTP, in a separate process, with results of built-in scorers: a warm-up, in which workers start and import (scipy for
one of the scorers: 0.4 s each), a burst, in which POST follows POST, and a trickle at a third of the rate at which the
burst reached the boards. Then nothing happens for a while. A result is scored at the
time in its submission record, by the clock of the function that wrote it. It is on the board when a reader of the site
sees it counted. The processor time is that of the stack and its workers, beside that of a peer before and after the
burst, since a virtual machine has faster and slower hours: a JSON text read and written. The bench fails if anything is
lost, doubled or wrong, never because of the time.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from under_load.books import find_faults, read_records
from under_load.stack import Running, make_jobs, running_stack
from under_load.traffic import Load, Sent, submit_jobs

TRICKLE = 5
"""How many times as many results the burst has as the trickle."""
WARM_UP = 20
"""How many results before the burst for each POST at once: so that each worker has scored all benchmarks."""
PEER_TIMES = 1_000
SETTLE_SECONDS = 10
"""Until what was put off is done."""


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=60, help="players at once (default: 60)")
    parser.add_argument("--submissions", type=int, default=200, help="results of the burst (default: 200)")
    parser.add_argument("--concurrency", type=int, default=16, help="POSTs at once, at most (default: 16)")
    parser.add_argument("--idle", type=float, default=30, help="seconds in which nothing happens (default: 30)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running_stack(Path(folder)) as stack:
        faults = load_stack(stack, arguments)
        if arguments.idle:
            time.sleep(SETTLE_SECONDS)
            before = stack.processor_seconds()
            time.sleep(arguments.idle)
            print(f"idle: {(stack.processor_seconds() - before) / arguments.idle:.1%} of a core")
    return 1 if faults else 0


def load_stack(stack: Running, arguments: argparse.Namespace) -> list[str]:
    """Load the stack and print the figures; return what is lost, doubled or wrong."""
    concurrency = arguments.concurrency

    def make_and_submit(name: str, submissions: int, pace: float | None = None) -> Load:
        jobs = make_jobs(stack, players=arguments.players, submissions=submissions, name=name)
        return asyncio.run(submit_jobs(stack.url, jobs, concurrency=concurrency, pace=pace))

    began = stack.processor_seconds()
    warm_up = make_and_submit("warm-up", WARM_UP * concurrency)
    peer_before, before = measure_peer(), stack.processor_seconds()
    burst = make_and_submit("burst", arguments.submissions)
    spent = (stack.processor_seconds() - before) / len(burst.sent)
    peer = (peer_before + measure_peer()) / 2
    starting = (before - began) / len(warm_up.sent)
    pace = len(burst.sent) / burst.seconds / 3
    trickle = make_and_submit("trickle", max(20, arguments.submissions // TRICKLE), pace)
    scored = {record.submission: record.recorded for record in read_records(stack)}
    print(f"{arguments.players} players, at most {concurrency} POSTs at once, built-in scorers in turn\n")
    print(f"accepted         {len(burst.sent) / burst.accepting_seconds:6.1f}/s")
    print(f"on the boards    {len(burst.sent) / burst.seconds:6.1f}/s")
    print(f"processor        {1000 * spent:6.1f} ms a result; {1000 * starting:.1f} of the {len(warm_up.sent)} before")
    print(f"                 {spent / peer:6.0f} times the peer, which took {1_000_000 * peer:.0f} µs")
    print(f"\n{'milliseconds':34}{'p50':>8}{'p95':>8}{'p99':>8}")
    report_moments(f"burst of {len(burst.sent)}", burst.sent, scored)
    report_moments(f"{len(trickle.sent)} at {pace:.1f}/s", trickle.sent, scored)
    return report_consistency(stack, [warm_up, burst, trickle])


def measure_peer() -> float:
    """Return the seconds of processor time in which Python reads and writes a JSON text of 1,000 numbers."""
    text, began = json.dumps(list(range(1000))), time.process_time()
    for _ in range(PEER_TIMES):
        json.dumps(json.loads(text))
    return (time.process_time() - began) / PEER_TIMES


def report_moments(name: str, sent: list[Sent], scored: dict[str, float]) -> None:
    """Print the times of results from the start of their POST."""
    spans = {
        "POST → answer": [result.answered - result.started for result in sent],
        "POST → scored": [scored[result.submission] - result.started for result in sent],
        "POST → board": [result.shown - result.started for result in sent],
    }
    for span, seconds in spans.items():
        cuts = statistics.quantiles((1000 * second for second in seconds), n=100, method="inclusive")
        print(f"{name:18}{span:16}{cuts[49]:8.0f}{cuts[94]:8.0f}{cuts[98]:8.0f}")


def report_consistency(stack: Running, loads: list[Load]) -> list[str]:
    """Print and return what is lost, doubled or wrong."""
    sent = [result for load in loads for result in load.sent]
    faults = find_faults(stack, sent)
    repeated, failed = sum(load.repeated for load in loads), sum((load.failed for load in loads), start=Counter())
    state = f"WRONG: {'; '.join(faults)}" if faults else "each stored, recorded once and counted on its board"
    print(f"\n{len(sent)} acknowledged, {repeated} of them sent twice: {state}")
    for what, count in failed.items():
        print(f"  tried again {count} times after {what}")
    for line in stack.complaints():
        print(f"  the stack: {line}")
    return faults


if __name__ == "__main__":
    sys.exit(main())
