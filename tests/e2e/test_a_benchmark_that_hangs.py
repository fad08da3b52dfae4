"""A benchmark whose script never ends keeps nobody else from being scored."""

import json
from pathlib import Path

import httpx
import pytest

from aggregate.aggregator import Aggregator
from aggregate.versions.publishing import publish_benchmark
from local.stack import PARAMETERS, Stack
from scoring_core.benchmarks.loading import load_folder
from tests.e2e.test_from_post_to_board import follow, outcome_of, post, wait_for

pytestmark = pytest.mark.e2e

SHARE = int(PARAMETERS["BenchmarkConcurrency"])
DEFINITION = {
    "id": "hangs",
    "title": "Hangs",
    "summary": "Its script waits for ever.",
    "scorer": "script",
    "parameters": {"timeout_seconds": 120},
    "score_type": {"headers": [{"name": "score", "type": "float"}]},
    "ranking": {"by": ["score"]},
    "contacts": {"owner": "owner@example.com"},
}


def test_others_are_scored_while_it_hangs(
    stack: Stack, client: httpx.Client, aggregator: Aggregator, root: Path, tmp_path: Path
) -> None:
    """With its whole share at work for two minutes, results of a built-in scorer and of another script pass by."""
    folder = tmp_path / "hangs"
    folder.mkdir()
    (folder / "benchmark.yaml").write_text(json.dumps(DEFINITION))
    (folder / "evaluate.py").write_text("import time\ntime.sleep(1000)\n")
    publish_benchmark(load_folder(folder), aggregator)
    for name in ("aic-2025", "coin-run"):
        publish_benchmark(load_folder(root / "benchmarks" / name), aggregator)
    hanging = [post(client, "hangs", b"{}", player=f"Player {number}") for number in range(4 * SHARE + 4)]
    wait_for(lambda: True if _count_busy(stack) == SHARE else None)

    quick = post(client, "aic-2025", b'{"question": "7", "text": "TR-V030-1519"}', player="Ada")
    sample = (root / "benchmarks" / "coin-run" / "examples" / "sample.json").read_bytes()
    script = post(client, "coin-run", sample, player="Ada", part="level-1")

    assert [outcome_of(follow(client, one))["outcome"] for one in (quick, script)] == ["scored", "scored"]
    assert [client.get(one["status_url"]).json()["status"] for one in hanging] == ["queued"] * len(hanging)
    assert _count_busy(stack) == SHARE


def _count_busy(stack: Stack) -> int:
    """Count the results of the script queue that are being scored."""
    url = stack.cloud.sqs.get_queue_url(QueueName=stack.template.resources["ScriptQueue"].name)["QueueUrl"]
    counts = stack.cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    return int(counts["ApproximateNumberOfMessagesNotVisible"])
