"""A small benchmark to change one thing of: a game with a script, two columns, and a name of its own."""

import copy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.harness.archives import write_files

type WriteFolder = Callable[..., Path]

GAME: Mapping[str, Any] = {
    "id": "coin-run",
    "title": "Coin Run",
    "summary": "Collect coins.",
    "scorer": "script",
    "score_type": {
        "headers": [
            {"name": "Coins", "type": "int", "min": 0, "max": 100},
            {"name": "Time", "type": "float", "min": 0, "direction": "lower"},
        ]
    },
    "ranking": {"by": ["Coins", "Time"]},
    "contacts": {"owner": "owner@example.com"},
}


@pytest.fixture
def game() -> dict[str, Any]:
    """The definition of the game, to be changed."""
    return copy.deepcopy(dict(GAME))


@pytest.fixture
def write_folder(tmp_path: Path) -> WriteFolder:
    """Write the folder of a benchmark: a definition (or raw YAML), and files; `evaluate.py` where a script scores."""

    def write(definition: Mapping[str, Any] | str, files: Mapping[str, bytes] | None = None) -> Path:
        if isinstance(definition, str):
            text, script = definition, {}
        else:
            text = yaml.safe_dump(dict(definition), sort_keys=False)
            script = {"evaluate.py": b"print()\n"} if definition.get("scorer") == "script" else {}
        return write_files(tmp_path / "coin-run", {"benchmark.yaml": text.encode(), **script, **(files or {})})

    return write
