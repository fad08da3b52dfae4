"""Scoring and checking at home: the very code of the platform, without the platform."""

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from cli.exits import UsageError
from sandbox.bubblewrap import Sandbox
from scoring_core.benchmarks.definition import DEFINITION_FILE
from scoring_core.benchmarks.examples import ExampleCheck, check_examples
from scoring_core.benchmarks.loading import Benchmark, load_folder
from scoring_core.errors import EvaluatorError, LaurelError, SandboxFailure
from scoring_core.judgement import Judgement, judge
from scoring_core.outcome import Outcome
from scoring_core.signature import make_signature

HOME = Path("benchmarks")
"""Where the folders of benchmarks lie."""


class Unreadable(LaurelError):
    """A file that was named cannot be read."""


@dataclass(frozen=True, slots=True)
class LocalScore:
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


def score(folder: Path, result: Path, *, part: str | None) -> LocalScore:
    """Score a file against a benchmark's folder.

    Returns:
        The verdict; a benchmark that cannot be loaded is an `evaluator_error` as well, and a sandbox that cannot run
        here an `internal_error`.

    Raises:
        Misuse: There is no such folder.
        Unreadable: There is no such file.
    """
    check_folder(folder)
    content = _read(result, folder)
    with Sandbox() as sandbox:
        try:
            benchmark = load_folder(folder)
            scorer = benchmark.prepare_scorer(sandbox)
            return LocalScore(judge(benchmark, scorer, content, part=part), signature=make_signature(benchmark))
        except EvaluatorError as error:
            return LocalScore(Judgement(Outcome.EVALUATOR_ERROR, message=error.message), signature="")
        except SandboxFailure as error:
            return LocalScore(Judgement(Outcome.INTERNAL_ERROR, message=str(error)), signature="")


def check(folder: Path) -> CheckReport:
    """Load a benchmark and run its examples. Raises Misuse, BenchmarkError, EvaluatorError, SandboxFailure."""
    check_folder(folder)
    benchmark = load_folder(folder)
    with Sandbox() as sandbox:
        return CheckReport(benchmark, check_examples(benchmark, benchmark.prepare_scorer(sandbox)))


def check_folder(folder: Path) -> None:
    """Check that a path leads to a benchmark's folder. Raises Misuse, with the one that was probably meant."""
    if (folder / DEFINITION_FILE).is_file():
        return
    if folder.is_file():
        where, found = folder.parent, "a file"
    else:
        where, found = HOME / folder.name, f"a folder without {DEFINITION_FILE}" if folder.is_dir() else "nothing"
    names = [one.parent.name for one in HOME.glob(f"*/{DEFINITION_FILE}")]
    near = [HOME / name for name in get_close_matches(folder.name, names, n=1)]
    meant = where if (where / DEFINITION_FILE).is_file() else next(iter(near), None)
    hint = f"; did you mean {meant}?" if meant else ""
    raise UsageError(f"{folder}: expected a benchmark's folder, found {found}{hint}")


def _read(path: Path, folder: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        hint = f"; did you mean {folder / path}?" if (folder / path).is_file() else ""
        raise Unreadable(f"{path}: {error.strerror}{hint}") from error
