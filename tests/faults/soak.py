"""Kills workers of a running stack while players submit; afterwards the stored state must be consistent.

The worker processes are killed with SIGKILL while they handle an event. Only what Lambda may lose is killed: AWS, the
pollers and the site run in the process of this module.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.publishing import publish_benchmark
from engine.cloud import Engine
from local import stack as stack_module
from local.functions import Function
from local.stack import PARAMETERS, LocalStack, Stack, declare_resources
from scoring_core.benchmarks.examples import Expectation
from scoring_core.benchmarks.loading import Benchmark
from scoring_core.outcome import Outcome
from storage.gateway.bucket import Bucket
from storage.gateway.functions import LambdaFunction
from storage.gateway.queue import Queue
from storage.gateway.table import Tables
from storage.keys import ResultKey
from storage.submissions.queues import EvaluateQueue
from tests.faults import consistency, workload
from tests.faults.steps import Enrol
from tests.harness.local_stack import open_aggregator
from tests.harness.processes import list_busy

SETTINGS = {**PARAMETERS, "GatherSeconds": "5"}
VISIBILITY_SECONDS = 10
"""Instead of the template's, so that the messages of a killed worker come back soon."""
SENDER = "SendFunction"
"""A mail whose sender was killed waits until its lease ends: three minutes."""
WHOLE = "the whole stack"
MAX_SENDERS = 2
"""Senders at once, which die with the whole stack: its schedule's, and the one of the mail table's stream."""
MAX_LINGER_SECONDS = 0.5
FINAL_IN = timedelta(seconds=5)
"""From the publishing of its time, when all results of the contest are acknowledged, to the final."""
QUIET_SECONDS = 600
POLL_SECONDS = 1.0


class Plan(NamedTuple):
    """The parameters of a soak.

    Args:
        seconds: How long results flow and workers are killed.
        submissions: How many players submit over HTTP in that time.
        pause_seconds: The average time between two kills.
        seed: The seed of the submissions and of the kills.
        spared: Functions whose workers are not killed.
    """

    seconds: float
    submissions: int
    pause_seconds: float
    seed: int
    spared: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Tally:
    """The result of a soak.

    Args:
        plan: Its parameters.
        kills: Function → how many workers of it were killed.
        acknowledged: Submissions that were answered with 202.
        repeats: How often a player had to try again.
        dropped: Entries of the batch that became submissions.
        outcomes: Outcome → how many records have it in the end.
        dead_letters: Results that reached the dead-letter queue, and were scored when they were queued again.
        mails: How many were sent.
        mails_repeated: How many of them were sent twice.
        mails_given_up: Pending mails whose sender died twice.
        seconds: From the first submission until nothing waited.
        faults: What is lost or doubled.
    """

    plan: Plan
    kills: Mapping[str, int]
    acknowledged: int
    repeats: int
    dropped: int
    outcomes: Mapping[str, int]
    dead_letters: int
    mails: int
    mails_repeated: int
    mails_given_up: int
    seconds: float
    faults: list[str]

    def __str__(self) -> str:
        kills = ", ".join(f"{name} {number}" for name, number in sorted(self.kills.items()))
        errors = ", ".join(f"{name} {number}" for name, number in sorted(self.outcomes.items()) if name != "scored")
        return "\n".join(
            (
                f"seed            {self.plan.seed}",
                f"kills           {sum(self.kills.values())} ({kills})",
                f"acknowledged    {self.acknowledged}, and {self.dropped} of a batch; {self.repeats} tries repeated",
                f"recorded        {sum(self.outcomes.values())}",
                f"on boards       {self.outcomes.get('scored', 0)}",
                f"errors          {errors or 0}; dead letters that were scored later {self.dead_letters}",
                f"mails           {self.mails}, {self.mails_repeated} repeated, {self.mails_given_up} given up",
                f"seconds         {self.seconds:.0f}",
                *(f"FAULT           {fault}" for fault in self.faults),
            )
        )


@dataclass
class Killer:
    """Kills workers that handle an event, of a random function at a random moment.

    A function is spared until it has answered again: a message whose worker dies at every try is rightly given up.

    Args:
        functions: The functions whose workers are killed.
        chance: The seeded random choice.
        pause_seconds: The average time between two kills.
        kills: Function → how many of its workers were killed.
    """

    functions: Collection[Function]
    chance: random.Random
    pause_seconds: float
    kills: Counter[str] = field(default_factory=Counter)
    _answered: dict[str, int] = field(default_factory=dict)
    _ended: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def at_work(self) -> Any:
        """Kill while the context lasts."""
        thread = threading.Thread(target=self._run)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join()

    def _run(self) -> None:
        while not self._ended.wait(self.chance.uniform(0, 2 * self.pause_seconds)):
            self._kill()

    def _kill(self) -> None:
        while not self._ended.wait(0.01):
            busy = [
                (function, processes)
                for function in self.functions
                if self._may_die(function) and (processes := list_busy(function))
            ]
            if busy:
                function, processes = self.chance.choice(busy)
                self._ended.wait(self.chance.uniform(0, MAX_LINGER_SECONDS))
                self.chance.choice(processes).kill()
                self.kills[function.logical_id] += 1
                self._answered[function.logical_id] = function.answered
                return

    def _may_die(self, function: Function) -> bool:
        return function.answered > self._answered.get(function.logical_id, 0)


def run_soak(plan: Plan, *, state: Path, log: Callable[[str], None]) -> Tally:
    """Submit results while workers die, wait until nothing waits, and check what is stored.

    Args:
        plan: Its parameters.
        state: The folder in which the stack stores its state.
        log: Called with each line that the stack logs.
    """
    lines: list[str] = []

    def note(line: str) -> None:
        lines.append(line)
        log(line)

    with hurried(), LocalStack(port=0, log=note, state=state, parameters=SETTINGS) as stack:
        aggregator = open_aggregator(stack)
        stored = consistency.StoredState(stack, aggregator)
        access_table = stack.template.resources["AccessTable"].name
        benchmarks = [*workload.load_benchmarks(), workload.make_contest()]
        publish_and_enrol(benchmarks, aggregator, stack.cloud.tables, access_table)
        return _soak(plan, stack, stored, lines)


def publish_and_enrol(
    benchmarks: Sequence[Benchmark], aggregator: Aggregator, dynamodb: Tables, access_table: str
) -> None:
    """Publish benchmarks, and enrol the players."""
    for benchmark in benchmarks:
        publish_benchmark(benchmark, aggregator)
    for player in workload.PLAYERS:
        Enrol(player).enrol(dynamodb, access_table)


@contextmanager
def hurried() -> Iterator[None]:
    """Shorten the visibility timeout of messages in stacks that start while the context lasts.

    It is short before they poll: a poll that has begun gives what it receives the timeout that it found, and a message
    whose worker is killed then would come back after more than `QUIET_SECONDS`.
    """

    def declare(*arguments: Any, **options: Any) -> Engine:
        clients = declare_resources(*arguments, **options)
        for name in clients.store.list_resources("queue"):
            properties = clients.store.find_resource("queue", name) or {}
            clients.store.define("queue", name, {**properties, "VisibilityTimeout": VISIBILITY_SECONDS})
        return clients

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stack_module, "declare_resources", declare)
        yield


def _soak(plan: Plan, stack: Stack, stored: consistency.StoredState, lines: list[str]) -> Tally:
    chance = random.Random(plan.seed)  # noqa: S311  # nothing here is a secret
    examples = [*workload.list_examples(workload.load_benchmarks()), *workload.CONTEST_EXAMPLES]
    planned = workload.plan_submissions(examples, count=plan.submissions, chance=chance)
    batch = workload.plan_batch(examples, chance=chance)
    victims = [function for name, function in sorted(stack.functions.items()) if name not in plan.spared]
    players, killer = workload.Players(stack.url), Killer(victims, chance, plan.pause_seconds)
    began = time.monotonic()
    with killer.at_work():
        bucket = stack.template.resources["ResultsBucket"].name
        Bucket(stack.cloud.objects, bucket).overwrite(str(batch.key), batch.body)
        before = len(planned) // workload.BEFORE_FINAL
        seconds = plan.seconds / workload.BEFORE_FINAL
        players.submit(planned[:before], seconds=seconds)
        publish_benchmark(workload.make_contest(datetime.now(UTC) + FINAL_IN), stored.aggregator)
        players.submit(planned[before:], seconds=plan.seconds - seconds)
    tally = take_stock(
        plan, stack, stored, players, planned=planned, batch=batch, kills=killer.kills, lines=lines, began=began
    )
    faults = consistency.judge_final(stored, workload.CONTEST, given_up=tally.mails_given_up)
    return replace(tally, faults=[*tally.faults, *faults])


def take_stock(
    plan: Plan,
    stack: Stack,
    stored: consistency.StoredState,
    players: workload.Players,
    *,
    planned: Sequence[workload.PlannedSubmission],
    batch: workload.PlannedBatch,
    kills: Mapping[str, int],
    lines: Sequence[str],
    began: float,
) -> Tally:
    """Wait until nothing waits, and compare all that is stored with what was acknowledged.

    Args:
        plan: The parameters of the soak.
        stack: The running stack.
        stored: Its state.
        players: The players who submitted.
        planned: What they submitted.
        batch: The batch that was uploaded.
        kills: How often what was killed.
        lines: What the stack logged.
        began: When the first result was submitted, by the monotonic clock.
    """
    faults = [*players.refused, *await_quiet(stored)]
    bucket = stack.template.resources["ResultsBucket"].name
    failed = [record.submission for record in stored.records() if record.outcome is Outcome.INTERNAL_ERROR]
    if failed:  # as an operator does with `laurel sweep --failed`
        notices = EvaluateQueue(Queue(stack.cloud.messages, stack.settings.evaluate_queue_url), bucket)
        list(notices.send(ResultKey(submission.benchmark, submission.id) for submission in failed))
        rescoring = LambdaFunction(stack.cloud.functions, stack.functions["RescoreFunction"].name)
        rescoring.start({"benchmark": workload.CONTEST})  # what blocked the final does so no more
        faults += await_quiet(stored)
    seconds = time.monotonic() - began
    expected = {submission.key: submission.example.expected for submission in planned}
    submitted = {submission: expected[key] for key, submission in players.acknowledged.items()}
    dropped = _expect_of(batch, stored.batch_entries())
    mails = stored.mails()
    given_up = sum(number for reason, number in stored.refused_mails().items() if consistency.HALF_WAY in reason)
    faults += consistency.find_inconsistent(stored, submitted | dropped)
    senders = kills.get(SENDER, 0) + kills.get(WHOLE, 0) * MAX_SENDERS
    faults += _judge_mails(stored, senders, given_up=given_up, failed=len(failed))
    faults += [line for line in lines if "given up" in line or "passed over" in line or "foreign" in line]
    return Tally(
        plan=plan,
        kills=dict(kills),
        acknowledged=len(players.acknowledged),
        repeats=players.repeats,
        dropped=len(dropped),
        outcomes=Counter(record.outcome.value for record in stored.records()),
        dead_letters=len(failed),
        mails=len(mails),
        mails_repeated=consistency.count_repeats(mails),
        mails_given_up=given_up,
        seconds=seconds,
        faults=faults,
    )


def await_quiet(stored: consistency.StoredState) -> list[str]:
    """Wait until no work is left; return what is left if that takes too long."""
    deadline = time.monotonic() + QUIET_SECONDS
    while waiting := stored.waiting():
        if time.monotonic() > deadline:
            return [f"not quiet after {QUIET_SECONDS} s: {waiting}"]
        time.sleep(POLL_SECONDS)
    return []


def _expect_of(batch: workload.PlannedBatch, entries: Mapping[str, str | None]) -> dict[str, Expectation]:
    """Return submission → expected outcome of a batch; an entry without a submission gets a name of its own."""
    expected = {f"line {number}": example.expected for number, example in enumerate(batch.examples, start=1)}
    return {entries.get(line) or f"{line} of the batch": expectation for line, expectation in expected.items()}


def _judge_mails(stored: consistency.StoredState, kills: int, *, given_up: int, failed: int) -> list[str]:
    """Return which mails are lost, or repeated without a kill that explains it.

    Args:
        stored: The state of the stack.
        kills: How many senders were killed: each kill may repeat one mail, and two at one mail make it given up.
        given_up: How many pending mails were given up.
        failed: How many results failed and were retried later: their second outcome is mailed too.
    """
    mails, unmailed = stored.mails(), consistency.find_unmailed(stored)
    faults = [f"mail refused: {reason}" for reason in stored.refused_mails() if consistency.HALF_WAY not in reason]
    if len(unmailed) > given_up:
        faults.append(f"{len(unmailed)} not mailed, {given_up} given up: {stored.find_digests(unmailed)}")
    if given_up and kills < 2:
        faults.append(f"{given_up} mails given up, though {kills} senders were killed")
    if consistency.count_repeats(mails) > kills:
        faults.append(f"{consistency.count_repeats(mails)} mails repeated, {kills} senders killed")
    if consistency.count_repeated_outcomes(mails) > failed:
        faults.append(f"{consistency.count_repeated_outcomes(mails)} mailed again in another mail")
    return faults
