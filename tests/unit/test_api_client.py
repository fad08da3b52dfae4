"""The client of the HTTP API: what it says of answers that are not from Laurel."""

import httpx
import pytest

from cli.client import TryLater, read_answer, read_problem
from cli.exit_codes import TRY_LATER
from scoring_core.io.gateway import GATEWAY_ANSWERS


@pytest.mark.parametrize("status", GATEWAY_ANSWERS)
def test_answer_of_the_gateway_is_explained(status: int) -> None:
    """An answer of API Gateway itself is reported with its cause, and with what to do."""
    answer = httpx.Response(status, content=GATEWAY_ANSWERS[status].body, headers={"Content-Type": "application/json"})

    problem = read_problem(answer)

    assert problem["status"] == status
    assert problem["detail"].startswith(f"{status} ")
    assert problem["detail"].endswith(f": {GATEWAY_ANSWERS[status].cause}; {GATEWAY_ANSWERS[status].advice}")


def test_problem_of_the_api_is_reported_as_it_is() -> None:
    """A problem says itself what is wrong."""
    problem = {"status": 429, "detail": "5 results a day are used up"}
    answer = httpx.Response(429, json=problem, headers={"Content-Type": "application/problem+json"})

    with pytest.raises(TryLater, match=r"^/api/x: 5 results a day are used up$") as raised:
        read_answer(answer, "/api/x")

    assert raised.value.exit_code == TRY_LATER


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_fault_of_the_site_may_be_tried_later(status: int) -> None:
    """What the site is at fault for is nothing that the caller can fix: the exit code says to wait."""
    with pytest.raises(TryLater) as raised:
        read_answer(httpx.Response(status), "/api/x")

    assert raised.value.exit_code == TRY_LATER


def test_other_answers_are_reported_by_status() -> None:
    """An answer that neither gives is reported by its status."""
    assert read_problem(httpx.Response(502)) == {"status": 502, "detail": "502 Bad Gateway"}
