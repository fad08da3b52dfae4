"""What players hand in to a running stack: examples of the shipped benchmarks, whose outcome is known beforehand."""

import json
import random
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, NamedTuple

import httpx

from scoring_core.benchmarks.definition import SAMPLE_FILE
from scoring_core.benchmarks.examples import Expectation, read_expectations
from scoring_core.benchmarks.loading import Benchmark, load_folder
from storage.keys import BatchKey
from tests.faults.steps import secret_of
from tests.harness.stack import ROOT

PLAYERS = tuple(f"player-{number:02}" for number in range(12))
SHARE_OF_GUESTS = 0.1
TYPISTS = 8
"""So many players hand in at the same time."""
MAX_TRIES = 100
PATIENCE_SECONDS = 0.2
DROP_LINES = 20
BROKEN_LINE = '{"question": '


class Example(NamedTuple):
    """A result of a benchmark's folder, and what it must get."""

    benchmark: str
    body: bytes
    expected: Expectation


class PlannedSubmission(NamedTuple):
    """A result that is to be handed in once, by one player.

    Args:
        key: Its idempotency key.
        player: The player's id; None: a guest.
        example: The result.
    """

    key: str
    player: str | None
    example: Example


class PlannedBatch(NamedTuple):
    """A file of results, a line each; the last one is broken.

    Args:
        key: Where it is put.
        examples: What its lines hold, but for the last.
    """

    key: BatchKey
    examples: tuple[Example, ...]

    @property
    def body(self) -> bytes:
        """The file."""
        lines = [json.dumps(json.loads(one.body)) for one in self.examples]
        return "\n".join([*lines, BROKEN_LINE]).encode()


def load_benchmarks() -> list[Benchmark]:
    """Load the shipped benchmarks."""
    return [load_folder(path.parent) for path in sorted((ROOT / "benchmarks").glob("*/benchmark.yaml"))]


def list_examples(benchmarks: Sequence[Benchmark]) -> Iterator[Example]:
    """Return the examples that are one JSON document and small enough to be posted."""
    for benchmark in benchmarks:
        expectations = read_expectations(benchmark)
        limit = benchmark.definition.submissions.max_bytes
        for name, body in sorted(benchmark.examples.items()):
            expected = expectations.get(name.removesuffix(".json"))
            if expected is not None and not SAMPLE_FILE.endswith(f"/{name}") and len(body) <= limit:
                yield Example(benchmark.definition.id, body, expected)


def plan_submissions(examples: Sequence[Example], *, count: int, chance: random.Random) -> list[PlannedSubmission]:
    """Choose who hands in what: each benchmark as often as any other, whatever the number of its examples."""
    of: dict[str, list[Example]] = {}
    for one in examples:
        of.setdefault(one.benchmark, []).append(one)
    return [
        PlannedSubmission(
            key=f"errand-{number}",
            player=None if chance.random() < SHARE_OF_GUESTS else chance.choice(PLAYERS),
            example=chance.choice(of[chance.choice(sorted(of))]),
        )
        for number in range(count)
    ]


def plan_batch(examples: Sequence[Example], *, chance: random.Random) -> PlannedBatch:
    """Choose what a model owner drops."""
    own = [one for one in examples if one.benchmark == "aic-2025"]
    lines = tuple(chance.choice(own) for _ in range(DROP_LINES))
    return PlannedBatch(BatchKey("aic-2025", PLAYERS[0], "runs.jsonl"), lines)


@dataclass
class Players:
    """Hand in errands over HTTP, each with its key again and again until it is taken.

    Args:
        url: Of the site.
        acknowledged: Key → submission, of every errand that was answered with 202.
        refused: What was answered by neither 202 nor a fault of ours.
        repeats: How often an errand was tried again.
    """

    url: str
    acknowledged: dict[str, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    repeats: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def hand_in(self, planned: Sequence[PlannedSubmission], *, seconds: float) -> None:
        """Hand all in, evenly over so many seconds; returns when each has its answer."""
        began = time.monotonic()
        with httpx.Client(base_url=self.url, timeout=120) as client, ThreadPoolExecutor(TYPISTS) as pool:
            for number, errand in enumerate(planned):
                time.sleep(max(0.0, began + number * seconds / len(planned) - time.monotonic()))
                pool.submit(self._insist, client, errand)

    def _insist(self, client: httpx.Client, errand: PlannedSubmission) -> None:
        for number in range(MAX_TRIES):
            if number:
                with self._lock:
                    self.repeats += 1
                time.sleep(PATIENCE_SECONDS)
            try:
                answer = client.post(**_make_request(errand))
            except httpx.TransportError:
                continue
            if answer.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
                self._note(errand, answer)
                return
        self.refused.append(f"{errand.key}: no answer after {MAX_TRIES} tries")

    def _note(self, errand: PlannedSubmission, answer: httpx.Response) -> None:
        if answer.status_code == HTTPStatus.ACCEPTED:
            self.acknowledged[errand.key] = answer.json()["submission"]
        else:
            self.refused.append(f"{errand.key}: {answer.status_code} {answer.text}")


def _make_request(errand: PlannedSubmission) -> dict[str, Any]:
    example, player = errand.example, errand.player
    query = {"part": example.expected.part, "player": None if player else "Nobody in particular"}
    credentials = {"Authorization": f"Bearer {secret_of(player)}"} if player else {}
    return {
        "url": f"/api/benchmarks/{example.benchmark}/submissions",
        "params": {name: value for name, value in query.items() if value},
        "content": example.body,
        "headers": {"Content-Type": "application/json", "Idempotency-Key": errand.key, **credentials},
    }
