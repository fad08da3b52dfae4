"""What players submit to a running stack: examples of the shipped benchmarks, and of one with several boards."""

import json
import random
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from typing import Any, NamedTuple

import httpx

from scoring_core.benchmarks.examples import Expectation, read_expectations
from scoring_core.benchmarks.loading import Benchmark, load_folder
from storage.keys import BatchKey
from tests.faults.steps import secret_of
from tests.harness.stack import EVENTS, GOOD, GOOD_SCORE, ROOT, TRUTH, make_benchmark

PLAYERS = tuple(f"player-{number:02}" for number in range(12))
SHARE_OF_GUESTS = 0.1
SHARE_OF_NAMELESS = 0.5
"""Of the guests."""
SHARE_OF_RUNS = 0.5
"""Of the submissions: those to RUNS. Each has a label of its own, so its board of labels soon has pages."""
RUNS = make_benchmark(
    EVENTS,
    id="runs",
    submissions={"per_day": 10_000},
    boards=[
        {"id": "people", "title": "People", "when": {"kind": "human"}},
        {"id": "labels", "title": "Every run", "ranking": {"by": ["score"], "rows": "label"}},
    ],
)
"""A benchmark with a board for some players and a board with a row for each label."""
CONTEST = "contest"
BEFORE_FINAL = 3
"""Of so many submissions one comes before the final; half of those are to the contest."""
CLIENTS = 8
"""How many players submit at the same time."""
MAX_TRIES = 100
RETRY_SECONDS = 0.2
DROP_LINES = 20
BROKEN_LINE = '{"question": '


class Example(NamedTuple):
    """A result of a benchmark's folder, and its expected outcome."""

    benchmark: str
    body: bytes
    expected: Expectation


CONTEST_EXAMPLES = [
    Example(
        CONTEST,
        json.dumps({"question": "1", "text": f"TR-V017-{first},5001"}).encode(),
        Expectation(scores={"score": hidden, "#public/score": public}),
    )
    for first, public, hidden in ((4945, 79.0, 94.5), (4934, 73.5, 100.0), (4940, 76.5, 97.0))
]
"""Results of the contest, with their scores in its final."""


class PlannedSubmission(NamedTuple):
    """A result that one player submits once.

    Args:
        key: Its idempotency key.
        player: The player's id; None: a guest.
        example: The result.
        name: The guest's name, if the guest has one.
        label: What the player calls it, where a board has a row for each label.
    """

    key: str
    player: str | None
    example: Example
    name: str | None = None
    label: str | None = None


class PlannedBatch(NamedTuple):
    """A file of results, a line each; the last one is broken.

    Args:
        key: The batch's key in the bucket.
        examples: The contents of its lines, except the last.
    """

    key: BatchKey
    examples: tuple[Example, ...]

    @property
    def body(self) -> bytes:
        """The file."""
        lines = [json.dumps(json.loads(example.body)) for example in self.examples]
        return "\n".join([*lines, BROKEN_LINE]).encode()


def load_benchmarks() -> list[Benchmark]:
    """Load the shipped benchmarks and RUNS."""
    shipped = [load_folder(path.parent) for path in sorted((ROOT / "benchmarks").glob("*/benchmark.yaml"))]
    return [*shipped, RUNS]


def list_examples(benchmarks: Sequence[Benchmark]) -> Iterator[Example]:
    """Yield the examples that are one JSON document and small enough to be posted."""
    yield Example(RUNS.definition.id, json.dumps(GOOD).encode(), Expectation(scores={"score": GOOD_SCORE}))
    for benchmark in benchmarks:
        expectations = read_expectations(benchmark)
        limit = benchmark.definition.submissions.max_bytes
        for name, body in sorted(benchmark.examples.items()):
            expected = expectations.get(name.removesuffix(".json"))
            is_sample = benchmark.definition.sample_file.endswith(f"/{name}")
            if expected is not None and name.endswith(".json") and not is_sample and len(body) <= limit:
                yield Example(benchmark.definition.id, body, expected)


def make_contest(at: datetime | None = None) -> Benchmark:
    """Make a contest whose final is at the time when it closes; None: it is open, and has no time."""
    files = {"hidden.csv": TRUTH.replace("4945,5010,5001,5020", "4934,4934,5001,5001").encode()}
    times = {"closes": at.isoformat(), "final": {"ground_truth": "hidden.csv", "at": at.isoformat()}} if at else {}
    keys = {"final": {"ground_truth": "hidden.csv"}, "submissions": {"per_day": 10_000}} | times
    return make_benchmark(EVENTS, id=CONTEST, files=files, **keys)


def plan_submissions(examples: Sequence[Example], *, count: int, chance: random.Random) -> list[PlannedSubmission]:
    """Choose players and results; but for RUNS each benchmark is equally likely."""
    by_benchmark: dict[str, list[Example]] = {}
    for example in examples:
        by_benchmark.setdefault(example.benchmark, []).append(example)
    planned = []
    for number in range(count):
        is_run = chance.random() < SHARE_OF_RUNS
        runs = CONTEST if CONTEST in by_benchmark and number < count // BEFORE_FINAL else RUNS.definition.id
        player = None if chance.random() < SHARE_OF_GUESTS else chance.choice(PLAYERS)
        is_named = player is None and chance.random() >= SHARE_OF_NAMELESS
        benchmark = runs if is_run else chance.choice(sorted(by_benchmark.keys() - {CONTEST}))
        planned.append(
            PlannedSubmission(
                key=f"submission-{number}",
                player=player,
                example=chance.choice(by_benchmark[benchmark]),
                name="Nobody in particular" if is_named else None,
                label=f"run {number}" if benchmark == RUNS.definition.id and (player or is_named) else None,
            )
        )
    return planned


def plan_batch(examples: Sequence[Example], *, chance: random.Random) -> PlannedBatch:
    """Choose the entries of a model owner's batch."""
    own = [example for example in examples if example.benchmark == "aic-2025"]
    lines = tuple(chance.choice(own) for _ in range(DROP_LINES))
    return PlannedBatch(BatchKey("aic-2025", PLAYERS[0], "runs.jsonl"), lines)


@dataclass
class Players:
    """Submit over HTTP, and repeat each request with its key until it is answered.

    Args:
        url: The site's address.
        acknowledged: Key → submission, of every request that was answered with 202.
        refused: The requests that were answered neither by 202 nor by a server error.
        repeats: How often a request was repeated.
        max_tries: How often each is tried.
    """

    url: str
    acknowledged: dict[str, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    repeats: int = 0
    max_tries: int = MAX_TRIES
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def submit(self, planned: Sequence[PlannedSubmission], *, seconds: float) -> None:
        """Submit all, spread evenly over so many seconds; return when each has its answer."""
        began = time.monotonic()
        with httpx.Client(base_url=self.url, timeout=120) as client, ThreadPoolExecutor(CLIENTS) as pool:
            for number, submission in enumerate(planned):
                time.sleep(max(0.0, began + number * seconds / len(planned) - time.monotonic()))
                pool.submit(self._submit_one, client, submission)

    def _submit_one(self, client: httpx.Client, submission: PlannedSubmission) -> None:
        for number in range(self.max_tries):
            if number:
                with self._lock:
                    self.repeats += 1
                time.sleep(RETRY_SECONDS)
            try:
                answer = client.post(**_make_request(submission))
            except httpx.TransportError:
                continue
            if answer.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
                self._note(submission, answer)
                return
        self.refused.append(f"{submission.key}: no answer after {self.max_tries} tries")

    def _note(self, submission: PlannedSubmission, answer: httpx.Response) -> None:
        if answer.status_code == HTTPStatus.ACCEPTED:
            self.acknowledged[submission.key] = answer.json()["submission"]
        else:
            self.refused.append(f"{submission.key}: {answer.status_code} {answer.text}")


def _make_request(submission: PlannedSubmission) -> dict[str, Any]:
    example, player = submission.example, submission.player
    query = {"part": example.expected.part, "player": submission.name, "label": submission.label}
    credentials = {"Authorization": f"Bearer {secret_of(player)}"} if player else {}
    return {
        "url": f"/api/benchmarks/{example.benchmark}/submissions",
        "params": {name: value for name, value in query.items() if value},
        "content": example.body,
        "headers": {"Content-Type": "application/json", "Idempotency-Key": submission.key, **credentials},
    }
