"""Scoring and checking at home: the very code of the platform, without the platform."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.bubblewrap import Sandbox
from scoring_core.benchmark import Benchmark, load_folder
from scoring_core.errors import EvaluatorError, LaurelError, SandboxFailure
from scoring_core.examples import ExampleCheck, check_examples
from scoring_core.judgement import Judgement, judge
from scoring_core.outcome import Outcome
from scoring_core.signature import make_signature


class Unreadable(LaurelError):
    """A file that was named cannot be read."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a result got at home."""

    judgement: Judgement
    signature: str

    def as_json(self) -> dict[str, Any]:
        """Give what `laurel score --json` prints."""
        judgement = self.judgement
        evaluations = judgement.evaluations
        answer: dict[str, Any] = {
            "outcome": judgement.outcome,
            "scores": judgement.scores,
            "detail": evaluations[0].detail if len(evaluations) == 1 else {},
            "signature": self.signature,
        }
        if judgement.message:
            answer |= {"message": judgement.message, "pointer": judgement.pointer}
        if judgement.output:
            answer["output"] = {"stdout": judgement.output.stdout, "stderr": judgement.output.stderr}
        if any(one.part is not None for one in evaluations):
            answer["parts"] = [{"part": one.part, "scores": one.scores, "detail": one.detail} for one in evaluations]
        return answer


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a benchmark is worth: what it is, and how its examples did."""

    benchmark: Benchmark
    checks: list[ExampleCheck]

    @property
    def passed(self) -> bool:
        """Whether every example got what it must get."""
        return not any(check.differences for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        """Give what `laurel check --json` prints."""
        return {
            "benchmark": self.benchmark.definition.id,
            "version": self.benchmark.version,
            "passed": self.passed,
            "examples": [
                {"name": one.name, "outcome": one.judgement.outcome, "differences": one.differences}
                for one in self.checks
            ],
        }


def score(folder: Path, result: Path, *, part: str | None) -> Verdict:
    """Score a file against a benchmark's folder.

    Returns:
        The verdict; a benchmark that cannot be loaded is an `evaluator_error` as well, and a sandbox that cannot run
        here an `internal_error`.

    Raises:
        Unreadable: There is no such file.
    """
    content = _read(result)
    with Sandbox() as sandbox:
        try:
            benchmark = load_folder(folder)
            scorer = benchmark.prepare_scorer(sandbox)
            return Verdict(judge(benchmark, scorer, content, part=part), signature=make_signature(benchmark))
        except EvaluatorError as error:
            return Verdict(Judgement(Outcome.EVALUATOR_ERROR, message=error.message), signature="")
        except SandboxFailure as error:
            return Verdict(Judgement(Outcome.INTERNAL_ERROR, message=str(error)), signature="")


def check(folder: Path) -> CheckReport:
    """Load a benchmark and run its examples. Raises BenchmarkError, EvaluatorError, SandboxFailure."""
    benchmark = load_folder(folder)
    with Sandbox() as sandbox:
        return CheckReport(benchmark, check_examples(benchmark, benchmark.prepare_scorer(sandbox)))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from error
