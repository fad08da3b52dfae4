"""The built functions, and a moto server that holds what their events speak of."""

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from aggregate.workshop import make_workshop
from cli.publishing import publish_benchmark
from evaluate.notices import read_result_keys
from ledger.settings import AggregateSettings
from ledger.submission_store import SubmissionStore
from ledger.submissions import Player, PlayerKind, Submission
from local.artifacts import Build, read_build, this_architecture
from local.cloud import Cloud, start_cloud
from local.stack import PARAMETERS, ROOT
from scoring_core.benchmark import load_folder

RESULT = b'{"question": "1", "text": "TR-V017-4945,5001"}'


@pytest.fixture(scope="session")
def build() -> Build:
    """Functions and layers, built anew for this machine."""
    command = [sys.executable, "scripts/build_lambda.py", this_architecture()]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return read_build(this_architecture())


@pytest.fixture(scope="session")
def settings(build: Build) -> AggregateSettings:
    """The names of buckets and tables."""
    return AggregateSettings.read(build.functions()["AggregateFunction"]["Environment"]["Variables"])


@pytest.fixture(scope="module")
def cloud(build: Build, settings: AggregateSettings) -> Iterator[Cloud]:
    """AWS with the benchmark and the raw results that the events name."""
    here = start_cloud(build.template, sender=PARAMETERS["SenderAddress"])
    workshop = make_workshop(settings, s3=here.s3, dynamodb=here.dynamodb, clock=lambda: datetime.now(UTC))
    publish_benchmark(load_folder(ROOT / "benchmarks" / "aic-2025"), workshop)
    table = build.template.resources["SubmissionsTable"].name
    store = SubmissionStore(s3=here.s3, dynamodb=here.dynamodb, bucket=settings.results_bucket, table=table)
    for name in ("evaluate", "dead_letter"):
        for message in read_event(name)["Records"]:
            for key in read_result_keys(message["body"]):
                player = Player("guest-ada-1c2d3e4f", "Ada", PlayerKind.HUMAN, verified=False)
                submission = Submission(id=key.submission, benchmark=key.benchmark, player=player)
                store.put_result(submission, RESULT, content_type="application/json")
    yield here
    here.stop()


def read_event(service: str) -> Any:
    """Give the event of a function, by the name of its log group."""
    return json.loads((ROOT / "events" / f"{service}.json").read_text(encoding="utf-8"))
