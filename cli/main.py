"""The table of commands of `laurel`."""

import os
import sys
from typing import Annotated

import typer
from rich.console import Console

from cli.commands import audit, batches, benchmarks, boards, rescores, scoring, submissions, tokens
from cli.console import FAILED, USAGE, UsageError, plain
from scoring_core.errors import LaurelError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Score results of games and AI models, and show boards.",
)

for command in (
    scoring.score,
    scoring.check,
    submissions.submit,
    batches.drop,
    submissions.status,
    submissions.withdraw,
    boards.board,
    benchmarks.publish,
    rescores.rescore,
    rescores.rebuild,
    rescores.sweep,
    submissions.errors,
    audit.audit,
):
    app.command()(command)
app.add_typer(tokens.app, name="token")


@app.command()
def local(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the site; 0 picks a free one.")] = 8000,
    host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Another host name of the site besides localhost; repeatable."),
    ] = None,
    samples: Annotated[bool, typer.Option(help="Play sample runs, so that the boards are not empty.")] = True,
) -> None:
    """Run the whole stack on this machine until Ctrl-C."""
    # No module of the CLI may import `local`: it runs as a program of its own.
    names = [word for name in host or [] for word in ("--host", name)]
    arguments = [sys.executable, "-m", "local", "--port", str(port), *names, *([] if samples else ["--no-samples"])]
    os.execv(sys.executable, arguments)  # noqa: S606  # our own program


def main() -> None:
    """Run a command; print an error that Laurel raises on purpose as one line."""
    try:
        app()
    except LaurelError as error:
        Console(stderr=True, soft_wrap=True).print(f"[bold red]error:[/] {plain(str(error))}", highlight=False)
        sys.exit(USAGE if isinstance(error, UsageError) else FAILED)
