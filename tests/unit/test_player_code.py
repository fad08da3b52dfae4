"""The warning about scripts that may execute code of players."""

from pathlib import Path

import pytest

from scoring_core.benchmarks.player_code import list_places, warn_of_player_code

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("script", "places"),
    [
        ("exec(open('x').read())", [(1, "exec")]),
        ("import json\nscore = eval(json.loads('1'))", [(2, "eval")]),
        ("import subprocess\nsubprocess.run(['python3', 'player.py'])", [(1, "subprocess")]),
        ("import os\nos.system('python3 player.py')", [(2, "os.system")]),
        ("from os import popen, path", [(1, "os.popen")]),
        ("def f():\n    import pickle\n    pickle.loads(b'')", [(2, "pickle")]),
        ("import os as o\no.system('x')", [(2, "os.system")]),
        ("from os import system as run\nrun('x')", [(1, "os.system")]),
        ("import importlib as i", [(1, "importlib")]),
        ("import asyncio\nasyncio.create_subprocess_exec('x')", [(2, "asyncio.create_subprocess_exec")]),
        ("from asyncio import create_subprocess_exec", [(1, "asyncio.create_subprocess_exec")]),
        ("from asyncio.subprocess import create_subprocess_exec", [(1, "asyncio.subprocess")]),
        ("import asyncio\nasyncio.subprocess.create_subprocess_exec('x')", [(2, "asyncio.subprocess")]),
        ("import numpy as np\nnp.load('x', allow_pickle=True)", [(2, "numpy.load with allow_pickle")]),
        ("import numpy as np\nnp.load('x', None, flag)", [(2, "numpy.load with allow_pickle")]),
        ("from numpy import load\nload('x', **options)", [(2, "numpy.load with allow_pickle")]),
        ("import numpy as np\nnp.load('x')\nnp.load('x', None, False)\nnp.load('x', allow_pickle=False)", []),
        ("import pandas as pd\npd.read_pickle('x')", [(2, "pandas.read_pickle")]),
        ("import pandas as pd\npd.read_csv('x')\nframe.load('x', allow_pickle=True)", []),
        ("import builtins as b\nb.exec('x')", [(2, "builtins.exec")]),
        ("import json as os\nos.system('x')", []),
        ("from .os import system\nfrom . import pickle", []),
        ("import ast, json, os.path\nast.literal_eval('1')\nmodel.eval()\nos.fsync(1)", []),
        ("this is no Python", []),
        ("x = '\\d'\neval(x)", [(2, "eval")]),
        ("\0", []),
        ("(" * 100_000, []),
        ("-" * 300_000 + "1", []),
    ],
    ids=lambda value: str(value)[:30] if isinstance(value, str) else "",
)
def test_places_that_may_run_code_of_players(script: str, places: list[tuple[int, str]]) -> None:
    """Child processes, pickles and code from text are found; parsers, models and other text are not."""
    assert list(list_places(script.encode())) == places


def test_warning_names_the_first_places() -> None:
    """It says where, what follows, that `strict` does not help, and where to read on."""
    warning = warn_of_player_code(b"import subprocess\nimport pickle\nexec('')\neval('1')\n")

    assert warning is not None
    assert "subprocess (line 1), pickle (line 2), exec (line 3) and 1 more" in warning
    assert "`isolation: strict`" in warning
    assert "docs/sandbox.md, Code of players" in warning
    assert "## Code of players" in (ROOT / "docs" / "sandbox.md").read_text()


@pytest.mark.parametrize(
    "script", sorted([*ROOT.glob("benchmarks/*/evaluate.py"), ROOT / "cli/templates/script/evaluate.py"])
)
def test_scripts_of_ours_run_no_code_of_players(script: Path) -> None:
    """Neither the shipped scripts nor the template are warned of."""
    assert warn_of_player_code(script.read_bytes()) is None


def test_script_that_runs_programs_of_other_platforms_is_warned_of() -> None:
    """What it runs is the owner's, but that may run code of players: the owner should look."""
    warning = warn_of_player_code((ROOT / "cli" / "templates" / "moved" / "evaluate.py").read_bytes())

    assert warning is not None
    assert "importlib" in warning
    assert "runpy" in warning
