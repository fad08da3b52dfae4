"""`laurel new`: a benchmark's folder to start from."""

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cli.console import make_console, plain
from cli.exit_codes import UsageError
from scoring_core.benchmarks.salts import SALT_FILE, make_salt, write_salt
from scoring_core.benchmarks.terms import is_benchmark_id

TEMPLATES = Path(__file__).parents[1] / "templates"


class NewScorer(StrEnum):
    """The scorers with a template, a folder of that name."""

    SCRIPT = "script"
    FIELDS = "fields"


def new(
    folder: Annotated[Path, typer.Argument(help="The folder to make; its name becomes the benchmark's id.")],
    scorer: Annotated[
        NewScorer, typer.Option(help="`script`: code of yours computes the scores; `fields`: the result holds them.")
    ] = NewScorer.SCRIPT,
    contest: Annotated[
        bool,
        typer.Option("--contest", help="Accept players with a token only: nobody gets more tries by another name."),
    ] = False,
) -> None:
    """Make a benchmark's folder that passes `laurel check`, to start from."""
    files = make_benchmark_folder(folder, scorer, contest=contest)
    console = make_console()
    console.print(f"made [bold]{plain(str(folder))}[/]: {', '.join(files)}")
    console.print(f"Change them, and run [bold]laurel check {plain(str(folder))}[/] after each change.")
    if contest:
        console.print("Each player needs a token: [bold]laurel token create[/], by the administrator of the site.")
        return
    console.print(
        "A game sends its results by a script of the site, SITE/sdk/laurel.js: docs/games.md has the five lines."
    )


def make_benchmark_folder(folder: Path, scorer: NewScorer, *, contest: bool = False) -> list[str]:
    """Write the files of a scorer's template, and a new salt, into a new folder.

    Args:
        folder: The folder.
        scorer: Whose template.
        contest: Whether results need a token.

    Returns:
        The names of the files.

    Raises:
        UsageError: The name is no benchmark's id, or the folder exists and is not empty. Nothing is written.
    """
    name = folder.resolve().name
    if not is_benchmark_id(name):
        likely = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:64]
        hint = f"; did you mean {folder.with_name(likely)}?" if is_benchmark_id(likely) else ""
        raise UsageError(f"{folder}: expected a name of 1 to 64 of a-z, 0-9 and -, the benchmark's id{hint}")
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise UsageError(f"{folder}: expected nothing or an empty folder, found something: it is left as it is")
    template = TEMPLATES / scorer
    sources = sorted(path for path in template.rglob("*") if path.is_file() and path.suffix != ".pyc")
    names = [source.relative_to(template).as_posix() for source in sources]
    title = name.replace("-", " ").capitalize()
    for source, relative in zip(sources, names, strict=True):
        target = folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text(encoding="utf-8")
        text = text.replace("my-benchmark", name).replace("My benchmark", title)
        if contest:
            text = text.replace("anonymous: true", "anonymous: false")
        target.write_text(text, encoding="utf-8")
    write_salt(folder, make_salt())
    return sorted([*names, SALT_FILE])
