"""Checks an account before a deployment changes anything in it, and chooses what suits the account."""  # noqa: INP001 — scripts are no package

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from boto3.session import Session
from botocore.exceptions import BotoCoreError, ClientError, EndpointConnectionError

from scoring_core.io.text import shorten
from scripts.deployment.concurrency import NEW_ACCOUNT, UNRESERVED, plan_concurrency
from scripts.deployment.stacks import FAILED_CREATION, NEVER_CREATED, StackState, find_failure, read_stack

POLICY: Final = "scripts/deployment/deployer_policy.json"
ORIGIN: Final = "OriginSecret"
"""The parameter that only a deployment knows."""
MONTHLY_BUDGET: Final = "20"
"""US dollars, some six times what an idle stack with alarms costs (docs/measurements.md)."""
BUCKETS: Final = {"ResultsBucket": "results", "SiteBucket": "site"}
"""Logical id of a bucket → its part of the name, which template.yaml fixes."""
WITHOUT_TENANTS: Final = ("ap-southeast-6", "cn-", "us-gov-")
"""Regions without Lambda's tenant isolation. Source: AWS, Lambda Developer Guide, Tenant isolation."""
WITHOUT_MAIL: Final = ("ap-east-1", "ap-east-2", "ap-southeast-4", "ap-southeast-7", "eu-south-2", "mx-central-1")
"""Regions without `AWS::SES::ConfigurationSet`. Source: AWS's registry of types, of which cfn-lint has a copy."""
OLD_ZONES: Final = frozenset({"use1-az3", "usw1-az2", "cac1-az3"})
"""Zones in which AWS offers few services. Source: AWS, EKS User Guide, Subnet requirements for clusters."""
_MISSING: Final = frozenset({"404", "NoSuchBucket"})
_MAX_LENGTH: Final = 300
_COMMANDS: Final = {"DELETE_FAILED": "delete-stack", "UPDATE_ROLLBACK_FAILED": "continue-update-rollback"}
"""State of a stack → the command of AWS that leads out of it."""
_DENIED: Final = ("AccessDenied", "Unauthorized", "AuthorizationError")


class AccountFinding(NamedTuple):
    """Why a deployment would fail, and what to do about it."""

    text: str
    advice: str


@dataclass
class Report:
    """What the checks found.

    Args:
        facts: What the deployment works on, each a short line.
        notes: What could not be checked, each in a sentence.
        problems: What would make the deployment fail.
        chosen: Parameters that suit the account; a first deployment passes them.
        stack: The stack as it is, or None if it does not exist or could not be read.
        stack_is_read: Whether `stack` is None because it does not exist.
    """

    facts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problems: list[AccountFinding] = field(default_factory=list)
    chosen: dict[str, str] = field(default_factory=dict)
    stack: StackState | None = None
    stack_is_read: bool = False

    def parameter(self, name: str, named: Mapping[str, str]) -> str | None:
        """Return what a parameter of the template will be; None for its default."""
        deployed = self.stack.parameters if self.stack else {}
        return {**deployed, **self.chosen, **named}.get(name)


def run_preflight(session: Session, stack: str, named: Mapping[str, str]) -> Report:
    """Run every check and return all findings. Nothing is changed.

    Args:
        session: Credentials and region, which may be missing.
        stack: The name of the stack.
        named: The parameters that were typed.
    """
    report = Report()
    region = session.region_name
    if region is None:
        report.problems.append(
            AccountFinding(
                "no region is named",
                "choose the one that the stack stays in: `export AWS_REGION=eu-central-1`; `aws configure` stores it",
            )
        )
    else:
        report.problems += check_region(region)
    account = _identify(session, report)
    if region is None or account is None:
        return report
    cloudformation, ec2 = session.client("cloudformation"), session.client("ec2")
    _attempt(report, "the stack", lambda: _describe_stack(report, cloudformation, stack))
    is_new = report.stack is None or report.stack.status in {NEVER_CREATED, *FAILED_CREATION}
    deployed = {} if is_new or report.stack is None else report.stack.parameters
    _attempt(report, "concurrency", lambda: _plan(report, session.client("lambda"), deployed, named))
    _attempt(
        report,
        "bucket names",
        lambda: check_buckets(session.client("s3"), cloudformation, stack, account, region),
    )
    wanted = {**deployed, **named}
    if wanted.get("AdminAddress") and "MonthlyBudget" not in wanted:
        report.chosen["MonthlyBudget"] = MONTHLY_BUDGET
    if is_new:
        _attempt(report, "zones", lambda: _choose_zone(report, ec2, region, named))
    else:
        # What the stack has stays; what a new template adds would get the values of an account of ten.
        report.chosen = {name: value for name, value in report.chosen.items() if name not in deployed}
    if report.stack_is_read and ORIGIN not in deployed.keys() | named.keys():
        report.chosen[ORIGIN] = secrets.token_hex(24)
    return report


def check_region(region: str) -> Iterator[AccountFinding]:
    """Return what is wrong with a region."""
    if region.startswith(WITHOUT_TENANTS):
        yield AccountFinding(
            f"Lambda has no tenant isolation in {region}, which the sandbox needs", "choose another region"
        )
    elif region in WITHOUT_MAIL:
        yield AccountFinding(
            f"CloudFormation has no AWS::SES::ConfigurationSet in {region}, by which mail leaves",
            "choose another region",
        )


def check_stack(cloudformation: Any, stack: StackState | None) -> Iterator[AccountFinding]:
    """Return what of a stack's state keeps it from being deployed."""
    if stack is None or stack.status == NEVER_CREATED:
        return
    name, status = stack.name, stack.status
    if status in FAILED_CREATION:
        failure = find_failure(cloudformation, name)
        reason = f": {failure.resource}: {failure.reason}" if failure else ""
        yield AccountFinding(
            f"{name} is in {status}, because its first deployment failed{reason}",
            f"such a stack can only be deleted; it never worked: aws cloudformation delete-stack --stack-name {name}",
        )
    elif status.endswith("_IN_PROGRESS"):
        advice = f"wait until it has ended: aws cloudformation describe-stacks --stack-name {name}"
        yield AccountFinding(f"{name} is in {status}: something else is changing it", advice)
    elif status.endswith("_FAILED"):
        advice = f"aws cloudformation {_COMMANDS.get(status, 'rollback-stack')} --stack-name {name}"
        yield AccountFinding(f"{name} is in {status}: its events in the console name the cause", advice)


def check_concurrency(executions: int, wanted: Mapping[str, str]) -> Iterator[AccountFinding]:
    """Return what an account cannot bear of the parameters of a deployment.

    Args:
        executions: How many functions the account may run at once, without what others have reserved.
        wanted: All parameters `…Concurrency` of the template, as they would be.
    """
    count = {name: int(value) for name, value in wanted.items() if name.endswith("Concurrency")}
    quick, share, script, sandbox = (count[f"{name}Concurrency"] for name in ("Evaluate", "Share", "Script", "Sandbox"))
    if sandbox and executions - sandbox < UNRESERVED:
        yield AccountFinding(
            f"SandboxConcurrency={sandbox} cannot be reserved: of {executions} executions {UNRESERVED} must stay free",
            'PARAMETERS="SandboxConcurrency=0" reserves none; or ask for more: aws service-quotas '
            "request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000",
        )
    scoring = quick + share + 2 * script
    if scoring >= executions:
        yield AccountFinding(
            f"scoring may run {scoring} functions at once, the account {executions}: nothing is left for requests",
            "lower EvaluateConcurrency, ShareConcurrency and ScriptConcurrency (a script runs two functions)",
        )


def check_buckets(s3: Any, cloudformation: Any, stack: str, account: str, region: str) -> Iterator[AccountFinding]:
    """Return the bucket names that are taken, unless the stack itself has taken them."""
    for logical_id, part in BUCKETS.items():
        name = f"{stack}-{part}-{account}-{region}"
        if _exists(s3, name) and not _owns(cloudformation, stack, logical_id, name):
            yield AccountFinding(
                f"the bucket {name} exists and belongs to no stack: it is what a deleted {stack} left",
                "copy what you need of it, then delete it: Undo a deployment in docs/operations.md",
            )


def list_zones(ec2: Any, region: str) -> list[str]:
    """Return the zones for the sandbox's subnet, likely ones first.

    No call says in which zones Lambda runs functions. A good sign is its endpoint service, which AWS offers by zone.
    """
    zones = ec2.describe_availability_zones(Filters=[{"Name": "state", "Values": ["available"]}])["AvailabilityZones"]
    usual = [zone for zone in zones if zone.get("ZoneType", "availability-zone") == "availability-zone"]
    services = ec2.describe_vpc_endpoint_services(ServiceNames=[f"com.amazonaws.{region}.lambda"])["ServiceDetails"]
    served = {zone for service in services for zone in service["AvailabilityZones"]}
    ordered = sorted(usual, key=lambda zone: (zone["ZoneName"] not in served, zone["ZoneId"] in OLD_ZONES))
    return [zone["ZoneName"] for zone in ordered]


def _identify(session: Session, report: Report) -> str | None:
    """Return the account of the credentials, or None with a finding."""
    try:
        identity = session.client("sts", region_name=session.region_name or "us-east-1").get_caller_identity()
    except EndpointConnectionError as error:
        advice = "is there a network, and is the region spelled right?"
        report.problems.append(AccountFinding(f"AWS is out of reach: {describe_error(error)}", advice))
        return None
    except (BotoCoreError, ClientError) as error:
        advice = (
            "`aws configure` stores a key, `aws sso login` renews a session, AWS_PROFILE=… chooses a profile; "
            "an account must enable some regions first"
        )
        report.problems.append(AccountFinding(f"no usable AWS credentials: {describe_error(error)}", advice))
        return None
    account: str = identity["Account"]
    report.facts.append(f"account {account}, region {session.region_name}, as {identity['Arn']}")
    return account


def _attempt(report: Report, subject: str, check: Callable[[], Iterable[AccountFinding]]) -> None:
    """Add the findings of a check, or a note that it was not possible."""
    try:
        report.problems += check()
    except (BotoCoreError, ClientError) as error:
        denied = isinstance(error, ClientError) and error.response["Error"]["Code"].startswith(_DENIED)
        advice = f"; {POLICY} lists the rights of a deployer" if denied else ""
        report.notes.append(f"{subject}: not checked: {describe_error(error)}{advice}")


def describe_error(error: Exception) -> str:
    """Return an error of AWS as one line."""
    return shorten(" ".join(str(error).split()), _MAX_LENGTH)


def _describe_stack(report: Report, cloudformation: Any, name: str) -> Iterator[AccountFinding]:
    report.stack, report.stack_is_read = read_stack(cloudformation, name), True
    report.facts.append(f"stack {name}: {report.stack.status if report.stack else 'not deployed yet'}")
    yield from check_stack(cloudformation, report.stack)


def _plan(
    report: Report, lambda_: Any, deployed: Mapping[str, str], named: Mapping[str, str]
) -> Iterator[AccountFinding]:
    """Choose the concurrency for the account, and check what is deployed or named."""
    limits = lambda_.get_account_settings()["AccountLimit"]
    executions = limits["UnreservedConcurrentExecutions"] + int(deployed.get("SandboxConcurrency", 0))
    plan = plan_concurrency(executions)
    report.chosen.update(plan)
    before = {**plan_concurrency(NEW_ACCOUNT), **deployed} if deployed else plan
    wanted = {**before, **{name: value for name, value in named.items() if name in plan}}
    report.facts.append(f"concurrency: the account may run {executions} functions at once; {_show(wanted)}")
    yield from check_concurrency(executions, wanted)


def _choose_zone(report: Report, ec2: Any, region: str, named: Mapping[str, str]) -> Iterator[AccountFinding]:
    zones = list_zones(ec2, region)
    zone = named.get("SandboxZone")
    if not zone:
        report.chosen["SandboxZone"] = zones[0]
        report.facts.append(f"zone of the sandbox: {zones[0]}")
    elif zone not in zones:
        yield AccountFinding(f"SandboxZone={zone} is no zone of {region}", f"choose among {', '.join(zones)}")


def _show(wanted: Mapping[str, str]) -> str:
    names = ("Evaluate", "Share", "Script", "Benchmark", "Sandbox", "Drop")
    shown = [*(f"{name}Concurrency" for name in names), "ApiRate", "ReadRate"]
    return ", ".join(f"{name}={wanted[name]}" for name in shown)


def _exists(s3: Any, bucket: str) -> bool:
    try:
        s3.head_bucket(Bucket=bucket)
    except ClientError as error:
        if error.response["Error"]["Code"] in _MISSING:
            return False
        raise
    return True


def _owns(cloudformation: Any, stack: str, logical_id: str, physical_id: str) -> bool:
    try:
        detail = cloudformation.describe_stack_resource(StackName=stack, LogicalResourceId=logical_id)
    except ClientError as error:
        if "does not exist" in str(error):
            return False
        raise
    resource = detail["StackResourceDetail"]
    return bool(
        resource.get("PhysicalResourceId") == physical_id and not resource["ResourceStatus"].startswith("DELETE")
    )
