"""Runs results through the template's functions in this process, and meters all that AWS would charge for.

The functions are the real ones, on moto; deliveries are as large as Lambda would make them at that load. What a story
counts is the same in every run, except for processor time.
"""

import gzip
import json
import math
import random
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from itertools import batched
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from costing.meter import Meter, Usage
from costing.moto_cloud import open_moto
from costing.prices import read_prices
from costing.waiting import Waiting

from aggregate.dependencies import make_aggregator
from local.layout import ROOT
from local.template import Template, load_template
from scoring_core.benchmarks.loading import load_folder
from storage.boards.standings import BoardKey
from storage.gateway.table import Table
from storage.keys import BatchKey, make_submission_id
from storage.players.players import PlayerStore
from storage.players.tokens import Scope
from storage.settings import AggregateSettings
from storage.submissions.models import PlayerKind, SubmissionRecord, record_from_item
from tests.faults.sandbox import answer_invocation
from tests.faults.simulation import MAIL, Simulation, SimulationFactory
from tests.faults.steps import Enrol, Publish, authorization
from tests.harness.factories import name_guest
from tests.harness.stack import COINS, GOOD, Answer, make_benchmark

QUIET = "aic-2025"
BATCH = 100
"""Submissions of a busy story: as many records as the stream delivers at once."""
HISTORY = 10
"""Contributions that a player who submits has on the board."""
CHARGES = 150
"""Submissions of one address in a day: more than the quota remembers."""
ROUNDED = 500
"""Bytes of a compressed head are a multiple of this."""
SECONDS_BETWEEN = 2.6
"""Between submissions that arrive alone: a million a month."""
FURTHER = "boards:\n  - {id: humans, title: Humans, when: {kind: human}}\n"
"""A board that takes every submission of a story."""


class Story(NamedTuple):
    """What a story used, and for how many submissions."""

    submissions: int
    usage: Mapping[str, Usage]


def read_stories(sizes: Iterable[int], *, charges: int) -> Iterator[tuple[str, Story]]:
    """Run every story, and yield each with its name.

    Args:
        sizes: Numbers of players on the board, for which submissions are metered alone and busy.
        charges: Number of submissions of the address that a class shares; 0 leaves the story out.
    """
    template = read_template()
    factory = SimulationFactory(template, open_moto)
    for size in sizes:
        with opened(factory, template) as site:
            site.fill_board(size)
            yield f"alone, {size:,} players", site.meter_alone(site.submit)
            yield f"busy, {size:,} players", site.meter_busy(site.submit, players=size)
            yield f"poll, {size:,} players", site.meter_poll()
    with opened(factory, template) as site:
        site.fill_board(10)
        yield "key", site.meter_alone(lambda number: site.submit(number, key=f"key-{number}"))
        yield "token", site.meter_alone(lambda number: site.submit(number, player="ada"))
        yield "invalid", site.meter_alone(lambda number: site.submit(number, body={"question": "?", "text": ""}))
        yield "status", site.meter_status()
        yield "view", site.meter_view()
        yield "around", site.meter_around()
        yield "script", site.meter_script()
        yield "iqa", site.meter_example("iqa", "fused")
        yield "batch entry", site.meter_batch()
        yield from site.meter_runner()
        if charges:
            yield "shared address", site.meter_shared_address(charges)
    with opened(factory, template, further=FURTHER) as site:
        site.fill_board(10)
        yield "alone, a further board", site.meter_alone(site.submit)
        yield "busy, a further board", site.meter_busy(site.submit, players=10)


def read_template() -> Template:
    """Translate the template for production."""
    return load_template({"Stage": "prod", **MAIL})


@contextmanager
def opened(factory: SimulationFactory, template: Template, *, further: str = "") -> "Iterator[Site]":
    """Open a new cloud with a published benchmark, and meter its functions.

    Args:
        factory: Makes clouds.
        template: The template.
        further: More lines of its `benchmark.yaml`.
    """
    waiting = Waiting(read_prices()["assumptions"]["milliseconds"])
    meter = Meter(template=template, waiting=waiting, answers={"Invoke": answer_invocation})
    # The simulation has pools without threads; the meter follows real ones, so that waits overlap as in Lambda.
    pools = patch("storage.gateway.clients.ThreadPoolExecutor", ThreadPoolExecutor)
    with factory.simulation(meter) as simulation, pools, meter.attached_to_moto():
        simulation.handlers = {name: meter.time(name, handler) for name, handler in simulation.handlers.items()}
        meter.dynamodb = simulation.cloud.dynamodb.client
        site = Site(simulation, meter)
        with tempfile.TemporaryDirectory() as parent:
            folder = Path(shutil.copytree(ROOT / "benchmarks" / QUIET, Path(parent) / QUIET))
            with (folder / "benchmark.yaml").open("a") as file:
                file.write(further)
            Publish(load_folder(folder)).act(simulation)
        Enrol("ada").act(simulation)
        yield site


@dataclass
class Site:
    """A cloud in this process, its functions, and the meter of both."""

    simulation: Simulation
    meter: Meter

    def fill_board(self, players: int) -> None:
        """Give players a place on the board, and those who will submit a history."""
        self.submit(0)
        self.deliver()
        (item,) = self.simulation.items("SubmissionsTable")
        record, generator = record_from_item(item), random.Random(players)
        settings = AggregateSettings.read(
            self.simulation.template.resources_of("AWS::Lambda::Function")["AggregateFunction"]["Environment"][
                "Variables"
            ]
        )
        cloud = self.simulation.cloud
        aggregator = make_aggregator(settings, s3=cloud.objects, dynamodb=cloud.dynamodb, clock=self.simulation.clock)
        board, names = BoardKey(QUIET, record.version), PlayerStore(Table(cloud.dynamodb, settings.access_table))
        for number in range(min(players, BATCH)):
            names.keep_guest(name_guest(f"Player No {number}", PlayerKind.HUMAN))
            aggregator.fold_standings(board, [self._copy(record, number, generator) for _ in range(HISTORY)])
        self._add_standings(range(BATCH, players), generator)
        aggregator.render_all(board)
        self.simulation.clock.advance(days=1)  # there is a board of yesterday
        self.warm_up()

    def _copy(self, record: SubmissionRecord, number: int, generator: random.Random) -> SubmissionRecord:
        """Return a record like this one, of another player."""
        player = name_guest(f"Player No {number}", PlayerKind.HUMAN)
        moment = self.simulation.clock() - timedelta(seconds=generator.randrange(86_400))
        submission = record.submission._replace(id=make_submission_id(moment, generator.randbytes(10)), player=player)
        return record._replace(submission=submission)

    def _add_standings(self, numbers: Iterable[int], generator: random.Random) -> None:
        """Write standings like one that was folded, of players who submit nothing more, with other scores."""
        table = self.simulation.name_of("BoardsTable")
        folded = next(item for item in self.simulation.items("BoardsTable") if item["item"]["S"].startswith("player#"))
        texts = json.dumps(folded), folded["player"]["S"], folded["name"]["S"], folded["submission"]["S"]
        for batch in batched(numbers, 25, strict=False):  # as many as DynamoDB writes at once
            requests = []
            for number in batch:
                moment = self.simulation.clock() - timedelta(seconds=generator.randrange(86_400))
                player = name_guest(f"Player No {number}", PlayerKind.HUMAN)
                text, id_before, name_before, submission = texts
                for before, after in (
                    (id_before, player.id),
                    (name_before, player.name),
                    (submission, make_submission_id(moment, generator.randbytes(10))),
                ):
                    text = text.replace(before, after)
                scores = {metric: generator.uniform(0, 8) for metric in json.loads(folded["scores"]["S"])}
                requests.append({"PutRequest": {"Item": {**json.loads(text), "scores": {"S": json.dumps(scores)}}}})
            self.simulation.cloud.dynamodb.batch_write_item(RequestItems={table: requests})

    def warm_up(self) -> None:
        """Submit once, so that the functions have in memory what they keep there."""
        self.submit(1)
        self.deliver()
        self.meter.take()

    def submit(
        self, number: int, *, body: Any = None, player: str | None = None, key: str | None = None, address: int = 0
    ) -> None:
        """Submit a result as a guest with a name, or with the token of a player."""
        headers = {"Idempotency-Key": key} if key else {}
        self.send(
            "POST",
            f"/api/benchmarks/{QUIET}/submissions",
            query=None if player else {"player": f"Player No {number}"},
            headers={"Content-Type": "application/json", **headers, **authorization(player)},
            body=json.dumps(body or {"question": "1", "text": "TR-L03_V011-4945,5001"}).encode(),
            address=f"198.51.{(address or number) // 250}.{(address or number) % 250}",
        )

    def send(self, method: str, path: str, **request: Any) -> Answer:
        """Send a request through CloudFront and API Gateway."""
        answer = self.simulation.api(method, path, **request)
        assert answer.status in {HTTPStatus.OK, HTTPStatus.ACCEPTED}, answer
        edge = self.meter.of("edge").units
        edge["CloudFront requests"] += 1
        edge["CloudFront function calls"] += 1
        edge["HTTP API requests"] += 1
        edge["answer bytes"] += len(answer.text)
        return answer

    def deliver(self) -> None:
        """Deliver what waits in full batches: first all of the queues, then of the stream."""
        while self._deliver_queues() or self._deliver_records():
            pass

    def _deliver_queues(self) -> bool:
        delivered = False
        for poller in self.simulation.queues.values():
            while messages := poller.receive():
                delivered = True
                poller.handle(messages)
                unit = "SQS FIFO requests" if poller.url.endswith(".fifo") else "SQS requests"
                self.meter.of("queue").units[unit] += 2  # one receives up to ten messages, one deletes them
        return delivered

    def _deliver_records(self) -> bool:
        delivered = False
        for name, reader in self.simulation.readers.items():
            position, records = self.simulation.positions.get(name, 0), self.simulation.read_stream(name)
            batch = records[position : position + reader.mapping["BatchSize"]]
            if batch:
                delivered = True
                assert reader.handle(batch) == len(batch)
                self.simulation.positions[name] = position + len(batch)
        return delivered

    def meter_alone(self, act: Callable[[int], object], *, count: int = 5) -> Story:
        """Meter submissions that arrive one after another, when nothing else does."""
        self.warm_up()
        for number in range(count):
            self.simulation.clock.advance(seconds=SECONDS_BETWEEN)
            act(number)
            self.deliver()
        return Story(count, self.meter.take())

    def meter_busy(self, act: Callable[[int], object], *, players: int) -> Story:
        """Meter submissions that arrive at once."""
        self.warm_up()
        for number in range(BATCH):
            act(number % players)
        self.deliver()
        return Story(BATCH, self.meter.take())

    def meter_status(self) -> Story:
        """Meter requests for the status of a submission that was scored."""
        answer = self.send(
            "POST",
            f"/api/benchmarks/{QUIET}/submissions",
            headers={"Content-Type": "application/json"},
            body=b'{"question": "1", "text": "TR-L03_V011-4945"}',
        )
        self.deliver()
        path = f"/api/benchmarks/{QUIET}/submissions/{answer.body['submission']}"
        return self.meter_alone(lambda _: self.send("GET", path))

    def meter_view(self) -> Story:
        """Meter a view of a board, which CloudFront answers from its cache."""
        self.meter.take()
        head = self.simulation.read("SiteBucket", f"data/b/{QUIET}/head.json")
        self.meter.of("edge").units.update({"CloudFront requests": 1, "CloudFront function calls": 1})
        self.meter.of("edge").units["answer bytes"] = len(head)
        return Story(1, self.meter.take())

    def meter_poll(self) -> Story:
        """Meter a request of an open page that gets a new head, compressed as CloudFront does.

        Ids are random, so how well a head is compressed differs a little: its size is rounded up.
        """
        self.meter.take()
        head = self.simulation.read("SiteBucket", f"data/b/{QUIET}/head.json")
        self.meter.of("edge").units.update({"CloudFront requests": 1})
        self.meter.of("edge").units["answer bytes"] = math.ceil(len(gzip.compress(head, mtime=0)) / ROUNDED) * ROUNDED
        return Story(1, self.meter.take())

    def meter_around(self) -> Story:
        """Meter requests for a player's own place, which an open page repeats where its first rows do not show it."""
        path = f"/api/benchmarks/{QUIET}/players/{name_guest('Player No 0', PlayerKind.HUMAN).id}/around"
        return self.meter_alone(lambda _: self.send("GET", path))

    def meter_script(self) -> Story:
        """Meter results of a benchmark with an evaluation script."""
        Publish(make_benchmark(COINS)).act(self.simulation)
        body = json.dumps({"prints": {"Coins": 3, "Time": 1.5}}).encode()

        def submit(number: int) -> None:
            self.send(
                "POST",
                "/api/benchmarks/coins/submissions",
                query={"player": f"Player No {number}"},
                headers={"Content-Type": "application/json"},
                body=body,
                address=f"203.0.113.{number}",
            )

        submit(0)
        self.deliver()
        return self.meter_alone(submit)

    def meter_example(self, benchmark: str, name: str) -> Story:
        """Meter results of another benchmark."""
        folder = ROOT / "benchmarks" / benchmark
        Publish(load_folder(folder)).act(self.simulation)
        body = (folder / "examples" / f"{name}.json").read_bytes()

        def submit(number: int) -> None:
            self.send(
                "POST",
                f"/api/benchmarks/{benchmark}/submissions",
                headers={"Content-Type": "application/json", **authorization("ada")},
                query={} if number else None,
                body=body,
            )

        submit(0)
        self.deliver()
        return self.meter_alone(submit)

    def meter_runner(self) -> Iterator[tuple[str, Story]]:
        """Meter a runner of the owner's: a request that finds nothing, a renewal, and a result from POST to board."""
        full = make_benchmark(id="own", runs_on="own")
        Publish(full.withhold()).act(self.simulation)
        Enrol("gpu", frozenset({Scope.WORK})).act(self.simulation)
        asked = {"runner": "gpu-1", "versions": [full.version], "sandbox": "none"}
        scored = {"outcome": "scored", "evaluations": [{"part": "1", "scores": {"score": 79.0}}]}

        def ask(path: str = "", **body: Any) -> Any:
            headers = {"Content-Type": "application/json", **authorization("gpu")}
            content = json.dumps(body).encode()
            return self.send("POST", f"/api/benchmarks/own/work{path}", headers=headers, body=content).body

        def take() -> tuple[str, dict[str, str]]:
            query, headers = {"player": "Player No 0"}, {"Content-Type": "application/json"}
            path = "/api/benchmarks/own/submissions"
            self.send("POST", path, query=query, headers=headers, body=json.dumps(GOOD).encode())
            self.deliver()
            run = ask(**asked)["run"]
            return f"/{run['submission']}", {name: run[name] for name in ("version", "lease")}

        def score(_: int) -> None:
            path, lease = take()
            ask(path, version=lease["version"], **scored)

        score(0)
        self.deliver()
        yield "runner scores", self.meter_alone(score)
        yield "runner asks", self.meter_alone(lambda _: ask(**asked))
        path, lease = take()
        yield "runner renews", self.meter_alone(lambda _: ask(f"{path}/lease", **lease))

    def meter_batch(self) -> Story:
        """Meter a batch that its owner puts into S3, a line for each entry."""
        key = str(BatchKey(QUIET, "ada", "runs.jsonl"))
        results = [{"question": "1", "text": f"TR-L03_V011-{4900 + number}"} for number in range(BATCH)]
        lines = "\n".join(map(json.dumps, results))
        self.warm_up()
        self.simulation.cloud.s3.put_object(
            Bucket=self.simulation.name_of("ResultsBucket"), Key=key, Body=lines.encode()
        )
        self.meter.of("upload").units["S3 writes"] += 1
        self.meter.note_object(key)
        self.deliver()
        return Story(BATCH, self.meter.take())

    def meter_shared_address(self, count: int) -> Story:
        """Meter the quota of an address that a class shares."""
        self.warm_up()
        for number in range(count):
            self.submit(number % 20, address=1)
        submit = self.meter.take()["SubmitFunction"]
        return Story(count, {"SubmitFunction": submit})
