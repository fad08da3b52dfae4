"""Deleting a stage takes all that it stored, and nothing of another one."""

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from boto3.session import Session
from moto import mock_aws

from local.intrinsics import REGION
from scripts.deployment import undeploy

pytestmark = pytest.mark.long

ACCOUNT = "123456789012"
MINE = (f"laurel-dev-results-{ACCOUNT}-{REGION}", f"laurel-dev-site-{ACCOUNT}-{REGION}")
OTHERS = f"laurel-prod-results-{ACCOUNT}-{REGION}"
TABLES = ("laurel-dev-AccessTable-1X", "laurel-dev-SubmissionsTable-2X")
OTHER_TABLES = ["laurel-dev-Notes-1X", "laurel-prod-AccessTable-1X"]


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """An account with two stages, each with objects of several versions and protected tables."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    with mock_aws():
        session = Session()
        s3 = session.client("s3")
        for bucket in (*MINE, OTHERS):
            s3.create_bucket(Bucket=bucket)
            s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
            for body in (b"one", b"two"):
                s3.put_object(Bucket=bucket, Key="results/a", Body=body)
            s3.delete_object(Bucket=bucket, Key="results/a")
        dynamodb = session.client("dynamodb")
        for table in (*TABLES, *OTHER_TABLES):
            dynamodb.create_table(
                TableName=table,
                BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": "key", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "key", "KeyType": "HASH"}],
                DeletionProtectionEnabled=table in TABLES,
            )
        template = json.dumps({"Resources": {"Any": {"Type": "AWS::SQS::Queue"}}})
        session.client("cloudformation").create_stack(StackName="laurel-dev", TemplateBody=template)
        yield session


def test_stage_is_deleted_with_all_it_stored(
    session: Session, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every version goes, protected tables as well; the other stage stays, and a second time nothing is left."""
    assert _run(monkeypatch, "dev", "--confirm", "laurel-dev") == 0

    assert _list_buckets(session) == [OTHERS]
    assert session.client("dynamodb").list_tables()["TableNames"] == OTHER_TABLES
    assert session.client("cloudformation").describe_stacks()["Stacks"] == []
    capsys.readouterr()
    assert _run(monkeypatch, "dev") == 0
    assert "nothing of laurel-dev is left" in capsys.readouterr().out


def test_only_the_name_of_the_stack_confirms(
    session: Session, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another stage's name deletes nothing, and all that would be deleted is listed before."""
    assert _run(monkeypatch, "dev", "--confirm", "laurel-prod") == 1

    assert _list_buckets(session) == sorted([*MINE, OTHERS])
    printed = capsys.readouterr().out
    assert all(name in printed for name in (*MINE, *TABLES))
    assert not any(name in printed for name in (OTHERS, *OTHER_TABLES))


def test_deletion_that_was_interrupted_goes_on(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the stack, what it has left is still deleted."""
    session.client("cloudformation").delete_stack(StackName="laurel-dev")

    assert _run(monkeypatch, "dev", "--confirm", "laurel-dev") == 0

    assert _list_buckets(session) == [OTHERS]


def _run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["undeploy", *arguments])
    return undeploy.main()


def _list_buckets(session: Session) -> list[Any]:
    return sorted(bucket["Name"] for bucket in session.client("s3").list_buckets()["Buckets"])
