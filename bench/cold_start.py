"""Measures cold starts of the built functions next to a plain stack: time to initialise and to the first answer.

`make build && uv run python bench/cold_start.py [--runs N] [FUNCTION…]`. The plain stack has what a first draft imports
and creates: a boto3 client for each service, a validating resolver with one route, Logger and Tracer, on the packages
of the same layers as they come, with the whole of botocore. Its route calls S3 and DynamoDB once each. Laurel's
functions answer their own events. All run in turn on moto, each under Lambda's runtime interface emulator (time), and
each in a bare process (processor time, which other work on the machine disturbs less); the bench compares the medians.
The time of the first answer starts with the initialisation, so it includes what a function defers.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, NamedTuple

from local.layout import ROOT
from scripts.artifacts import Build, read_build, this_architecture
from tests.harness.lambda_emulator.emulator import INITIALIZATION, Code, code_of, emulate, variables_of
from tests.harness.lambda_emulator.events import read_event, read_variables, service_of
from tests.harness.lambda_emulator.stock import start_stocked_cloud

PLAIN_NAME: Final = "plain stack"
HANDLER: Final = ".lambda_handler"
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


PROCESS: Final = """
import importlib, json, sys, time
began = time.process_time()
handler = importlib.import_module(sys.argv[1]).lambda_handler
initialised = time.process_time()
class Context:
    function_name = "f"; memory_limit_in_mb = 512; aws_request_id = "1"
    invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:f"
    def get_remaining_time_in_millis(self): return 30000
payload = handler(json.load(sys.stdin), Context())
answered = time.process_time()
print(json.dumps([payload, (initialised - began) * 1000, (answered - began) * 1000]))
"""


class Start(NamedTuple):
    """Milliseconds of one cold start, or their ratios: to the end of initialisation, and to the first answer."""

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
    parser.add_argument("functions", nargs="*", default=["SubmitFunction", "EvaluateFunction"], metavar="FUNCTION")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    build = read_build(this_architecture())
    cloud = start_stocked_cloud(build.template)
    surroundings = {**cloud.environment, "AWS_REGION": cloud.environment["AWS_DEFAULT_REGION"]}
    with tempfile.TemporaryDirectory(dir=build.folder.parent) as folder:
        subjects = {PLAIN_NAME: make_plain_stack(Path(folder))}
        subjects |= {name: make_subject(build, name) for name in arguments.functions}
        times: dict[str, list[Start]] = {name: [] for name in subjects}
        processor_times: dict[str, list[Start]] = {name: [] for name in subjects}
        for _ in range(arguments.runs + 1):
            for name, subject in subjects.items():
                times[name].append(measure_start(subject, surroundings))
                processor_times[name].append(measure_processor(subject, surroundings))
    cloud.stop()
    report("time", times)
    report("processor time", processor_times)
    return 0


def report(what: str, starts: dict[str, list[Start]]) -> None:
    """Print the medians, and their ratios to the plain stack's."""
    # The first start of each fills the machine's caches and is not counted.
    medians = {
        name: Start(*(statistics.median(column) for column in zip(*counted[1:], strict=True)))
        for name, counted in starts.items()
    }
    plain = medians[PLAIN_NAME]
    sys.stdout.write(f"{what}, median of {len(starts[PLAIN_NAME]) - 1}\n")
    for name, median in medians.items():
        ratios = Start(*(ours / peers for ours, peers in zip(median, plain, strict=True)))
        columns = [f"  {name:18}"]
        for column, milliseconds, ratio in zip(("init", "first answer"), median, ratios, strict=True):
            columns.append(f"{column} {milliseconds:6.0f} ms ({ratio:.2f})")
        sys.stdout.write("  ".join(columns) + "\n")


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
    groups = ["--only-group", "functions", "--only-group", "plain"]
    export = ["export", "--frozen", *groups, "--no-emit-project", "-o", requirements]
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
    """Start a function cold under the emulator, and check its initialisation and its answer."""
    variables = {"AWS_LAMBDA_FUNCTION_TIMEOUT": "30", **subject.variables, **surroundings}
    with emulate(subject.code, variables) as function:
        answer = function.invoke(subject.event)
        (init,) = function.init_milliseconds()
    assert any("INIT RTDONE(status: success)" in line for line in function.lines), json.dumps(answer.payload)
    check_answer(answer.payload)
    return Start(init, answer.milliseconds)


def measure_processor(subject: Subject, surroundings: dict[str, str]) -> Start:
    """Start a function cold in a process without the emulator, and check its answer."""
    folders = [subject.code.task, *(layer / "python" for layer in subject.code.layers)]
    child = subprocess.run(
        [str(Path(sys.base_prefix, "bin", "python3.13")), "-c", PROCESS, subject.code.handler.removesuffix(HANDLER)],
        input=json.dumps(subject.event),
        env={
            "AWS_LAMBDA_FUNCTION_NAME": "f",
            "LAMBDA_TASK_ROOT": "/var/task",
            "TZ": ":UTC",
            **INITIALIZATION,
            **subject.variables,
            **surroundings,
            "PYTHONPATH": ":".join(map(str, folders)),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    payload, *milliseconds = json.loads(child.stdout.splitlines()[-1])
    check_answer(payload)
    return Start(*milliseconds)


def check_answer(payload: Any) -> None:
    """Fail if a function did not do what it was asked."""
    assert payload == {"batchItemFailures": []} or payload["statusCode"] < HTTPStatus.MULTIPLE_CHOICES, payload


if __name__ == "__main__":
    sys.exit(main())
