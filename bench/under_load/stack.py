"""`laurel local` in a process of its own, players with tokens, and valid results for them to submit."""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from engine.cloud import Engine
from engine.store import Store
from local.layout import ROOT
from local.samples import list_parts, make_result
from scoring_core.benchmarks.loading import Benchmark, load_folder
from storage.gateway.clients import ENGINE_VARIABLE
from storage.gateway.table import Table
from storage.players.players import Account, PlayerStore
from storage.players.tokens import TOKEN_PREFIX, Scope, Token, TokenStore, token_id_of
from storage.submissions.models import Player, PlayerKind

SEED = 2026
POLL_SECONDS = 0.2
PATIENCE_SECONDS = 60
READY = "Laurel runs at"


class Job(NamedTuple):
    """A result to submit."""

    benchmark: str
    player: str
    token: str
    key: str
    body: bytes
    part: str | None


class Running(NamedTuple):
    """A running stack: its URL, what names its store, the file of what it prints, and its process."""

    url: str
    environment: dict[str, str]
    log: Path
    pid: int

    def processor_seconds(self) -> float:
        """Return the processor time of the stack and its workers, of those that have ended too."""
        ticks, below = 0, {self.pid}
        for folder in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
            with suppress(FileNotFoundError, ProcessLookupError):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(folder.name) in below or int(fields[1]) in below:
                    below.add(int(folder.name))
                    ticks += sum(map(int, fields[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def complaints(self) -> list[str]:
        """Return the lines of the stack about failures."""
        return [line for line in self.log.read_text().splitlines() if "failed" in line or "Error" in line]

    def engine(self) -> Engine:
        """Open the file of this stack."""
        return Engine(Store(Path(self.environment[ENGINE_VARIABLE])))


@contextmanager
def running_stack(folder: Path) -> Iterator[Running]:
    """Run the stack with the shipped benchmarks, empty boards, and its state in this folder."""
    command = [sys.executable, "-m", "cli", "local", "--port", "0", "--no-samples"]
    log = folder / "stack.log"
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        try:
            _wait_until(lambda: READY in log.read_text(), process)
            state = json.loads((folder / ".laurel" / "stack.json").read_text())
            yield Running(state["url"], state["environment"], log, process.pid)
        finally:
            process.terminate()
            process.wait(timeout=30)


def _wait_until(holds: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert process.poll() is None, "the stack ended"
        assert time.monotonic() < deadline, "the stack does not start"
        time.sleep(POLL_SECONDS)


def make_jobs(stack: Running, *, players: int, submissions: int, name: str) -> list[Job]:
    """Make players with tokens, and valid results for each benchmark of `load_benchmarks` in turn."""
    generator = random.Random(f"{SEED} {name}")
    tokens = [add_player(stack, f"{name}-{number}") for number in range(min(players, submissions))]
    benchmarks = load_benchmarks()
    jobs = []
    for number in range(submissions):
        # Each player plays all benchmarks before the next player does.
        benchmark = benchmarks[number % len(benchmarks)]
        player, token = tokens[number // len(benchmarks) % len(tokens)]
        body, part = draw_result(benchmark, generator)
        jobs.append(Job(benchmark.definition.id, player, token, f"{name}-{number}", body, part))
    return jobs


def load_benchmarks() -> list[Benchmark]:
    """Load the shipped benchmarks with built-in scorers; `bench/script_runs.py` measures scripts."""
    shipped = [load_folder(path.parent) for path in sorted((ROOT / "benchmarks").glob("*/benchmark.yaml"))]
    return [benchmark for benchmark in shipped if not benchmark.definition.runs_script]


def draw_result(benchmark: Benchmark, generator: random.Random) -> tuple[bytes, str | None]:
    """Make a valid result of a benchmark; return it with its part."""
    part = generator.choice(list_parts(benchmark))
    result = make_result(benchmark, generator, skill=generator.random(), part=part)
    return json.dumps(result).encode(), part


def add_player(stack: Running, name: str) -> tuple[str, str]:
    """Store an account and a token of it; return the player's id and the token."""
    table, now = Table(stack.engine().tables, stack.environment["ACCESS_TABLE"]), datetime.now(UTC)
    player, secret = Player(name, name, PlayerKind.MODEL, verified=True), f"{TOKEN_PREFIX}{name}"
    table.transact(PlayerStore(table).plan(Account(player, None, now)))
    token = Token(id=token_id_of(secret), player=name, scopes=frozenset({Scope.SUBMIT}), benchmarks=(), created_at=now)
    table.transact([TokenStore(table).plan(secret, token)])
    return name, secret
