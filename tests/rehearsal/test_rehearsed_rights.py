"""What the roles of a deployed stack refuse; each time an administrator shows that nothing but the role refused it."""

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import httpx
import pytest
from boto3.session import Session
from botocore.exceptions import ClientError

from tests.rehearsal.conftest import DeployedStack, Laurel

pytestmark = pytest.mark.rehearsal

REFUSALS = {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"}
ELSEWHERE = "benchmarks/rehearsal/current.json"

type ActAs = Callable[[str], Session]


class Call(NamedTuple):
    """Something to ask AWS for."""

    service: str
    operation: str
    arguments: Mapping[str, Any] = MappingProxyType({})

    def __str__(self) -> str:
        """Name it as policies do."""
        return f"{self.service}:{self.operation}"

    def refusal(self, session: Any) -> str | None:
        """Ask; give the code of the refusal, None where there was none."""
        try:
            getattr(session.client(self.service), self.operation)(**self.arguments)
        except ClientError as error:
            return str(error.response["Error"]["Code"])
        return None


@pytest.fixture(scope="session")
def act_as(stack: DeployedStack, session: Session) -> ActAs:
    """Gives a session with a function's role, and under the function's name; the role is made to trust us as well."""

    def assume(function: str) -> Session:
        role = stack.resources[function.replace("Function", "Role")]
        arn = session.client("iam").get_role(RoleName=role)["Role"]["Arn"]
        account = session.client("sts").get_caller_identity()["Account"]
        principals = {"Service": "lambda.amazonaws.com", "AWS": f"arn:aws:iam::{account}:root"}
        statement = {"Effect": "Allow", "Principal": principals, "Action": "sts:AssumeRole"}
        trust = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        session.client("iam").update_assume_role_policy(RoleName=role, PolicyDocument=trust)
        taken = session.client("sts").assume_role(RoleArn=arn, RoleSessionName=stack.resources[function])
        keys = taken["Credentials"]
        return Session(keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"])

    return assume


@pytest.fixture(scope="session")
def other_bucket(session: Session) -> str:
    """A bucket of the same account that is none of the stack's, with an object in it."""
    s3 = session.client("s3")
    location: Any = {"LocationConstraint": session.region_name}
    s3.create_bucket(Bucket="somebody-elses", CreateBucketConfiguration=location)
    s3.put_object(Bucket="somebody-elses", Key="benchmarks/coin-run/current.json", Body=b"{}")
    return "somebody-elses"


def test_evaluate_reads_no_other_bucket(
    stack: DeployedStack, session: Session, act_as: ActAs, other_bucket: str
) -> None:
    """Evaluate reads the pointer of a benchmark in its bucket, and neither the site's nor anybody else's bucket."""
    evaluate, pointer = act_as("EvaluateFunction"), "benchmarks/coin-run/current.json"
    own = Call("s3", "get_object", {"Bucket": stack.settings.results_bucket, "Key": pointer})
    others = [
        Call("s3", "get_object", {"Bucket": other_bucket, "Key": pointer}),
        Call("s3", "get_object", {"Bucket": stack.settings.site_bucket, "Key": "data/index.json"}),
    ]

    refused = [call.refusal(evaluate) for call in others]

    assert refused == ["AccessDenied"] * 2
    assert own.refusal(evaluate) is None
    assert [call.refusal(session) for call in others] == [None] * 2


def test_a_presigned_post_writes_one_key(
    stack: DeployedStack, session: Session, laurel: Laurel, client: httpx.Client
) -> None:
    """A form that submit signed puts an object where it says, and nothing anywhere else."""
    token = json.loads(laurel("token", "--player", "form", "--json"))["secret"]
    ticket = client.post(
        "/api/benchmarks/aic-2025/uploads",
        json={"bytes": 2, "filename": "runs.json"},
        headers={"Authorization": f"Bearer {token}"},
    ).json()

    moved = send_form(ticket["url"], ticket["fields"] | {"key": f"drops/aic-2025/solver/{ticket['upload']}/runs.json"})
    kept = send_form(ticket["url"], ticket["fields"])

    assert (moved.status_code, "AccessDenied" in moved.text) == (403, True)
    assert kept.is_success, kept.text
    assert sign_and_send(session, stack.settings.results_bucket, ELSEWHERE).is_success


def test_what_submit_signs_holds_for_drops_alone(stack: DeployedStack, session: Session, act_as: ActAs) -> None:
    """A form for the pointer of a benchmark is worth nothing under submit's signature, and something under ours."""
    bucket = stack.settings.results_bucket

    refused = sign_and_send(act_as("SubmitFunction"), bucket, ELSEWHERE)

    assert (refused.status_code, "AccessDenied" in refused.text) == (403, True)
    assert sign_and_send(session, bucket, ELSEWHERE).is_success


def test_raw_results_and_the_trail_only_grow(stack: DeployedStack, act_as: ActAs) -> None:
    """A function adds to one only, where it asks that there be nothing, and where there is nothing."""
    writers, bucket = (
        {"results/": act_as("SubmitFunction"), "audit/": act_as("ApiFunction")},
        stack.settings.results_bucket,
    )
    writes = {prefix: {"Bucket": bucket, "Key": f"{prefix}rehearsed", "Body": b"{}"} for prefix in writers}
    asking = {prefix: Call("s3", "put_object", {**write, "IfNoneMatch": "*"}) for prefix, write in writes.items()}

    over = [Call("s3", "put_object", write).refusal(writers[prefix]) for prefix, write in writes.items()]
    others = [asking["results/"].refusal(writers["audit/"]), asking["audit/"].refusal(writers["results/"])]
    first, again = ([call.refusal(writers[prefix]) for prefix, call in asking.items()] for _ in range(2))

    assert over == others == ["AccessDenied"] * 2
    assert first == [None] * 2
    assert again == ["PreconditionFailed"] * 2


def test_the_sandbox_may_do_nothing(stack: DeployedStack, session: Session, act_as: ActAs) -> None:
    """The sandbox's role can read its own identity and nothing else, not even its network."""
    bucket, table = stack.settings.results_bucket, stack.outputs["AccessTableName"]
    calls = [
        Call("s3", "list_buckets"),
        Call("s3", "get_object", {"Bucket": bucket, "Key": "benchmarks/coin-run/current.json"}),
        Call("s3", "put_object", {"Bucket": bucket, "Key": "results/rehearsal", "Body": b"{}", "IfNoneMatch": "*"}),
        Call("dynamodb", "scan", {"TableName": table}),
        Call("sqs", "send_message", {"QueueUrl": stack.outputs["EvaluateQueueUrl"], "MessageBody": "{}"}),
        Call("lambda", "list_functions"),
        Call("ec2", "describe_subnets"),
    ]
    sandbox = act_as("SandboxFunction")

    refused = {str(call): call.refusal(sandbox) for call in calls}

    assert {name: code for name, code in refused.items() if code not in REFUSALS} == {}
    assert sandbox.client("sts").get_caller_identity()["Arn"].endswith(stack.resources["SandboxFunction"])
    assert {str(call): call.refusal(session) for call in calls} == dict.fromkeys(map(str, calls))


def test_no_table_can_be_deleted(stack: DeployedStack) -> None:
    """The deployment has protected every table of prod, also from an administrator."""
    tables = [value for name, value in stack.outputs.items() if name.endswith("TableName")]

    for table in tables:
        with pytest.raises(ClientError, match="protected against deletion"):
            stack.cloud.dynamodb.delete_table(TableName=table)

    assert len(tables) == 4


def test_no_function_was_refused_anything(stack: DeployedStack, session: Session) -> None:
    """The functions' logs show no action that their roles refused."""
    logs, written = session.client("logs"), {}
    for name, group in stack.resources.items():
        if name.endswith("Logs"):
            pages = logs.get_paginator("filter_log_events").paginate(logGroupName=group)
            written[name] = [event["message"] for page in pages for event in page["events"]]

    refused = [line for lines in written.values() for line in lines if "AccessDenied" in line]

    assert refused == []
    assert any('"result received"' in line for line in written["SubmitLogs"])
    assert any('"evaluated"' in line for line in written["EvaluateLogs"])


def sign_and_send(session: Session, bucket: str, key: str) -> httpx.Response:
    """Sign a form for a key and send it."""
    form = session.client("s3").generate_presigned_post(bucket, key)
    return send_form(form["url"], form["fields"])


def send_form(url: str, fields: dict[str, str]) -> httpx.Response:
    """Send an object of two bytes as a browser does."""
    return httpx.post(url, data=fields, files={"file": b"{}"})
