"""A table as a result: from a CSV in a POST to its parts, or to the mistakes that its player reads."""

from pathlib import Path
from typing import Any

import pytest

from evaluate import queue
from scoring_core.benchmarks.loading import load_folder
from tests.harness.stack import Api, InProcess, StackHarness

RAIN = Path(__file__).parents[3] / "benchmarks" / "rain-tomorrow"
FUNCTION = InProcess(queue.lambda_handler, "EvaluateFunction")


@pytest.fixture
def submit(stack: StackHarness, api: Api) -> Any:
    """Publish the shipped benchmark; return what submits a file as a guest and returns its status."""
    stack.publish(load_folder(RAIN))

    def submit(content: bytes, content_type: str) -> Any:
        accepted = api.post(
            content, benchmark="rain-tomorrow", query={"player": "Ada"}, headers={"Content-Type": content_type}
        )
        FUNCTION.deliver(*stack.results())
        return api.get(
            accepted.body["status_url"], headers={"Authorization": f"Bearer {accepted.body['receipt']}"}
        ).body

    return submit


@pytest.mark.parametrize(
    ("name", "content_type"), [("weather.csv", "text/csv"), ("weather-as-json.json", "application/json")]
)
def test_table_is_scored_for_each_part(submit: Any, name: str, content_type: str) -> None:
    """CSV and JSON of the same numbers get the same scores."""
    status = submit((RAIN / "examples" / name).read_bytes(), content_type)

    assert status["outcome"] == "scored"
    assert status["scores"]["roc_auc"] == pytest.approx(0.9122688676610246)
    assert [part["part"] for part in status["parts"]] == ["coast", "valley", "ridge"]
    assert [len(part["detail"]["marks"]["brier"]) for part in status["parts"]] == [30, 30, 30]


def test_player_reads_the_mistakes_of_a_table(submit: Any) -> None:
    """The message has a sentence a line."""
    status = submit((RAIN / "examples" / "short.csv").read_bytes(), "text/csv")

    assert status["outcome"] == "invalid"
    assert status["message"].splitlines()[0] == "row 3, column 'id': 'coast-01' is there twice, first in row 2"
