"""A challenge of EvalAI: `challenge_config.yaml` beside the evaluation script and the annotations.

Source: docs/sources.md, "Codabench and EvalAI".
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from cli.exit_codes import UsageError
from cli.moving import shared

CONFIGS: Final = ("challenge_config.yaml", "challenge_config.yml")
_FORMATS: Final = ("json", "csv", "tsv", "txt", "npy", "zip", "jsonl")
_USUAL_TYPES: Final = ".json, .zip, .txt, .tsv, .gz, .csv, .h5, .npy"
MAX_PAGE: Final = 4000
"""Characters of the page, which loses its markup."""


def move_challenge(folder: Path, name: str, *, phase: str | None = None) -> shared.MovedBenchmark:
    """Return the benchmark of one phase, whose `evaluate` runs unchanged.

    Args:
        folder: The folder of the challenge's repository.
        name: The id of the benchmark.
        phase: The codename or the name of the phase; None: the first one.

    Raises:
        UsageError: The challenge lacks something, or is scored by what only EvalAI can run.
    """
    path = next(path for file in CONFIGS if (path := folder / file).is_file())
    config = shared.read_config(path)
    if config.get("remote_evaluation") or config.get("is_docker_based"):
        raise UsageError(f"{path}: remote evaluation and images of players cannot run here")
    phases = config.get("challenge_phases") or []
    chosen = shared.choose(phases, phase, keys=("codename", "name"))
    program = shared.read_files(folder / str(config.get("evaluation_script", "evaluation_script.zip")))
    annotation = folder / str(chosen.get("test_annotation_file") or "")
    annotations = {annotation.name: annotation.read_bytes()} if annotation.is_file() else {}
    headers, by = _list_headers(config, chosen)
    types = str(chosen.get("allowed_submission_file_types") or _USUAL_TYPES).replace(" ", "").split(",")
    takes = [form for form in _FORMATS if f".{form}" in types]
    if not takes:
        raise UsageError(f"{path}: expected files of {', '.join(_FORMATS)}, found {', '.join(types)}")
    page = folder / str(config.get("description") or "")
    text = shared.shorten_text(page.read_text(encoding="utf-8") if page.is_file() else "", MAX_PAGE, "")
    moved = shared.ForeignProgram(
        source=f"{path.name}, phase {chosen.get('codename')}",
        title=config.get("title"),
        summary=config.get("short_description"),
        description=f"{text}\n".encode(),
        headers=headers,
        by=by,
        takes=takes,
        per_day=chosen.get("max_submissions_per_day"),
        seconds=shared.MAX_SECONDS,
        owner=None,
        folders={"program": program, "annotations": annotations},
        phase=str(chosen.get("codename")),
    )
    return shared.MovedBenchmark(moved.write(name), tuple(_list_notes(chosen, phases)))


def _list_headers(config: Mapping[str, Any], phase: Mapping[str, Any]) -> tuple[list[dict[str, Any]], str]:
    """Return the columns, of each split if there are several, and the one that ranks."""
    boards = config.get("leaderboard") or []
    schema = boards[0].get("schema") if boards else None
    schema = json.loads(schema) if isinstance(schema, str) else schema
    if not isinstance(schema, dict) or not schema.get("labels"):
        raise UsageError("challenge_config.yaml: expected a leaderboard with labels, found none")
    names = {split["id"]: str(split["codename"]) for split in config.get("dataset_splits") or []}
    of_phase = [
        split for split in config.get("challenge_phase_splits") or [] if split.get("challenge_phase_id") == phase["id"]
    ]
    splits = list(dict.fromkeys(names.get(split.get("dataset_split_id"), "") for split in of_phase))
    descends = all(split.get("is_leaderboard_order_descending", True) for split in of_phase)
    decimals = int(of_phase[0].get("leaderboard_decimal_precision", 2)) if of_phase else 2
    facts = schema.get("metadata") or {}
    order = str(schema.get("default_order_by") or schema["labels"][0])
    headers = []
    for prefix in [f"{split} " for split in splits] if len(splits) > 1 else [""]:
        for label in map(str, schema["labels"]):
            ascends = facts.get(label, {}).get("sort_ascending", label == order and not descends)
            direction = "lower" if ascends else "higher"
            headers.append({"name": prefix + label, "type": "float", "direction": direction, "decimals": decimals})
    by = next(header["name"] for header in headers if str(header["name"]).endswith(order))
    return headers, str(by)


def _list_notes(phase: Mapping[str, Any], phases: Sequence[Mapping[str, Any]]) -> list[str]:
    others = [str(other.get("codename")) for other in phases if other is not phase]
    codename, start, end = phase.get("codename"), phase.get("start_date"), phase.get("end_date")
    notes = [f"phase {codename!r}, from {start} to {end}: no `opens`, no `closes` yet"]
    if others:
        notes.append(f"left out: {', '.join(others)}; each becomes a benchmark of its own by --phase")
    notes.append("contacts: expected your address in place of you@example.com")
    return notes
