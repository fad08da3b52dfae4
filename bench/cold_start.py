"""Starts the built functions cold, beside a plain stack of the usual parts: how long does each take to initialise?

`make build && uv run python bench/cold_start.py [--runs N] [FUNCTION…]`. The plain stack is what a first draft imports
and makes: a boto3 client for each service, a validating resolver with one route, Logger and Tracer, on the same layers'
packages with botocore whole. Both run under Lambda's runtime interface emulator, in turn; the medians are compared.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from local.artifacts import read_build, this_architecture
from local.emulator import Code, code_of, emulate, variables_of
from local.stack import ROOT

FUNCTIONS: Final = ("SubmitFunction", "EvaluateFunction")
TARGET: Final = 0.5
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
    return item


@tracer.capture_lambda_handler
@logger.inject_lambda_context
def lambda_handler(event, context):
    return app.resolve(event, context)
"""
SURROUNDINGS: Final = {
    "AWS_ACCESS_KEY_ID": "nobody",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_REGION": "us-east-1",
    "AWS_SECRET_ACCESS_KEY": "nobody",
}


def main() -> int:
    """Measure, print, and give 1 where a function takes more than half of what the plain stack takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("functions", nargs="*", default=FUNCTIONS, metavar="FUNCTION")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    build = read_build(this_architecture())
    with tempfile.TemporaryDirectory(dir=build.folder.parent) as folder:
        codes = {"plain stack": (make_plain_stack(Path(folder)), {"POWERTOOLS_SERVICE_NAME": "plain"})}
        for name in arguments.functions:
            codes[name] = code_of(build, name), variables_of(build, name)
        times: dict[str, list[float]] = {name: [] for name in codes}
        for _ in range(arguments.runs + 1):
            for name, (code, variables) in codes.items():
                times[name].append(measure_init(code, {**SURROUNDINGS, **variables}))
    # The first of each fills the machine's caches.
    medians = {name: statistics.median(found[1:]) for name, found in times.items()}
    ratios = {name: medians[name] / medians["plain stack"] for name in codes}
    for name, median in medians.items():
        sys.stdout.write(f"{name:20} {median:7.0f} ms  {ratios[name]:.2f} of the plain stack\n")
    return int(any(ratios[name] > TARGET for name in arguments.functions))


def make_plain_stack(folder: Path) -> Code:
    """Install the plain stack from the lock, with the Tracer's SDK, compiled as our layers are."""
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
    return Code(task, [site.parent], "plain.lambda_handler")


def measure_init(code: Code, variables: dict[str, str]) -> float:
    """Start a function cold and give the milliseconds of its initialisation; it must succeed."""
    with emulate(code, {"AWS_LAMBDA_FUNCTION_TIMEOUT": "30", **variables}) as function:
        answer = function.invoke({})
        (milliseconds,) = function.init_milliseconds()
    assert any("INIT RTDONE(status: success)" in line for line in function.lines), json.dumps(answer.payload)
    return milliseconds


if __name__ == "__main__":
    sys.exit(main())
