"""Random stories of contests: before and after the final, boards are what a plain model makes of raw results."""

import json
import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from statistics import fmean
from typing import Any, NamedTuple

import pytest

from aggregate.benchmarks.promoter import publish_phases
from storage.keys import head_key, time_of
from storage.players.tokens import Scope
from tests.faults.delivery_order import DeliveryOrder
from tests.faults.faults import FaultInjector
from tests.faults.oracle import ANSWERS
from tests.faults.simulation import Receipt, Simulation, SimulationFactory
from tests.faults.steps import Enrol, Post, Publish, Withdraw, authorization, call
from tests.harness.clock import START
from tests.unit.test_hidden_half import make

PLAYERS, IDS, USAGE = ("ada", "bea", "cem"), "abcdef", ["Public", "Private"] * 3
RULES = (("best", None), ("best", "latest"), ("latest", None), ("latest", "best"), ("mean", None))
"""What counts until the final, and what in it."""
SEEDS = [*range(5), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(5, 100))]
ACTS, MOVES = 60, 2


class Try(NamedTuple):
    """A player's result: a class for each row."""

    player: str
    cells: list[int]
    at: datetime


@dataclass
class Story:
    """A contest, and all that its boards follow from.

    Args:
        simulation: Where it is.
        chance: The seeded random choice.
        rules: One of `RULES`.
        at: When the final is due; None: when the owner says so.
        frozen: From when on results wait for the final.
        tries: Idempotency key → what was handed in and not withdrawn, in order.
        extensions: Player → until when there is more time.
        bans: The banned players.
        versions: Version → its truth, and whether it is a final.
        shown: What the board last showed of them.
    """

    simulation: Simulation
    chance: random.Random
    rules: tuple[str, str | None]
    at: datetime | None
    frozen: datetime | None
    closes: datetime = START + timedelta(hours=12)
    truth: list[int] = field(default_factory=lambda: [0] * 6)
    tries: dict[str, Try] = field(default_factory=dict)
    extensions: dict[str, datetime] = field(default_factory=dict)
    bans: set[str] = field(default_factory=set)
    versions: dict[str, tuple[list[int], bool]] = field(default_factory=dict)
    shown: tuple[list[int], bool] = ([], False)

    def publish(self) -> None:
        """Publish the contest as it is now."""
        keys = {
            "closes": str(self.closes),
            "final": {"counts": self.rules[1]} | ({"at": str(self.at)} if self.at else {}),
            "ranking": {"keep": self.rules[0], "by": ["accuracy"]},
            "submissions": {"takes": ["json"], "late": "scored", "per_day": 1000},
        } | ({"review": {"from": str(self.frozen), "until": "final"}} if self.frozen else {})
        rows = [f"{name},{cell},{usage}\n" for name, cell, usage in zip(IDS, self.truth, USAGE, strict=True)]
        contest = make("id,y,Usage\n" + "".join(rows), "accuracy", keys=keys)
        Publish(contest).act(self.simulation)
        self.versions |= {contest.version: (self.truth, False), contest.reveal().version: (self.truth, True)}

    def post(self) -> None:
        """A player hands a result in, which only a ban rejects."""
        player, cells = self.chance.choice(PLAYERS), self.draw()
        key = f"{player}-{self.simulation.clock().timestamp()}"
        result, headers = {"id": [*IDS], "y": cells}, {"Idempotency-Key": key}
        answer = Post("houses", result, key, token=player).submit(self.simulation, headers)
        if answer.body.get("type") != "urn:laurel:problem:banned":
            self.simulation.acknowledged[key] = Receipt(answer.body["submission"], answer.body["receipt"])
            self.tries[key] = Try(player, cells, time_of(answer.body["submission"]))

    def withdraw(self) -> None:
        """A player takes a result back."""
        if self.tries:
            key = self.chance.choice([*self.tries])
            Withdraw("houses", key, "by mistake").act(self.simulation)
            del self.tries[key]

    def ban(self) -> None:
        """The owner bans a player, or lifts the ban."""
        player = self.chance.choice(PLAYERS)
        self.ask("ban", {"player": player} | ({"undo": True} if player in self.bans else {"reason": "copied"}))
        self.bans ^= {player}

    def extend(self) -> None:
        """The owner gives a player more time, or takes it back."""
        player, until = self.chance.choice(PLAYERS), self.closes + timedelta(minutes=self.chance.randint(1, 600))
        is_given = self.extensions.pop(player, None)
        asked = {"undo": True} if is_given else {"until": str(until), "reason": "was ill"}
        if self.ask("extension", {"player": player} | asked) == 200 and not is_given:
            self.extensions[player] = until

    def change(self) -> None:
        """The owner corrects the truth, perhaps back, and gives all more time if no final can have begun."""
        self.truth, now = [self.chance.randint(0, 1)] * len(IDS), self.simulation.clock()
        if now < (self.at or self.closes):
            later = max(now, self.closes) + timedelta(minutes=self.chance.randint(1, 300))
            self.closes = min(later, self.at or later)
        self.publish()

    def rest(self) -> None:
        """The owner asks for what can be asked for; once nothing waits the board is what it must be."""
        self.ask("rescore", {})
        if self.at is None:
            self.ask("reveal", {})
        self.simulation.settle()
        head = json.loads(self.simulation.read("SiteBucket", head_key("houses")))
        self.shown = self.versions[head["version"]]
        columns = [head["rows"]["scores"]["accuracy"], *(head["rows"][name] for name in ("rank", "submissions"))]
        assert dict(zip(head["rows"]["player"], zip(*columns, strict=True), strict=True)) == self.fold()

    def fold(self) -> dict[str, tuple[float, int, int]]:
        """Return the value, rank and number of results of each player."""
        is_final, values = self.shown[1], dict[str, tuple[float, int]]()
        keep = (is_final and self.rules[1]) or self.rules[0]
        for player in {*PLAYERS} - self.bans:
            until = max(self.closes, self.extensions.get(player, self.closes))
            if self.frozen and not is_final:
                until = min(until, self.frozen)
            own = [each for each in self.tries.values() if each.player == player and each.at < until]
            if own:
                best = max(own, key=partial(self.score, USAGE[0]))  # the first of equal ones
                counted = {"best": [best], "latest": own[-1:], "mean": own}[keep]
                values[player] = fmean(self.score(USAGE[is_final], each) for each in counted), len(own)
        order = sorted((value for value, _ in values.values()), reverse=True)
        return {player: (value, order.index(value) + 1, count) for player, (value, count) in values.items()}

    def score(self, usage: str, tried: Try) -> float:
        """Return the accuracy over the rows of a usage."""
        rows = zip(tried.cells, self.shown[0], USAGE, strict=True)
        return fmean(cell == true for cell, true, of in rows if of == usage)

    def ask(self, path: str, body: dict[str, Any]) -> int:
        """Ask as the owner; return the status."""
        headers = {"Content-Type": "application/json", **authorization("olga")}
        request = {"headers": headers, "body": json.dumps(body).encode()}
        return call(self.simulation, "POST", f"/api/benchmarks/houses/{path}", **request).status

    def draw(self) -> list[int]:
        """Draw a class for each row."""
        return [self.chance.randint(0, 1) for _ in IDS]


@pytest.mark.parametrize("seed", SEEDS)
def test_boards_are_as_the_model(simulations: SimulationFactory, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Whatever owner and players do, and however it is delivered; in the end the final of the last truth is shown."""
    chance = random.Random(seed)  # noqa: S311  # nothing here is a secret
    with simulations.simulation(FaultInjector(answers=ANSWERS), seed=seed) as simulation:
        waiting = partial(publish_phases, sleep=lambda time: simulation.clock.advance(seconds=time))
        monkeypatch.setattr("aggregate.rescore.publish_phases", waiting)
        for player in PLAYERS:
            Enrol(player).act(simulation)
        Enrol("olga", frozenset({Scope.SUBMIT, Scope.OWN})).act(simulation)
        moments = [chance.choice([None, START + timedelta(hours=hours)]) for hours in (24, 6)]
        story = Story(simulation, chance, RULES[seed % len(RULES)], *moments)
        # Of a result that only a dead letter knows the owner would read that it blocks the final.
        moves = [move for move in DeliveryOrder(simulation, chance).moves if move.__name__ != "expire_dead_letters"]
        story.publish()
        rare = [story.withdraw, story.ban, story.extend, story.change, story.rest]
        for _ in range(ACTS):
            chance.choice([*rare, *[story.post] * 6])()
            simulation.clock.advance(seconds=chance.choice((1, 1, 1, chance.randint(1, 8000))))
            for _ in range(chance.randint(0, MOVES)):
                chance.choice(moves)()
        simulation.clock.advance(days=5)
        story.rest()

        assert story.shown == (story.truth, True)
