"""botocore with the data of a layer makes the same AWS calls as it does as it comes."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import botocore
import pytest

from local.stack import PARAMETERS
from local.template import Template
from scripts.lighten import find_services, lighten
from storage.gateway import aws
from tests.harness.every_call import CALLS
from tests.harness.moto.server import MotoCloud, start_cloud
from tests.harness.stack import ROOT

_BY_NAME = {"get_paginator", "generate_presigned_url", "get_waiter"}


@pytest.fixture(scope="module")
def server(template: Template) -> Iterator[MotoCloud]:
    """AWS in a server, with the template's resources."""
    running = start_cloud(template, sender=PARAMETERS["SenderAddress"])
    yield running
    running.stop()


@pytest.fixture(scope="module")
def light_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Botocore with the data that a layer has."""
    services = find_services([ROOT / "layers" / "storage", ROOT / "functions"])
    whole, light = Path(botocore.__file__).parent, tmp_path_factory.mktemp("layer") / "botocore"

    def ignore(folder: str, names: list[str]) -> list[str]:
        others = [name for name in names if "." not in name and name not in services]
        return others if folder == str(whole / "data") else []

    shutil.copytree(whole, light, ignore=ignore)
    lighten(light.parent, services)
    return light.parent


def make_every_call(server: MotoCloud, site: Path | None) -> Any:
    """Make every call in a process of its own, on the packages of a folder or on those of this environment."""
    bucket, table = f"calls-{site is None}".lower(), f"calls-{site is None}"
    server.s3.create_bucket(Bucket=bucket)
    server.dynamodb.create_table(
        TableName=table,
        KeySchema=[{"AttributeName": "key", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "key", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    queue = server.sqs.create_queue(QueueName=table)["QueueUrl"]
    path = [str(place) for place in (site, ROOT) if place is not None]
    completed = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.harness.every_call"],
        env={
            **server.environment,
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(path),
            "BUCKET": bucket,
            "TABLE": table,
            "QUEUE": queue,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    printed = completed.stdout.replace(queue, "QUEUE").replace(bucket, "BUCKET").replace(table, "TABLE")
    return json.loads(re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID", printed))


@pytest.mark.long
def test_every_call_is_the_same(server: MotoCloud, light_site: Path) -> None:
    """Requests, answers, errors, pages, signatures and the endpoints of every region, service by service."""
    whole, light = make_every_call(server, None), make_every_call(server, light_site)

    assert light.pop("botocore") == str(light_site / "botocore" / "__init__.py") != whole.pop("botocore")
    assert len(whole["endpoints"]) > 150
    for name, call in whole.pop("calls").items():
        assert light["calls"][name] == call, name
        assert call["sent"], name
    del light["calls"]
    assert light == whole


def test_every_call_of_the_code_is_among_them() -> None:
    """A new call of Laurel's code must be made here, too, before it is made in the cloud."""
    called = set()
    for node in ast.walk(ast.parse(Path(aws.__file__).read_text())):
        match node:
            case ast.Call(func=ast.Attribute(attr=by), args=[ast.Constant(value=str(name)), *_]) if by in _BY_NAME:
                called.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="client"), attr=name)):
                called.add(name)
    methods = {method for calls in CALLS.values() for method in calls}

    assert called - _BY_NAME - {"generate_presigned_post"} <= methods
    assert {"put_object", "query", "send_email", "invoke"} <= called
