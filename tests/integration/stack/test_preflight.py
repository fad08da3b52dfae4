"""What a deployment checks before it changes anything, on answers that AWS documents."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml
from boto3.session import Session
from botocore.exceptions import ClientError, EndpointConnectionError
from botocore.loaders import Loader
from botocore.session import get_session
from botocore.stub import Stubber

from scripts.deployment import preflight
from scripts.deployment.concurrency import plan_concurrency
from scripts.deployment.deploy import explain_failure
from scripts.deployment.preflight import run_preflight
from scripts.deployment.stacks import StackState, find_failure, find_newest_event
from scripts.tools import ROOT

REGION = "eu-central-1"
ACCOUNT = "123456789012"
ARN = f"arn:aws:iam::{ACCOUNT}:user/ada"
STACK = "laurel-prod"
STACK_ID = f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/{STACK}/1"
DENIED = "AccessDenied"
ABSENT = "does not exist"
NEW = {"ConcurrentExecutions": 10, "UnreservedConcurrentExecutions": 10}
LARGE = {"ConcurrentExecutions": 1000, "UnreservedConcurrentExecutions": 1000}
LOADER = Loader()
"""What a service takes is read once for all tests."""
VERIFICATION = "Your account must be verified before you can add new CloudFront resources."


class StubbedSession:
    """A session whose clients give one prepared answer to each call, in the order of the calls."""

    def __init__(self, region: str | None = REGION, **answers: Iterable[tuple[str, Mapping[str, Any] | str]]) -> None:
        self.region_name = region
        core = get_session()
        core.register_component("data_loader", LOADER)
        self._session = Session("key", "secret", region_name=region, botocore_session=core)
        self._clients = {}
        for service, prepared in answers.items():
            client: Any = self._session.client(service, region_name=REGION)  # type: ignore[call-overload]
            stubber = Stubber(client)
            for method, answer in prepared:
                if isinstance(answer, str):
                    status = 404 if answer in {"404", "NotFoundException"} else 400
                    code = "ValidationError" if answer == ABSENT else answer
                    stubber.add_client_error(method, code, answer, status)
                else:
                    stubber.add_response(method, dict(answer))
            stubber.activate()
            self._clients[service] = client

    def client(self, service: str, **_: Any) -> Any:
        """Return the stubbed client; without answers every call fails."""
        return self._clients.get(service) or self._make_denied(service)

    def _make_denied(self, service: str) -> Any:
        client: Any = self._session.client(service, region_name=REGION)  # type: ignore[call-overload]
        client.meta.events.register("before-call", _deny)
        return client


def _deny(model: Any, **_: Any) -> None:
    raise ClientError({"Error": {"Code": DENIED, "Message": "you may not"}}, model.name)


def _hang_up(**_: Any) -> None:
    raise EndpointConnectionError(endpoint_url="https://sts.eu-centrl-1")


def test_missing_region_and_credentials_are_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who has set up nothing reads both problems, and what to type."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_DEFAULT_REGION", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/dev/null")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")

    report = run_preflight(Session(), STACK, {})

    assert [finding.text for finding in report.problems] == [
        "no region is named",
        "no usable AWS credentials: Unable to locate credentials",
    ]
    assert all(finding.advice for finding in report.problems)


def test_region_that_does_not_exist_is_no_fault_of_the_credentials() -> None:
    """A misspelt region has no endpoint, and so no answer; the advice names both."""
    session = StubbedSession("eu-centrl-1", sts=[])
    session.client("sts").meta.events.register_first("provide-client-params.*.*", _hang_up)

    report = run_preflight(session, STACK, {})  # type: ignore[arg-type]

    (problem,) = report.problems
    assert problem.text == 'AWS is out of reach: Could not connect to the endpoint URL: "https://sts.eu-centrl-1"'
    assert "is the region spelled right" in problem.advice


def test_new_account_gets_what_it_bears() -> None:
    """Ten executions: it reserves nothing and has no problem; with an administrator to mail it has a budget."""
    report = run_preflight(_new_account(NEW), STACK, {})  # type: ignore[arg-type]
    mailed = run_preflight(_new_account(NEW), STACK, {"AdminAddress": "admin@example.org"})  # type: ignore[arg-type]

    assert (report.problems, mailed.problems) == ([], [])
    assert mailed.chosen["MonthlyBudget"] == "20"
    secret = report.chosen.pop("OriginSecret")
    assert report.chosen == {**plan_concurrency(10), "SandboxZone": "eu-central-1b"}
    assert len(secret) >= 32
    assert secret.isalnum()


def test_named_parameters_are_checked() -> None:
    """A reservation that Lambda would refuse stops the deployment of a new account, and an unknown zone as well."""
    named = {"SandboxConcurrency": "20", "ScriptConcurrency": "20", "SandboxZone": "eu-central-1z"}

    report = run_preflight(_new_account(NEW), STACK, named)  # type: ignore[arg-type]

    texts = [finding.text for finding in report.problems]
    assert texts[0].startswith("SandboxConcurrency=20 cannot be reserved: of 10 executions 100 must stay free")
    assert texts[1].startswith("scoring may run 44 functions at once, the account 10")
    assert texts[2] == "SandboxZone=eu-central-1z is no zone of eu-central-1"


@pytest.mark.parametrize("new", [{}, {"ScriptConcurrency": "20"}])
def test_deployed_stack_keeps_its_values(new: dict[str, str]) -> None:
    """A later deployment passes what is typed and what the stack lacks, and no more."""
    deployed = {
        **plan_concurrency(10),
        "AdminAddress": "admin@example.org",
        "OriginSecret": "****",
        "MonthlyBudget": "0",
    }
    deployed = {name: value for name, value in deployed.items() if name not in new}

    report = run_preflight(_deployed_account(LARGE, deployed), STACK, {})  # type: ignore[arg-type]

    assert report.problems == []
    assert report.chosen == new


def test_own_reservation_counts_as_free() -> None:
    """The executions that the stack itself has reserved do not make the account look smaller."""
    deployed = {**plan_concurrency(120), "AdminAddress": "admin@example.org", "OriginSecret": "****"}
    limits = {"ConcurrentExecutions": 120, "UnreservedConcurrentExecutions": 100}

    report = run_preflight(_deployed_account(limits, deployed), STACK, {})  # type: ignore[arg-type]

    assert report.problems == []
    assert "concurrency: the account may run 120 functions at once" in str(report.facts)


def test_what_may_not_be_checked_is_said() -> None:
    """Without the rights of the checks a deployment goes on, and the report says what was not checked."""
    session = StubbedSession(sts=[("get_caller_identity", {"Account": ACCOUNT, "Arn": ARN})])

    report = run_preflight(session, STACK, {})  # type: ignore[arg-type]

    assert report.problems == []
    assert [note.partition(":")[0] for note in report.notes] == ["the stack", "concurrency", "bucket names", "zones"]
    assert report.chosen == {}


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("first\n  second\n", "first second"),
        ("x" * 5000, "xxx…"),
    ],
)
def test_error_of_aws_is_shown_as_one_line(message: str, shown: str) -> None:
    """A text of several lines, or a long one, is cut to what a note can be."""
    client: Any = Session("key", "secret", region_name=REGION).client("cloudformation")
    stubber = Stubber(client)
    stubber.add_client_error("describe_stacks", "404", message, 404)
    stubber.activate()
    session = StubbedSession(sts=[("get_caller_identity", {"Account": ACCOUNT, "Arn": ARN})])
    session._clients["cloudformation"] = client  # the call that this test is about

    report = run_preflight(session, STACK, {})  # type: ignore[arg-type]

    (text,) = [note for note in report.notes if note.startswith("the stack: not checked")]
    assert shown.rstrip("…") in text
    assert len(text) < 400
    assert "\n" not in text


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        ("CREATE_COMPLETE", None),
        ("UPDATE_COMPLETE", None),
        ("UPDATE_ROLLBACK_COMPLETE", None),
        ("REVIEW_IN_PROGRESS", None),
        ("ROLLBACK_COMPLETE", "delete-stack"),
        ("CREATE_FAILED", "delete-stack"),
        ("CREATE_IN_PROGRESS", "wait"),
        ("DELETE_IN_PROGRESS", "wait"),
        ("DELETE_FAILED", "delete-stack"),
        ("UPDATE_ROLLBACK_FAILED", "continue-update-rollback"),
        ("UPDATE_FAILED", "rollback-stack"),
    ],
)
def test_every_state_that_stops_has_an_advice(status: str, advice: str | None) -> None:
    """What cannot be deployed over is named with its state, and with what to do."""
    client = StubbedSession(cloudformation=[("describe_stack_events", {"StackEvents": _fail_at_cloudfront()})])

    findings = list(preflight.check_stack(client.client("cloudformation"), StackState(STACK, status, {}, {})))

    assert len(findings) == (advice is not None)
    assert all(status in finding.text and str(advice) in finding.advice for finding in findings)


def test_stack_whose_creation_failed_is_deleted() -> None:
    """The failure is named with its resource, and the next deployment can create the stack."""
    client = StubbedSession(
        cloudformation=[
            ("describe_stacks", _describe("ROLLBACK_COMPLETE", {})),
            ("describe_stack_events", {"StackEvents": _fail_at_cloudfront()}),
            ("describe_stacks", _describe("ROLLBACK_COMPLETE", {})),
            ("delete_stack", {}),
            ("describe_stacks", _describe("DELETE_COMPLETE", {})),
        ]
    )

    explained = explain_failure(client.client("cloudformation"), STACK, None)

    assert explained.splitlines() == [
        f"laurel-prod failed at SiteDistribution (AWS::CloudFront::Distribution): {VERIFICATION}",
        "What it had created is deleted. Remove the cause, then type the same command again.",
    ]


@pytest.mark.parametrize(
    ("status", "events", "words"),
    [
        ("UPDATE_ROLLBACK_COMPLETE", 8, "CloudFormation undid it: the stack is as it was before."),
        ("CREATE_COMPLETE", 0, "`sam deploy` failed, see above"),
    ],
)
def test_failed_update_deletes_nothing(status: str, events: int, words: str) -> None:
    """A stack that worked before works again, and the report says so; one that SAM never touched is as it was."""
    client = StubbedSession(
        cloudformation=[
            ("describe_stacks", _describe(status, {})),
            ("describe_stack_events", {"StackEvents": _fail_at_cloudfront()[:events]}),
        ]
    )

    explained = explain_failure(client.client("cloudformation"), STACK, None)

    assert explained.endswith(words)


def test_failures_of_earlier_deployments_are_ignored() -> None:
    """A deployment that SAM could not even begin is not blamed on the last one."""
    events = _fail_at_cloudfront()
    answers = [("describe_stack_events", {"StackEvents": events})] * 2
    cloudformation = StubbedSession(cloudformation=answers).client("cloudformation")

    newest = find_newest_event(cloudformation, STACK)

    assert newest == events[0]["EventId"]
    assert find_failure(cloudformation, STACK, after=newest) is None


@pytest.mark.parametrize(
    ("executions", "changed", "expected"),
    [
        (1000, {}, []),
        (119, {"SandboxConcurrency": "20", "ScriptConcurrency": "20"}, ["cannot be reserved"]),
        (10, {"ScriptConcurrency": "4"}, ["nothing is left"]),
    ],
)
def test_concurrency_that_an_account_cannot_bear(executions: int, changed: dict[str, str], expected: list[str]) -> None:
    """Each relation between the parameters has its own finding."""
    findings = list(preflight.check_concurrency(executions, {**plan_concurrency(executions), **changed}))

    assert len(findings) == len(expected)
    assert all(part in finding.text for part, finding in zip(expected, findings, strict=True))


def test_no_account_starves_itself() -> None:
    """What is chosen passes every check; above SQS's minimum, scoring leaves half of the account."""
    for executions in (*range(10, 130), 250, 1000, 10_000):
        plan = plan_concurrency(executions)
        quick, share, script = (int(plan[f"{name}Concurrency"]) for name in ("Evaluate", "Share", "Script"))

        assert list(preflight.check_concurrency(executions, plan)) == []
        assert quick + share + 2 * script <= (executions // 2 if executions >= 24 else executions - 2), executions
        assert quick + share <= max(4, executions // 3), executions


@pytest.mark.parametrize(
    ("region", "expected"),
    [
        ("eu-central-1", []),
        ("ap-southeast-6", ["Lambda has no tenant isolation in ap-southeast-6, which the sandbox needs"]),
        *(
            (region, [f"CloudFormation has no AWS::SES::ConfigurationSet in {region}, by which mail leaves"])
            for region in preflight.WITHOUT_MAIL
        ),
        ("us-gov-west-1", ["Lambda has no tenant isolation in us-gov-west-1, which the sandbox needs"]),
    ],
)
def test_region_must_isolate_tenants_and_have_mail(region: str, expected: list[str]) -> None:
    """A region without tenant isolation could not create the sandbox."""
    assert [finding.text for finding in preflight.check_region(region)] == expected


def test_a_bucket_of_nobody_stops_the_deployment() -> None:
    """CloudFormation could not create a bucket that a deleted stack has left."""
    session = StubbedSession(
        s3=[("head_bucket", {}), ("head_bucket", "404")], cloudformation=[("describe_stack_resource", ABSENT)]
    )

    findings = list(
        preflight.check_buckets(session.client("s3"), session.client("cloudformation"), STACK, ACCOUNT, REGION)
    )

    assert len(findings) == 1
    assert f"laurel-prod-results-{ACCOUNT}-eu-central-1 exists" in findings[0].text
    assert "Undo a deployment in docs/operations.md" in findings[0].advice


def test_linted_regions_are_those_that_are_not_refused() -> None:
    """cfn-lint knows which resources a region has: a region that lacks one must be refused here."""
    linted = yaml.safe_load((ROOT / ".cfnlintrc").read_text(encoding="utf-8"))["regions"]

    available = Session().get_available_regions("lambda")
    assert linted == [region for region in available if not list(preflight.check_region(region))]
    assert {region for region in available if list(preflight.check_region(region))} == {
        *preflight.WITHOUT_MAIL,
        *(region for region in available if region.startswith(preflight.WITHOUT_TENANTS)),
    }


def test_zones_that_lambda_serves_come_first() -> None:
    """A zone in which Lambda has no endpoints, and one of the oldest, are taken last; local zones never."""
    zones = [
        {"ZoneName": "us-east-1a", "ZoneId": "use1-az3", "ZoneType": "availability-zone"},
        {"ZoneName": "us-east-1b", "ZoneId": "use1-az9", "ZoneType": "availability-zone"},
        {"ZoneName": "us-east-1-atl-1a", "ZoneId": "use1-atl1-az1", "ZoneType": "local-zone"},
        {"ZoneName": "us-east-1c", "ZoneId": "use1-az1", "ZoneType": "availability-zone"},
    ]
    served = ["us-east-1a", "us-east-1c"]
    ec2 = StubbedSession(
        ec2=[
            ("describe_availability_zones", {"AvailabilityZones": zones}),
            ("describe_vpc_endpoint_services", {"ServiceDetails": [{"AvailabilityZones": served}]}),
        ]
    ).client("ec2")

    assert preflight.list_zones(ec2, "us-east-1") == ["us-east-1c", "us-east-1a", "us-east-1b"]


def _new_account(limits: Mapping[str, int]) -> StubbedSession:
    zones = [
        {"ZoneName": f"eu-central-1{letter}", "ZoneId": f"euc1-az{letter}", "ZoneType": "availability-zone"}
        for letter in "abc"
    ]
    services = {"ServiceDetails": [{"AvailabilityZones": ["eu-central-1b", "eu-central-1c"]}]}
    return StubbedSession(
        sts=[("get_caller_identity", {"Account": ACCOUNT, "Arn": ARN})],
        cloudformation=[("describe_stacks", ABSENT)],
        **{"lambda": [("get_account_settings", {"AccountLimit": limits})]},
        s3=[("head_bucket", "404"), ("head_bucket", "404")],
        ec2=[
            ("describe_availability_zones", {"AvailabilityZones": zones}),
            ("describe_vpc_endpoint_services", services),
        ],
    )


def _deployed_account(limits: Mapping[str, int], deployed: Mapping[str, str]) -> StubbedSession:
    return StubbedSession(
        sts=[("get_caller_identity", {"Account": ACCOUNT, "Arn": ARN})],
        cloudformation=[
            ("describe_stacks", _describe("UPDATE_COMPLETE", deployed)),
            ("describe_stack_resource", _own("ResultsBucket", "results")),
            ("describe_stack_resource", _own("SiteBucket", "site")),
        ],
        **{"lambda": [("get_account_settings", {"AccountLimit": limits})]},
        s3=[("head_bucket", {}), ("head_bucket", {})],
    )


def _describe(status: str, parameters: Mapping[str, str]) -> dict[str, Any]:
    listed = [{"ParameterKey": name, "ParameterValue": value} for name, value in parameters.items()]
    times = datetime(2026, 1, 1, tzinfo=UTC)
    stack = {"StackName": STACK, "StackId": STACK_ID, "CreationTime": times, "StackStatus": status}
    return {"Stacks": [{**stack, "Parameters": listed}]}


def _own(logical_id: str, part: str) -> dict[str, Any]:
    detail = {
        "LogicalResourceId": logical_id,
        "PhysicalResourceId": f"{STACK}-{part}-{ACCOUNT}-{REGION}",
        "ResourceType": "AWS::S3::Bucket",
        "LastUpdatedTimestamp": datetime(2026, 1, 1, tzinfo=UTC),
        "ResourceStatus": "CREATE_COMPLETE",
    }
    return {"StackResourceDetail": detail}


def _fail_at_cloudfront() -> list[dict[str, Any]]:
    """Return the events of a creation that failed, newest first."""
    stack = (STACK, "AWS::CloudFormation::Stack", STACK_ID)
    distribution = ("SiteDistribution", "AWS::CloudFront::Distribution", "")
    listed = [
        (*stack, "ROLLBACK_COMPLETE", ""),
        (*distribution, "DELETE_COMPLETE", ""),
        (*stack, "ROLLBACK_IN_PROGRESS", "The following resource(s) failed to create: [SiteDistribution, SiteFaults]."),
        ("SiteFaults", "AWS::CloudWatch::Alarm", "", "CREATE_FAILED", "Resource creation cancelled"),
        (*distribution, "CREATE_FAILED", VERIFICATION),
        (*distribution, "CREATE_IN_PROGRESS", ""),
        (*stack, "CREATE_IN_PROGRESS", "User Initiated"),
        (*stack, "REVIEW_IN_PROGRESS", "User Initiated"),
    ]
    return [
        {
            "StackId": STACK_ID,
            "EventId": f"event-{number}",
            "StackName": STACK,
            "LogicalResourceId": logical_id,
            "ResourceType": kind,
            "PhysicalResourceId": physical_id,
            "ResourceStatus": status,
            "ResourceStatusReason": reason,
            "Timestamp": datetime(2026, 1, 1, tzinfo=UTC),
        }
        for number, (logical_id, kind, physical_id, status, reason) in enumerate(listed)
    ]
