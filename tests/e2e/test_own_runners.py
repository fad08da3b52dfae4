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
from tests.e2e.conftest import Laurel
from tests.e2e.test_from_post_to_board import follow, post
from tests.harness.factories import make_player
from tests.harness.tokens import keep_account, keep_token
from tests.harness.waiting import wait_for

pytestmark = pytest.mark.e2e

RESULTS: Final = 40
DEFINITION: Final = """
{id: doubled, title: Doubled, summary: Twice the number., scorer: script, runs_on: own, salt: none,
 score_type: {headers: [{name: Doubled, type: int}]}, ranking: {by: [Doubled]},
 submissions: {anonymous: true, per_day: 1000, max_bytes: 30000000}, contacts: {owner: owner@example.com}}
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
    """The folder of a benchmark of its own for each test, published without its program."""
    folder = tmp_path / tmp_path.name.replace("_", "-")[:40]
    folder.mkdir()
    (folder / "benchmark.yaml").write_text(DEFINITION.replace("id: doubled", f"id: {folder.name}"))
    (folder / "evaluate.py").write_text(SCRIPT.format(begun=str(tmp_path / "begun")))
    publish_benchmark(load_folder(folder).withhold(), aggregator)
    return folder


def issue_token(stack: Stack, benchmark: str, scope: Scope) -> str:
    """Issue a token for the benchmark; return its secret."""
    access = Table(stack.cloud.tables, stack.template.resources["AccessTable"].name)
    player = make_player(f"{scope}-{benchmark}", f"{scope} {benchmark}")
    keep_account(access, player)
    return keep_token(access, player, scope, benchmarks=(benchmark,))


@pytest.fixture
def start(stack: Stack, folder: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Start a runner with a token that does nothing else."""
    token = issue_token(stack, folder.name, Scope.WORK)
    environment = {**os.environ, "LAUREL_API": stack.url, "LAUREL_TOKEN": token}
    with ExitStack() as ending:

        def run() -> subprocess.Popen[str]:
            command = [sys.executable, "-m", "cli", "work", str(folder), "--sandbox", "none", "--json"]
            process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
            ending.push(process)
            ending.callback(process.kill)
            return process

        yield run


@pytest.mark.long
def test_each_result_is_scored_once(
    client: httpx.Client, start: Callable[[], subprocess.Popen[str]], folder: Path, tmp_path: Path
) -> None:
    """One runner is killed over a result, which the other one scores once its lease has ended."""
    posted = [post(client, folder.name, b'{"n": %d}' % number, player=f"p{number}") for number in range(RESULTS)]
    first = start()
    wait_for((tmp_path / "begun").exists)
    second = start()
    first.kill()
    done = [follow(client, each) for each in posted]
    second.terminate()
    assert second.wait() == 130

    assert [each["scores"] for each in done] == [{"Doubled": 2 * number} for number in range(RESULTS)]
    assert {each["signature"].rpartition("|")[2] for each in done} == {"sandbox:none"}
    printed = [json.loads(line) for each in (first, second) if each.stdout for line in each.stdout]
    assert sorted(each["submission"] for each in printed) == sorted(each["submission"] for each in posted)


def test_large_result_is_sent_in_parts_and_scored(
    stack: Stack, client: httpx.Client, laurel: Laurel, start: Callable[[], subprocess.Popen[str]], folder: Path
) -> None:
    """The command sends the parts, again it sends none and names the same submission, and a runner scores the whole."""
    file = folder.parent / "large.json"
    file.write_text(json.dumps({"n": 7, "more": "a" * 9_000_000}))
    token = issue_token(stack, folder.name, Scope.SUBMIT)
    sent = [laurel("submit", folder.name, file, "--json", token=token) for _ in range(2)]
    assert [each.returncode for each in sent] == [0, 0], sent
    (first,), (second,) = (json.loads(each.stdout) for each in sent)
    accepted, again = first["accepted"], second["accepted"]
    start()
    done = follow(client, accepted)

    assert (done["scores"], again["submission"]) == ({"Doubled": 14}, accepted["submission"])
