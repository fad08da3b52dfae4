"""The whole way on a deployed stack, from a POST to the board; every function runs under its own role.

Most of these are the tests of the local stack, on another stack.
"""

import json
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from boto3.session import Session

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.publishing import publish_benchmark
from scoring_core.benchmarks.examples import read_expectations
from scoring_core.benchmarks.loading import load_folder
from scoring_core.outcome import Outcome
from tests.e2e.test_from_post_to_board import fail_once, follow, post, renamed, row_of, wait_for
from tests.harness.factories import make_record
from tests.harness.stack import COINS, GOOD, make_benchmark, make_stream_event
from tests.integration.benchmarks.test_final import GOOD as CLOSE
from tests.integration.benchmarks.test_final import STEADY, make_contest
from tests.rehearsal.conftest import DeployedStack, Laurel

pytestmark = pytest.mark.rehearsal

SCHEDULED = (
    "SweepFunction",
    "RescoreFunction",
    "PublishFunction",
    "UpkeepFunction",
    "SendFunction",
    "DeadLetterFunction",
    "DropDeadLetterFunction",
    "AggregateFunction",
    "NotifyFunction",
)


@pytest.mark.parametrize(
    ("benchmark", "example", "part", "scores"),  # from the examples' expected.yaml; a time without all parts is none
    [
        ("squad-v2", "strong", None, {"exact": 86.11111111111111, "f1": 93.27838827838826}),
        ("coin-run", "stairs", "level-2", {"Coins": 75}),
    ],
)
def test_a_deployed_board_shows_what_was_scored(
    benchmark: str, example: str, part: str | None, scores: dict[str, float], *, client: httpx.Client, root: Path
) -> None:
    """What is published takes a result, and the file that the browser reads holds its scores."""
    result = (root / "benchmarks" / benchmark / "examples" / f"{example}.json").read_bytes()

    status = follow(client, post(client, benchmark, result, player="Ada", part=part))

    row = row_of(client, benchmark, "Ada", submissions=1)
    assert status["outcome"] == "scored"
    assert scores.items() <= row["scores"].items()


@pytest.mark.parametrize("name", sorted(path.name for path in (Path(__file__).parents[2] / "benchmarks").iterdir()))
def test_shipped_examples_get_what_they_must(
    name: str, client: httpx.Client, aggregator: Aggregator, root: Path, tmp_path: Path
) -> None:
    """What `laurel check` promises at home is what the platform answers."""
    with renamed(root / "benchmarks" / name, tmp_path, f"{name}-e2e") as folder:
        benchmark = load_folder(folder)
    publish_benchmark(benchmark, aggregator)
    for file, content in benchmark.examples.items():
        stem = file.removesuffix(".json")
        expected = read_expectations(benchmark).get(stem)
        if expected is not None:
            posted = post(client, benchmark.definition.id, content, player=stem, part=expected.part)
            status = follow(client, posted)
            assert status["outcome"] == expected.outcome, status
            assert expected.scores is None or status["scores"] == pytest.approx(expected.scores, rel=1e-12)


def test_failure_is_recorded(client: httpx.Client, aggregator: Aggregator, root: Path, tmp_path: Path) -> None:
    """As on one machine; the queue continues."""
    fail_once(client, aggregator, root, tmp_path)


def test_a_drop_and_a_mail(laurel: Laurel, client: httpx.Client, session: Session, tmp_path: Path) -> None:
    """A model owner submits a file of runs with a token: valid ones are on the board, invalid ones are mailed."""
    who = ("--player", "solver", "--name", "Solver 9000", "--email", "solver@example.org")
    token = json.loads(laurel("token", *who, "--json"))["secret"]
    runs = tmp_path / "runs.jsonl"
    runs.write_text("\n".join(json.dumps({"question": "7", "text": f"TR-V030-{frame}"}) for frame in (1510, 1520)))
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"question": "99", "text": "TR-V030-1510"}')

    report = json.loads(laurel("drop", "aic-2025", runs, "--wait", "--json", token=token))
    laurel("submit", "aic-2025", wrong, "--wait", "--json", token=token)

    (dropped,) = [one["status"] for one in report["drops"]]
    assert (dropped["scored"], dropped["refused"]) == (2, 0)
    row = row_of(client, "aic-2025", "Solver 9000", submissions=2)
    assert row["scores"]["score"] == 100 / 12
    mail = wait_for(lambda: _find_mail(session, to="solver@example.org"))
    assert "your result is invalid" in mail["Subject"]


def test_operator_has_no_rights_of_aws_but_a_token(laurel: Laurel) -> None:
    """An administrator rebuilds, sweeps and reads the trail over HTTP; the functions do it under their own roles."""
    rebuilt = json.loads(laurel("rebuild", "coin-run", "--json"))
    swept = json.loads(laurel("sweep", "--json"))
    trail = json.loads(laurel("audit", "--json"))

    assert (rebuilt["next"], swept) == (None, {})
    assert {"create_token", "publish", "rebuild", "sweep"} <= {entry["action"] for entry in trail}
    made = next(entry["actor"] for entry in trail if entry["action"] == "create_token")
    assert (made["role"], made["id"].endswith("user/deployer")) == ("operator", True)


def test_owner_is_mailed_a_review(aggregator: Aggregator, client: httpx.Client, session: Session) -> None:
    """What waits for its owner is mailed; the functions of mail read all that waits, under their own roles."""
    owner = "reviews@example.org"
    definition: dict[str, Any] = {"id": "reviewed", "review": "score > 70", "contacts": {"owner": owner}}
    publish_benchmark(make_benchmark(**definition), aggregator)

    status = follow(client, post(client, "reviewed", json.dumps(GOOD).encode(), player="Rhea"))

    assert status["in_review"]
    mail = wait_for(lambda: _find_mail(session, to=owner))
    assert "waits for your look" in mail["Subject"]


def test_finals(
    laurel: Laurel, aggregator: Aggregator, client: httpx.Client, stack: DeployedStack, session: Session
) -> None:
    """One that the schedule shows at its time, and one that an owner asks for; the hidden rows rank in both."""
    closes = datetime.now(UTC) + timedelta(seconds=20)
    contests = {"at-its-time": {"at": closes.isoformat()}, "by-hand": {}}
    for name, final in contests.items():
        publish_benchmark(make_contest(id=name, closes=closes.isoformat(), final=final), aggregator)
        post(client, name, json.dumps(STEADY).encode(), player="Ada")
        post(client, name, json.dumps(CLOSE).encode(), player="Bea")

    def find_final(name: str) -> list[str] | None:
        session.client("lambda").invoke(FunctionName=stack.resources["RescoreFunction"], Payload=b"{}")
        head = client.get(f"/data/b/{name}/head.json").raise_for_status().json()
        return head["rows"]["name"] if head["final"]["is_shown"] else None

    at_its_time = wait_for(partial(find_final, "at-its-time"))
    assert find_final("by-hand") is None
    laurel("reveal", "by-hand", "--json")

    assert (at_its_time, wait_for(partial(find_final, "by-hand"))) == (["Bea", "Ada"], ["Bea", "Ada"])


def test_a_runner_outside_scores(laurel: Laurel, client: httpx.Client, tmp_path: Path) -> None:
    """A machine of the owner loads a result from S3 and reports it, with a token that may do nothing else."""
    (folder := tmp_path / "at-home").mkdir()
    definition = {**COINS, "id": "at-home", "runs_on": "own", "salt": "none"}
    (folder / "benchmark.yaml").write_text(yaml.safe_dump(definition))
    (folder / "evaluate.py").write_text("import sys\nprint(open(sys.argv[1]).read())")
    laurel("publish", folder)
    scope = ("--scope", "work", "--benchmark", "at-home")
    token = json.loads(laurel("token", "--player", "gpu", *scope, "--json"))["secret"]
    accepted = post(client, "at-home", b'{"Coins": 7, "Time": 1.5}', player="Ada")

    scored = wait_for(lambda: laurel("work", folder, "--sandbox", "none", "--once", "--json", token=token))
    status = follow(client, accepted)

    assert (json.loads(scored)["scores"], status["scores"]) == ({"Coins": 7, "Time": 1.5},) * 2
    assert status["signature"].endswith("|sandbox:none")
    assert row_of(client, "at-home", "Ada", submissions=1)["scores"] == status["scores"]


def test_a_raw_result_is_handed_out(stack: DeployedStack, client: httpx.Client, root: Path) -> None:
    """Under its own role submit copies a raw result once a day, and signs an address that has it without metadata."""
    result = (root / "benchmarks" / "squad-v2" / "examples" / "strong.json").read_bytes()
    accepted = post(client, "squad-v2", result, player="Rita")
    address, headers = f"{accepted['status_url']}/result", {"Authorization": f"Bearer {accepted['receipt']}"}

    asked = [client.request(method, address, headers=headers) for method in ("GET", "HEAD", "GET")]

    assert [answer.status_code for answer in asked] == [303] * 3, asked[0].text
    told = [httpx.get(answer.headers["Location"]) for answer in asked]
    assert [one.content for one in told] == [result] * 3
    assert [name for one in told for name in one.headers if name.lower().startswith("x-amz-meta-")] == []
    copies = stack.cloud.s3.list_object_versions(Bucket=stack.settings.results_bucket, Prefix="downloads/")["Versions"]
    assert len([one for one in copies if one["Key"].endswith(accepted["submission"])]) == 1
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("function", SCHEDULED)
def test_what_the_schedule_starts(function: str, stack: DeployedStack, session: Session) -> None:
    """A function that no result passes ends well under its role."""
    answer = session.client("lambda").invoke(FunctionName=stack.resources[function], Payload=b"{}")

    assert "FunctionError" not in answer, answer["Payload"].read()


@pytest.mark.parametrize("function", ["AggregateFunction", "NotifyFunction"])
def test_discarded_batch_is_replayed_under_the_readers_role(
    function: str, stack: DeployedStack, session: Session
) -> None:
    """A reader's schedule lists, reads and deletes what Lambda discarded for it, and leaves what is another's.

    The quota of the record has forgotten it, so aggregate looks at the item before it leaves it as it is.
    """
    records = [make_record(outcome=Outcome.INVALID)] if function == "AggregateFunction" else []
    payload = json.dumps(make_stream_event(records))
    bucket, name = stack.settings.results_bucket, stack.resources[function]
    keys = {owner: f"aws/lambda/rehearsal/{function}/{owner}" for owner in (name, "somebody-else")}
    for owner, key in keys.items():
        arn = f"arn:aws:lambda:{session.region_name}:123456789012:function:{owner}"
        discarded = {"requestContext": {"functionArn": arn}, "payload": payload}
        stack.cloud.s3.put_object(Bucket=bucket, Key=key, Body=json.dumps(discarded).encode())

    answer = session.client("lambda").invoke(FunctionName=name, Payload=b"{}")

    assert "FunctionError" not in answer, answer["Payload"].read()
    listed = stack.cloud.s3.list_objects_v2(Bucket=bucket, Prefix=f"aws/lambda/rehearsal/{function}/")["Contents"]
    assert [entry["Key"] for entry in listed] == [keys["somebody-else"]]


def _find_mail(session: Session, *, to: str) -> dict[str, Any] | None:
    """Return the first mail that SES took for somebody; ministack shows what it would have sent."""
    endpoint = session.client("ses").meta.endpoint_url
    accounts = httpx.get(f"{endpoint}/_ministack/ses/messages").raise_for_status().json()["messages"]
    return next((one for mails in accounts.values() for one in mails if to in one["To"]), None)
