"""Measures cold starts of the built functions next to a plain stack: time to initialise and to the first answer.

`make build && uv run python bench/cold_start.py [--runs N] [FUNCTION…]`. The plain stack has what a first draft imports
and creates: a boto3 client for each service, a validating resolver with one route, Logger and Tracer, on the packages
of the same layers with the whole of botocore. Its route calls S3 and DynamoDB once each. Laurel's functions answer
their own events. All run in turn under Lambda's runtime interface emulator on moto; the bench compares the medians. The
time of the first answer starts with the initialisation, so it includes what a function defers.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from local.stack import ROOT
from scripts.artifacts import Build, read_build, this_architecture
from tests.harness.lambda_emulator.emulator import Code, code_of, emulate, variables_of
from tests.harness.lambda_emulator.events import read_event, read_variables, service_of, start_stocked_cloud

FUNCTIONS: Final = ("SubmitFunction", "EvaluateFunction")
TARGET: Final = 0.5
PLAIN_NAME: Final = "plain stack"
PLAIN: Final = """
import boto3
from aws_lambda_powertools import Logger, Tracer
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from pydantic import BaseModel

logger = Logger()
tracer = Tracer()
app = APIGatewayHttpResolver(enable_validation=True)
clients = [boto3.client(name) for name in ("s3", "dynamodb", "sqs", "lambda")]


class Item(BaseModel):
    name: str
    score: float


@app.post("/items")
def add(item: Item) -> Item:
    clients[0].list_buckets()
    clients[1].list_tables()
    return item


@tracer.capture_lambda_handler
@logger.inject_lambda_context
def lambda_handler(event, context):
    return app.resolve(event, context)
"""


class Start(NamedTuple):
    """Milliseconds of one cold start: to the end of initialisation, and from the start to the answer."""

    init: float
    answer: float


class Subject(NamedTuple):
    """A function to start: code, environment variables, and the event that it answers."""

    code: Code
    variables: dict[str, str]
    event: object


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("functions", nargs="*", default=FUNCTIONS, metavar="FUNCTION")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    build = read_build(this_architecture())
    cloud = start_stocked_cloud(build.template)
    surroundings = {**cloud.environment, "AWS_REGION": cloud.environment["AWS_DEFAULT_REGION"]}
    with tempfile.TemporaryDirectory(dir=build.folder.parent) as folder:
        subjects = {PLAIN_NAME: make_plain_stack(Path(folder))}
        subjects |= {name: make_subject(build, name) for name in arguments.functions}
        starts: dict[str, list[Start]] = {name: [] for name in subjects}
        for _ in range(arguments.runs + 1):
            for name, subject in subjects.items():
                starts[name].append(measure_start(subject, surroundings))
    cloud.stop()
    # The first start of each fills the machine's caches and is not counted.
    medians = {
        name: Start(*(statistics.median(column) for column in zip(*counted[1:], strict=True)))
        for name, counted in starts.items()
    }
    for name, median in medians.items():
        report(name, median, medians[PLAIN_NAME])
    return 0


def report(name: str, ours: Start, plain: Start) -> None:
    """Print one line, with PASS or FAIL unless it is the plain stack."""
    init, answer = ours.init / plain.init, ours.answer / plain.answer
    result = "" if ours is plain else f"  init at most {TARGET}: {'PASS' if init <= TARGET else 'FAIL'}"
    sys.stdout.write(
        f"{name:18} init {ours.init:6.0f} ms ({init:.2f})  first answer {ours.answer:6.0f} ms ({answer:.2f}){result}\n"
    )


def make_subject(build: Build, function: str) -> Subject:
    """Return a function of the build, with its own event."""
    variables = variables_of(build, function) | read_variables(function)
    return Subject(code_of(build, function), variables, read_event(service_of(build.template, function)))


def make_plain_stack(folder: Path) -> Subject:
    """Install the plain stack from the lock, with the Tracer's SDK, compiled like Laurel's layers."""
    task, site = folder / "task", folder / "layer" / "python"
    task.mkdir()
    (task / "plain.py").write_text(PLAIN, encoding="utf-8")
    requirements = str(folder / "requirements.txt")
    uv = shutil.which("uv") or "uv"
    export = ["export", "--frozen", "--no-default-groups", "--group", "plain", "--no-emit-project", "-o", requirements]
    for command in (
        export,
        ["pip", "install", "--require-hashes", "--no-deps", "-r", requirements, "--target", str(site)],
    ):
        subprocess.run([uv, "--quiet", *command], cwd=ROOT, check=True)
    for place in (site, task):
        compiler = ["compileall", "-q", "--invalidation-mode", "unchecked-hash"]
        subprocess.run([sys.executable, "-m", *compiler, str(place)], check=True)
    event = {**read_event("submit"), "rawPath": "/items", "body": json.dumps({"name": "Ada", "score": 1})}
    return Subject(Code(task, [site.parent], "plain.lambda_handler"), {"POWERTOOLS_SERVICE_NAME": "plain"}, event)


def measure_start(subject: Subject, surroundings: dict[str, str]) -> Start:
    """Start a function cold, and check its initialisation and its answer."""
    variables = {"AWS_LAMBDA_FUNCTION_TIMEOUT": "30", **subject.variables, **surroundings}
    with emulate(subject.code, variables) as function:
        answer = function.invoke(subject.event)
        (init,) = function.init_milliseconds()
    assert any("INIT RTDONE(status: success)" in line for line in function.lines), json.dumps(answer.payload)
    assert answer.payload == {"batchItemFailures": []} or answer.payload["statusCode"] < 300, answer.payload
    return Start(init, answer.milliseconds)


if __name__ == "__main__":
    sys.exit(main())
