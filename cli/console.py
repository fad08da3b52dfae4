"""What the commands share: options, durations and safe printing."""

import json
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from scoring_core.io.text import mask_harmful

COLOURS = {
    "scored": "green",
    "invalid": "yellow",
    "evaluator_error": "red",
    "internal_error": "red",
    "in_review": "yellow",
}
MAX_WIDTH = 1000

PlayerKindName = Literal["human", "model"]
BenchmarkId = Annotated[str, typer.Argument(help="The benchmark's id.", metavar="BENCHMARK")]
SandboxChoice = Annotated[
    str, typer.Option(metavar="bubblewrap|none|COMMAND", help="Where its script runs; COMMAND starts a container.")
]
Part = Annotated[str | None, typer.Option(help="The part of the benchmark (question, level, track).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text for people.")]
Host = Annotated[
    str | None,
    typer.Option(
        "--api",
        envvar="LAUREL_API",
        help="URL of the site; default: the stack of this folder.",
        metavar="URL",
    ),
]
Token = Annotated[str | None, typer.Option(envvar="LAUREL_TOKEN", help="Your token, `laurel_…`.")]
PlayerKey = Annotated[
    str | None, typer.Option(envvar="LAUREL_PLAYER_KEY", help="The key that makes a guest's name yours, `player_…`.")
]
Receipt = Annotated[str | None, typer.Option(envvar="LAUREL_RECEIPT", help="The receipt of a guest's submission.")]


def read_text(path: Path) -> str:
    """Return a file's text, in UTF-8, UTF-16 or Windows' code page. Raises OSError."""
    content = path.read_bytes()
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def make_console() -> Console:
    """Return a console that leaves lines and words as they are."""
    return Console(highlight=False, soft_wrap=True)


def print_error(message: str) -> None:
    """Print an error as a line on standard error."""
    Console(stderr=True, soft_wrap=True).print(f"[bold red]error:[/] {plain(message)}", highlight=False)


def print_note(message: str) -> None:
    """Print a line for people on standard error, apart from the output."""
    Console(stderr=True, soft_wrap=True).print(f"[dim]{plain(message)}[/]", highlight=False)


def show(answer: object, for_people: str | Callable[[], None], *, json: bool) -> None:
    """Print an answer as JSON for programs, or for people.

    Args:
        answer: What JSON is made of.
        for_people: Lines of markup, or a function that prints.
        json: Whether JSON was asked for.
    """
    if json:
        print_json(answer)
    elif isinstance(for_people, str):
        make_console().print(for_people)
    else:
        for_people()


def print_json(value: object) -> None:
    """Print JSON, numbers at full precision."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def plain(text: str) -> str:
    """Return a text without markup and without characters that control a terminal."""
    return escape("\n".join(map(mask_harmful, text.split("\n"))))


def print_wide(table: Table) -> None:
    """Print a table at its full width, so that no number is cut."""
    wide = Console(width=MAX_WIDTH)
    width = max(1, Measurement.get(wide, wide.options, table).maximum)
    Console(highlight=False, width=width).print(table)


def print_output(console: Console, message: str, *, stdout: str, stderr: str, indent: str = "") -> None:
    """Print what a script printed, unless the message says it already."""
    if message == "\n".join(text.strip() for text in (stdout, stderr) if text.strip()):
        return
    for name, text in (("stdout", stdout), ("stderr", stderr)):
        if text:
            console.print(f"{indent}[dim]{name}:[/]\n{plain(textwrap.indent(text.rstrip(), indent))}")


def print_scores(
    console: Console,
    scores: Mapping[str, int | float],
    parts: Sequence[tuple[str, Mapping[str, int | float]]],
    *,
    write: Callable[[float], str],
) -> None:
    """Print scores, and those of each of several parts, with `write` for a number."""
    if scores:
        table = Table(show_header=False, box=None)
        for name, value in scores.items():
            table.add_row(plain(name), write(value))
        console.print(table)
    if len(parts) > 1:
        names = list(dict.fromkeys(name for _, scored in parts for name in scored))
        table = Table("part", *map(plain, names), box=None)
        for part, scored in parts:
            table.add_row(plain(part), *(write(scored[name]) if name in scored else "–" for name in names))
        console.print(table)


def print_message(console: Console, message: str, pointer: str | None) -> None:
    """Print why a result was not scored, and where in the result the error is."""
    if message:
        position = f" (at {plain(pointer)})" if pointer else ""
        console.print(f"{plain(message)}{position}")


def format_moment(moment: str) -> str:
    """Return a moment of the API for people, to the minute."""
    return f"{moment[:16].replace('T', ' ')} UTC"
