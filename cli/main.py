"""The commands; each parses, calls one function, and shows what it gave."""

import os
import sys
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from cli import (
    api,
    display,
    drops,
    home,
    naming,
    owner_commands,
    owners,
    publishing,
    rebuilding,
    rescoring,
    sweeping,
    token_commands,
)
from cli.exits import FAILED, OK, USAGE, UsageError, exit_code_of
from cli.options import AsJson, BenchmarkId, DryRun, Host, Receipt, StackName, Token
from scoring_core.errors import LaurelError
from storage.audit import Action

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Laurel scores what games and models produce and shows who leads.",
)

app.add_typer(token_commands.app, name="token")
app.add_typer(owner_commands.app)

Folder = Annotated[Path, typer.Argument(help="The benchmark's folder, benchmarks/ID.", metavar="BENCHMARK")]
Part = Annotated[str | None, typer.Option(help="The part (question, level, track) that the result is of.")]


@app.command()
def score(
    benchmark: Folder,
    result: Annotated[Path, typer.Argument(help="The result's file.")],
    part: Part = None,
    json: AsJson = False,
) -> None:
    """Score a result on this machine, with the very code of the platform.

    Exit codes: 0 scored, 3 invalid, 4 evaluator_error, 1 internal_error, 2 usage.
    """
    verdict = home.score(benchmark, result, part=part)
    if json:
        display.print_json(verdict.as_json())
    else:
        display.print_verdict(verdict)
    raise typer.Exit(exit_code_of(verdict.judgement.outcome))


@app.command()
def check(benchmark: Folder, json: AsJson = False) -> None:
    """Load a benchmark, run its examples, and compare with examples/expected.yaml."""
    report = home.check(benchmark)
    if json:
        display.print_json(report.as_json())
    else:
        display.print_check(report)
    raise typer.Exit(OK if report.passed else FAILED)


@app.command()
def publish(benchmark: Folder, stack: StackName = None, json: AsJson = False) -> None:
    """Make a benchmark, as it is now, the one that results are scored with."""
    report = publishing.publish_folder(benchmark, stack=stack)
    if json:
        display.print_json(report._asdict())
        return
    display.print_published(report)
    if report.next and rescoring.is_at_terminal() and typer.confirm("Score them now?", default=False):
        owners.note_act(stack, Action.RESCORE, benchmark=report.benchmark)
        mover, trail = rescoring.open_promoter(stack), owners.open_trail(stack)
        display.print_rescored(rescoring.rescore(mover, report.benchmark, trail=trail))


@app.command()
def rescore(benchmark: BenchmarkId, stack: StackName = None, dry_run: DryRun = False, json: AsJson = False) -> None:
    """Score all results under the version that was published last, and make it current when all are scored.

    Ctrl-C stops the watching, not the rescore: it ends by itself. Typed again, it goes on where it is.
    """
    mover = rescoring.open_promoter(stack)
    naming.check_published(mover.rebuilder.workshop.benchmarks, benchmark)
    if dry_run:
        plan = rescoring.plan_rescore(mover, benchmark)
        if json:
            display.print_json(plan._asdict())
        else:
            display.print_rescore_plan(plan)
        return
    owners.note_act(stack, Action.RESCORE, benchmark=benchmark)
    report = rescoring.rescore(mover, benchmark, trail=owners.open_trail(stack))
    if json:
        display.print_json(report.as_json())
    else:
        display.print_rescored(report)


@app.command()
def rebuild(benchmark: BenchmarkId, stack: StackName = None, dry_run: DryRun = False, json: AsJson = False) -> None:
    """Make a board anew from the records of its submissions; safe while results come in."""
    rebuilder = rescoring.open_promoter(stack).rebuilder
    naming.check_published(rebuilder.workshop.benchmarks, benchmark)
    if not dry_run:
        owners.note_act(stack, Action.REBUILD, benchmark=benchmark)
    report = rebuilding.rebuild(rebuilder, benchmark, dry_run=dry_run)
    if json:
        display.print_json(report.as_json())
    else:
        display.print_rebuilt(report)


@app.command()
def sweep(
    hours: Annotated[int, typer.Option(min=1, help="How far back to look for results without an outcome.")] = 48,
    failed: Annotated[bool, typer.Option("--failed", help="Queue what ended as internal_error, whenever.")] = False,
    stack: StackName = None,
    json: AsJson = False,
) -> None:
    """Queue results again that have no outcome. A schedule does so too; this is for the impatient."""
    sweeper = sweeping.open_sweeper(stack)
    owners.note_act(stack, Action.SWEEP, benchmark=None)
    queued = sweeping.sweep(sweeper, window=timedelta(hours=hours), failed=failed)
    if json:
        display.print_json(queued)
    else:
        display.print_swept(queued, failed=failed)


@app.command()
def submit(
    benchmark: BenchmarkId,
    files: Annotated[list[Path], typer.Argument(help="Results, one file each.")],
    player: Annotated[str | None, typer.Option(help="The name to be shown.")] = None,
    kind: Annotated[api.Kind, typer.Option(help="Who played.")] = api.Kind.MODEL,
    part: Part = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until each is scored, and show its scores.")] = False,
    token: Token = None,
    host: Host = None,
    json: AsJson = False,
) -> None:
    """Hand in results over HTTP."""
    with api.connect(host, benchmark=benchmark, token=token) as client:
        outcomes = api.submit_files(client, benchmark, files, player=player, kind=kind, part=part, wait=wait)
    if json:
        display.print_json([one.as_json() for one in outcomes])
    else:
        display.print_submitted(outcomes)
    raise typer.Exit(OK if all(one.is_well for one in outcomes) else FAILED)


@app.command()
def drop(
    benchmark: BenchmarkId,
    paths: Annotated[list[Path], typer.Argument(help="JSON, JSONL and ZIP files, or folders of .json files.")],
    token: Annotated[str, typer.Option(envvar="LAUREL_TOKEN", help="Names the player.")],
    wait: Annotated[bool, typer.Option("--wait", help="Wait until all is scored, and show what failed.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Hand in also what was handed in before.")] = False,
    host: Host = None,
    json: AsJson = False,
) -> None:
    """Hand in many results at once; what was handed in before is skipped, so an interrupted drop can be repeated."""
    with api.connect(host, benchmark=benchmark, token=token) as client:
        report = drops.submit_batches(client, benchmark, paths, token=token, wait=wait, again=again)
    if json:
        display.print_json(report.as_json())
    else:
        display.print_dropped(report)
    raise typer.Exit(OK if report.is_well else FAILED)


@app.command()
def status(
    benchmark: BenchmarkId,
    submission: Annotated[str, typer.Argument(help="The submission's id.")],
    token: Token = None,
    receipt: Receipt = None,
    host: Host = None,
    json: AsJson = False,
) -> None:
    """Tell what became of a submission; detail and messages only to who has its receipt or the player's token."""
    with api.connect(host, benchmark=benchmark, token=receipt or token) as client:
        found = api.get_status(client, benchmark, submission)
    if json:
        display.print_json(found)
    else:
        display.print_status(found)


@app.command()
def board(
    benchmark: BenchmarkId,
    top: Annotated[int, typer.Option(min=1, max=100, help="How many rows.")] = 20,
    host: Host = None,
    json: AsJson = False,
) -> None:
    """Show who leads."""
    with api.connect(host, benchmark=benchmark) as client:
        head = api.get_head(client, benchmark)
    if json:
        display.print_json(head)
    else:
        display.print_board(head, top)


@app.command()
def local(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of the site; 0 takes a free one.")] = 8000,
    host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name under which the site is asked for, beside localhost; repeatable."),
    ] = None,
    samples: Annotated[bool, typer.Option(help="Play sample runs, so that the boards are alive.")] = True,
) -> None:
    """Run the whole stack on this machine until Ctrl-C."""
    # Nothing imports `local`; it is a program of its own.
    names = [word for name in host or [] for word in ("--host", name)]
    arguments = [sys.executable, "-m", "local", "--port", str(port), *names, *([] if samples else ["--no-samples"])]
    os.execv(sys.executable, arguments)  # noqa: S606  # our own program


def main() -> None:
    """Run a command; an error that Laurel raises on purpose is one clear line."""
    try:
        app()
    except LaurelError as error:
        Console(stderr=True, soft_wrap=True).print(f"[bold red]error:[/] {display.plain(str(error))}", highlight=False)
        sys.exit(USAGE if isinstance(error, UsageError) else FAILED)
