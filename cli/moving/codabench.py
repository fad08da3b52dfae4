"""A bundle of Codabench: `competition.yaml` beside the scoring program and the reference data.

Bundles of CodaLab, its first version, are read as Codabench reads them. Source: docs/sources.md, "Codabench and
EvalAI".
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from cli.exit_codes import UsageError
from cli.moving import shared
from cli.moving.folder import Files, ForeignFolder, Keys
from scoring_core.benchmarks.bundle import pack
from scoring_core.benchmarks.solutions import MovedBenchmark

CONFIG: Final = "competition.yaml"
_USUAL_SECONDS: Final = 600
_COMPUTATIONS: Final = ("avg", "sum", "min", "max")
_DIRECTIONS: Final = {"asc": "lower", "desc": "higher"}
_KEEP: Final = {"Force_Last": "latest", "Force_Best": "best"}
_METADATA: Final = ("metadata.yaml", "metadata")


def move_bundle(folder: Path, name: str, *, phase: str | None = None) -> MovedBenchmark:
    """Return the benchmark of one phase, whose scoring program runs unchanged.

    Args:
        folder: The unpacked bundle.
        name: The id of the benchmark.
        phase: The name or the index of the phase; None: the first one.

    Raises:
        UsageError: The bundle lacks something, or scores what only Codabench can run.
    """
    root = ForeignFolder(folder)
    config = root.read_config(CONFIG)
    if isinstance(config.values.get("phases"), dict):
        config = Keys(_upgrade(config), CONFIG)
    phases = sorted(config.items("phases"), key=lambda phase: phase.number("index") or 0)
    chosen = shared.choose(phases, phase, keys=("name", "index"))
    task = _find_task(config, chosen)
    board, notes = _find_board(config), shared.note_phase(chosen, phases, key="name", start="start", end="end")
    notes += _list_notes(config, chosen, board)
    columns = sorted(board.items("columns"), key=lambda column: column.number("index") or 0)
    shown = [column for column in columns if not column.flag("hidden")]
    rule = board.text("submission_rule", "Add")
    moved = shared.ForeignProgram(
        source=f"{CONFIG}, phase {chosen.text('name')}",
        title=config.text("title"),
        summary=config.text("description"),
        description="\n\n".join(filter(None, (root.read_text(page.text("file")) for page in config.items("pages")))),
        headers=[_write_header(column) for column in shown],
        by=_list_ranking(board, columns),
        takes=["zip"],
        seconds=max(0, chosen.number("execution_time_limit") or 0) or _USUAL_SECONDS,
        owner=config.text("contact_email"),
        folders={"program": _read_program(root, task), "input/ref": _read_reference(root, task)},
        notes=notes,
        computed=tuple(_list_computed(shown, columns)),
        keep=_KEEP.get(rule, "best"),
        listed=not board.flag("hidden"),
        terms=root.read_text(config.text("terms")),
    )
    moved.limit_submissions(chosen, zero_is_none=True)
    files = {**moved.write(name), **_read_solution(root, config)}
    return MovedBenchmark(files, tuple(moved.notes)).check()


def _find_task(config: Keys, phase: Keys) -> Keys:
    tasks = {task.text("index", str(number)): task for number, task in enumerate(config.items("tasks"))}
    numbers = phase.texts("tasks")
    task = tasks.get(numbers[0]) if numbers else None
    if task is None or "scoring_program" not in task:
        raise UsageError(f"{CONFIG}: expected a task with a scoring_program in phase {phase.text('name')}, found none")
    if "ingestion_program" in task:
        raise UsageError(
            f"{CONFIG}: the task has an ingestion program, which runs code of players; here they run their model "
            "themselves and submit what it answers: leave `ingestion_program` out"
        )
    return task


def _find_board(config: Keys) -> Keys:
    boards = config.items("leaderboards") or config.items("leaderboard")
    if not boards or not boards[0].items("columns"):
        raise UsageError(f"{CONFIG}: expected a leaderboard with columns, found none")
    return boards[0]


def _list_ranking(board: Keys, columns: Sequence[Keys]) -> list[str]:
    """Return the primary column, then the others that are shown."""
    primary = board.number("primary_index") or 0
    first = next((column for column in columns if column.number("index") == primary), columns[0])
    if first.flag("hidden"):
        raise UsageError(
            f"{first.place}: {first.text('key')} ranks there and is hidden, but what ranks is shown here: leave "
            "`hidden` out, or let another column have its index"
        )
    others = [column for column in columns if column is not first and not column.flag("hidden")]
    return [_name_column(column) for column in (first, *others)]


def _name_column(column: Keys) -> str:
    if "key" not in column:
        raise UsageError(f"{column.place}: expected a key, found none")
    return column.text("key")


def _write_header(column: Keys) -> dict[str, Any]:
    sorting, name = column.text("sorting", "desc"), _name_column(column)
    if sorting not in _DIRECTIONS:
        raise UsageError(f"{column.place}: sorting: expected asc or desc, found {sorting!r}")
    precision = column.number("precision")
    decimals = min(max(0, 2 if precision is None else precision), shared.MAX_DECIMALS)
    label = shared.shorten_text(column.text("title"), shared.MAX_LABEL, name)
    return {"name": name, "type": "float", "direction": _DIRECTIONS[sorting], "decimals": decimals, "label": label}


def _list_computed(shown: Sequence[Keys], columns: Sequence[Keys]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the columns that the platform computes, how, and of which columns."""
    for column in shown:
        how, indexes = column.text("computation"), column.texts("computation_indexes")
        if not how:
            continue
        of = tuple(_name_column(other) for other in columns if other.text("index") in indexes)
        if how not in _COMPUTATIONS or not of:
            expected = f"one of {', '.join(_COMPUTATIONS)}, and the computation_indexes of columns"
            raise UsageError(f"{column.place}: computation: expected {expected}, found {how!r}")
        yield _name_column(column), how, of


def _read_program(root: ForeignFolder, task: Keys) -> Files:
    """Return the files of the scoring program, which has its metadata at the top."""
    path = task.text("scoring_program")
    files = root.read_files(path)
    metadata = next((name for name in _METADATA if name in files), None)
    lines = files[metadata].decode(errors="replace").splitlines() if metadata else []
    if not any(line.partition(":")[0].strip() == "command" and ".py" in line for line in lines):
        names = ", ".join(sorted(files)[:5]) or "no files"
        raise UsageError(
            f"{path}: expected {' or '.join(_METADATA)} at the top, with a `command:` that runs a Python file; "
            f"found {names}"
        )
    return files


def _read_reference(root: ForeignFolder, task: Keys) -> Files:
    return root.read_files(task.text("reference_data")) if task.text("reference_data") else {}


def _read_solution(root: ForeignFolder, config: Keys) -> Files:
    """Return the first solution as an example, which `laurel check` scores."""
    path = next((solution.text("path") for solution in config.items("solutions") if "path" in solution), "")
    return {"examples/solution.zip": pack(root.read_files(path))} if path else {}


def _list_notes(config: Keys, phase: Keys, board: Keys) -> list[str]:
    """Return what there is no such thing of here."""
    notes, rule = [], board.text("submission_rule", "Add")
    hidden = [column.text("key") for column in board.items("columns") if column.flag("hidden")]
    others = [other.text("title") for other in (config.items("leaderboards") or config.items("leaderboard"))[1:]]
    if hidden:
        notes.append(f"hidden columns, left out: {', '.join(hidden)}")
    if others:
        notes.append(f"further leaderboards, left out: {', '.join(others)}")
    if phase.texts("tasks")[1:]:
        notes.append(f"further tasks of the phase, left out: {', '.join(phase.texts('tasks')[1:])}")
    if rule not in _KEEP:
        notes.append(f"submission_rule: {rule} there; here each player's best result counts (`ranking.keep`)")
    if board.flag("hidden"):
        notes.append("the leaderboard is hidden there; here `listed: false`: who knows the address sees the board")
    if phase.flag("hide_output"):
        notes.append("hide_output: here, too, players see nothing that the program prints; of an invalid result why")
    if phase.flag("hide_score_output"):
        notes.append("hide_score_output: players see their scores here")
    return notes


def _upgrade(config: Keys) -> dict[str, Any]:
    """Return a config of CodaLab's first version as one of the second."""
    phases = sorted(config.items("phases"), key=lambda phase: phase.number("phasenumber") or 0)
    if any("is_parallel_parent" in phase or "parent_phasenumber" in phase for phase in phases):
        phases = phases[1:]
    pages = config.inner("html").values
    best, last = (config.flag(f"force_{which}submission_to_leaderboard") for which in ("best_", ""))
    board = config.inner("leaderboard")
    labels = board.items("leaderboards")
    is_hidden = any(phase.text("leaderboard_management_mode") == "hide_results" for phase in phases)
    main = {
        "title": labels[0].text("label") if labels else "",
        "submission_rule": "Force_Best" if best else "Force_Last" if last else "Add",
        "hidden": is_hidden,
        "columns": [*_upgrade_columns(board, labels)],
    }
    return {
        **config.values,
        "pages": [{"title": title, "file": file} for title, file in pages.items() if title != "terms"],
        "terms": pages.get("terms"),
        "leaderboards": [main, *({"title": label.text("label")} for label in labels[1:])],
        "tasks": [{**phase.values, "index": number} for number, phase in enumerate(phases)],
        "phases": [
            {
                **phase.values,
                "index": number,
                "name": phase.text("label"),
                "start": phase.values.get("start_date"),
                "tasks": [number],
            }
            for number, phase in enumerate(phases)
        ],
    }


def _upgrade_columns(board: Keys, labels: Sequence[Keys]) -> list[Mapping[str, Any]]:
    """Return the columns of the first leaderboard, by their rank.

    Computed ones are means of ranks: they are hidden.
    """
    columns = [
        (key, Keys(value, f"{CONFIG}: leaderboard: {key}")) for key, value in board.inner("columns").values.items()
    ]
    wanted = labels[0].text("label").lower() if labels else ""
    kept = [
        (key, column)
        for key, column in sorted(columns, key=lambda pair: pair[1].number("rank") or 1)
        if column.inner("leaderboard").text("label", wanted).lower() == wanted
    ]
    if kept and "computed" in kept[0][1]:
        raise UsageError(f"{kept[0][1].place}: this column ranks, and is a mean of ranks: give another one rank 1")
    return [
        {
            "key": str(key),
            "title": column.text("label", str(key)),
            "index": index,
            "sorting": column.text("sort", "desc"),
            "precision": column.values.get("numeric_format"),
            "hidden": column.flag("hidden") or "computed" in column,
        }
        for index, (key, column) in enumerate(kept)
    ]
