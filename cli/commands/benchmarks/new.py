"""`laurel new`: a benchmark's folder to start from."""

import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.console import make_console, plain, read_text
from cli.exit_codes import UsageError
from scoring_core.benchmarks.salts import SALT_FILE, make_salt, write_salt
from scoring_core.benchmarks.terms import is_benchmark_id
from scoring_core.errors import BenchmarkError

if TYPE_CHECKING:
    from scoring_core.benchmarks.solutions import MovedBenchmark

SCHEMA_LINE = "# yaml-language-server: $schema=http://localhost:8000/schema/benchmark.json\n"
"""Tells editors the keys of benchmark.yaml, while a site serves them there; `laurel local` does."""
TEMPLATES = Path(__file__).parents[2] / "templates"


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
    origin: Annotated[
        Path | None,
        typer.Option(
            "--from", help="A solution.csv, or the folder or ZIP of a Codabench bundle or an EvalAI challenge."
        ),
    ] = None,
    metric: Annotated[str | None, typer.Option(help="Of a solution: how it is scored, such as `rmse`.")] = None,
    id_: Annotated[str | None, typer.Option("--id", help="Of a solution: the column that names a row.")] = None,
    target: Annotated[str | None, typer.Option(help="Of a solution: the column with the right answer.")] = None,
    phase: Annotated[str | None, typer.Option(help="Of a bundle or a challenge: which phase; the first one.")] = None,
) -> None:
    """Make a benchmark's folder that passes `laurel check`, to start from."""
    console = make_console()
    notes: tuple[str, ...] = ()
    if origin is None:
        files = make_benchmark_folder(folder, scorer, contest=contest)
    else:
        name = check_folder_name(folder)
        try:
            moved = move(origin, name, metric=metric, id_=id_, target=target, phase=phase)
        except BenchmarkError as error:
            raise UsageError(str(error)) from error
        definition = moved.files["benchmark.yaml"]
        if contest:
            definition = definition.replace(b"submissions:\n", b"submissions:\n  anonymous: false\n")
        files, notes = write_files(folder, {**moved.files, "benchmark.yaml": definition}), moved.notes
    console.print(f"made [bold]{plain(str(folder))}[/]: {', '.join(files)}")
    for note in notes:
        console.print(f"    {plain(note)}")
    console.print(f"Change them, and run [bold]laurel check {plain(str(folder))}[/] after each change.")
    if contest:
        console.print(f"Each player needs a token: [bold]laurel invite {plain(folder.name)}[/] makes links for them.")
    elif origin is None:
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
    name = check_folder_name(folder)
    template = TEMPLATES / scorer
    sources = sorted(path for path in template.rglob("*") if path.is_file() and path.suffix != ".pyc")
    title = name.replace("-", " ").capitalize()
    files = {}
    for source in sources:
        text = source.read_text(encoding="utf-8").replace("my-benchmark", name).replace("My benchmark", title)
        if contest:
            text = text.replace("anonymous: true", "anonymous: false")
        files[source.relative_to(template).as_posix()] = text.encode()
    return write_files(folder, files)


def check_folder_name(folder: Path) -> str:
    """Return the id of a benchmark in a new folder.

    Raises UsageError if the name is no benchmark's id, or the folder exists and is not empty.
    """
    name = folder.resolve().name
    if not is_benchmark_id(name):
        likely = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:64]
        hint = f"; did you mean {folder.with_name(likely)}?" if is_benchmark_id(likely) else ""
        raise UsageError(f"{folder}: expected a name of 1 to 64 of a-z, 0-9 and -, the benchmark's id{hint}")
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise UsageError(f"{folder}: expected nothing or an empty folder, found something: it is left as it is")
    return name


def move(
    origin: Path, name: str, *, metric: str | None, id_: str | None, target: str | None, phase: str | None
) -> "MovedBenchmark":
    """Return the benchmark of what another platform had. Raises UsageError."""
    from cli.moving.codabench import CONFIG, move_bundle  # noqa: PLC0415  # only these need the readers
    from cli.moving.evalai import CONFIGS, move_challenge  # noqa: PLC0415
    from cli.moving.folder import open_origin  # noqa: PLC0415
    from scoring_core.benchmarks.solutions import move_solution  # noqa: PLC0415

    with open_origin(origin) as folder:
        if (folder / CONFIG).is_file():
            return move_bundle(folder, name, phase=phase)
        if any((folder / config).is_file() for config in CONFIGS):
            return move_challenge(folder, name, phase=phase)
        if folder.is_dir():
            raise UsageError(f"--from {origin}: expected {CONFIG} or {CONFIGS[0]} in it, found neither")
    if metric is None:
        raise UsageError("--metric: expected how the solution is scored, such as rmse; docs/tables.md lists them")
    form = origin.suffix.lower().lstrip(".")
    if form not in {"csv", "tsv"}:
        raise UsageError(f"{origin}: expected a .csv or .tsv file")
    try:
        text = read_text(origin)
    except OSError as error:
        raise UsageError(f"{origin}: expected a readable file: {error}") from error
    return move_solution(text, name, metric, form=form, id_=id_, target=target)


def write_files(folder: Path, files: Mapping[str, bytes]) -> list[str]:
    """Write these files and a new salt into a new folder; return their names."""
    definition = SCHEMA_LINE.encode() + files["benchmark.yaml"]
    for path, content in {**files, "benchmark.yaml": definition}.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    write_salt(folder, make_salt())
    return sorted([*files, SALT_FILE])
