"""A challenge of EvalAI: `challenge_config.yaml` beside the evaluation script and the annotations.

Source: docs/sources.md, "Codabench and EvalAI".
"""

import json
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final

from cli.exit_codes import UsageError
from cli.moving import shared
from cli.moving.folder import Files, ForeignFolder, Keys
from scoring_core.benchmarks.solutions import MovedBenchmark

CONFIGS: Final = ("challenge_config.yaml", "challenge_config.yml")
_FORMATS: Final = ("json", "csv", "tsv", "txt", "npy", "zip", "jsonl")
_USUAL_TYPES: Final = [".json", ".zip", ".txt", ".tsv", ".gz", ".csv", ".h5", ".npy"]
_PUBLIC: Final = 3
"""The visibility of a split that everybody sees."""


def move_challenge(folder: Path, name: str, *, phase: str | None = None) -> MovedBenchmark:
    """Return the benchmark of one phase, whose `evaluate` runs unchanged.

    Args:
        folder: The folder of the challenge's repository.
        name: The id of the benchmark.
        phase: The codename or the name of the phase; None: the first one.

    Raises:
        UsageError: The challenge lacks something, or is scored by what only EvalAI can run.
    """
    root = ForeignFolder(folder)
    file = next(file for file in CONFIGS if (folder / file).is_file())
    config = root.read_config(file)
    if config.flag("remote_evaluation") or config.flag("is_docker_based"):
        raise UsageError(f"{file}: remote evaluation and images of players cannot run here")
    phases = config.items("challenge_phases")
    chosen = shared.choose(phases, phase, keys=("codename", "name"))
    splits = _list_splits(config, chosen)
    headers, by = _list_headers(config, splits)
    takes = _list_formats(chosen)
    notes = shared.note_phase(chosen, phases, key="codename", start="start_date", end="end_date")
    latest = any(split.flag("show_leaderboard_by_latest_submission") for split in splits)
    hidden = [split.text("codename") for split in splits if (split.number("visibility") or _PUBLIC) < _PUBLIC]
    is_public = chosen.flag("leaderboard_public", default=True) and not hidden
    if not is_public:
        notes.append(
            f"the board is hidden there ({', '.join(hidden) or 'leaderboard_public'}); here `listed: false`: who knows "
            "the address sees it"
        )
    if "max_submissions_per_month" in chosen:
        notes.append(f"max_submissions_per_month: {chosen.number('max_submissions_per_month')}: no such limit here")
    moved = shared.ForeignProgram(
        source=f"{file}, phase {chosen.text('codename')}",
        title=config.text("title"),
        summary=config.text("short_description"),
        description=root.read_text(config.text("description")),
        headers=headers,
        by=[by],
        takes=takes,
        seconds=shared.MAX_SECONDS,
        owner="",
        folders={
            "program": _read_program(root, config),
            "annotations": _read_annotations(root, chosen.text("test_annotation_file")),
        },
        notes=notes,
        phase=chosen.text("codename"),
        keep="latest" if latest else "best",
        listed=is_public,
        terms=root.read_text(config.text("terms_and_conditions")),
    )
    moved.limit_submissions(chosen, zero_is_none=False)
    return MovedBenchmark(moved.write(name), tuple(moved.notes)).check()


def _list_splits(config: Keys, phase: Keys) -> list[Keys]:
    """Return the splits of a phase, each with its codename."""
    names = {split.text("id"): split.text("codename") for split in config.items("dataset_splits")}
    of_phase: dict[str, Keys] = {}
    for split in config.items("challenge_phase_splits"):
        if split.text("challenge_phase_id") == phase.text("id"):
            codename = names.get(split.text("dataset_split_id"), "")
            of_phase.setdefault(codename, Keys({**split.values, "codename": codename}, split.place))
    return [*of_phase.values()]


def _list_headers(config: Keys, splits: Sequence[Keys]) -> tuple[list[dict[str, Any]], str]:
    """Return the columns, of each split if there are several, and the one that ranks.

    EvalAI ranks by `default_order_by`, in the direction of the split; `sort_ascending` is of the other columns.
    """
    schema = _read_schema(config, splits)
    labels = schema.texts("labels")
    order = schema.text("default_order_by", labels[0])
    if order not in labels:
        raise UsageError(f"{schema.place}: default_order_by: expected one of {', '.join(labels)}, found {order!r}")
    facts = schema.inner("metadata")
    first = splits[0] if splits else Keys({}, "challenge_phase_splits")
    precision = first.number("leaderboard_decimal_precision")
    decimals = min(max(0, 2 if precision is None else precision), shared.MAX_DECIMALS)
    headers = []
    for split in splits or [first]:
        ascends = not split.flag("is_leaderboard_order_descending", default=True)
        prefix = f"{split.text('codename')} " if len(splits) > 1 else ""
        for label in labels:
            lower = ascends if label == order else facts.inner(label).flag("sort_ascending")
            direction = "lower" if lower else "higher"
            headers.append({"name": prefix + label, "type": "float", "direction": direction, "decimals": decimals})
    return headers, str(headers[labels.index(order)]["name"])


def _read_schema(config: Keys, splits: Sequence[Keys]) -> Keys:
    """Return the schema of the phase's leaderboard, a mapping or JSON in a text."""
    boards = config.items("leaderboard")
    wanted = splits[0].text("leaderboard_id") if splits else ""
    board = next((board for board in boards if board.text("id") == wanted), boards[0] if boards else None)
    schema = board.values.get("schema") if board else None
    try:
        read = json.loads(schema) if isinstance(schema, str) else schema
    except ValueError:
        read = None
    if not isinstance(read, dict) or not read.get("labels"):
        raise UsageError("challenge_config.yaml: expected a leaderboard with labels, found none")
    return Keys(read, "challenge_config.yaml: leaderboard: schema")


def _list_formats(phase: Keys) -> list[str]:
    types = phase.texts("allowed_submission_file_types") or _USUAL_TYPES
    takes = [form for form in _FORMATS if f".{form}" in types]
    if not takes:
        raise UsageError(f"{phase.place}: expected files of {', '.join(_FORMATS)}, found {', '.join(types)}")
    return takes


def _read_program(root: ForeignFolder, config: Keys) -> Files:
    path = config.text("evaluation_script", "evaluation_script.zip")
    files = root.read_files(path)
    if not {"__init__.py", "main.py"} & files.keys():
        names = ", ".join(sorted(files)[:5]) or "no files"
        raise UsageError(f"{path}: expected __init__.py or main.py at the top, found {names}")
    return files


def _read_annotations(root: ForeignFolder, path: str) -> Files:
    content = root.read(path)
    if content is None and path:
        raise UsageError(f"test_annotation_file: expected a file, found none: {path}")
    return {} if content is None else {PurePosixPath(path).name: content}
