"""`laurel new`: a benchmark's folder to start from."""

import re
from pathlib import Path
from typing import Annotated

import typer

from cli.console import UsageError, make_console, plain
from scoring_core.benchmarks.terms import is_benchmark_id

TEMPLATE = Path(__file__).parents[1] / "templates" / "benchmark"


def new(
    folder: Annotated[Path, typer.Argument(help="The folder to make; its name becomes the benchmark's id.")],
) -> None:
    """Make a benchmark's folder that passes `laurel check`, to start from."""
    files = make_benchmark_folder(folder)
    console = make_console()
    console.print(f"made [bold]{plain(str(folder))}[/]: {', '.join(files)}")
    console.print(f"Change them, and run [bold]laurel check {plain(str(folder))}[/] after each change.")


def make_benchmark_folder(folder: Path) -> list[str]:
    """Write the template's files into a new folder.

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
    sources = sorted(path for path in TEMPLATE.rglob("*") if path.is_file() and path.suffix != ".pyc")
    names = [source.relative_to(TEMPLATE).as_posix() for source in sources]
    title = name.replace("-", " ").capitalize()
    for source, relative in zip(sources, names, strict=True):
        target = folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text(encoding="utf-8")
        target.write_text(text.replace("my-benchmark", name).replace("My benchmark", title), encoding="utf-8")
    return names
