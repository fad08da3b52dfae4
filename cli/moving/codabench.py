"""A bundle of Codabench: `competition.yaml` beside the scoring program and the reference data.

Source: docs/sources.md, "Codabench and EvalAI".
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from cli.exit_codes import UsageError
from cli.moving import shared
from scoring_core.benchmarks.bundle import pack

CONFIG: Final = "competition.yaml"
_USUAL_SECONDS: Final = 600
_FUNCTIONS: Final = {"avg": "mean", "min": "min", "max": "max"}


def move_bundle(folder: Path, name: str, *, phase: str | None = None) -> shared.MovedBenchmark:
    """Return the benchmark of one phase, whose scoring program runs unchanged.

    Args:
        folder: The unpacked bundle.
        name: The id of the benchmark.
        phase: The name or the index of the phase; None: the first one.

    Raises:
        UsageError: The bundle lacks something, or scores what only Codabench can run.
    """
    config = shared.read_config(folder / CONFIG)
    phases = config.get("phases") or []
    chosen = shared.choose(phases, phase, keys=("name", "index"))
    task = _find_task(config, chosen)
    if task.get("ingestion_program"):
        raise UsageError(
            f"{folder / CONFIG}: the task has an ingestion program, which runs code of players; here they run their "
            "model themselves and submit what it answers: leave `ingestion_program` out"
        )
    program = shared.read_files(folder / str(task["scoring_program"]))
    reference = shared.read_files(folder / str(task["reference_data"])) if task.get("reference_data") else {}
    columns = _list_columns(config)
    seconds = int(chosen.get("execution_time_limit") or _USUAL_SECONDS)
    moved = shared.ForeignProgram(
        source=f"{CONFIG}, phase {chosen.get('name')}",
        title=config.get("title"),
        summary=config.get("description"),
        description=_read_pages(folder, config),
        headers=[_write_header(column, columns) for column in columns],
        by=str(columns[0]["key"]),
        takes=["zip"],
        per_day=chosen.get("max_submissions_per_day"),
        seconds=seconds,
        owner=config.get("contact_email"),
        folders={"program": program, "input/ref": reference},
    )
    files = {**moved.write(name), **_read_solution(folder, config)}
    return shared.MovedBenchmark(files, tuple(_list_notes(chosen, phases, seconds)))


def _find_task(config: Mapping[str, Any], phase: Mapping[str, Any]) -> Mapping[str, Any]:
    listed: list[Mapping[str, Any]] = config.get("tasks") or []
    tasks = {str(task.get("index", number)): task for number, task in enumerate(listed)}
    numbers = [str(number) for number in phase.get("tasks") or []]
    task = tasks.get(numbers[0]) if numbers else None
    if task is None or "scoring_program" not in task:
        raise UsageError(f"{CONFIG}: expected a task with a scoring_program in phase {phase.get('name')}, found none")
    return task


def _list_columns(config: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    boards = config.get("leaderboards") or config.get("leaderboard") or []
    columns = sorted((boards[0].get("columns") or []) if boards else [], key=lambda column: column.get("index", 0))
    shown = [column for column in columns if not column.get("hidden")]
    if not shown:
        raise UsageError(f"{CONFIG}: expected a leaderboard with columns, found none")
    return shown


def _write_header(column: Mapping[str, Any], columns: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    direction = "lower" if column.get("sorting") == "asc" else "higher"
    decimals = int(column.get("precision", 2))
    header = {"name": str(column["key"]), "type": "float", "direction": direction, "decimals": decimals}
    header["label"] = shared.shorten_text(column.get("title"), shared.MAX_TITLE, str(column["key"]))
    if column.get("computation"):
        indexes = column.get("computation_indexes") or []
        names = [f"'{other['key']}'" for other in columns if other.get("index") in indexes]
        function = _FUNCTIONS.get(str(column["computation"]))
        header["expression"] = f"{function}({', '.join(names)})" if function else " + ".join(names)
    return header


def _read_pages(folder: Path, config: Mapping[str, Any]) -> bytes:
    pages = [folder / str(page["file"]) for page in config.get("pages") or [] if str(page.get("file")).endswith(".md")]
    texts = [page.read_bytes().strip() for page in pages if page.is_file()]
    return b"\n\n".join(texts) + b"\n" if texts else b""


def _read_solution(folder: Path, config: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the first solution as an example, which `laurel check` scores."""
    solutions = config.get("solutions") or []
    return {"examples/solution.zip": pack(shared.read_files(folder / str(solutions[0]["path"])))} if solutions else {}


def _list_notes(phase: Mapping[str, Any], phases: Sequence[Mapping[str, Any]], seconds: int) -> list[str]:
    others = [str(other.get("name")) for other in phases if other is not phase]
    notes = [
        f"phase {phase.get('name')!r}, from {phase.get('start')} to {phase.get('end')}: no `opens`, no `closes` yet"
    ]
    if others:
        notes.append(f"left out: {', '.join(others)}; each becomes a benchmark of its own by --phase")
    if seconds > shared.MAX_SECONDS:
        notes.append(f"a run may take {shared.MAX_SECONDS} s here, {seconds} s there")
    return notes
