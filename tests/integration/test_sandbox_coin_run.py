"""The shipped script benchmark, in the sandbox that it will run in: each example gets what is promised."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from sandbox.bubblewrap import Sandbox
from scoring_core.errors import InvalidResult
from scoring_core.metrics.score_type import ScoreType
from scoring_core.scorers.script import ScriptParameters
from scoring_core.scorers.script.run import RunScript
from scoring_core.scorers.script.scoring import read_end

pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="NOTHING OF THE SANDBOX IS TESTED: apt-get install bubblewrap"
)

FOLDER = Path(__file__).parents[2] / "benchmarks" / "coin-run"
DEFINITION = yaml.safe_load(FOLDER.joinpath("benchmark.yaml").read_text())
EXPECTED = yaml.safe_load(FOLDER.joinpath("examples", "expected.yaml").read_text())


@pytest.fixture(scope="module")
def run() -> Iterator[RunScript]:
    """The benchmark's script, its runner shared as on the platform."""
    with Sandbox() as sandbox:
        yield sandbox.for_benchmark(
            "coin-run",
            script=FOLDER.joinpath("evaluate.py").read_bytes(),
            ground_truth=("truth.json", FOLDER.joinpath("truth.json").read_bytes()),
            parameters=ScriptParameters.model_validate(DEFINITION["parameters"]),
        )


@pytest.mark.parametrize("name", EXPECTED)
def test_example_gets_what_is_promised(run: RunScript, name: str) -> None:
    """Its scores, to the last bit and within the score type; or the reason why it is refused."""
    expected = EXPECTED[name]
    score_type = ScoreType.model_validate(DEFINITION["score_type"])

    end = run(FOLDER.joinpath("examples", f"{name}.json").read_bytes(), result_name=f"{expected['part']}.json")

    if expected["outcome"] == "scored":
        assert score_type.select(read_end(end), exact=True) == expected["scores"]
    else:
        with pytest.raises(InvalidResult) as caught:
            read_end(end)
        assert expected["message"] in caught.value.message


def test_every_example_is_promised_something() -> None:
    """No example is forgotten."""
    assert {path.stem for path in FOLDER.joinpath("examples").glob("*.json")} == set(EXPECTED)
