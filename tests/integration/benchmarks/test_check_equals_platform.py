"""`laurel check` finds out at home what the platform does with the same folder: refusals, parts, limits, scores."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.commands.benchmarks.scoring import _print_check, check_folder
from evaluate.evaluator import Evaluator
from sandbox.bubblewrap import Sandbox
from scoring_core.benchmarks.examples import read_expectations
from scoring_core.benchmarks.loading import Benchmark, load_folder
from scoring_core.benchmarks.terms import read_format
from scoring_core.io.formats import FORMATS
from storage.benchmarks.store import PublishedBenchmark
from storage.keys import ResultKey
from tests.harness.archives import write_files
from tests.harness.clock import START
from tests.harness.stack import COINS, ROOT, Api, StackHarness

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="it runs scripts: apt-get install bubblewrap")

SHIPPED = sorted(path.parent.name for path in ROOT.glob("benchmarks/*/benchmark.yaml"))
SCRIPT = """
import json, pathlib, sys
coins = json.loads(pathlib.Path(sys.argv[1]).read_text())["coins"]
if coins == "none":
    print("a run without coins")
    sys.exit(2)
print(json.dumps({"Coins": coins * len(pathlib.Path(sys.argv[1]).stem), "Time": 1.5}))
"""
EXAMPLES = {
    "good.json": b'{"coins": 2}',
    "no-part.json": b'{"coins": 2}',
    "other-part.json": b'{"coins": 2}',
    "table.csv": b"coins\n2\n",
    "text.json": b'"coins"',
    "twice.json": b'{"coins": 1, "coins": 2}',
    "archive.zip": b"PK\x03\x04",
    "large.json": b'{"coins": 2, "more": "' + b"x" * 1000 + b'"}',
    "crash.json": b"{}",
    "none.json": b'{"coins": "none"}',
    "negative.json": b'{"coins": -2}',
}
EXPECTED = {name.partition(".")[0]: {"part": "level-1"} for name in EXAMPLES} | {
    "no-part": {},
    "other-part": {"part": "level-9"},
}
OUTCOMES = {
    "good.json": "scored",
    "none.json": "invalid",
    "crash.json": "evaluator_error",
    "negative.json": "evaluator_error",
}


@pytest.fixture
def coins(tmp_path: Path) -> Path:
    """The folder of a script benchmark with parts, and one example for each way to go wrong."""
    rules = {"max_bytes": 500, "per_day": 100, "invalid_per_day": 100}
    definition = {**COINS, "parts": ["level-1", "level-22"], "submissions": rules}
    files = {
        "benchmark.yaml": yaml.safe_dump(definition).encode(),
        "evaluate.py": SCRIPT.encode(),
        "metrics.py": b"",
        "examples/expected.yaml": yaml.safe_dump(EXPECTED).encode(),
        **{f"examples/{name}": content for name, content in EXAMPLES.items()},
    }
    return write_files(tmp_path / "coins", files)


@pytest.mark.parametrize(
    "name", ["coins", *sorted(path.parent.name for path in ROOT.glob("benchmarks/*/benchmark.yaml"))]
)
def test_check_equals_the_platform(  # noqa: PLR0917 — fixtures
    name: str, coins: Path, stack: StackHarness, api: Api, sandbox: Sandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each example is refused, rejected and scored as when a player submits it."""
    folder = coins if name == "coins" else ROOT / "benchmarks" / name

    report = check_folder(folder)

    benchmark = load_folder(folder)
    published = stack.publish(benchmark)
    at_home = {
        check.name: (str(check.outcome), check.judgement.scores if check.judgement else {}) for check in report.checks
    }
    assert at_home == submit_examples(benchmark, published, stack, api, sandbox)
    if name == "coins":
        assert {name: outcome for name, (outcome, _) in at_home.items() if outcome != "refused"} == OUTCOMES
        _print_check(report)
        shown = capsys.readouterr().out
        assert "    KeyError: 'coins'\n" in shown
        assert "does not name them: metrics.py\n" in shown
        assert shown.endswith("10 of 11 examples failed\n")


def submit_examples(
    benchmark: Benchmark, published: PublishedBenchmark, stack: StackHarness, api: Api, sandbox: Sandbox
) -> dict[str, tuple[str, Any]]:
    """Submit each example as a player would; return outcome and scores by the example's name."""
    script = sandbox if published.definition.runs_script else None
    no_work: Any = None
    evaluator = Evaluator(stack.submissions, stack.aggregator.benchmarks, script, no_work, clock=lambda: START)
    expectations = read_expectations(benchmark)
    found = {}
    for name, content in benchmark.examples.items():
        expectation = expectations.get(name.partition(".")[0])
        part = expectation.part if expectation else None
        media_type = FORMATS[read_format(name, benchmark.definition.submissions.takes)].media_type
        answer = api.post(
            content,
            benchmark=published.id,
            query={"part": part} if part else None,
            headers={"Content-Type": media_type},
        )
        submission = answer.body["submission"] if answer.status == 202 else None
        if submission is None:
            found[name] = ("refused", {})
            continue
        (record,) = evaluator.evaluate(ResultKey(published.id, submission), published)
        found[name] = (str(record.outcome), record.scores)
    return found
