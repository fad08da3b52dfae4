"""What `sam local` would be run with, and what it would find: containers run where Docker is, and this everywhere."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from local.layout import ROOT
from local.site.listening import LOCALHOST
from local.stack import PARAMETERS
from local.template import Template, load_template
from scripts.artifacts import Build
from scripts.sam_local import SERVED, TEMPLATE, VARIABLES, prepare
from tests.harness.lambda_emulator.stock import start_stocked_cloud
from tests.harness.moto.server import MotoCloud, start_cloud

pytestmark = pytest.mark.long

INVOKE = """
import json, pathlib, sys
from submit.http import lambda_handler
from tests.harness.stack import make_context
print(json.dumps(lambda_handler(json.loads(pathlib.Path(sys.argv[1]).read_text()), make_context())))
"""


def copy_source(folder: Path) -> Build:
    """Return template.yaml as if it were built, without any code."""
    shutil.copyfile(ROOT / "template.yaml", folder / "template.yaml")
    return Build(folder, load_template(PARAMETERS))


@pytest.fixture
def bare(template: Template) -> Iterator[MotoCloud]:
    """AWS with the template's resources, and nothing in them."""
    cloud = start_cloud(template, sender=PARAMETERS["SenderAddress"])
    yield cloud
    cloud.stop()


def test_variables_of_every_function_lead_to_moto(bare: MotoCloud, tmp_path: Path) -> None:
    """SAM passes on only variables that its template declares, so it declares each that a function gets."""
    build = copy_source(tmp_path)

    prepare(build, bare, tmp_path, gateway="192.0.2.1")

    values = json.loads((tmp_path / VARIABLES).read_text())
    resources = yaml.safe_load((tmp_path / TEMPLATE).read_text())["Resources"]
    declared = {name: set(resources[name]["Properties"]["Environment"]["Variables"]) for name in values}
    assert declared == {name: set(variables) for name, variables in values.items()}
    assert values.keys() == build.functions().keys()
    endpoint = f"http://192.0.2.1:{bare.endpoint.rpartition(':')[2]}"
    assert {variables["AWS_ENDPOINT_URL"] for variables in values.values()} == {endpoint}
    assert values["SubmitFunction"]["ORIGIN_SECRET"] == "what events/env.json says"


def test_served_variables_are_all_that_a_function_needs(template: Template, tmp_path: Path) -> None:
    """What samconfig.toml names for `sam local invoke … --config-env local` is what is written, and answers 202."""
    build, cloud = copy_source(tmp_path), start_stocked_cloud(template)
    try:
        prepare(build, cloud, tmp_path, gateway=LOCALHOST)
        variables = json.loads((tmp_path / VARIABLES).read_text())["SubmitFunction"]
        path = os.pathsep.join(filter(None, sys.path))
        done = subprocess.run(
            [sys.executable, "-c", INVOKE, ROOT / "events" / "submit.json"],
            env={**variables, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        cloud.stop()

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["statusCode"] == 202
    named = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))["local"]
    served = {"template_file": SERVED / TEMPLATE, "env_vars": SERVED / VARIABLES}
    for command in ("local_invoke", "local_start_api"):
        parameters = named[command]["parameters"]
        assert {name: ROOT / parameters[name] for name in served} == served
        assert parameters["skip_pull_image"] is True
    resources = yaml.safe_load((tmp_path / TEMPLATE).read_text())["Resources"]
    assert Path(resources["LedgerLayer"]["Properties"]["ContentUri"]).is_absolute()
