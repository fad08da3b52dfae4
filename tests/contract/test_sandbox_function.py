"""The sandbox function as evaluate calls it: tenants, generations, deaths, refusals, and whose fault is whose."""

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from scoring_core.errors import EvaluatorError, SandboxFailure
from scoring_core.runtimes import SCIENCE, Runtime
from scoring_core.scorers.script.run import MAX_PAYLOAD_BYTES, Isolation, RunScript, ScriptEnded, ScriptParameters
from storage.gateway.aws import AwsFunctions
from storage.gateway.errors import Busy, NotStarted, Refused
from storage.gateway.table import RisingNumbers
from storage.sandbox.client import BACKOFF_SECONDS, LambdaSandbox
from storage.submissions.idempotency import IdempotencyStore

ANSWER: dict[str, Any] = {
    "ended": "exited",
    "code": 0,
    "signal": None,
    "stdout": "H4sIAAAAAAAA/6uuBQBDv6ajAgAAAA==",
    "stderr": "H4sIAAAAAAAA/wMAAAAAAAAAAAA=",
    "stderr_dropped_bytes": 0,
    "seconds": 0.1,
    "peak_memory_bytes": 1000,
    "spent": False,
}


@dataclass
class Lambda:
    """Replaces Lambda's Invoke with prepared answers, in order."""

    answers: list[Any]
    functions: list[str] = field(default_factory=list)
    tenants: list[str] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    def invoke(self, *, FunctionName: str, TenantId: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803  # boto3's
        """Note who asks what, and answer."""
        self.functions.append(FunctionName)
        self.tenants.append(TenantId)
        self.events.append(json.loads(Payload))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        failed = {"FunctionError": "Unhandled"} if not isinstance(answer, bytes) and "errorMessage" in answer else {}
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        return {"Payload": io.BytesIO(body), **failed}


def _error(code: str) -> ClientError:
    answer: Any = {"Error": {"Code": code, "Message": "no room"}, "ResponseMetadata": {"HTTPStatusCode": 500}}
    return ClientError(answer, "Invoke")


type MakeRun = Callable[..., tuple[RunScript, Lambda]]


@pytest.fixture
def make_run(access: IdempotencyStore) -> MakeRun:
    """Return what runs a script, and the Lambda behind it."""

    def make(
        *answers: Mapping[str, Any] | Exception | bytes,
        truth: bytes = b"{}",
        runtime: Runtime = SCIENCE,
        **parameters: Any,
    ) -> tuple[RunScript, Lambda]:
        client = Lambda(list(answers))
        sandbox = LambdaSandbox(
            client=AwsFunctions(client),  # type: ignore[arg-type]  # the one method that is called
            function="laurel-sandbox",
            numbers=RisingNumbers(access.table),
            runtimes={"learning": "0123"},
            sleep=client.waits.append,
            slot=3,
        )
        run = sandbox.for_benchmark(
            "0a",
            script=b"print({})",
            ground_truth=("truth.json", truth),
            parameters=ScriptParameters(**parameters),
            runtime=runtime,
        )
        return run, client

    return make


def test_a_version_is_one_tenant(make_run: MakeRun) -> None:
    """Runs of one version share a tenant as long as nothing was spent; the part is the file's name."""
    run, client = make_run(ANSWER, ANSWER)

    ends = [run(b"{}", result_name="level-1.json"), run(b"[]")]

    assert [end.stdout for end in ends] == [b"{}", b"{}"]
    assert client.tenants == ["0a-3-0", "0a-3-0"]
    assert client.functions == ["laurel-sandbox", "laurel-sandbox"]
    assert [event["result"]["name"] for event in client.events] == ["level-1.json", "result.json"]
    assert client.events[0]["ground_truth"]["name"] == "truth.json"


@pytest.mark.parametrize(
    "runtime", [Runtime("learning", "4567"), Runtime("learning"), Runtime("geo"), Runtime("geo", "0")]
)
def test_other_packages_than_those_of_the_version_score_nothing(make_run: MakeRun, runtime: Runtime) -> None:
    """A deployment changed or removed them: the owner reads what to do, because a version promises the same scores."""
    run, _ = make_run(runtime=runtime)

    with pytest.raises(EvaluatorError, match="publish the benchmark again"):
        run(b"{}")


def test_a_spent_environment_is_left_behind(make_run: MakeRun) -> None:
    """Its answer counts, and the next run goes to the next generation."""
    run, client = make_run({**ANSWER, "spent": True}, ANSWER)

    ends = [run(b"{}"), run(b"{}")]

    assert [end.ended for end in ends] == [ScriptEnded.EXITED, ScriptEnded.EXITED]
    assert client.tenants == ["0a-3-0", "0a-3-1"]


@pytest.mark.parametrize(
    "answer", [b"", b"no JSON", b"[]", b"null", b"[" * 100_000, b'{"spent": 1, "spent": 2}', b"\xff"]
)
def test_an_answer_that_is_none_is_ours(make_run: MakeRun, answer: bytes) -> None:
    """A script may answer in the runner's place: bytes that are no answer are a failure of the sandbox."""
    run, _ = make_run(answer)

    with pytest.raises(SandboxFailure):
        run(b"{}")


@pytest.mark.parametrize(
    "death",
    [
        {"errorType": "Runtime.ExitError", "errorMessage": "signal: killed"},
        {"errorType": "Runtime.OutOfMemory", "errorMessage": "out of memory"},
        {"errorType": "Sandbox.Timedout", "errorMessage": "Task timed out after 165.00 seconds"},
        {"errorMessage": "Task timed out after 165.00 seconds"},
    ],
)
def test_a_death_is_tried_once_elsewhere(make_run: MakeRun, death: dict[str, str]) -> None:
    """The first may be bad luck; the second is the script's end."""
    unlucky, first = make_run(death, ANSWER)
    deadly, second = make_run(death, death)

    assert unlucky(b"{}").ended is ScriptEnded.EXITED
    assert deadly(b"{}").ended is ScriptEnded.RUNNER_DIED
    assert (first.tenants, second.tenants) == (["0a-3-0", "0a-3-1"], ["0a-3-1", "0a-3-2"])


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ({"failure": "OSError: no space"}, SandboxFailure),
        ({"errorType": "Runtime.ImportModuleError", "errorMessage": "no module"}, SandboxFailure),
        ({"nonsense": 1}, SandboxFailure),
        (ClientError({"Error": {"Code": "KMSAccessDeniedException"}}, "Invoke"), Refused),
        (ReadTimeoutError(endpoint_url="https://lambda"), Busy),
    ],
)
def test_our_own_failures_are_retried_and_never_the_scripts(
    make_run: MakeRun, answer: dict[str, str] | Exception, error: type[Exception]
) -> None:
    """Time-outs of the call, broken functions and refused calls escape at once, so that the message comes again."""
    run, client = make_run(answer)

    with pytest.raises(error):
        run(b"{}")

    assert client.waits == []


@pytest.mark.parametrize(
    "code",
    [
        "TooManyRequestsException",
        "EC2ThrottledException",
        "ENINotReadyException",
        "ResourceConflictException",
        "ServiceException",
    ],
)
def test_call_that_started_nothing_is_made_again(make_run: MakeRun, code: str) -> None:
    """The same environment is asked again, after waits that grow, and the script's outcome counts."""
    run, client = make_run(*[_error(code)] * 3, ANSWER)

    assert run(b"{}").ended is ScriptEnded.EXITED
    assert client.tenants == ["0a-3-0"] * 4
    assert [most / 2 <= wait <= most for most, wait in zip(BACKOFF_SECONDS, client.waits, strict=False)] == [True] * 3


@pytest.mark.parametrize(("code", "error"), [("TooManyRequestsException", NotStarted), ("ServiceException", Busy)])
def test_calls_that_start_nothing_end(make_run: MakeRun, code: str, error: type[Exception]) -> None:
    """After all waits the caller learns whether the script may have run."""
    run, client = make_run(*[_error(code)] * (len(BACKOFF_SECONDS) + 1))

    with pytest.raises(Busy) as raised:
        run(b"{}")

    assert type(raised.value) is error
    assert len(client.waits) == len(BACKOFF_SECONDS)


def test_waits_are_those_of_a_run(make_run: MakeRun) -> None:
    """A run waits no longer if it needs several environments."""
    throttled = [_error("TooManyRequestsException")] * len(BACKOFF_SECONDS)
    run, client = make_run(*throttled, {"refused": "spent"}, _error("TooManyRequestsException"))

    with pytest.raises(NotStarted):
        run(b"{}")

    assert len(client.waits) == len(BACKOFF_SECONDS)


def test_endless_refusals_end(make_run: MakeRun) -> None:
    """Five environments in a row that are spent already are somebody's bug, and ours to look at."""
    run, client = make_run(*[{"refused": "spent"}] * 5)

    with pytest.raises(SandboxFailure, match="5 environments"):
        run(b"{}")
    assert client.tenants == [f"0a-3-{generation}" for generation in range(5)]


def test_strict_isolation_uses_an_environment_once(make_run: MakeRun) -> None:
    """Each call is another tenant, of which no other run can guess the name; whatever happened, none is asked twice."""
    death = {"errorType": "Runtime.ExitError", "errorMessage": "signal: killed"}
    answers = [ANSWER, {**ANSWER, "spent": True}, {"refused": "spent"}, death, _error("ServiceException"), ANSWER]
    strict, strictly = make_run(*answers, isolation=Isolation.STRICT)
    shared, sharing = make_run(ANSWER)

    ends = [strict(b"{}") for _ in range(3)]
    shared(b"{}")

    assert [end.ended for end in ends] == [ScriptEnded.EXITED] * 3
    assert len(set(strictly.tenants)) == len(answers)
    assert all(len(tenant) == 32 for tenant in strictly.tenants)
    assert [event["fresh"] for event in strictly.events] == [True] * len(answers)
    assert "fresh" not in sharing.events[0]
    # Nothing is written of tenants that are used once, and the version's own environments stay.
    assert sharing.tenants == ["0a-3-0"]


def test_what_does_not_fit_into_an_invocation_is_the_owners_error(make_run: MakeRun) -> None:
    """Lambda takes 6 MB; ground truth that does not compress is the owner's to shrink."""
    noise = bytes((number * number * 2654435761 >> 13) % 256 for number in range(MAX_PAYLOAD_BYTES))
    run, client = make_run(truth=noise)

    with pytest.raises(EvaluatorError, match="reach the sandbox"):
        run(b"{}")
    assert client.tenants == []
