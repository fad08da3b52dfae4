"""Kills the whole local stack while players submit, and starts it again; afterwards the stored state is consistent.

Each time `laurel local` gets SIGKILL at a random moment, in half of the cases with all its workers, as when
a machine loses power. The last start is in the process of this module, which then checks what is stored.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from aggregate.dependencies import make_aggregator
from cli.sites import STACK_FILE
from engine.cloud import Engine
from engine.store import Store
from local.stack import LocalStack
from scoring_core.benchmarks.loading import Benchmark
from storage.gateway.bucket import Bucket
from storage.gateway.clients import ENGINE_VARIABLE
from storage.settings import RescoreSettings
from tests.faults.consistency import StoredState
from tests.faults.soak import SETTINGS, WHOLE, Plan, Tally, hurried, publish_and_enrol, take_stock
from tests.faults.workload import PlannedBatch, Players, list_examples, plan_batch, plan_submissions
from tests.harness.local_stack import open_aggregator
from tests.harness.processes import find_ports

START_SECONDS = 300
PATIENCE_TRIES = 3000
"""Ten minutes: a player repeats while the stack starts."""
POLL_SECONDS = 0.05


@dataclass
class Host:
    """A process of `laurel local`, in a folder, on one port."""

    folder: Path
    port: int
    starts: int = 0
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        """Start the stack, and wait until it runs."""
        self.starts += 1
        command = [sys.executable, "-m", "cli", "local", "--port", str(self.port), "--data", "data"]
        path = self.folder / f"start-{self.starts}.log"
        with path.open("wb") as log:
            self._process = subprocess.Popen(
                command, cwd=self.folder, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        deadline = time.monotonic() + START_SECONDS
        while "Laurel runs at" not in path.read_text():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the stack does not start: {path.read_text()}")
            time.sleep(POLL_SECONDS)

    def kill(self, *, with_workers: bool) -> None:
        """Kill the stack at once."""
        if self._process:
            if with_workers:
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
            self._process.wait()


def run_restarts(
    plan: Plan,
    *,
    kills: int,
    state: Path,
    log: Callable[[str], None],
    benchmarks: Sequence[Benchmark],
    when_down: Callable[[], None] = lambda: None,
) -> Tally:
    """Submit results while the stack is killed and started again, wait until nothing waits, and check what is stored.

    Args:
        plan: Its parameters; `pause_seconds` is the average time from a start to the kill.
        kills: How often it is killed.
        state: The folder in which it runs.
        log: Called with each line that the last stack logs.
        benchmarks: What is submitted to.
        when_down: Called while the stack is dead, once.
    """
    chance = random.Random(plan.seed)  # noqa: S311  # nothing here is a secret
    examples = list(list_examples(benchmarks))
    planned = plan_submissions(examples, count=plan.submissions, chance=chance)
    batch = plan_batch(examples, chance=chance)
    host = Host(state, *find_ports(1))
    players = Players(f"http://localhost:{host.port}", max_tries=PATIENCE_TRIES)
    submitting = threading.Thread(target=players.submit, args=(planned,), kwargs={"seconds": plan.seconds})
    lines: list[str] = []

    def note(line: str) -> None:
        lines.append(line)
        log(line)

    try:
        host.start()
        _prepare(state, benchmarks, batch)
        began = time.monotonic()
        submitting.start()
        for number in range(kills):
            if number:
                host.start()
            time.sleep(chance.uniform(0, 2 * plan.pause_seconds))
            host.kill(with_workers=chance.random() < 0.5)
            if not number:
                when_down()
    finally:
        host.kill(with_workers=True)
    with (
        hurried(),
        LocalStack(
            port=host.port, log=note, state=state / STACK_FILE.parent, data=state / "data", parameters=SETTINGS
        ) as stack,
    ):
        aggregator = open_aggregator(stack)
        stored = StoredState(stack, aggregator)
        submitting.join()
        counts = {WHOLE: kills}
        return take_stock(
            plan, stack, stored, players, planned=planned, batch=batch, kills=counts, lines=lines, began=began
        )


def _prepare(state: Path, benchmarks: Sequence[Benchmark], batch: PlannedBatch) -> None:
    """Publish benchmarks, enrol players and upload a batch, as an operator beside the running stack."""
    environment = json.loads((state / STACK_FILE).read_text())["environment"]
    cloud = Engine(Store(Path(environment[ENGINE_VARIABLE])))
    settings = RescoreSettings.read(environment)
    aggregator = make_aggregator(settings, s3=cloud.objects, dynamodb=cloud.tables, clock=lambda: datetime.now(UTC))
    publish_and_enrol(benchmarks, aggregator, cloud.tables, environment["ACCESS_TABLE"])
    Bucket(cloud.objects, environment["RESULTS_BUCKET"]).overwrite(str(batch.key), batch.body)
