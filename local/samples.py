"""Sample runs of invented players, so that the boards of the local stack are not empty.

The runs are made from the ground truth or an example in the benchmarks' folders, with errors that depend on a player's
skill, and submitted over HTTP like any other. A seeded generator makes the same runs every time.
"""

import csv
import io
import json
import math
import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from scoring_core.benchmarks.examples import ExampleOutcome, read_expectations
from scoring_core.benchmarks.loading import Benchmark, load_folder

SEED = 2025
TRIES = 3
POLL_SECONDS = 0.1
RANGES = ((0.0, 1.0), (1.0, 5.0), (-math.inf, math.inf))
"""A number of an example stays in the first that has it: it may be a chance, or a grade."""
SHOWN_SECONDS = 60.0
"""How long boards may take to show what is scored; they do so later, too."""


class Persona(NamedTuple):
    """An invented player; skill 1 is never off."""

    name: str
    kind: str
    skill: float


PERSONAS = (
    Persona("Ada", "human", 0.93),
    Persona("Grace", "human", 0.88),
    Persona("Nguyễn Anh", "human", 0.8),
    Persona("Edsger", "human", 0.62),
    Persona("Barbara", "human", 0.45),
    Persona("tern-7b", "model", 0.9),
    Persona("heron-large", "model", 0.96),
    Persona("wren-mini", "model", 0.55),
    Persona("安田 system", "model", 0.7),
    Persona("plover-1", "model", 0.35),
)

type Sampler = Callable[[Benchmark, random.Random, float, str | None], Any]
"""Makes a result from benchmark, random generator, skill and part; None if it cannot."""


def play_samples(
    url: str, benchmarks: Path, console: Console, stop: threading.Event, *, only: Collection[str]
) -> list[str]:
    """Submit runs of every persona; return the benchmarks once boards show them.

    The runs have keys: a second call submits only what the first one did not. `only` names benchmarks.
    """
    runs = [(number, run) for number, run in enumerate(list_runs(benchmarks)) if run[0] in only]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with httpx.Client(base_url=url, timeout=30) as client, Progress(*columns, console=console) as progress:
        waiting: list[tuple[str, str]] = []
        scored: Counter[str] = Counter()
        for number, (benchmark, persona, result, part) in progress.track(runs, description="playing sample runs"):
            if stop.is_set():
                return []
            parameters = {"player": persona.name, "kind": persona.kind, **({"part": part} if part else {})}
            key = {"Idempotency-Key": str(uuid.uuid5(uuid.NAMESPACE_URL, f"laurel/samples/{number}"))}
            path = f"/api/benchmarks/{benchmark}/submissions"
            answer = client.post(path, params=parameters, json=result, headers=key)
            waiting.append((benchmark, answer.raise_for_status().json()["status_url"]))
        for benchmark, status_url in progress.track(waiting, description="scoring them       "):
            while not stop.is_set() and (status := client.get(status_url).json()["status"]) == "queued":
                stop.wait(POLL_SECONDS)
            if not stop.is_set():
                scored[benchmark] += status == "scored"
        until = time.monotonic() + SHOWN_SECONDS
        for benchmark, number in progress.track(scored.items(), description="showing them       "):
            while count_shown(client, benchmark) < number and time.monotonic() < until and not stop.is_set():
                stop.wait(POLL_SECONDS)
    return sorted(scored)


def count_shown(client: httpx.Client, benchmark: str) -> int:
    """Return how many submissions a board shows; 0 if it does not exist."""
    answer = client.get(f"/data/b/{benchmark}/head.json")
    return int(answer.json()["counts"]["submissions"]) if answer.is_success else 0


def list_runs(benchmarks: Path) -> Iterator[tuple[str, Persona, Any, str | None]]:
    """Yield the runs of every persona: benchmark, persona, result, part.

    Everybody plays every part, because a missing part leaves metrics empty for which lower is better.
    """
    generator = random.Random(SEED)  # noqa: S311  # not a secret; every stack has the same runs
    for folder in sorted(path.parent for path in benchmarks.glob("*/benchmark.yaml")):
        benchmark = load_folder(folder)
        parts = list_parts(benchmark)
        for persona in PERSONAS:
            for part in (*parts, *generator.choices(parts, k=generator.randint(0, TRIES - 1))):
                result = make_result(benchmark, generator, skill=persona.skill, part=part)
                if result is not None:
                    yield benchmark.definition.id, persona, result, part


def list_parts(benchmark: Benchmark) -> Sequence[str | None]:
    """Return the parts that a result can be for; only None if there are none."""
    return (benchmark.definition.needs_part and benchmark.parts) or (None,)


def make_result(benchmark: Benchmark, generator: random.Random, *, skill: float, part: str | None) -> Any:
    """Return a result of a player with a skill from 0 to 1; None if impossible."""
    definition = benchmark.definition
    sampler = SAMPLERS.get(definition.id) or SAMPLERS.get(definition.scorer, _vary_numbers)
    return sampler(benchmark, generator, skill, part)


def _find_events(benchmark: Benchmark, generator: random.Random, skill: float, _: str | None) -> Any:
    """Answer most questions of event_decay, with errors of up to some seconds."""
    truth = (benchmark.inputs.ground_truth or b"").decode("utf-8-sig")
    answers = []
    for row in csv.DictReader(io.StringIO(truth)):
        if generator.random() > 0.4 + 0.6 * skill:
            continue
        points = [int(point) for point in row["points"].replace("-", ",").split(",") if point]
        unit = 1 if row["type"].startswith("TR") else 40
        values = [
            max(0, round((start + end) / 2 + generator.gauss(0, 45 * (1 - skill)) * unit))
            for start, end in zip(points[::2], points[1::2], strict=True)
        ]
        answer = f"{row.get('answer') or 'seen'}-" if row["type"] == "QA" else ""
        text = f"{row['type']}-{answer}{row['video_id']}-{','.join(map(str, values))}"
        answers.append({"question": row["id"], "text": text})
    return {"submissions": answers or [{"question": benchmark.parts[0], "answers": []}]}


def _answer_questions(benchmark: Benchmark, generator: random.Random, skill: float, _: str | None) -> Any:
    """Answer squad_v2: correctly, with extra words, otherwise, or not at all."""
    truth = json.loads(benchmark.inputs.ground_truth or b"")
    questions = [qa for article in truth["data"] for paragraph in article["paragraphs"] for qa in paragraph["qas"]]
    texts = [answer["text"] for qa in questions for answer in qa["answers"]]
    predictions = {}
    for question in questions:
        right = generator.choice(question["answers"])["text"] if question["answers"] else ""
        others = [right + " and so on" if right else "", generator.choice(texts), ""]
        predictions[question["id"]] = right if generator.random() < skill else generator.choice(others)
    return predictions


def _price_houses(benchmark: Benchmark, generator: random.Random, skill: float, _: str | None) -> Any:
    """Answer houses: nearer to the price, the greater the skill."""
    truth = csv.DictReader(io.StringIO((benchmark.inputs.ground_truth or b"").decode()))
    spread = 0.6 * (1 - skill)
    return [{"id": row["id"], "price": round(float(row["price"]) * generator.gauss(1, spread), 1)} for row in truth]


def _run_for_coins(benchmark: Benchmark, generator: random.Random, skill: float, level: str | None) -> Any:
    """Run through most coins of a level of coin-run, no faster than allowed."""
    coins = json.loads(benchmark.inputs.ground_truth or b"")[level]
    path = [coin for coin in coins if generator.random() < skill] or coins[:1]
    frames, clock, position = [[0.0, *path[0]]], 0.0, path[0]
    for coin in path:
        clock += math.dist(position, coin) / (4 + 3.9 * skill) + 0.01
        position = coin
        frames.append([round(clock, 3), *coin])
    return {"level": level, "frames": frames}


def _claim_coins(_benchmark: Benchmark, generator: random.Random, skill: float, _: str | None) -> Any:
    """Count most coins of a level of coin-sprint, no faster than allowed."""
    coins = sum(generator.random() < skill for _ in range(100))
    return {"run": {"coins": coins, "time_ms": round(100_000 / (4 + 3.9 * skill) + generator.gauss(1500, 400))}}


def _vary_numbers(benchmark: Benchmark, generator: random.Random, skill: float, part: str | None) -> Any:
    """Return the longest scored example with numbers further off, the less the skill.

    None if there is none.
    """
    expectations = read_expectations(benchmark)
    scored = [
        content
        for name, content in benchmark.examples.items()
        if name.endswith(".json")
        and (expected := expectations.get(name.removesuffix(".json"))) is not None
        and (expected.outcome, expected.part) == (ExampleOutcome.SCORED, part)
    ]

    def vary(value: Any) -> Any:
        match value:
            case Mapping():
                return {key: vary(inner) for key, inner in value.items()}
            case list():
                return [vary(inner) for inner in value]
            case float():
                low, high = next(each for each in RANGES if each[0] <= value <= each[1])
                return min(high, max(low, round(value * generator.gauss(1, 0.6 * (1 - skill)), 4)))
            case _:
                return value

    return vary(json.loads(max(scored, key=len))) if scored else None


# By the id of a benchmark with its own form of results, else by the scorer.
SAMPLERS: Mapping[str, Sampler] = {
    "coin-run": _run_for_coins,
    "coin-sprint": _claim_coins,
    "houses": _price_houses,
    "event_decay": _find_events,
    "squad_v2": _answer_questions,
}
