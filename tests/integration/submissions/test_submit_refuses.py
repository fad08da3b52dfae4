"""Rejected requests: the status and the message, and that nothing is stored."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from tests.harness.bad_bodies import BAD_BODIES
from tests.harness.stack import COINS, Api, StackHarness, make_benchmark

LIMIT = 2_500_000


@pytest.fixture(autouse=True)
def leaves_nothing(stack: StackHarness) -> Iterator[None]:
    """The tiny benchmark; every POST of these tests is rejected and leaves no object and no item."""
    stack.publish(make_benchmark())
    yield
    assert stack.left_behind() == 0


def test_body_that_is_no_strict_json_is_refused_with_its_place(api: Api) -> None:
    """The answer says what is wrong, and where."""
    for bad in BAD_BODIES:
        answer = api.post(bad.body)

        assert answer.status == 400, bad
        assert bad.message in answer.body["detail"]
        assert bad.position in answer.body["detail"]
        assert answer.body["errors"] == [{"pointer": "", "detail": answer.body["detail"]}]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"null", "found null"),
        (b'"a"', "found the string 'a'"),
        (b"1", "found the number 1"),
        (b"true", "found the boolean true"),
    ],
)
def test_body_that_is_no_object_or_array_is_refused(api: Api, body: bytes, words: str) -> None:
    """A scalar is JSON and no result."""
    answer = api.post(body)

    assert answer.status == 422
    assert words in answer.body["detail"]
    assert answer.body["errors"] == [{"pointer": "", "detail": answer.body["detail"]}]


def test_zip_as_a_body(api: Api) -> None:
    """The answer names the way on which a ZIP is handed in."""
    answer = api.post(b"PK\x03\x04\xff\xfe")

    assert answer.status == 400
    assert answer.body["detail"] == (
        "body: expected JSON, found a ZIP: send it as application/zip where the benchmark takes that, or upload it as "
        "a batch with a token, by `laurel drop` or on the benchmark's page"
    )


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "application/jsonl",
        "application/json; charset=utf-7",
        "application/json; charset=utf-8; charset=utf-7",
        "application/json, application/json",
    ],
)
def test_content_type_other_than_json_is_refused(api: Api, content_type: str) -> None:
    """Anything but JSON in UTF-8 is an unsupported media type."""
    answer = api.post(headers={"Content-Type": content_type})

    assert answer.status == 415
    assert "expected application/json in UTF-8" in answer.body["detail"]


@pytest.mark.parametrize(
    ("allowed", "found", "advice"),
    [
        (20, 21, ""),
        (
            20_000_000,
            LIMIT + 1,
            ": upload a larger one with a token, by `laurel drop` or on the benchmark's page",
        ),
    ],
)
def test_over_the_limit(api: Api, stack: StackHarness, allowed: int, found: int, advice: str) -> None:
    """A benchmark's own limit holds to the byte; an HTTP request may carry less than a benchmark may allow."""
    stack.publish(make_benchmark(submissions={"max_bytes": allowed}))

    answer = api.post(b'["' + b"x" * (found - 4) + b'"]')

    assert answer.status == 413
    assert answer.body["detail"] == f"body: expected at most {found - 1} bytes, found {found}{advice}"


@pytest.mark.parametrize(
    "benchmark", ["nowhere", "Tiny", "t" * 65, "..", "%2e%2e", "tiny%00", "tiny%2Fx", "a%5Cb", "%ff"]
)
def test_unknown_benchmark_is_not_found(api: Api, benchmark: str) -> None:
    """What is no benchmark's id is not found, however it is spelled."""
    posted = api.post(benchmark=benchmark)
    read = api.get(f"/api/benchmarks/{benchmark}")

    assert (posted.status, read.status) == (404, 404)
    assert posted.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        (
            {"opens": datetime(2999, 1, 1, tzinfo=UTC)},
            "not-open-yet",
            "this benchmark opens at 2999-01-01T00:00:00+00:00",
        ),
        ({"closes": datetime.now(UTC) - timedelta(seconds=1)}, "closed", "this benchmark closed at 20"),
    ],
)
def test_not_open(api: Api, stack: StackHarness, changes: dict[str, datetime], kind: str, words: str) -> None:
    """A benchmark that is not open yet says when it opens, one that is closed since when."""
    stack.publish(make_benchmark(**changes))

    answer = api.post()

    assert (answer.status, answer.body["type"]) == (403, f"urn:laurel:problem:{kind}")
    assert answer.body["detail"].startswith(words)


@pytest.mark.parametrize(
    ("parameter", "text", "words"),
    [
        *(("player", text, "") for text in ("..", "x" * 65_536, "Ada\r\nX-Evil: 1", "Ada\u202egnp")),
        *(("part", text, "expected one of 1, 2") for text in ("3", "x" * 70_000, "1\r\n", "é")),
        *(
            ("kind", text, f"expected 'human' or 'model', found the string '{text}'")
            for text in ("robot", "HUMAN", "human,model")
        ),
    ],
)
def test_bad_parameter_is_rejected(api: Api, parameter: str, text: str, words: str) -> None:
    """A name that may not be shown, an unknown part or kind: the answer points at it, and is short."""
    answer = api.post(query={parameter: text})

    assert (answer.status, answer.headers["content-type"]) == (422, "application/problem+json")
    (error,) = answer.body["errors"]
    assert (error["parameter"], words in error["detail"], len(answer.text) < 1000) == (parameter, True, True)


@pytest.mark.parametrize(
    ("parts", "query", "kind", "words"),
    [
        ([], {"part": "1"}, "unknown-part", "this benchmark has no parts"),
        (["a", "b"], {}, "part-needed", "part"),
    ],
)
def test_part_that_does_not_fit_the_benchmark(  # noqa: PLR0917  # a table's columns are its arguments
    api: Api, stack: StackHarness, parts: list[str], query: dict[str, str], kind: str, words: str
) -> None:
    """A benchmark without parts takes none; the result for a script does not name its part, so the submission must."""
    stack.publish(make_benchmark(COINS, parts=parts))

    answer = api.post({}, benchmark="coins", query=query)

    assert (answer.status, answer.body["type"]) == (422, f"urn:laurel:problem:{kind}")
    assert words in answer.body["detail"]


def test_the_first_fault_is_the_answer(api: Api) -> None:
    """What the headers say is judged before the body is read."""
    assert api.post(b"[" * 100_000, headers={"Content-Type": "text/html"}).status == 415
