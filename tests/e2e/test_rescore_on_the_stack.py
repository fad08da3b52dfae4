"""An organiser corrects the ground truth while results flow in: the board is never a mixture."""

import itertools
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from aggregate.aggregator import Aggregator
from aggregate.versions.publishing import publish_benchmark
from local.stack import Stack
from scoring_core.benchmarks.loading import load_folder
from tests.e2e.conftest import Laurel
from tests.harness.waiting import wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.long]

ID = "corrected"
DEFINITION = {
    "id": ID,
    "title": "Corrected",
    "summary": "One question.",
    "scorer": "event_decay",
    "ground_truth": "truth.csv",
    "score_type": {"headers": [{"name": "score", "type": "float"}]},
    "ranking": {"by": ["score"]},
    "submissions": {"per_day": 10_000},
    "contacts": {"owner": "owner@example.com"},
}
HEADER = "id,type,scene_id,video_id,points\n"


def write_folder(folder: Path, *, points: str) -> Path:
    """Write the benchmark with this truth."""
    folder.mkdir(exist_ok=True)
    (folder / "benchmark.yaml").write_text(json.dumps(DEFINITION))
    (folder / "truth.csv").write_text(f"{HEADER}1,TR,L01,V001,{points}\n")
    return folder


def post(client: httpx.Client, player: str, frame: int) -> None:
    """Submit one answer."""
    answer = client.post(
        f"/api/benchmarks/{ID}/submissions", params={"player": player}, json={"text": f"TR-V001-{frame}"}
    )
    assert answer.status_code == 202, answer.text


def read_head(client: httpx.Client) -> dict[str, Any]:
    """Read the head of the board."""
    head: dict[str, Any] = client.get(f"/data/b/{ID}/head.json").raise_for_status().json()
    return head


@contextmanager
def repeated(act: Callable[[int], None], *, pause_seconds: float) -> Iterator[None]:
    """Do something again and again while the context lasts; what it raises is raised at the end."""
    stop, errors = threading.Event(), list[Exception]()

    def run() -> None:
        for number in itertools.count():
            if stop.is_set():
                return
            try:
                act(number)
            except Exception as error:  # noqa: BLE001  # raised again by the thread that waits
                errors.append(error)
                return
            stop.wait(pause_seconds)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    if errors:
        raise errors[0]


def test_a_correction_while_results_flow_in(
    stack: Stack, client: httpx.Client, aggregator: Aggregator, laurel: Laurel, tmp_path: Path
) -> None:
    """Each head that anybody sees is of one version with that version's scores; in the end all are of the new one."""
    old, new = {"Ada": 100.0, "Bea": 90.0}, {"Ada": 90.0, "Bea": 100.0}
    publish_benchmark(load_folder(write_folder(tmp_path / ID, points="1000-1000")), aggregator)
    post(client, "Ada", 1000)
    post(client, "Bea", 1010)
    wait_for(lambda: httpx.get(f"{stack.url}/data/b/{ID}/head.json").json()["total"] == 2)
    first = read_head(client)["version"]
    seen: list[dict[str, Any]] = []

    with (
        httpx.Client(base_url=stack.url, timeout=60) as game,
        httpx.Client(base_url=stack.url, timeout=60) as visitor,
        repeated(lambda number: post(game, f"P{number}", 1005), pause_seconds=0.2),
        repeated(lambda _: seen.append(read_head(visitor)), pause_seconds=0.02),
    ):
        report = publish_benchmark(load_folder(write_folder(tmp_path / ID, points="1010-1010")), aggregator)
        done = json.loads(laurel("rescore", ID, "--json").stdout)
        wait_for(lambda: seen[-1]["version"] == report.next)

    wait_for(lambda: _everybody_is_there(stack, client))
    assert (report.version, report.next) == (first, done["version"])
    assert {head["version"] for head in seen} == {first, report.next}
    order = [head["version"] for head in seen]
    assert order == sorted(order, key=[first, report.next].index)
    for head in seen:
        scores = dict(zip(head["rows"]["name"], head["rows"]["scores"]["score"], strict=True))
        expected = old if head["version"] == first else new
        assert expected.items() <= scores.items()
    changes = {change["name"]: change for change in done["listed"]}
    ada, bea = changes["Ada"], changes["Bea"]
    assert (ada["value_before"], ada["value_after"]) == (100.0, 90.0)
    assert (bea["rank_after"], bea["value_after"]) == (1, 100.0)


def _everybody_is_there(stack: Stack, client: httpx.Client) -> bool:
    listed = stack.cloud.s3.list_objects_v2(Bucket=stack.settings.results_bucket, Prefix=f"results/{ID}/")
    return bool(read_head(client)["counts"]["submissions"] == listed["KeyCount"])
