"""Two runners of an owner on the local stack: each result is scored once, also if a runner dies over one."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import httpx
import pytest

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.publishing import publish_benchmark
from local.stack import Stack
from scoring_core.benchmarks.loading import load_folder
from storage.gateway.table import Table
from storage.players.tokens import Scope
from tests.harness.factories import make_player
from tests.harness.tokens import keep_account, keep_token
from tests.harness.waiting import wait_for

pytestmark = pytest.mark.e2e

RESULTS: Final = 40
DEFINITION: Final = """
{id: doubled, title: Doubled, summary: Twice the number., scorer: script, runs_on: own, salt: none,
 score_type: {headers: [{name: Doubled, type: int}]}, ranking: {by: [Doubled]},
 submissions: {anonymous: true, per_day: 1000}, contacts: {owner: owner@example.com}}
"""
SCRIPT: Final = """
import json, pathlib, sys, time
number, begun = json.load(open(sys.argv[1]))["n"], pathlib.Path({begun!r})
if number == 3 and not begun.exists():
    begun.touch()
    time.sleep(1000)
print(json.dumps({{"Doubled": 2 * number}}))
"""


@pytest.fixture
def folder(tmp_path: Path, aggregator: Aggregator) -> Path:
    """The folder of a benchmark that is published without its program."""
    folder = tmp_path / "doubled"
    folder.mkdir()
    (folder / "benchmark.yaml").write_text(DEFINITION)
    (folder / "evaluate.py").write_text(SCRIPT.format(begun=str(tmp_path / "begun")))
    publish_benchmark(load_folder(folder).withhold(), aggregator)
    return folder


@pytest.fixture
def start(stack: Stack, folder: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Start a runner with a token that does nothing else."""
    access, player = Table(stack.cloud.tables, stack.template.resources["AccessTable"].name), make_player("gpu")
    keep_account(access, player)
    secret = keep_token(access, player, Scope.WORK, benchmarks=("doubled",))
    with ExitStack() as ending:

        def run() -> subprocess.Popen[str]:
            command = [sys.executable, "-m", "cli", "work", str(folder), "--sandbox", "none", "--json"]
            process = subprocess.Popen(
                command,
                env={**os.environ, "LAUREL_API": stack.url, "LAUREL_TOKEN": secret},
                stdout=subprocess.PIPE,
                text=True,
            )
            ending.push(process)
            ending.callback(process.kill)
            return process

        yield run


def test_each_result_is_scored_once(
    client: httpx.Client, start: Callable[[], subprocess.Popen[str]], tmp_path: Path
) -> None:
    """One runner is killed over a result, which the other one scores once its lease has ended."""
    path = "/api/benchmarks/doubled/submissions"
    posted = [
        client.post(path, params={"player": f"p{number}"}, json={"n": number}).raise_for_status().json()
        for number in range(RESULTS)
    ]
    first = start()
    wait_for((tmp_path / "begun").exists)
    second = start()
    first.kill()

    def find_outcomes() -> list[dict[str, object]] | None:
        receipts = [{"Authorization": f"Bearer {each['receipt']}"} for each in posted]
        found = [client.get(each["status_url"], headers=by).json() for each, by in zip(posted, receipts, strict=True)]
        return found if all(each["status"] == "done" for each in found) else None

    done = wait_for(find_outcomes)
    second.terminate()
    assert second.wait() == 130

    assert [each["scores"] for each in done] == [{"Doubled": 2 * number} for number in range(RESULTS)]
    assert {str(each["signature"]).rpartition("|")[2] for each in done} == {"sandbox:none"}
    printed = [json.loads(line) for each in (first, second) if each.stdout for line in each.stdout]
    assert sorted(each["submission"] for each in printed) == sorted(each["submission"] for each in posted)
