"""Results in parts, where the owner's runner scores: what lacks, what is refused, what is kept, and until when."""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from werkzeug.test import Client
from werkzeug.wrappers import Request

from cli.client import ApiError
from cli.parts import submit_parts
from evaluate import dependencies as sweeping
from evaluate import sweep
from handlers.http import dependencies
from local.site.storage import Storage
from scoring_core.io.limits import PART_BYTES
from storage.keys import utc_now
from storage.players.tokens import Scope
from tests.harness.archives import write_files
from tests.harness.clock import Clock
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player
from tests.harness.stack import TRUTH, Api, InProcess, StackHarness, make_benchmark
from tests.integration.submissions.test_own_runner import Runner

OWN: Final = {"runs_on": "own", "keep_results": "90d", "submissions": {"max_bytes": 2_000_000_000, "per_day": 2}}
PATH: Final = "/api/benchmarks/tiny/large"
FILE: Final = b"a" * PART_BYTES + b"b"
PARTS: Final = {hashlib.sha256(part).hexdigest(): part for part in (FILE[:PART_BYTES], FILE[PART_BYTES:])}
BODY: Final = {"filename": "answers.json", "bytes": len(FILE), "parts": list(PARTS)}
WHOLE: Final = hashlib.sha256(b"".join(map(bytes.fromhex, PARTS))).hexdigest()


@dataclasses.dataclass(frozen=True)
class Uploads:
    """Sends the parts of a result to the addresses that the site answers with."""

    api: Api
    client: Client
    stack: StackHarness
    headers: Mapping[str, str]

    def send(self, form: Mapping[str, Any], part: bytes, **changes: str) -> int:
        """Send a part; return the status of the answer."""
        data = {**form["fields"], **changes}
        made = httpx.Request("POST", "http://localhost", data=data, files={"file": ("part", part)})
        return self.client.post(form["url"], data=made.read(), content_type=made.headers["Content-Type"]).status_code

    def submit(self, **query: str) -> dict[str, Any]:
        """Send what lacks until the result is accepted; return the answer."""
        while (answer := self.api.ask(PATH, BODY, self.headers, query=query)).status == 200:
            assert {self.send(form, PARTS[form["sha256"]]) for form in answer.body["forms"]} == {204}
        assert answer.status == 202
        return dict(answer.body)


@pytest.fixture
def uploads(api: Api, stack: StackHarness, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Uploads:
    """A player with a token; the benchmark takes results in parts."""
    stack.publish(make_benchmark(**OWN).withhold())
    clock.moment = utc_now()  # what waits too long is handed on
    monkeypatch.setattr(stack.cloud.s3.objects.store, "clock", lambda: clock().timestamp())
    monkeypatch.setattr(dependencies, "utc_now", clock)
    client = Client(Request.application(Storage(stack.cloud.s3.objects).answer))
    return Uploads(api, client, stack, stack.issue_token(make_player("ada", "Ada"), Scope.SUBMIT))


@pytest.fixture
def runner(stack: StackHarness) -> Runner:
    """A runner with a token of scope `work`."""
    return Runner(stack.issue_token(make_player("gpu", "GPU"), Scope.WORK, benchmarks=("tiny",)))


def test_parts_that_lack_are_asked_for_until_all_are_there(
    api: Api, uploads: Uploads, runner: Runner, work: Callable[[], None]
) -> None:
    """Then the result is the list of its parts, which a runner gets; under its name it is the same submission."""
    first = api.ask(PATH, BODY, uploads.headers).body
    assert (first["lacking"], [form["sha256"] for form in first["forms"]]) == (2, list(PARTS))
    assert uploads.send(first["forms"][1], b"b") == 204
    assert api.ask(PATH, BODY, uploads.headers).body["lacking"] == 1

    accepted = uploads.submit()
    assert uploads.submit()["submission"] == accepted["submission"]
    work()
    run = runner.take(api, make_benchmark(**OWN).version).body["run"]
    assert (run["submission"], run["sha256"], run["file_format"]) == (accepted["submission"], WHOLE, "json")
    assert json.loads(uploads.client.get(run["result_url"]).data) == BODY
    path = f"{accepted['status_url']}/result"
    for name, part in PARTS.items():
        sent = api("GET", path, query={"sha256": name}, headers=runner.headers)
        assert (sent.status, uploads.client.get(sent.headers["location"]).data) == (303, part)
    assert api("GET", path, query={"sha256": WHOLE}, headers=runner.headers).status == 404
    assert api("GET", path, query={"sha256": next(iter(PARTS))}).status == 404
    assert runner.report(api, run).status == 200
    renamed = api.ask(PATH, {**BODY, "filename": "second.json"}, uploads.headers)
    assert (renamed.status, renamed.body["submission"] == accepted["submission"]) == (202, False)


def test_export_keeps_the_list_of_parts(
    uploads: Uploads, runner: Runner, work: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no result, so nothing is scored by it, and it is not fetched again."""
    submission = uploads.submit()["submission"]
    work()
    runner.report(uploads.api, runner.take(uploads.api, make_benchmark(**OWN).version).body["run"])
    work()
    connect_commands(uploads.api, monkeypatch, uploads.stack)
    token = uploads.stack.issue_token(make_player("ann", "Ann"), Scope.ADMIN)["Authorization"][7:]
    truth = write_files(tmp_path / "tiny", make_benchmark(**OWN).files)
    file = tmp_path / "all" / "results" / f"{submission}.parts.json"

    export = ("export", "tiny", str(tmp_path / "all"), "--results")
    written = [(laurel(*export, token=token).exit_code, file.stat().st_mtime_ns) for _ in range(2)]
    verified = laurel("verify", str(tmp_path / "all"), str(truth), "--json")

    assert (json.loads(verified.stdout)["left"], {*written}) == (1, {(0, file.stat().st_mtime_ns)})


def test_store_that_takes_no_form_is_no_late_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first form of an answer is fresh: where even that one is rejected another would be too."""
    file = write_files(tmp_path, {"answers.json": b"{}"}) / "answers.json"
    form = {"sha256": hashlib.sha256(b"{}").hexdigest(), "url": "/storage", "fields": {}}
    answers = iter([httpx.Response(200, json={"lacking": 1, "forms": [form]}), httpx.Response(403)])
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda *_: next(answers))

    with httpx.Client(base_url="http://localhost") as client, pytest.raises(ApiError, match="a part is not taken"):
        submit_parts(client, PATH, file, None, {})


def test_part_that_differs_is_refused(api: Api, stack: StackHarness, uploads: Uploads) -> None:
    """Other bytes, another size or another hash than was said; a form is used once, and nothing is stored."""
    form = api.ask(PATH, BODY, uploads.headers).body["forms"][1]

    sent = [uploads.send(form, part) for part in (b"c", b"", b"bb")]
    sent.append(uploads.send(form, b"c", **{"x-amz-checksum-sha256": "Lnw="}))

    assert (sent, stack.keys(stack.results_bucket, "large/")) == ([400] * 4, [])
    assert (uploads.send(form, b"b"), uploads.send(form, b"b")) == (204, 403)


@pytest.mark.parametrize(
    ("changes", "status", "said"),
    [
        ({"bytes": len(FILE) + PART_BYTES}, 422, "parts: expected the hashes of 3 parts of 4194304 bytes, found 2"),
        ({"parts": list(PARTS) * 2}, 422, "parts: expected the hashes of 2 parts of 4194304 bytes, found 4"),
        ({"parts": ["a"]}, 422, "/parts/0"),
        ({"bytes": 2_000_000_001}, 422, "/bytes"),
        ({"filename": "answers.zip"}, 422, "filename: expected json"),
    ],
)
def test_list_of_parts_that_is_wrong_is_refused(
    api: Api, uploads: Uploads, changes: dict[str, Any], status: int, said: str
) -> None:
    """The answer says what was expected, and no form is signed."""
    answer = api.ask(PATH, {**BODY, **changes}, uploads.headers)

    assert (answer.status, said in answer.body["detail"]) == (status, True)


def test_who_may_not_submit_gets_no_form(api: Api, stack: StackHarness, uploads: Uploads) -> None:
    """Guests, an unknown part, a used quota, and where the platform scores or the limit is lower."""
    assert api.ask(PATH, BODY).body["type"] == "urn:laurel:problem:token-needed"
    assert api.ask(PATH, BODY, uploads.headers, query={"part": "9"}).body["type"] == "urn:laurel:problem:unknown-part"
    for _ in range(2):
        assert api.post(headers=uploads.headers).status == 202
    assert api.ask(PATH, BODY, uploads.headers).status == 429
    for place, said in (("own", "at most 1048576, found"), ("platform", "at most 1048576 where the platform")):
        stack.publish(make_benchmark(id=place, runs_on=place))
        refused = api.ask(PATH.replace("tiny", place), BODY, uploads.headers)
        assert (refused.status, refused.body["detail"].startswith(f"bytes: expected {said}")) == (413, True)


def test_platform_does_not_score_a_list_of_parts(
    stack: StackHarness, uploads: Uploads, work: Callable[[], None]
) -> None:
    """Where the platform scores from the next version on, a result in parts is too large."""
    submission = uploads.submit()["submission"]

    stack.publish(make_benchmark(truth=TRUTH.replace("5020", "5021")))
    work()

    (record,) = stack.submissions.list_records_of("tiny", submission=submission)
    assert (record.outcome, record.message) == ("invalid", "expected at most 20000000 bytes, as one file")


def test_parts_are_kept_as_long_as_the_owner_says(
    uploads: Uploads, runner: Runner, work: Callable[[], None], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was abandoned goes after a week, what was scored after 90 days; what waits is kept, and so are records."""
    sweeper = sweeping.sweeper.__wrapped__()._replace(clock=clock)
    monkeypatch.setattr(sweep, "sweeper", lambda: sweeper)
    daily = InProcess(sweep.lambda_handler, "SweepFunction")
    api, stack, ahead = uploads.api, uploads.stack, clock.advance
    (form, _) = api.ask(PATH, BODY, uploads.headers).body["forms"]
    uploads.send(form, PARTS[form["sha256"]])

    ahead(days=7, minutes=1)
    assert api.ask(PATH, BODY, uploads.headers).body["lacking"] == 2
    daily.invoke({"hours": 240})
    assert len(stack.keys(stack.results_bucket, "large/")) == 1
    ahead(days=1)
    daily.invoke({"hours": 240})
    assert stack.keys(stack.results_bucket, "large/") == []

    accepted = uploads.submit()
    work()
    ahead(days=91)
    daily.invoke({"hours": 240})
    assert len(stack.keys(stack.results_bucket, "large/")) == 3
    run = runner.take(api, make_benchmark(**OWN).version).body["run"]
    runner.report(api, run)
    work()
    daily.invoke({"hours": 240})
    assert stack.keys(stack.results_bucket, "large/") == []
    assert api.get(accepted["status_url"]).body["outcome"] == "scored"
