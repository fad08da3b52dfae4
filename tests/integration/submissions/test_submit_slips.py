"""Requests with a slip: each answer says what is wrong in plain words, and about the right part of the request."""

from typing import Any

import pytest
from werkzeug.datastructures import MultiDict

from tests.harness.stack import Api

pytestmark = pytest.mark.usefixtures("tiny")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/api/benchmark/tiny/submissions", 404),
        ("POST", "/api/benchmarks/tiny/submission", 404),
        ("GET", "/api/v1/benchmarks/tiny/rows", 404),
        ("HEAD", "/api/benchmarks/tiny/row", 404),
        ("GET", "/api/benchmarks/tiny/runs", 405),
        ("PUT", "/api/benchmarks/tiny/submissions", 405),
    ],
)
def test_misspelt_path_is_said_before_its_query_is_judged(api: Api, method: str, path: str, status: int) -> None:
    """A path with a slip is a 404, another method a 405, with a query and without one."""
    plain, queried = api(method, path), api(method, path, query={"player": "A"})

    assert plain.status == queried.status == status
    assert queried.text == plain.text


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ([("q", "A"), ("q", "B")], "q: expected one value, found 2"),
        ([("limit", "1000")], "limit: expected at most 100, found the string '1000'"),
        ([("from", "0")], "from: expected at least 1, found the string '0'"),
        ([("limit", "ten")], "limit: expected a whole number, found the string 'ten'"),
    ],
)
def test_value_of_a_parameter_is_rejected_in_our_words(api: Api, query: list[tuple[str, str]], detail: str) -> None:
    """What was expected and what was found."""
    given: Any = MultiDict(query)

    answer = api("GET", "/api/benchmarks/tiny/rows", query=given)

    assert (answer.status, answer.body["detail"]) == (422, detail)


def test_value_in_a_body_is_rejected_in_our_words(api: Api, owner: dict[str, str]) -> None:
    """Members that are missing, unknown, too large, or of another type."""
    wish = {"uses": 1000000, "days": "soon", "note": 7, "user": "ada"}

    answer = api.ask("/api/benchmarks/tiny/invite", wish, owner)

    assert answer.body["detail"] == (
        "/uses: expected at most 500, found the number 1000000; "
        "/days: expected a whole number, found the string 'soon'; "
        "/note: expected a text, found the number 7; /user: expected nothing of this name"
    )
