"""A deployed stack, which `make rehearse` has created on this machine's AWS and whose name it passes on."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from boto3.session import Session

from aggregate.aggregator import Aggregator
from aggregate.dependencies import make_aggregator
from storage.gateway.aws import AwsObjects, AwsTables
from storage.settings import RescoreSettings

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

type Laurel = Callable[..., str]


@dataclass(frozen=True)
class Clients:
    """The administrator's clients."""

    s3: "S3Client"
    dynamodb: Any
    sqs: Any


@dataclass(frozen=True)
class DeployedStack:
    """What the tests of the local stack ask a stack for, of one that is deployed."""

    name: str
    url: str
    outputs: dict[str, str]
    resources: dict[str, str]
    settings: RescoreSettings
    cloud: Clients


DRAIN_SECONDS = 5


@pytest.fixture(scope="session")
def session() -> Session:
    """The administrator's session."""
    return Session()


@pytest.fixture(scope="session")
def stack(session: Session) -> DeployedStack:
    """The deployed stack."""
    name = os.environ.get("LAUREL_REHEARSAL")
    assert name, "these tests need a deployed stack: run them with `make rehearse`"
    cloudformation = session.client("cloudformation")
    (found,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
    outputs = {one["OutputKey"]: one["OutputValue"] for one in found["Outputs"]}
    listed = cloudformation.describe_stack_resources(StackName=name)["StackResources"]
    resources = {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in listed}
    return DeployedStack(
        name=name,
        url=outputs["SiteUrl"],
        outputs=outputs,
        resources=resources,
        settings=_read_settings(session, resources["RescoreFunction"]),
        cloud=Clients(session.client("s3"), session.client("dynamodb"), session.client("sqs")),
    )


def _read_settings(session: Session, function: str) -> RescoreSettings:
    """Read the names of buckets and tables from the environment of a function."""
    configuration = session.client("lambda").get_function_configuration(FunctionName=function)
    return RescoreSettings.read(configuration["Environment"]["Variables"])


@pytest.fixture(scope="session", autouse=True)
def _dead_letters_are_read(session: Session, stack: DeployedStack) -> Iterator[None]:
    """Start every few seconds what a schedule starts every ten minutes: tests do not wait so long."""
    client, stopped = session.client("lambda"), Event()

    def start() -> None:
        while not stopped.wait(DRAIN_SECONDS):
            client.invoke(FunctionName=stack.resources["DeadLetterFunction"], Payload=b"{}")

    thread = Thread(target=start)
    thread.start()
    yield
    stopped.set()
    thread.join()


@pytest.fixture(scope="session")
def aggregator(stack: DeployedStack) -> Aggregator:
    """What publishes benchmarks into the stack."""
    return make_aggregator(
        stack.settings,
        s3=AwsObjects(stack.cloud.s3),
        dynamodb=AwsTables(stack.cloud.dynamodb),
        clock=lambda: datetime.now(UTC),
    )


@pytest.fixture
def client(stack: DeployedStack) -> Iterator[httpx.Client]:
    """A client of the site."""
    with httpx.Client(base_url=stack.url, timeout=60) as one:
        yield one


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return Path(__file__).resolve().parents[2]


@pytest.fixture
def laurel(stack: DeployedStack) -> Laurel:
    """The command line, as it is typed beside nothing but the deployed stack; gives what it printed.

    Without another token it has the administrator's, which the deployment has written into a file.
    """
    (file,) = Path(os.environ["LAUREL_REHEARSAL_HOME"]).glob("laurel/*.token")
    admin = file.read_text().strip()

    def run(*arguments: str | Path, token: str | None = None) -> str:
        variables = {"LAUREL_API": stack.url, "LAUREL_TOKEN": token or admin}
        done = subprocess.run(
            [sys.executable, "-m", "cli", *map(str, arguments)],
            env=os.environ | variables,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.stdout, done.stderr
        return done.stdout

    return run
