"""The steps of a scenario, as data; each is repeated until there is an answer, as a client or operator would."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import quote

from aggregate.benchmarks.publishing import publish_benchmark
from aggregate.dependencies import make_aggregator
from scoring_core.benchmarks.loading import Benchmark
from scoring_core.judgement import judge
from storage.gateway import clients as aws
from storage.gateway.table import Table
from storage.keys import BatchKey, ResultKey
from storage.players.tokens import Scope
from storage.settings import AggregateSettings
from storage.submissions.models import PlayerKind
from tests.faults.faults import Crash
from tests.faults.simulation import MAX_TRIES, NeverQuiet, Receipt, Simulation
from tests.harness.factories import make_player
from tests.harness.stack import Answer
from tests.harness.tokens import keep_account, keep_token


class Step(Protocol):
    """An action of a player, owner or operator."""

    def act(self, simulation: Simulation) -> None:
        """Do it until it is complete."""
        ...


@dataclass(frozen=True)
class Enrol:
    """A player gets an account and a token; no fault is injected.

    Args:
        player: The player's id; the token is derived from it.
        scopes: What the token allows.
    """

    player: str
    scopes: frozenset[Scope] = frozenset({Scope.SUBMIT})

    def act(self, simulation: Simulation) -> None:
        """Write account and token."""
        self.enrol(simulation.cloud.dynamodb, simulation.name_of("AccessTable"))

    def enrol(self, dynamodb: Any, table: str) -> None:
        """Write them into an access table."""
        player = make_player(self.player, self.player.title(), PlayerKind.MODEL)
        access = Table(dynamodb, table)
        keep_account(access, player, f"{self.player}@example.com")
        keep_token(access, player, *self.scopes, secret=secret_of(self.player))


@dataclass(frozen=True)
class Publish:
    """An operator publishes a benchmark.

    Args:
        benchmark: The benchmark.
        watched: Whether the injector counts its calls and may let them fail.
    """

    benchmark: Benchmark
    watched: bool = False

    def act(self, simulation: Simulation) -> None:
        """Publish, and repeat until it succeeds."""
        variables = simulation.template.resources_of("AWS::Lambda::Function")["AggregateFunction"]["Environment"]
        settings = AggregateSettings.read(variables["Variables"])
        clients: Any = aws if self.watched else simulation.cloud
        s3, dynamodb = (
            (clients.gateway().objects, clients.gateway().tables) if self.watched else (clients.objects, clients.tables)
        )

        def publish() -> None:
            simulation.injector.function = "publish"
            try:
                publish_benchmark(
                    self.benchmark, make_aggregator(settings, s3=s3, dynamodb=dynamodb, clock=simulation.clock)
                )
            except Crash:
                simulation.replace_process()
                raise

        simulation.retry_until_answered(publish)


@dataclass(frozen=True)
class Post:
    """A client submits a result with an idempotency key.

    Args:
        benchmark: The benchmark's id.
        result: The result.
        key: The idempotency key.
        token: The player whose token is sent; None: a guest.
        guest: The guest's name.
        part: The part that the submission names.
        label: The label that the player gives it.
    """

    benchmark: str
    result: Any
    key: str
    token: str | None = None
    guest: str | None = None
    part: str | None = None
    label: str | None = None

    def act(self, simulation: Simulation) -> None:
        """Submit until there is an answer that is no server error."""
        self.submit_once(simulation, {})

    def submit_once(self, simulation: Simulation, headers: Mapping[str, str]) -> None:
        """Submit with the key until it is accepted, and note the promise."""
        answer = self.submit(simulation, {"Idempotency-Key": self.key, **headers})
        assert answer.status == HTTPStatus.ACCEPTED, answer
        simulation.acknowledged[self.key] = Receipt(answer.body["submission"], answer.body["receipt"])

    def submit(self, simulation: Simulation, headers: Mapping[str, str]) -> Answer:
        """Submit with these headers; return the answer."""
        return call(
            simulation,
            "POST",
            f"/api/benchmarks/{self.benchmark}/submissions",
            query=self.query,
            headers={"Content-Type": "application/json", **headers, **authorization(self.token)},
            body=json.dumps(self.result).encode(),
        )

    @property
    def query(self) -> dict[str, str]:
        """The player who submits, and what it is about."""
        query = {"player": self.guest, "part": self.part, "label": self.label}
        return {name: value for name, value in query.items() if value}


@dataclass(frozen=True)
class Play(Post):
    """A client plays with a run ticket: it gets one, plays for 3 seconds and submits.

    Then it tries to use the ticket for another result.
    """

    def act(self, simulation: Simulation) -> None:
        """Play, submit, and try the ticket again."""
        begun = call(
            simulation,
            "POST",
            f"/api/benchmarks/{self.benchmark}/runs",
            query=self.query,
            headers=authorization(self.token),
        )
        assert begun.status == HTTPStatus.CREATED, begun
        simulation.clock.advance(seconds=3)
        ticket = {"Laurel-Ticket": begun.body["ticket"]}
        self.submit_once(simulation, ticket)
        other = self.submit(simulation, {"Idempotency-Key": f"{self.key}-again", **ticket})
        assert (other.status, other.body["type"]) == (422, "urn:laurel:problem:spent-ticket"), other


@dataclass(frozen=True)
class Accept:
    """An owner accepts a submission in review.

    Args:
        benchmark: The benchmark's id.
        key: The idempotency key with which it was submitted.
        owner: The player whose token is sent.
    """

    benchmark: str
    key: str
    owner: str

    def act(self, simulation: Simulation) -> None:
        """Accept it."""
        answer = call(
            simulation,
            "POST",
            f"/api/benchmarks/{self.benchmark}/submissions/{simulation.acknowledged[self.key].submission}/acceptance",
            headers={"Content-Type": "application/json", **authorization(self.owner)},
            body=b"{}",
        )
        assert answer.status == HTTPStatus.OK, answer


@dataclass(frozen=True)
class Withdraw:
    """A player withdraws a submission.

    Args:
        benchmark: The benchmark's id.
        key: The idempotency key with which it was submitted.
        reason: Why.
    """

    benchmark: str
    key: str
    reason: str

    def act(self, simulation: Simulation) -> None:
        """Withdraw, with the receipt."""
        submission, receipt = simulation.acknowledged[self.key]
        answer = call(
            simulation,
            "POST",
            f"/api/benchmarks/{self.benchmark}/submissions/{submission}/withdrawal",
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {receipt}"},
            body=json.dumps({"reason": self.reason}).encode(),
        )
        assert answer.status == HTTPStatus.OK, answer


@dataclass(frozen=True)
class Ask:
    """An owner asks for a rescore, or for more time for a player.

    Args:
        path: What is asked for, behind `/api/benchmarks/`.
        owner: The player whose token is sent.
        body: What is sent.
    """

    path: str
    owner: str
    body: Mapping[str, str] = field(default_factory=dict)

    def act(self, simulation: Simulation) -> None:
        """Ask for it."""
        headers = {"Content-Type": "application/json", **authorization(self.owner)}
        body = json.dumps(self.body).encode()
        answer = call(simulation, "POST", f"/api/benchmarks/{self.path}", headers=headers, body=body)
        assert answer.status in {HTTPStatus.OK, HTTPStatus.ACCEPTED}, answer


@dataclass(frozen=True)
class Drop:
    """A model owner puts a file into S3."""

    benchmark: str
    player: str
    name: str
    content: bytes

    def act(self, simulation: Simulation) -> None:
        """Put the file."""
        key = str(BatchKey(self.benchmark, self.player, self.name))
        simulation.cloud.s3.put_object(Bucket=simulation.name_of("ResultsBucket"), Key=key, Body=self.content)


@dataclass(frozen=True)
class Wait:
    """Time passes.

    Args:
        timedelta: The arguments of `datetime.timedelta`.
    """

    timedelta: Mapping[str, float] = field(default_factory=lambda: {"seconds": 1})

    def act(self, simulation: Simulation) -> None:
        """Advance the clock."""
        simulation.clock.advance(**self.timedelta)


@dataclass(frozen=True)
class Work:
    """Two runners of the owner's score what waits, until nothing does.

    The first gives each result back once. Then its lease of it ends over the scoring, and the other one has the result
    too when the first reports.

    Args:
        benchmark: The benchmark, with truth and hidden truth.
        token: The player whose token is sent.
    """

    benchmark: Benchmark
    token: str

    def act(self, simulation: Simulation) -> None:
        """Score, and deliver what follows from that."""
        simulation.settle(partial(self.serve, simulation))

    def serve(self, simulation: Simulation) -> None:
        """Score all that waits now."""
        scorers = {each.version: (each, each.prepare_scorer()) for each in (self.benchmark, self.benchmark.reveal())}
        asked, returned = {"versions": [*scorers], "sandbox": "none"}, set[str]()
        while run := self.ask(simulation, "", **asked, runner="gpu-1").body["run"]:
            path, lease = f"/{run['submission']}", {"version": run["version"], "lease": run["lease"]}
            is_new = run["submission"] + run["version"] not in returned
            returned.add(run["submission"] + run["version"])
            assert self.ask(simulation, f"{path}/lease", **lease, release=is_new).status == HTTPStatus.OK
            if is_new:
                continue
            benchmark, scorer = scorers[run["version"]]
            key = ResultKey(benchmark.definition.id, run["submission"])
            judgement = judge(benchmark, scorer, simulation.read("ResultsBucket", str(key)))
            scored = [{"part": each.part, "scores": each.scores} for each in judgement.evaluations]
            outcome = {"version": run["version"], "outcome": judgement.outcome, "evaluations": scored}
            simulation.clock.advance(seconds=61)
            self.ask(simulation, "", **asked, runner="gpu-2")
            for _ in range(2):
                answer = self.ask(simulation, path, **outcome, message=judgement.message)
                assert answer.status in {HTTPStatus.OK, HTTPStatus.CONFLICT}, answer

    def ask(self, simulation: Simulation, path: str, **body: Any) -> Answer:
        """Send a request of a runner."""
        headers = {"Content-Type": "application/json", **authorization(self.token)}
        content = json.dumps(body).encode()
        address = f"/api/benchmarks/{self.benchmark.definition.id}/work{path}"
        return call(simulation, "POST", address, headers=headers, body=content)


@dataclass(frozen=True)
class Settle:
    """Everything is delivered until nothing waits."""

    def act(self, simulation: Simulation) -> None:
        """Deliver."""
        simulation.settle()


def run_steps(simulation: Simulation, steps: tuple[Step, ...]) -> None:
    """Run a scenario, a second between two steps, and settle at the end."""
    for step in steps:
        step.act(simulation)
        simulation.clock.advance(seconds=1)
    simulation.settle()


def call(simulation: Simulation, method: str, path: str, **request: Any) -> Answer:
    """Send a request until it is answered by no server error."""
    for _ in range(MAX_TRIES):
        answer: Answer = simulation.retry_until_answered(lambda: simulation.api(method, quote(path), **request))
        if answer.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            return answer
        simulation.clock.advance(seconds=5)
    raise NeverQuiet(f"{method} {path}: answered by a server error {MAX_TRIES} times")


def authorization(player: str | None) -> dict[str, str]:
    """Return the header with a player's token; none for a guest."""
    return {"Authorization": f"Bearer {secret_of(player)}"} if player else {}


def secret_of(player: str) -> str:
    """Return a player's token."""
    return f"laurel_{player}-secret"
