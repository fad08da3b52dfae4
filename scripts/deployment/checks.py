"""Checks of an account that a deployment needs; each yields what it finds and changes nothing."""  # noqa: INP001 — scripts are no package

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from botocore.exceptions import ClientError

from scripts.deployment.concurrency import UNRESERVED
from scripts.deployment.stacks import FAILED_CREATION, NEVER_CREATED, StackState, find_failure

BUCKETS: Final = {"ResultsBucket": "results", "SiteBucket": "site"}
"""Logical id of a bucket → its part of the name, which template.yaml fixes."""
WITHOUT_TENANTS: Final = ("ap-southeast-6", "cn-", "us-gov-")
"""Regions without Lambda's tenant isolation. Source: AWS, Lambda Developer Guide, Tenant isolation."""
WITHOUT_MAIL: Final = ("ap-east-1", "ap-east-2", "ap-southeast-4", "ap-southeast-7", "eu-south-2", "mx-central-1")
"""Regions without `AWS::SES::ConfigurationSet`. Source: AWS's registry of types, of which cfn-lint has a copy."""
OLD_ZONES: Final = frozenset({"use1-az3", "usw1-az2", "cac1-az3"})
"""Zones in which AWS offers few services. Source: AWS, EKS User Guide, Subnet requirements for clusters."""
_MISSING: Final = frozenset({"404", "NoSuchBucket"})


class AccountFinding(NamedTuple):
    """Why a deployment would fail, and what to do about it."""

    text: str
    advice: str


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
            "such a stack can only be deleted; it never worked. `make deploy … DELETE_FAILED=1` deletes it first",
        )
    elif status.endswith("_IN_PROGRESS"):
        advice = f"wait until it has ended: aws cloudformation describe-stacks --stack-name {name}"
        yield AccountFinding(f"{name} is in {status}: something else is changing it", advice)
    elif status == "DELETE_FAILED":
        advice = (
            "its events in the console name the resource that could not be deleted; then delete it again: "
            f"aws cloudformation delete-stack --stack-name {name}"
        )
        yield AccountFinding(f"{name} is in {status}: it was deleted, but not completely", advice)
    elif status == "UPDATE_ROLLBACK_FAILED":
        advice = f"aws cloudformation continue-update-rollback --stack-name {name}"
        yield AccountFinding(f"{name} is in {status}: an update failed, and undoing it as well", advice)
    elif status.endswith("_FAILED"):
        advice = f"aws cloudformation rollback-stack --stack-name {name}"
        yield AccountFinding(f"{name} is in {status}", advice)


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
