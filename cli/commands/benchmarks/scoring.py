"""`laurel score` and `laurel check`: the platform's own code, run without the platform."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from cli.console import (
    COLOURS,
    AsJson,
    Part,
    SandboxChoice,
    make_console,
    plain,
    print_message,
    print_note,
    print_output,
    print_scores,
    show,
)
from cli.exit_codes import EVALUATOR_ERROR, FAILED, INVALID, OK, UsageError
from cli.salts import MISSING
from sandbox.bubblewrap import Sandbox, explain_missing_sandbox
from sandbox.plain import PlainRunner, PlainSandbox
from sandbox.runtimes import hash_locks
from scoring_core.benchmarks.boards import Board, list_boards
from scoring_core.benchmarks.definition import DEFINITION_FILE, RowKind
from scoring_core.benchmarks.examples import ExampleCheck, check_examples
from scoring_core.benchmarks.loading import Benchmark, list_files, load_folder
from scoring_core.benchmarks.terms import read_format
from scoring_core.errors import EvaluatorError, LaurelError, SandboxFailure
from scoring_core.io.text import list_some
from scoring_core.judgement import Judgement, judge, make_signature
from scoring_core.outcome import Outcome
from scoring_core.scorers.base import TicketedRun

Folder = Annotated[Path, typer.Argument(help="The benchmark's folder, benchmarks/ID.", metavar="BENCHMARK")]
BUBBLEWRAP, NONE = "bubblewrap", "none"
_NO_SANDBOX = "no sandbox: the script may do what you may, and reach the network; of its limits only the time holds"
_EXIT_CODES = {
    Outcome.SCORED: OK,
    Outcome.INTERNAL_ERROR: FAILED,
    Outcome.INVALID: INVALID,
    Outcome.EVALUATOR_ERROR: EVALUATOR_ERROR,
}


class UnreadableFile(LaurelError):
    """A file that was named cannot be read."""


@dataclass(frozen=True, slots=True)
class LocalScore:
    """What a result scored on this machine."""

    judgement: Judgement
    signature: str

    def as_json(self) -> dict[str, Any]:
        """Return what `laurel score --json` prints."""
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
        if any(evaluation.part is not None for evaluation in evaluations):
            answer["parts"] = [
                {"part": evaluation.part, "scores": evaluation.scores, "detail": evaluation.detail}
                for evaluation in evaluations
            ]
        return answer


@dataclass(frozen=True, slots=True)
class CheckReport:
    """A benchmark, how its examples were scored, and the files of its folder that are not published."""

    benchmark: Benchmark
    checks: list[ExampleCheck]
    ignored: tuple[str, ...] = ()

    @property
    def boards(self) -> tuple[Board, ...]:
        """The boards of the benchmark, the main one first."""
        return list_boards(self.benchmark.definition, self.benchmark.parts)

    @property
    def passed(self) -> bool:
        """Return whether every example was scored as expected."""
        return not any(check.differences for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        """Return what `laurel check --json` prints."""
        return {
            "benchmark": self.benchmark.definition.id,
            "version": find_version(self.benchmark),
            "passed": self.passed,
            "boards": {board.id: describe_board(board) for board in self.boards},
            "ignored": list(self.ignored),
            "examples": [check.as_json() for check in self.checks],
        }


def score(
    benchmark: Folder,
    result: Annotated[Path, typer.Argument(help="The file with the result.")],
    part: Part = None,
    run_seconds: Annotated[
        float | None, typer.Option(min=0, help="As if the result came so long after its run ticket.")
    ] = None,
    seed: Annotated[str | None, typer.Option(help="The seed of that ticket, 16 hexadecimal digits.")] = None,
    json: AsJson = False,
) -> None:
    """Score a result on this machine, with the same code as the platform.

    Exit codes: 0 scored, 3 invalid, 4 evaluator_error, 1 internal_error, 2 usage.
    """
    if seed is not None and run_seconds is None:
        raise UsageError("--seed: expected --run-seconds with it: both are of a run ticket")
    run = None if run_seconds is None else TicketedRun(run_seconds, seed)
    scored = score_file(benchmark, result, part=part, run=run)
    show(scored.as_json(), lambda: _print_score(scored), json=json)
    raise typer.Exit(_EXIT_CODES[scored.judgement.outcome])


def check(benchmark: Folder, sandbox: SandboxChoice = BUBBLEWRAP, json: AsJson = False) -> None:
    """Score the examples of a benchmark, and compare with examples/expected.yaml."""
    report = check_folder(benchmark, sandbox)
    show(report.as_json(), lambda: _print_check(report), json=json)
    raise typer.Exit(OK if report.passed else FAILED)


def describe_board(board: Board) -> str:
    """Return in one line what a board takes, and how it ranks it."""
    taken = f"results of {board.condition.kind}s" if board.condition.kind else "all results"
    parts = "" if board.takes_all_parts else f" for {list_some(board.parts)}"
    rows = ", a row for each label" if board.ranking.rows is RowKind.LABEL else ""
    return f"{taken}{parts}, ranked by {', '.join(board.ranking.by)}{rows}"


def find_version(benchmark: Benchmark) -> str | None:
    """Return the version that the site shows; None before the folder has its salt."""
    return None if benchmark.needs_salt else benchmark.version


def score_file(folder: Path, result: Path, *, part: str | None, run: TicketedRun | None = None) -> LocalScore:
    """Score a file against a benchmark's folder.

    A benchmark that cannot be loaded is an `evaluator_error`, and a sandbox that cannot run on this machine an
    `internal_error`. Raises UsageError if the folder is not a benchmark's, UnreadableFile if the file cannot be read.
    """
    require_benchmark(folder)
    content = _read(result, folder)
    with Sandbox() as sandbox:
        try:
            benchmark = load_folder(folder).pin_runtime(hash_locks())
            scorer = benchmark.prepare_scorer(sandbox)
            file_format = read_format(result.name, benchmark.definition.submissions.takes)
            judgement = judge(benchmark, scorer, content, part=part, run=run, file_format=file_format)
            # Without its salt a version is not the one of the site, and reveals the ground truth to people who see it.
            return LocalScore(judgement, signature="" if benchmark.needs_salt else make_signature(benchmark))
        except EvaluatorError as error:
            return LocalScore(Judgement(Outcome.EVALUATOR_ERROR, message=error.message), signature="")
        except SandboxFailure as error:
            return LocalScore(Judgement(Outcome.INTERNAL_ERROR, message=str(error)), signature="")


def check_folder(folder: Path, sandbox: str = BUBBLEWRAP) -> CheckReport:
    """Load a benchmark and score its examples. Raises LaurelError."""
    require_benchmark(folder)
    benchmark = load_folder(folder).pin_runtime(hash_locks())
    with open_sandbox(sandbox, needed=benchmark.definition.runs_script) as opened:
        checks = list(check_examples(benchmark, benchmark.prepare_scorer(opened)))
    ignored = sorted(set(list_files(folder)) - benchmark.files.keys())
    return CheckReport(benchmark, checks, tuple(ignored))


def open_sandbox(choice: str, *, needed: bool, results: Path | None = None) -> Sandbox:
    """Return the sandbox of `--sandbox`; scripts see the folder of large results.

    Raises UsageError if that is no command, SandboxFailure if a script needs it and it is not there.
    """
    if choice == BUBBLEWRAP:
        if needed and (reason := explain_missing_sandbox()):
            raise SandboxFailure(f"{reason}; elsewhere, as on macOS, expected --sandbox none, or a command")
        return Sandbox(results=results)
    try:
        prefix = [] if choice == NONE else shlex.split(choice)
    except ValueError as error:
        raise UsageError(f"--sandbox: {error}") from error
    if not prefix and choice != NONE:
        raise UsageError("--sandbox: expected bubblewrap, none or a command, found nothing")
    if needed:
        PlainRunner(prefix).close()
        print_note(_NO_SANDBOX if choice == NONE else f"the evaluation script runs in: {choice}")
    return PlainSandbox(prefix=prefix)


def require_benchmark(folder: Path) -> None:
    """Raise UsageError unless this is a benchmark's folder."""
    if (folder / DEFINITION_FILE).is_file():
        return
    kind = "a file" if folder.is_file() else f"a folder without {DEFINITION_FILE}" if folder.is_dir() else "nothing"
    raise UsageError(f"{folder}: expected a benchmark's folder, such as benchmarks/ID, found {kind}")


def _read(path: Path, folder: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        hint = f"; did you mean {folder / path}?" if (folder / path).is_file() else ""
        raise UnreadableFile(f"{path}: {error.strerror}{hint}") from error


def _print_score(scored: LocalScore) -> None:
    judgement = scored.judgement
    console = make_console()
    console.print(f"[bold {COLOURS[judgement.outcome]}]{judgement.outcome}[/]")
    print_message(console, judgement.message, judgement.pointer)
    if output := judgement.output:
        print_output(console, judgement.message, stdout=output.stdout, stderr=output.stderr)
    parts = [(evaluation.part or "", evaluation.scores) for evaluation in judgement.evaluations]
    # In full: what is printed here is copied into examples/expected.yaml.
    print_scores(console, judgement.scores, parts, write=repr)
    if scored.signature:
        console.print(f"[dim]{plain(scored.signature)}[/]")


def print_example(console: Console, example: Mapping[str, Any]) -> None:
    """Print what a report says of an example: why it is not as expected."""
    mark = "[red]✗[/]" if example["differences"] else "[green]✓[/]"
    console.print(f"{mark} {plain(example['name'])} [dim]{example['outcome']}[/]")
    for difference in example["differences"]:
        console.print(f"    {plain(difference)}")
    if example["differences"]:
        printed = {name: example.get(name, "") for name in ("stdout", "stderr")}
        print_output(console, example.get("message", ""), **printed, indent="    ")


def _list_warnings(benchmark: Benchmark) -> Iterator[str]:
    if benchmark.needs_salt:
        yield MISSING
    for name in benchmark.definition.baselines:
        if "/" in name and not benchmark.definition.takes_labels:
            yield f"baselines: {name} names no row: no board has a row for each label; write {name.partition('/')[0]}"


def _print_check(report: CheckReport) -> None:
    console = make_console()
    definition = report.benchmark.definition
    about = " · ".join(filter(None, (definition.id, definition.scorer, find_version(report.benchmark))))
    console.print(f"[bold]{plain(definition.title)}[/] {about}")
    if len(report.boards) > 1:
        for board in report.boards:
            console.print(f"[dim]board[/] {board.id} [dim]{plain(describe_board(board))}[/]")
    for example in report.checks:
        shown = example.as_json()
        print_example(console, {**shown, **shown.get("output", {})})
    if report.ignored:
        console.print(f"not published, because benchmark.yaml does not name them: {plain(list_some(report.ignored))}")
    for warning in _list_warnings(report.benchmark):
        console.print(f"[yellow]warning:[/] {plain(warning)}")
    if (sample := report.benchmark.definition.sample_file) not in report.benchmark.files:
        console.print(f"no {sample}: the page that explains how to submit shows no sample")
    failed = sum(bool(example.differences) for example in report.checks)
    if not report.checks:
        console.print("no examples: put results into examples/ and their expected scores into examples/expected.yaml")
    else:
        total = len(report.checks)
        console.print(f"{failed} of {total} examples failed" if failed else f"all {total} examples as expected")
