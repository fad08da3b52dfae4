"""A process that has answered one POST has imported what the list says, and nothing else."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from local.template import Template
from tests.harness.lambda_emulator.events import read_event, read_variables
from tests.harness.lambda_emulator.stock import start_stocked_cloud
from tests.harness.raw_cloud import RawCloud
from tests.harness.stack import ROOT

LIST: Final = Path(__file__).with_name("post_modules.txt")
OURS: Final = {"handlers", "scoring_core", "storage", "submit"}
UNWANTED: Final = {
    "aggregate", "asyncio", "aws_lambda_powertools.event_handler", "aws_lambda_powertools.utilities.data_classes",
    "boto3", "evaluate", "markdown_it", "multiprocessing", "notify", "numpy", "pandas", "pydantic", "pydantic_core",
    "scipy", "api", "storage.benchmarks.store", "submit.dres", "submit.routes", "yaml",
}  # fmt: skip
"""What no POST may wait for, whatever the list says."""
POST: Final = """
import json, sys
before = set(sys.modules)
from submit.http import lambda_handler
from botocore.session import Session
create, late = Session.create_client, []
Session.create_client = lambda *args, **options: late.append(args[1]) or create(*args, **options)
class Context:
    function_name = "submit"; memory_limit_in_mb = 512; aws_request_id = "1"; invoked_function_arn = "arn"
answer = lambda_handler(json.load(sys.stdin), Context())
print(json.dumps([answer["statusCode"], late, sorted(set(sys.modules) - before)]))
"""


@pytest.fixture(scope="module")
def stocked(template: Template) -> Iterator[RawCloud]:
    """AWS in a process of its own, with the benchmark that the sample event names."""
    cloud = start_stocked_cloud(template)
    yield cloud
    cloud.stop()


class Process(NamedTuple):
    """What a new process has done after its first POST: modules, and clients that the initialisation did not make."""

    modules: set[str]
    late_clients: list[str]


@pytest.fixture(scope="module")
def process(stocked: RawCloud, template: Template) -> Process:
    """A new process, after the POST of a named guest with an idempotency key."""
    event = read_event("submit")
    event["headers"]["idempotency-key"] = "one"
    given = template.resources_of("AWS::Lambda::Function")["SubmitFunction"]["Environment"]["Variables"]
    variables = {**given, **read_variables("SubmitFunction"), **stocked.environment, "AWS_REGION": "us-east-1"}
    folders = [ROOT / "functions", ROOT / "layers" / "storage", ROOT / "layers" / "scoring_core"]
    child = subprocess.run(
        [sys.executable, "-c", POST],
        input=json.dumps(event),
        env={
            **{name: str(value) for name, value in variables.items()},
            "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
            "PYTHONPATH": ":".join(map(str, folders)),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    status, late_clients, imported = json.loads(child.stdout.splitlines()[-1])
    assert status == 202, child.stdout
    return Process(set(imported), late_clients)


def test_list_names_what_a_post_imports(process: Process) -> None:
    """An import that is added to the way of a POST fails this test until the list names it."""
    listed = {line for line in LIST.read_text().splitlines() if not line.startswith("#")}

    imported = set(map(_shorten, process.modules)) - {""}

    assert sorted(imported - listed) == [], "a POST imports what is not in the list"
    assert sorted(listed - imported) == [], "the list has what a POST no longer imports"


@pytest.mark.parametrize("name", sorted(UNWANTED))
def test_post_does_without(process: Process, name: str) -> None:
    """Neither the module nor one below it is imported."""
    assert [module for module in process.modules if module == name or module.startswith(f"{name}.")] == []


def test_clients_are_made_in_the_initialisation(process: Process) -> None:
    """No client is made while a player waits."""
    assert process.late_clients == []


def _shorten(module: str) -> str:
    """Return what the list names: each module of ours, two levels of a package, one level of the standard library.

    "" for what belongs to the interpreter alone.
    """
    package, *below = module.split(".")
    if package in OURS:
        return module
    if package in sys.stdlib_module_names:
        return "" if package.startswith("_") else package
    return ".".join([package, *below[:1]])
