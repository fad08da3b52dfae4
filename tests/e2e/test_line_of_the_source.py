"""A client of the source's own server: the line that it types, answered at the same place with the same words."""

import json
import shlex
import subprocess
from collections.abc import Iterator
from typing import Any, Final

import pytest

from local.stack import PARAMETERS, LocalStack, Stack
from tests.harness.local_stack import publish
from tests.harness.stack import make_benchmark

LINE: Final = """curl -X POST http://localhost:8000/submit -d '{"text": "TR-V017-4945,5001"}'"""
"""As the source types it, before curl was asked for another content type than that of a form."""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack that names a question for `/submit`."""
    parameters = {**PARAMETERS, "SubmitBenchmark": "tiny.1"}
    home = tmp_path_factory.mktemp("home") / ".laurel"
    with LocalStack(port=0, log=lambda _: None, state=home, parameters=parameters) as running:
        publish(running, make_benchmark())
        yield running


def type_line(stack: Stack, line: str) -> dict[str, Any]:
    """Run a line as it is typed, but for the port; it fails if the answer is no object."""
    words = shlex.split(line.replace("http://localhost:8000", stack.url))
    done = subprocess.run([*words, "--silent", "--show-error"], capture_output=True, check=True, timeout=60)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize(
    ("line", "score", "scores"),
    [
        (LINE, 79.0, [67.5, 90.5]),
        (LINE.replace("4945,5001", "4999"), 39.25, [78.5, 0.0]),
        (LINE.replace("4945,5001", "3000,6000"), 0.0, [0.0, 0.0]),
        (LINE.replace("curl", "curl -H 'Content-Type: application/json' -H 'Prefer: wait=5'"), 79.0, [67.5, 90.5]),
        (LINE.replace("/submit", "'/submit?player=Ada'"), 79.0, [67.5, 90.5]),
        (LINE.replace("/submit", "'/submit?part=2'").replace("V017-4945,5001", "V018-110"), 100.0, [100.0]),
    ],
)
def test_line_of_the_source_has_the_answer_of_the_source(
    stack: Stack, line: str, score: float, scores: list[float]
) -> None:
    """docs/sources.md, "Event decay": `{"text": …}` to `/submit` is answered with `score` and `per_event_scores`."""
    answer = type_line(stack, line)

    assert (answer["score"], answer["per_event_scores"]) == (score, scores)
    assert not {"submission", "receipt", "status"} & set(answer)


def test_line_that_names_another_video_says_why(stack: Stack) -> None:
    """An invalid result has no scores, and the answer says what is wrong."""
    answer = type_line(stack, LINE.replace("V017", "V999"))

    assert (answer["outcome"], answer["message"]) == ("invalid", "the string 'V999' is not the video of question '1'")
