"""A submission can be followed through the logs by its id, and what it measured is counted."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from aggregate import stream
from evaluate import queue
from notify import stream as notices
from storage.players.tokens import Scope
from tests.harness.factories import make_player
from tests.harness.stack import Api, InProcess, StackHarness

pytestmark = pytest.mark.usefixtures("tiny")

type Log = Callable[[], list[dict[str, Any]]]

WRONG = b'{"question": "9", "text": "TR-V017-4945"}'


def _evaluate(stack: StackHarness) -> None:
    InProcess(queue.lambda_handler, "EvaluateFunction").deliver(*stack.results())


def _check_measured(line: dict[str, Any]) -> str:
    """Check that CloudWatch can make a metric of a line; return its name."""
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    (metric,), (dimensions,) = directive["Metrics"], directive["Dimensions"]
    assert directive["Namespace"] == "Laurel"
    assert line[metric["Name"]] >= 0
    assert all(isinstance(line[dimension], str) for dimension in dimensions)
    assert isinstance(line["_aws"]["Timestamp"], int)
    return str(metric["Name"])


def test_every_function_names_a_scored_submission(api: Api, stack: StackHarness, log: Log) -> None:
    """Submit, evaluate and aggregate each write a line with its id; submit's has the request's id beside it."""
    accepted = api.post().body
    _evaluate(stack)
    stack.read_stream(stream.lambda_handler)

    lines = [line for line in log() if accepted["submission"] in json.dumps(line)]

    assert [line["message"] for line in lines] == ["result received", "evaluated", "board rendered"]
    assert lines[0]["correlation_id"]
    assert lines[0]["function_request_id"] == "52fdfc07-2182-454f-963f-5f0f9a621d72"
    assert lines[2]["submissions"] == [accepted["submission"]]


def test_notify_names_an_invalid_submission(api: Api, stack: StackHarness, log: Log) -> None:
    """What is to be mailed is logged with the submission that it is about."""
    token = stack.issue_token(make_player("ada", "Ada"), Scope.SUBMIT)
    accepted = api.post(WRONG, headers=token).body
    _evaluate(stack)
    stack.read_stream(notices.lambda_handler, function="NotifyFunction")

    (line,) = [line for line in log() if line["message"] == "mails planned"]

    assert line["submission"] == accepted["submission"]
    assert line["mails"] == ["results#tiny#invalid#ada#"]


def test_submission_and_outcome_are_measured(api: Api, stack: StackHarness, log: Log) -> None:
    """A submission and its outcome are metrics; how long it waited and how long it took are in the line."""
    api.post()
    _evaluate(stack)

    received, evaluated = log()

    assert _check_measured(received) == "submissions"
    assert _check_measured(evaluated) == "outcomes"
    assert evaluated["outcome"] == "scored"
    assert min(evaluated["waiting_milliseconds"], evaluated["scoring_milliseconds"]) >= 0


def test_lines_repeat_nothing_and_have_timestamps_of_lambda(api: Api, log: Log) -> None:
    """A line names its function once, and no place in the code; its timestamp is one that Lambda reads."""
    api.post()

    (line,) = log()

    assert not {"function_arn", "function_memory_size", "location"} & line.keys()
    assert line["function_name"]
    assert line.get("cold_start", True)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line["timestamp"])  # RFC 3339


def test_failure_names_its_place_in_the_code(api: Api, stack: StackHarness, log: Log) -> None:
    """What is no routine keeps the location in its line."""
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key="benchmarks/broken/current.json", Body=b"{}")

    api.get("/api/benchmarks/broken")

    (line,) = log()
    assert line["level"] == "ERROR"
    assert ":" in line["location"]
