"""Promises of the sources that Laurel was made from, each test quoting the one that it holds."""

import base64
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import create_environ
from werkzeug.wrappers import Request

from evaluate import queue
from local import __main__ as local_program
from local.functions import make_functions
from local.log_files import LogFiles
from local.site.gateway import make_event
from local.stack import LocalStack
from local.template import load_template
from scoring_core.errors import EvaluatorError
from scoring_core.scorers.base import Evaluation, ScorerInputs
from scoring_core.scorers.event_decay import EventDecayParameters
from scoring_core.scorers.event_decay.scoring import prepare
from tests.harness.command_line import laurel
from tests.harness.stack import Answer, Api, StackHarness, make_benchmark, make_context, make_message, restart_api

HEADER = "id,type,scene_id,video_id,points,weight,fps\n"


@pytest.fixture
def ask(api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Answer]:
    """A function that submits a result and waits; it is scored while the request waits."""

    def score(_: float) -> None:
        messages = [make_message(key) for key in stack.results()]
        queue.lambda_handler({"Records": messages}, make_context())

    monkeypatch.setattr("handlers.http.outcomes.time.sleep", score)
    return lambda body, prefer, **query: api.post(body, query=query, headers={"Prefer": prefer})


def score_events(rows: str, text: str, **parameters: object) -> Evaluation:
    """Score a text for the only question of a ground truth, given without its header."""
    scorer = prepare(ScorerInputs(EventDecayParameters.model_validate(parameters), (HEADER + rows).encode()))
    (evaluation,) = scorer(json.dumps({"text": text}).encode())
    return evaluation


def test_max_score_can_be_increased_for_weighted_events() -> None:
    """Seed 1, Max Score: "Can be increased for weighted events, but typically keep at 100.0"."""
    row = '1,TR,,V017,"4945,5010,5001,5020","{}",\n'

    plain, weighted = (
        score_events(row.format(weights), "TR-V017-4945,5001").detail["per_event_scores"] for weights in ("", "1,2")
    )

    assert plain == [67.5, 90.5]
    assert weighted == [67.5, 200 - 9.5]


def test_a_missing_value_of_a_weighted_event_scores_nothing() -> None:
    """Seed 1, edge case 3: "Score event 2 with 0.0 (missing)", whatever the event weighs."""
    evaluation = score_events('1,TR,,V017,"4945,5010,5001,5020","1,3",\n', "TR-V017-4945")

    assert evaluation.detail["per_event_scores"] == [67.5, 0.0]
    assert evaluation.scores == {"score": 33.75}


def test_fps_of_a_video_matches_the_video_exactly() -> None:
    """Seed 1, FPS: "Converts milliseconds to frames for KIS/QA tasks"; "Must match video FPS exactly"."""
    at_25, at_50 = (
        score_events(f'1,KIS,,V017,"10000,20000",,{fps}\n', "KIS-V017-15080", tolerance_ms=400.0).scores["score"]
        for fps in ("", "50")
    )

    assert (at_25, at_50) == (98.0, 96.0)
    with pytest.raises(EvaluatorError, match="line 3, column fps: the video 'V017' has other frames per second"):
        score_events("1,KIS,,V017,1-2,,50\n2,KIS,,V017,3-4,,25\n", "KIS-V017-1")


def test_request_of_the_seed_has_the_answer_of_the_seed(ask: Callable[..., Answer], stack: StackHarness) -> None:
    """Seed 1, example 1: `{"text": "TR-V017-4945,5001"}` is answered with `score` 79.0 and `per_event_scores`."""
    stack.publish(make_benchmark())

    answer = ask({"text": "TR-V017-4945,5001"}, "wait=10, return=minimal", part="1")

    assert (answer.status, answer.headers["preference-applied"]) == (200, "wait=10, return=minimal")
    assert answer.body["score"] == 79.0
    assert answer.body["per_event_scores"] == [67.5, 90.5]
    assert not {"submission", "receipt", "status"} & set(answer.body)


@pytest.mark.usefixtures("ask")
@pytest.mark.parametrize(("named", "status"), [("", 404), ("tiny.1", 200), ("tiny", 200), ("gone.1", 404)])
def test_short_address_leads_where_the_site_says(
    api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch, named: str, status: int
) -> None:
    """API Gateway passes the body of a form as base64; a site that names no benchmark has no such address."""
    monkeypatch.setenv("SUBMIT_BENCHMARK", named)
    restart_api()
    stack.publish(make_benchmark())
    body = base64.b64encode(json.dumps({"text": "TR-V017-4945,5001", "question": "1"}).encode()).decode()
    environ = create_environ("/api/submit", method="POST", content_type="application/x-www-form-urlencoded")

    answer = api.send(make_event(Request(environ), {}) | {"body": body, "isBase64Encoded": True})

    assert (answer.status, answer.body.get("per_event_scores")) == (status, [67.5, 90.5] if status == 200 else None)


def test_a_result_without_scores_is_answered_in_full(ask: Callable[..., Answer], stack: StackHarness) -> None:
    """Seed 1, validation order: "Validate video ID match"; the reason is not left out of a short answer."""
    stack.publish(make_benchmark())

    body: dict[str, Any] = ask({"text": "TR-V999-1"}, "wait=10, return=minimal", part="1").body

    assert (body["outcome"], body["message"]) == ("invalid", "the string 'V999' is not the video of question '1'")


class _Asked(Exception):
    """The stack that `laurel local` would start."""


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., LocalStack]:
    """A function that returns the stack that `laurel local` starts with some options."""

    def take(stack: LocalStack) -> None:
        raise _Asked(stack)

    def start(*options: str) -> LocalStack:
        given: list[str] = []
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("os.execve", lambda _, words, __: given.extend(words))
        laurel("local", *options)
        monkeypatch.setattr(sys, "argv", given[-2:])
        monkeypatch.setattr(LocalStack, "__enter__", take)
        monkeypatch.setattr("signal.signal", lambda *_: None)  # a handler that stays would keep other tests' children
        with pytest.raises(_Asked) as asked:
            local_program.main()
        stack: LocalStack = asked.value.args[0]
        return stack

    return start


@pytest.mark.parametrize("count", [1, 7])
def test_number_of_workers_is_an_argument(start: Callable[..., LocalStack], count: int) -> None:
    """Seed 3, eval_runner.py: "one command line argument, which specifies the number of evaluation worker threads"."""
    stack = start("--workers", str(count))

    template = load_template({**stack.parameters, "SiteUrl": "http://localhost"})
    functions = make_functions(template, {}, log=LogFiles(Path(), print).open)
    # One queue leads to scripts; two lead to what is built in.
    assert functions["ScriptFunction"].max_workers == count
    assert functions["EvaluateFunction"].max_workers == 2 * count


def test_intervals_of_polling_and_of_mail_are_arguments(start: Callable[..., LocalStack]) -> None:
    """Seed 3: "the interval for this can be configured" of polling, and "the interval to wait on an error" of mail."""
    usual = start()
    changed = start("--poll", "2.5", "--mail-retry", "5", "--mail-gather", "0")

    assert (usual.poll_seconds, usual.mail_retry_seconds, usual.parameters["GatherSeconds"]) == (0.25, 60, "60")
    assert (changed.poll_seconds, changed.mail_retry_seconds, changed.parameters["GatherSeconds"]) == (2.5, 5, "0")


@pytest.mark.parametrize("poll", ["0", "nan", "-1"])
def test_interval_that_would_stop_the_work_is_refused(
    start: Callable[..., LocalStack], capsys: pytest.CaptureFixture[str], poll: str
) -> None:
    """An interval of polling without an end or without a beginning is an error, and nothing starts."""
    with pytest.raises(pytest.fail.Exception):
        start("--poll", poll)

    assert "--poll: expected 0.01 to 3600 seconds" in capsys.readouterr().err
