"""`laurel find` and `laurel player`: over all benchmarks, as a visitor, a player and an operator type them."""

import json
from typing import Any

import pytest

from aggregate.rebuilder import Rebuilder
from cli import tables
from cli.commands import find as find_command
from scoring_core.scorers.base import Evaluation
from storage.access.players import PlayerStore
from storage.access.tokens import Scope
from storage.aws.bucket import Bucket
from storage.batches.reports import BatchEntry, BatchReport, BatchReportStore, BatchState
from storage.benchmarks.store import BenchmarkStore
from storage.boards.standings import BoardKey
from storage.ids import make_submission_id, utc_now
from tests.harness.clock import START, Clock
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player, make_record, make_submission
from tests.harness.stack import COINS, Api, StackHarness, make_benchmark

BEN = make_player("ben", "Ben Large")
NOW = utc_now()
BATCH = make_submission_id(NOW, b"batch-0000")


@pytest.fixture
def token(stack: StackHarness, api: Api, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> str:
    """The token of Ben, who has a row in `coins` and a batch of two files; commands speak to this test's cloud."""
    connect_commands(api, monkeypatch)
    monkeypatch.setattr(find_command, "REQUESTS_AT_ONCE", 1)  # the function in this process serves one, as in Lambda
    stack.publish(make_benchmark())
    published = stack.publish(make_benchmark(COINS))
    scores = {"Coins": 7, "Time": 1.5}
    submission = make_submission(id=make_submission_id(NOW, bytes(10)), benchmark="coins", player=BEN, batch=BATCH)
    record = make_record(
        submission=submission, version=published.version, scores=scores, evaluations=(Evaluation(scores, {}, None),)
    )
    stack.submissions.put_record(record)
    board = BoardKey("coins", published.version)
    list(Rebuilder(stack.aggregator).rebuild(board))
    stack.aggregator.update(board, None)
    bucket = Bucket(stack.cloud.s3, stack.results_bucket)
    scored = BatchEntry(entry="deep/37.json", submission=submission.id)
    BatchReportStore(bucket).put(
        BatchReport(
            drop=BATCH,
            benchmark="coins",
            player="ben",
            key="drops/coins/ben/runs.zip",
            version_id="1",
            received_at=NOW,
            state=BatchState.RECEIVED,
            entries=(scored, BatchEntry(entry="no.txt", error="no")),
        )
    )
    stores = tables.StackTables(
        BenchmarkStore(bucket, clock), stack.submissions, BatchReportStore(bucket), PlayerStore(stack.access)
    )
    monkeypatch.setattr(tables, "open_tables", lambda _: stores)
    return stack.issue_token(BEN, Scope.SUBMIT)["Authorization"].removeprefix("Bearer ")


def find(*arguments: str, token: str = "") -> list[tuple[str, str, str]]:
    """Type `laurel find` and return benchmark, kind and text of what was found."""
    done = laurel("find", *arguments, "--json", token=token)
    assert done.exit_code == (0 if json.loads(done.stdout) else 1), done.output
    return [(match["benchmark"], match["what"], match["summary"]) for match in json.loads(done.stdout)]


def test_everybody_finds_what_is_public(token: str, stack: StackHarness) -> None:
    """An id, a player's id and part of a name are found in whichever benchmark they are; files are the player's."""
    [item] = [item for item in stack.items("SubmissionsTable") if "outcome" in item]
    submission = item["submission"]["S"]
    row = ("coins", "player", "Ben Large, human, rank 1, 1 submissions")

    [[benchmark, what, summary]] = find(submission)

    assert (benchmark, what, summary.startswith("scored, by Ben Large (ben), 20")) == ("coins", "submission", True)
    assert find("large") == [row]
    assert find("ben") == [row]
    assert find("37.json") == find(BATCH) == find("carl") == []
    assert "nothing has the id, name or file 'carl'" in laurel("find", "carl").stdout


def test_player_finds_files_of_own_batches(token: str) -> None:
    """A file is found by its name, in whatever folder, with the submission that it became; a batch by id and file."""
    batch = ("coins", "batch", "runs.zip, 2 entries")

    assert find("runs/37.json", token=token) == [("coins", "entry", "deep/37.json of runs.zip: scored")]
    assert find("runs.zip", token=token) == [batch]
    assert find(BATCH, token=token) == [("coins", "batch", "runs.zip, 2 entries, done")]


def test_operator_finds_everybodys(token: str, api: Api) -> None:
    """By the tables an operator finds queued submissions, accounts with their address, and files of every player."""
    queued = api.post({"coins": 1}, benchmark="coins").body["submission"]

    [[_, what, summary]] = find(queued, "--tables")

    assert (what, summary.startswith("queued, by ")) == ("submission", True)
    assert find("Ben Large", "--tables")[0][1:] == ("account", f"Ben Large, human, no mail, since {START:%F}")
    assert find("37.json", "--tables") == [("coins", "entry", "deep/37.json of runs.zip by ben: accepted")]
    assert find(BATCH, "--tables") == [("coins", "batch", "runs.zip by ben, 2 entries, received")]


def test_player_is_shown_over_all_benchmarks(token: str) -> None:
    """`laurel player` lists rank and scores; a player whom no benchmark has is an error that names `find`."""
    shown: Any = laurel("player", "ben")

    assert "Ben Large ben, human" in shown.stdout
    assert "coins      1 of 1  1            Coins 7, Time 1.5" in shown.stdout
    assert "`laurel find NAME` finds players by name" in str(laurel("player", "carl").exception)
