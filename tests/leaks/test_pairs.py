"""Two worlds that differ in a secret alone are the same, byte by byte, to everybody who may not know it.

A pair is a line of PAIRS: what else is secret is one more.
"""

from collections.abc import Mapping, Sequence
from copy import replace
from datetime import timedelta
from functools import partial
from typing import Any, Final

import pytest

from scoring_core.benchmarks.loading import Benchmark
from tests.faults.simulation import SimulationFactory
from tests.harness.clock import START
from tests.harness.roles import Call, Roles
from tests.harness.stack import TRUTH
from tests.leaks.requests import Seen, find_differences
from tests.leaks.world import (
    EVENTS,
    FINAL,
    HIDDEN,
    Act,
    Side,
    World,
    make_contest,
    open_world,
)

REQUESTS: Final = 260
"""To each of two worlds, four to each route; what a run at night has: `test_nobody_sees_a_difference_at_night`."""
NIGHTLY: Final = 10_000
IDS: Final = "abcdefghi"


def make_labels(hidden: Sequence[str]) -> Benchmark:
    """Make a contest of labels in one table, whose hidden rows are g, h and i; f is in neither set."""
    labels = [*("cat", "dog", "cat", "dog", "cat"), *hidden]
    usage = ["Public"] * 5 + ["Ignored"] + ["Private"] * 3
    rows = [",".join(row) + "\n" for row in zip(IDS, labels, usage, strict=True)]
    return make_contest(
        truth="".join(["id,y,Usage\n", *rows]),
        scorer="table",
        parameters={
            "target": "y",
            "metrics": ["accuracy"],
            "rows": {"column": "Usage", "now": "Public", "final": "Private"},
        },
        score_type={"headers": [{"name": "accuracy", "type": "float"}]},
        ranking={"by": ["accuracy"]},
        final={"at": FINAL.isoformat()},
    )


def write(labels: str) -> list[dict[str, str]]:
    """Return a result: c is a cat, d a dog, and x a label that only one truth has."""
    names = {"c": "cat", "d": "dog", "x": "axolotl"}
    return [{"id": row, "y": names[label]} for row, label in zip(IDS, labels, strict=True)]


def never_open(world: World) -> None:
    """Let what is hidden be gone, so that opening it is seen."""
    world.replace_bundle(lambda files: {**files, "hidden.csv": b"\0"})


def wait_with(text: str) -> Act:
    """Let somebody hand in what waits for the owner, and once more when it is late."""
    return lambda world: world.values["submission"].append(
        world.hand_in({"question": "1", "text": text}, "Eve").body["submission"]
    )


def correct(question: str, frame: str) -> Side:
    """Publish a correction that nobody has asked for."""
    truth = TRUTH.replace("1,TR", question).replace("4945", frame)
    publish = partial(World.publish, benchmark=make_contest(truth=truth, hidden=truth))
    return replace(EVENTS, played=publish, operated="EvaluateFunction")


def take_back(text: str) -> Side:
    """Publish and rescore with a review, publish without it again, and let somebody hand in what waits."""

    def act(world: World) -> None:
        world.publish(make_contest(truth=TRUTH.replace("4945", "4946"), review="score > 80"))
        world.act("/api/benchmarks/tiny/rescore", {}, world.owner)
        world.work()
        world.publish(make_contest())
        wait_with(text)(world)

    return replace(EVENTS, played=act)


def invite(world: World) -> None:
    """Invite by a link and by mail; one joins, and invites another."""
    code = world.act("/api/benchmarks/tiny/invite", {}, world.owner)["code"]
    world.act("/api/benchmarks/tiny/invite/mail", {"addresses": ["zoe@example.com"]}, world.owner)
    joined = world.act("/api/invitations/join", {"code": code, "name": "Zoe"}, {})
    world.act("/api/invitations", {}, {"Authorization": f"Bearer {joined['secret']}"})
    world.joined = joined["player"]


def meet(world: World) -> None:
    """Invite, and let all who look know who has joined."""
    invite(world)
    world.values["player"].append(world.joined)


def extend(world: World) -> None:
    """Give one who has joined more time."""
    extension = {"player": world.joined, "until": (FINAL - timedelta(days=1)).isoformat(), "reason": "was ill"}
    world.act("/api/benchmarks/tiny/extension", extension, world.owner)


LABELS: Final = Side(
    make_labels(["cat", "cat", "dog", "dog"]), tries=(write("cdcdcdcdd"), write("cdcddxxxx"), write("cdddddcdd"), [{}])
)
WAITING: Final = Side(make_contest(review="score > 80"))
FREEZING: Final = {"from": (START + timedelta(seconds=7)).isoformat(), "until": "final", "shows": "owner"}
FROZEN: Final = replace(
    EVENTS, benchmark=make_contest(review={**FREEZING, "when": "score > 80"}, windows=[]), operated="SendFunction"
)
INVITING: Final = replace(EVENTS, invited="zoe@example.com", operated="SendFunction")
PAIRS: Final[Mapping[str, tuple[Side, Side]]] = {
    "two hidden files": (EVENTS, replace(EVENTS, benchmark=make_contest(hidden=HIDDEN.replace("4934", "14940")))),
    "two hidden sets of rows": (LABELS, replace(LABELS, benchmark=make_labels(["", "axolotl", "axolotl", "dog"]))),
    "the hidden file is never opened": (EVENTS, replace(EVENTS, published=never_open)),
    "two results in review": tuple(
        replace(WAITING, played=wait_with(f"TR-V017-{text}"), closed=wait_with("x"))
        for text in ("4977,5010", "4950,5011")
    ),
    "two results before a version without review": (take_back("TR-V017-4977,5010"), take_back("TR-V017-4950,5011")),
    "two results while the board is frozen, one of them too good": tuple(
        replace(FROZEN, played=wait_with(f"TR-V017-{text}"), closed=wait_with("x"))
        for text in ("4977,5010", "4950,5011")
    ),
    "two corrections that wait": (correct("1,TR", "4946"), correct("1,TR", "4944")),
    "a correction by which all is invalid": (correct("1,TR", "4946"), correct("3,TR", "4946")),
    "one more member and invitation": (INVITING, replace(INVITING, played=invite)),
    "one more extension": (replace(INVITING, played=meet), replace(INVITING, played=meet, closed=extend)),
}


def tell(simulations: SimulationFactory, pair: str, count: int, *, to_the_end: bool = False) -> dict[Any, Any]:
    """Return what differs of what everybody sees in the worlds of a pair, and how."""
    told: list[Seen] = []
    for side in PAIRS[pair]:
        with open_world(simulations, side) as world:
            told.append(world.tell(count))
            if to_the_end:
                world.reveal()
    return find_differences(*told)


@pytest.mark.parametrize("pair", PAIRS)
def test_nobody_sees_a_difference(simulations: SimulationFactory, pair: str) -> None:
    """Answers, files, headers, sizes, counts, orders, mails, log lines, tags, times, calls and waits are the same."""
    assert tell(simulations, pair, REQUESTS) == {}


@pytest.mark.long
@pytest.mark.parametrize("pair", PAIRS)
def test_nobody_sees_a_difference_at_night(simulations: SimulationFactory, pair: str) -> None:
    """The same, of forty times as many requests."""
    assert tell(simulations, pair, NIGHTLY) == {}


@pytest.mark.parametrize("pair", ["two hidden files", "two hidden sets of rows"])
def test_the_final_tells_two_halves_apart(simulations: SimulationFactory, pair: str) -> None:
    """What was the same until then differs: the halves do decide ranks."""
    found = tell(simulations, pair, 0, to_the_end=True)

    assert {key[0] for key in found} == {"final"}
    assert ("final", "data/b/tiny/head.json") in found


def test_who_serves_the_public_reads_no_hidden_truth(simulations: SimulationFactory) -> None:
    """Only what scores or publishes reads a bundle: no function behind a route, none that folds, none that mails."""
    template = simulations.template
    roles, bucket = Roles(template), template.resources["ResultsBucket"].arn
    bundle = Call("s3:GetObject", f"{bucket}/benchmarks/tiny/{'0' * 16}/{'0' * 64}.zip")

    readers = {
        function
        for function, properties in template.resources_of("AWS::Lambda::Function").items()
        if roles.find(template.logical_id_of(properties["Role"]), bundle)
    }

    assert readers == {"EvaluateFunction", "ScriptFunction", "PublishFunction"}
    assert not readers & {route.function for route in template.routes()}
