"""The scenarios: a short one, in which each call fails in turn, one for wrong delivery orders, and a long one."""

import json
from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from typing import Any

from scoring_core.benchmarks.loading import load_folder
from storage.players.tokens import Scope
from tests.faults.steps import Accept, Ask, Drop, Enrol, Play, Post, Publish, Settle, Step, Wait, Withdraw, Work
from tests.harness.clock import START
from tests.harness.stack import COINS, GOOD, PLAYS, ROOT, TRUTH, make_benchmark

WRONG = {"question": "9", "text": "TR-V017-4945"}
NEAR = {"question": "1", "text": "TR-V017-4933,5022"}
LINES = [json.dumps(GOOD), json.dumps(WRONG), '{"question": "2"']
"""Only one of them scores: entries of a batch share a moment, so their ids would decide which is the latest."""

SHORT: tuple[Step, ...] = (
    Enrol("ada"),
    Publish(make_benchmark()),
    Post("tiny", GOOD, "first", guest="Bea"),
    Post("tiny", WRONG, "second", token="ada"),
)
"""A guest's result scores; a player's result is invalid, which is mailed."""

DISORDERED: tuple[Step, ...] = (
    Enrol("ada"),
    Publish(make_benchmark()),
    Publish(make_benchmark(COINS)),
    Post("tiny", GOOD, "bea-1", guest="Bea"),
    Post("tiny", NEAR, "bea-2", guest="Bea"),
    Post("tiny", WRONG, "ada-1", token="ada"),
    Post("tiny", {**NEAR, "question": "2"}, "ada-2", token="ada"),
    Withdraw("tiny", "bea-1", "played twice"),
    Post("coins", {"prints": {"Coins": 3, "Time": 1.5}}, "ada-3", token="ada"),
    Post("coins", {"code": 1}, "ada-4", token="ada"),
    Post("tiny", GOOD, "bea-1", guest="Bea"),
    Post("tiny", GOOD, "ada-5", token="ada"),
    Withdraw("coins", "ada-3", "by mistake"),
)
"""Results of all kinds; one is submitted again with its key, two are withdrawn before or after they are scored."""


RUNS = {"id": "runs", "title": "Runs", "ranking": {"by": ["Coins"], "rows": "label"}}
MODELS = {"id": "models", "title": "Models", "when": {"kind": "model"}}
BOARDS: tuple[Step, ...] = (
    Enrol("ada"),
    Publish(make_benchmark(COINS, boards=[MODELS])),
    Post("coins", {"prints": {"Coins": 3, "Time": 1.5}}, "ada-1", token="ada"),
    Post("coins", {"prints": {"Coins": 5, "Time": 1.5}}, "bea-1", guest="Bea"),
    Settle(),
    Publish(make_benchmark(COINS, boards=[RUNS]), watched=True),
    Post("coins", {"prints": {"Coins": 4, "Time": 1.5}}, "ada-2", token="ada", label="step 1"),
)
"""A benchmark loses a board and gets another, which has what came before; a row of that is a label's."""


BATCHES: tuple[Step, ...] = (
    Enrol("ada"),
    Publish(make_benchmark()),
    Drop("tiny", "ada", "a.jsonl", "\n".join(LINES).encode()),
    Drop("tiny", "ada", "b.jsonl", LINES[1].encode()),
)
"""Two batches of one command, in each of which something fails: one mail."""

HIDDEN: Mapping[str, Any] = {
    "files": {"hidden.csv": TRUTH.replace("4945,5010,5001,5020", "4934,4934,5001,5001").encode()},
    "closes": (START + timedelta(hours=10)).isoformat(),
    "final": {"ground_truth": "hidden.csv", "at": (START + timedelta(hours=11)).isoformat()},
}
FINAL: tuple[Step, ...] = (
    Enrol("ada"),
    Publish(make_benchmark(**HIDDEN)),
    Post("tiny", GOOD, "ada-1", token="ada"),
    Post("tiny", NEAR, "bea-1", guest="Bea"),
    Post("tiny", WRONG, "ada-2", token="ada"),
    Wait({"hours": 12}),
)
"""A contest has its final by itself, and results that nobody has scored yet are in it."""

OWN = make_benchmark(runs_on="own", **HIDDEN)
WORKING: tuple[Step, ...] = (
    Enrol("gpu", frozenset({Scope.WORK})),
    Publish(OWN.withhold()),
    Post("tiny", GOOD, "ada-1", guest="Ada"),
    Work(OWN, "gpu"),
    Wait({"hours": 12}),
    Work(OWN, "gpu"),
)
"""The owner's runners score a contest and its final; each gives back, is slow, and reports twice."""

PLAYING: tuple[Step, ...] = (
    Enrol("olga", frozenset({Scope.SUBMIT, Scope.OWN})),
    Publish(make_benchmark(PLAYS, windows=["daily"], review="Coins > 90")),
    Play("plays", {"coins": 5, "time": 2.5}, "ada-1", guest="Ada", part="one"),
    Play("plays", {"coins": 99, "time": 2.5}, "bea-1", guest="Bea", part="one"),
    Play("plays", {"coins": 98, "time": 2.5}, "cid-1", guest="Cid", part="one"),
    Settle(),
    Accept("plays", "cid-1", "olga"),
)
"""Plays with run tickets, on a board of the day; two are in review, and one of them is accepted."""


FREEZING: tuple[Step, ...] = (
    Publish(make_benchmark()),
    Post("tiny", NEAR, "ada-1", guest="Ada"),
    Settle(),
    Publish(
        make_benchmark(review={"from": str(START), "until": str(START + timedelta(hours=2)), "when": "score > 78"})
    ),
    Post("tiny", {**GOOD, "text": "TR-V017-4940,5001"}, "bea-1", guest="Bea"),
    Post("tiny", NEAR, "cid-1", guest="Cid"),
    Post("tiny", GOOD, "dora-1", guest="Dora"),
    Settle(),
    Wait({"hours": 3}),
    Settle(),
)
"""Of what came while the board was frozen, two results count when it thaws, and one waits for the owner."""

EXTENDING: tuple[Step, ...] = (
    Enrol("ada"),
    Enrol("olga", frozenset({Scope.SUBMIT, Scope.OWN})),
    Publish(make_benchmark(closes=str(START), submissions={"late": "scored"})),
    Post("tiny", GOOD, "ada-1", token="ada"),
    Settle(),
    Ask("tiny/extension", "olga", {"player": "ada", "until": str(START + timedelta(days=9)), "reason": "was ill"}),
    Post("tiny", NEAR, "ada-2", token="ada"),
    Settle(),
    Wait({"hours": 1}),
)
"""A player gets more time when a late result is scored; that counts, and so does what comes within."""


@cache
def long_scenario() -> tuple[Step, ...]:
    """Return a scenario with all outcomes, a batch, a withdrawal, a rescore and mails."""
    return (
        Enrol("ada"),
        Enrol("olga", frozenset({Scope.SUBMIT, Scope.OWN})),
        Publish(make_benchmark(), watched=True),
        Publish(make_benchmark(COINS)),
        *(Publish(load_folder(ROOT / "benchmarks" / name)) for name in ("squad-v2", "iqa", "full-duplex")),
        Post("tiny", GOOD, "bea-1", guest="Bea"),
        Post("tiny", WRONG, "ada-1", token="ada"),
        Post("tiny", {"question": "8", "text": "TR-V017-1"}, "ada-2", token="ada"),
        Post("coins", {"prints": {"Coins": 3, "Time": 1.5}}, "ada-3", token="ada"),
        Post("coins", {"code": 2}, "ada-4", token="ada"),
        Post("coins", {"code": 1, "spent": True}, "ada-5", token="ada"),
        Post("coins", {"failure": "no room"}, "ada-6", token="ada"),
        Post("squad-v2", _example("squad-v2", "weak"), "ada-7", token="ada"),
        Post("iqa", _example("iqa", "fused"), "ada-8", token="ada"),
        Post("full-duplex", _example("full-duplex", "heron"), "ada-9", token="ada"),
        Drop("tiny", "ada", "runs.jsonl", "\n".join(LINES).encode()),
        Settle(),
        Post("tiny", NEAR, "bea-2", guest="Bea"),
        Withdraw("tiny", "bea-1", "played twice"),
        Publish(make_benchmark(ranking={"keep": "latest", "combine": "sum", "by": ["score"]}), watched=True),
        Wait({"hours": 13}),
        Post("tiny", GOOD, "cid-1", guest="Cid"),
        Publish(make_benchmark(parameters={"max_score": 90.0}), watched=True),
        Ask("tiny/rescore", "olga"),
    )


def _example(benchmark: str, name: str) -> Any:
    return json.loads((ROOT / "benchmarks" / benchmark / "examples" / f"{name}.json").read_text())
