"""What was built has every module that it may import."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from api.app import app
from api.openapi import describe_api
from scripts.artifacts import Build
from tests.harness.lambda_emulator.emulator import code_of, variables_of
from tests.harness.lambda_emulator.events import read_variables

pytestmark = pytest.mark.long

_IMPORT_ALL = """
import importlib, json, pathlib, pkgutil, sys
rooms = json.loads(sys.argv[1])
names = [
    module.name
    for room in rooms
    for module in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}.")
    if not module.name.endswith("__main__")
]
for name in names:
    importlib.import_module(name)
from api.app import app
from api.openapi import describe_api
api = describe_api(app)
outside = sorted(
    module.__name__ for module in list(sys.modules.values())
    if "site-packages" in (getattr(module, "__file__", "") or "")
)
print(json.dumps([len(names), sorted(api["paths"]), outside]))
"""


def test_every_module_of_the_functions_is_imported(build: Build) -> None:
    """Every module of every function is imported on the built layers alone."""
    rooms = ["handlers", "submit", "evaluate", "aggregate", "notify", "storage", "scoring_core"]
    code = code_of(build, "EvaluateFunction")
    folders = [code.task, *(layer / "python" for layer in code.layers)]
    variables = variables_of(build, "SubmitFunction") | read_variables("SubmitFunction")

    completed = subprocess.run(
        [Path(sys.base_prefix, "bin", "python3.13"), "-W", "error", "-c", _IMPORT_ALL, json.dumps(rooms)],
        env={**variables, "AWS_REGION": "eu-central-1", "PYTHONPATH": os.pathsep.join(map(str, folders))},
        capture_output=True,
        text=True,
        check=False,
    )

    assert completed.returncode == 0, completed.stderr
    modules, paths, outside = json.loads(completed.stdout.splitlines()[-1])
    assert modules > 120
    assert paths == sorted(describe_api(app)["paths"])
    assert outside == []
