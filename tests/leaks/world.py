"""A contest as everybody sees it who may not know: told twice, with one difference, it must be the same story."""

import email
import io
import json
import logging
import os
import random
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import islice
from types import SimpleNamespace
from typing import Any, Final

import pytest

from aggregate import dependencies
from handlers.http import outcomes, paths
from scoring_core.benchmarks.bundle import pack, unpack
from scoring_core.benchmarks.loading import Benchmark
from storage.gateway.table import Table
from storage.log_lines import LineFormatter
from storage.players.tokens import Scope
from storage.submissions.models import PlayerKind
from tests.faults.faults import FaultInjector
from tests.faults.simulation import Simulation, SimulationFactory
from tests.faults.steps import Publish
from tests.harness.clock import START
from tests.harness.factories import make_player, name_guest
from tests.harness.stack import TRUTH, Answer, make_benchmark
from tests.harness.tokens import keep_account, keep_token
from tests.leaks.requests import VALUES, Request, Seen, draw_requests

CLOSES: Final = START + timedelta(hours=11)
FINAL: Final = START + timedelta(days=2)
PER_DAY: Final = 8
EARLY: Final = 80
"""Requests before anybody hands in; they leave tries for that."""
STRANGE: Final = "192.0.2.8"
"""The address of all who look; guests at an address share tries."""
ANSWERING: Final = frozenset({"SubmitFunction", "ApiFunction"})
OWNER: Final = "owner@example.com"
KEY: Final = {"Laurel-Player-Key": f"player_{'7' * 32}"}
HIDDEN: Final = TRUTH.replace("4945,5010,5001,5020", "4934,4934,5001,5001")
TRIES: Final = (
    {"question": "1", "text": "TR-V017-4945,5001"},
    {"question": "1", "text": "TR-V017-4940,5001"},
    {"question": "1", "text": "TR-V017-4934,5001"},
    {"question": "9", "text": "TR-V017-4945"},
)
"""79.0, 76.5 and 73.5 by the public truth; 94.5, 97.0 and 100.0 by the hidden one; and an unknown question."""
_TOLD_APART: Final = re.compile(rb"(?m)^(?:Date|Message-ID|Content-Type: multipart).*|--=+\w+=*(?:--)?|boundary=\S+")

type Act = Callable[["World"], None]
type Tries = tuple[Any, Any, Any, Any]


def make_contest(*, hidden: str = HIDDEN, **changes: Any) -> Benchmark:
    """Make a contest with a hidden half, which takes late tries."""
    fixed = {
        "closes": CLOSES.isoformat(),
        "final": {"ground_truth": "hidden.csv", "at": FINAL.isoformat()},
        "submissions": {"late": "scored", "per_day": PER_DAY},
        "results": "public",
        "windows": ["daily"],
        "boards": [{"id": "people", "title": "People", "when": {"kind": "human"}}],
    }
    return make_benchmark(files={"hidden.csv": hidden.encode()}, **{**fixed, **changes})


def pass_by(_: "World") -> None:
    """Do nothing."""


@dataclass(frozen=True)
class Side:
    """One of the two worlds of a pair: what is so in it alone, or done in it alone.

    Args:
        benchmark: What is published.
        tries: What bystanders hand in: the best by public rows, the next best, the best by hidden ones, a mistake.
        published: Done right after that.
        played: Done while the contest is open; nobody of those who look sees the answers.
        closed: Done once it has closed.
        invited: The address of somebody who may know.
        operated: A function whose log may tell, as who operates the site sees its mails and next versions.
    """

    benchmark: Benchmark
    tries: Tries = TRIES
    published: Act = pass_by
    played: Act = pass_by
    closed: Act = pass_by
    invited: str = ""
    operated: str = ""


EVENTS: Final = Side(make_contest())


@dataclass
class World:
    """A contest in a cloud of its own, whose clock and chance are those of every other world."""

    simulation: Simulation
    side: Side
    log: io.StringIO
    callers: dict[str, dict[str, str]] = field(default_factory=dict)
    values: dict[str, list[str]] = field(default_factory=dict)
    seen: Seen = field(default_factory=dict)
    slept: list[float] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    joined: str = ""
    read: int = 0
    is_private: bool = False

    def tell(self, count: int) -> Seen:
        """Let the contest happen up to its final, with so many requests; return all that strangers saw."""
        chance = random.Random(count)  # noqa: S311  # not a secret
        phases: list[tuple[str, list[Act]]] = [
            ("published", [World.begin, self.side.published]),
            ("played", [World.play, self.side.played]),
            ("closed", [World.close, self.side.closed]),
        ]
        requests = draw_requests(self.values, chance)
        for number, (phase, acts) in enumerate(phases):
            for place, act in enumerate(acts):
                with self.step(f"{phase} {place}", is_private=place > 0):
                    act(self)
            with self.step(f"{phase} works"):
                self.work()
            self.look(phase)
            share = [EARLY, (count - EARLY) // 2, (count - EARLY) // 2][number]
            for asked, request in enumerate(islice(requests, max(0, share))):
                caller = chance.choice([*self.callers])
                with self.step(f"{phase} {asked}"):
                    self.ask((phase, asked, caller), request, self.callers[caller])
            with self.step(f"{phase} works again"):
                self.work()
            self.look(f"{phase}, asked")
        return self.seen

    @contextmanager
    def step(self, name: str, *, is_private: bool = False) -> Iterator[None]:
        """Let something happen at a moment and by a chance that its name alone decides."""
        self.simulation.clock.advance(seconds=1)
        self.simulation.randomness.seed(name)
        self.is_private = is_private
        yield
        lines = self.read_log()
        if not is_private:
            self.seen["log", name] = lines

    def begin(self) -> None:
        """Publish the contest, and let those come who look."""
        simulation = self.simulation
        access = Table(simulation.cloud.dynamodb, simulation.name_of("AccessTable"))
        for player, scope, benchmark in [
            ("olga", Scope.OWN, "tiny"), ("heron", Scope.SUBMIT, "tiny"), ("otto", Scope.OWN, "other"),
        ]:  # fmt: skip
            account = make_player(player, player.title())
            keep_account(access, account, f"{player}@example.com")
            secret = keep_token(access, account, scope, benchmarks=(benchmark,))
            self.callers[player] = {"Authorization": f"Bearer {secret}"}
        self.owner = self.callers.pop("olga")
        self.callers |= {"nobody": {}, "guest": KEY}
        ada, bea = (name_guest(name, PlayerKind.HUMAN).id for name in ("Ada", "Bea"))
        self.values |= {name: [*values] for name, values in VALUES.items()}
        self.values |= {"player": [bea, "heron", "zoe", ada], "players": [f"{ada},heron"], "session": ["a"]}
        self.values["version"] = [self.side.benchmark.version, "0123456789abcdef"]
        self.publish(self.side.benchmark)

    def publish(self, benchmark: Benchmark) -> None:
        """Publish a version."""
        Publish(benchmark).act(self.simulation)

    def play(self) -> None:
        """Let guests and a player hand in; two of them are equal until the final."""
        best, good, lucky, wrong = self.side.tries
        heron = self.callers["heron"]
        login = {"username": "heron", "password": heron["Authorization"].removeprefix("Bearer ")}
        self.values["session"] = [self.simulation.api.ask(paths.DRES_LOGIN, login).body["sessionId"]]
        tries = [
            self.hand_in(best, "Ada", KEY), self.hand_in(lucky, "Ada", KEY), self.hand_in(good, "Bea"),
            self.hand_in(good, "Cem", {"Prefer": "wait=5"}), self.hand_in(wrong, None, heron),
            self.hand_in(lucky, None, heron),
        ]  # fmt: skip
        for _ in range(PER_DAY + 1):
            self.hand_in(good, "Flo")
        self.values["submission"] = [each.body["submission"] for each in tries]
        self.values["upload"] = self.values["publication"] = self.values["submission"][:1]
        self.callers["receipt"] = {"Authorization": f"Bearer {tries[2].body['receipt']}"}

    def close(self) -> None:
        """Let the contest close; late tries are scored."""
        self.simulation.clock.moment = CLOSES + timedelta(minutes=1)
        self.work()
        late = [self.hand_in(self.side.tries[2], "Bea"), self.hand_in(self.side.tries[0], "Dan")]
        self.values["submission"] += [each.body["submission"] for each in late]

    def reveal(self) -> None:
        """Let the final be shown."""
        self.simulation.clock.moment = FINAL
        for _ in range(3):
            with self.step("final"):
                self.work()
        self.look("final")

    def work(self) -> None:
        """Deliver all, and let schedules run, as far apart in every world."""
        simulation = self.simulation
        for _ in range(2):
            simulation.drain()
            simulation.clock.advance(minutes=20)
            simulation.drain()
            simulation.call_schedules()
        simulation.drain()
        simulation.restart()

    def hand_in(self, result: Any, player: str | None, headers: Mapping[str, str] = {}) -> Answer:
        """Submit a result."""
        self.simulation.clock.advance(seconds=1)
        query = {"player": player} if player else None
        self.slept.clear()
        answer = self.simulation.api.post(result, query=query, headers=headers)
        if not self.is_private:
            self.seen["handed in", self.simulation.clock()] = answer, [*self.slept]
        return answer

    def act(self, path: str, body: Any, headers: Mapping[str, str]) -> Any:
        """Do something of which nobody sees anything; return what is answered."""
        answer = self.simulation.api.ask(path, body, headers)
        assert answer.status < 300, answer
        return answer.body

    def ask(self, key: Any, request: Request, credentials: Mapping[str, str]) -> None:
        """Send a stranger's request; note the answer, and what it took: calls, and seconds of waiting."""
        headers = {**request.headers, **credentials}
        tag = self.tags.get(request.path)
        if tag and len(self.seen) % 2:
            headers["If-None-Match"] = tag
        self.slept.clear()
        calls = len(self.simulation.injector.calls)
        answer = self.simulation.api(
            request.method, request.path, query=request.query, headers=headers, body=request.body, address=STRANGE
        )
        assert answer.status < 500, (request, answer)
        self.tags[request.path] = answer.headers.get("etag", "")
        made = [call for call in self.simulation.injector.calls[calls:] if call.function in ANSWERING]
        if request.path == paths.EXPORT:  # it looks for its player in all invitations of the site
            made.clear()
        operations = [call.operation for call in made]
        self.seen[(*key, request.method, request.path, str(request.query))] = answer, operations, [*self.slept]

    def look(self, when: str) -> None:
        """Note the site's files, in the order of the listing, and the mails to all but the owner."""
        s3, bucket = self.simulation.cloud.s3, self.simulation.name_of("SiteBucket")
        pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
        listed = [entry for page in pages for entry in page.get("Contents", [])]
        self.seen[when, "listing"] = [{name: str(value) for name, value in entry.items()} for entry in listed]
        for entry in listed:
            stored = s3.get_object(Bucket=bucket, Key=entry["Key"])
            body, _ = stored.pop("Body").read(), stored.pop("VersionId")  # the engine counts those of all buckets
            self.seen[when, entry["Key"]] = {**{name: str(value) for name, value in stored.items()}, "Body": body}
        self.seen[when, "mails"] = [
            (address, _TOLD_APART.sub(b"", email.message_from_string(text).as_bytes()))
            for address, text in self.simulation.sent()
            if address not in {OWNER, self.side.invited}
        ]

    def read_log(self) -> list[Any]:
        """Return the lines that were logged since the last time, without their times."""
        self.log.seek(self.read)
        text = self.log.read()
        self.read = self.log.tell()
        lines = [json.loads(line) for line in text.splitlines()]
        operated = f"laurel-local-{self.side.operated.lower()}"
        return [
            {name: value for name, value in line.items() if name != "timestamp"}
            for line in lines
            if line["function_name"] != operated
        ]

    def replace_bundle(self, change: Callable[[Mapping[str, bytes]], Mapping[str, bytes]]) -> None:
        """Change the files of the published bundle where it is stored; its key stays."""
        s3, bucket = self.simulation.cloud.s3, self.simulation.name_of("ResultsBucket")
        (key,) = (key for key in self.simulation.keys("ResultsBucket", "benchmarks/tiny/") if key.endswith(".zip"))
        content = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
        s3.put_object(Bucket=bucket, Key=key, Body=pack(change(unpack(content))))


@contextmanager
def open_world(simulations: SimulationFactory, side: Side) -> Iterator[World]:
    """Make a world; it ends with the context."""
    injector = FaultInjector()
    with simulations.simulation(injector) as simulation, pytest.MonkeyPatch.context() as patch:
        draw, log = simulation.randomness.randbytes, io.StringIO()
        world = World(simulation, side, log)
        patch.setattr(os, "urandom", draw)
        patch.setattr(secrets, "token_bytes", draw)
        patch.setattr(secrets, "token_urlsafe", lambda size: draw(size).hex())
        patch.setattr(dependencies, "BoardRenderer", partial(dependencies.BoardRenderer, randomness=draw))
        patch.setattr(outcomes, "time", _make_time(world))
        with _logged(log):
            yield world


def _make_time(world: World) -> Any:
    """Return the module `time` of waits: while one sleeps, what waits is delivered."""

    def sleep(seconds: float) -> None:
        world.slept.append(seconds)
        waiting = world.simulation.injector.function
        world.simulation.deliver()
        world.simulation.injector.function = waiting

    return SimpleNamespace(monotonic=lambda: sum(world.slept), sleep=sleep)


@contextmanager
def _logged(text: io.StringIO) -> Iterator[None]:
    """Let all loggers of functions write there."""
    loggers = [each for each in logging.root.manager.loggerDict.values() if isinstance(each, logging.Logger)]
    handlers = {each for logger in loggers for each in logger.handlers if isinstance(each.formatter, LineFormatter)}
    assert handlers
    streams = [(handler, handler.setStream(text)) for handler in handlers if isinstance(handler, logging.StreamHandler)]
    try:
        yield
    finally:
        for handler, stream in streams:
            handler.setStream(stream)
