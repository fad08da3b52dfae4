"""Deletes a stage: its stack, and the buckets and tables that CloudFormation leaves. What it stored is lost."""  # noqa: INP001 — scripts are no package

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from boto3.session import Session
from botocore.exceptions import BotoCoreError, ClientError, WaiterError

from scripts.deployment.budget import keep_budget
from scripts.deployment.checks import BUCKETS
from scripts.deployment.deploy import CONFIGURATIONS
from scripts.deployment.stacks import delete_stack, read_stack
from scripts.tools import ROOT
from scripts.translation import translate


def main() -> int:
    """Delete the stage that the command line names.

    Return 1 if it was not confirmed, or if a step failed; else 0. The same command continues from there.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stage", choices=CONFIGURATIONS)
    parser.add_argument("--confirm", metavar="STACK", help="the name of the stack, instead of typing it when asked")
    arguments = parser.parse_args()
    if region := os.environ.get("AWS_REGION"):
        os.environ["AWS_DEFAULT_REGION"] = region
    stack = f"laurel-{arguments.stage}"
    hint = "nothing was deleted"
    try:
        session = Session()
        account = session.client("sts").get_caller_identity()["Account"]
        buckets = find_buckets(session.client("s3"), stack, f"{account}-{session.region_name}")
        tables = list(find_tables(session.client("dynamodb"), stack))
        state = read_stack(session.client("cloudformation"), stack)
        if not (buckets or tables or state):
            _print(f"nothing of {stack} is left in account {account}, {session.region_name}")
            return 0
        _print(f"in account {account}, {session.region_name}, this deletes with everything that is stored in them:")
        for name in (*([f"the stack {stack}"] if state else []), *buckets, *tables):
            _print(f"  {name}")
        typed = arguments.confirm or _ask(
            f"only the backups that DynamoDB keeps for 35 days stay. Type {stack} to delete it: "
        )
        if typed.strip() != stack:
            _print(hint)
            return 1
        hint = "the same command continues from here"
        delete_stage(session, stack, buckets=buckets, tables=tables, deployed=state is not None)
    except (BotoCoreError, ClientError, WaiterError) as error:
        sys.stderr.write(f"undeploy: {error}\nundeploy: {hint}\n")
        return 1
    with suppress(BotoCoreError, ClientError):  # an account without a budget may not even ask
        budgets = session.client("budgets", region_name="us-east-1")
        keep_budget(budgets, account, stack, dollars=0, address="")
    _print("deleted. What other stacks of the account may use stays: SAM's bucket for code, and SES identities")
    return 0


def delete_stage(session: Session, stack: str, *, buckets: list[str], tables: list[str], deployed: bool) -> None:
    """Delete the stack first, so that nothing writes any more; then what it leaves."""
    if deployed:
        _print(f"deleting {stack}: up to half an hour, because Lambda returns the sandbox's network late")
        delete_stack(session.client("cloudformation"), stack)
    for bucket in buckets:
        _print(f"deleting {bucket}")
        delete_bucket(session.client("s3"), bucket)
    for table in tables:
        _print(f"deleting {table}")
        delete_table(session.client("dynamodb"), table)


def find_buckets(s3: Any, stack: str, suffix: str) -> list[str]:
    """Return the names of the stack's buckets that exist."""
    names = {f"{stack}-{part}-{suffix}" for part in BUCKETS.values()}
    return sorted(names & {bucket["Name"] for bucket in s3.list_buckets()["Buckets"]})


def find_tables(dynamodb: Any, stack: str) -> Iterator[str]:
    """Yield the stack's tables; CloudFormation names them STACK-LOGICALID-RANDOM."""
    tables = translate(ROOT / "template.yaml", {}).resources_of("AWS::DynamoDB::Table")
    prefixes = tuple(f"{stack}-{logical_id}-" for logical_id in tables)
    for page in dynamodb.get_paginator("list_tables").paginate():
        yield from (name for name in page["TableNames"] if name.startswith(prefixes))


def delete_bucket(s3: Any, bucket: str) -> None:
    """Delete every version of every object, then the bucket."""
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
        versions = [*page.get("Versions", ()), *page.get("DeleteMarkers", ())]
        keys = [{"Key": version["Key"], "VersionId": version["VersionId"]} for version in versions]
        if keys:
            s3.delete_objects(Bucket=bucket, Delete={"Objects": keys, "Quiet": True})
    s3.delete_bucket(Bucket=bucket)


def delete_table(dynamodb: Any, table: str) -> None:
    """Delete a table, even one that is protected."""
    if dynamodb.describe_table(TableName=table)["Table"].get("DeletionProtectionEnabled"):
        dynamodb.update_table(TableName=table, DeletionProtectionEnabled=False)
    dynamodb.delete_table(TableName=table)


def _ask(question: str) -> str:
    """Return what is typed, nothing without a terminal."""
    return input(f"undeploy: {question}") if sys.stdin.isatty() else ""


def _print(text: str) -> None:
    sys.stdout.write(f"undeploy: {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
