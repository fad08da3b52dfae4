"""Checks an account before a deployment changes anything in it, and chooses what suits the account."""  # noqa: INP001 — scripts are no package

import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from boto3.session import Session
from botocore.exceptions import BotoCoreError, ClientError, EndpointConnectionError

from scoring_core.io.text import shorten
from scripts.deployment import checks
from scripts.deployment.concurrency import NEW_ACCOUNT, plan_concurrency
from scripts.deployment.stacks import FAILED_CREATION, NEVER_CREATED, StackState, read_stack

POLICY: Final = "scripts/deployment/deployer_policy.json"
ORIGIN: Final = "OriginSecret"
"""The parameter that only a deployment knows."""
MONTHLY_BUDGET: Final = "20"
"""US dollars, some six times what an idle stack with alarms costs (docs/measurements.md)."""
_HTML: Final = re.compile(r"<!?[a-z]", re.IGNORECASE)
_MAX_LENGTH: Final = 300
_DENIED: Final = ("AccessDenied", "Unauthorized", "AuthorizationError")


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
    problems: list[checks.AccountFinding] = field(default_factory=list)
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
            checks.AccountFinding(
                "no region is named",
                "choose the one that the stack stays in: `export AWS_REGION=eu-central-1`; `aws configure` stores it",
            )
        )
    else:
        report.problems += checks.check_region(region)
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
        lambda: checks.check_buckets(session.client("s3"), cloudformation, stack, account, region),
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


def _identify(session: Session, report: Report) -> str | None:
    """Return the account of the credentials, or None with a finding."""
    try:
        identity = session.client("sts", region_name=session.region_name or "us-east-1").get_caller_identity()
    except EndpointConnectionError as error:
        advice = "is there a network, and is the region spelled right?"
        report.problems.append(checks.AccountFinding(f"AWS is out of reach: {describe_error(error)}", advice))
        return None
    except (BotoCoreError, ClientError) as error:
        advice = (
            "`aws configure` stores a key, `aws sso login` renews a session, AWS_PROFILE=… chooses a profile; "
            "an account must enable some regions first"
        )
        report.problems.append(checks.AccountFinding(f"no usable AWS credentials: {describe_error(error)}", advice))
        return None
    account: str = identity["Account"]
    report.facts.append(f"account {account}, region {session.region_name}, as {identity['Arn']}")
    return account


def _attempt(report: Report, subject: str, check: Callable[[], Iterable[checks.AccountFinding]]) -> None:
    """Add the findings of a check, or a note that it was not possible."""
    try:
        report.problems += check()
    except (BotoCoreError, ClientError) as error:
        denied = isinstance(error, ClientError) and error.response["Error"]["Code"].startswith(_DENIED)
        advice = f"; {POLICY} lists the rights of a deployer" if denied else ""
        report.notes.append(f"{subject}: not checked: {describe_error(error)}{advice}")


def describe_error(error: Exception) -> str:
    """Return an error of AWS as one line.

    An emulator, or a proxy, may answer with a page of HTML.
    """
    line = " ".join(str(error).split())
    page = _HTML.search(line)
    if page is not None:
        line = f"{line[: page.start()].removesuffix("b'").rstrip()} a page of HTML instead of an answer"
    return shorten(line, _MAX_LENGTH)


def _describe_stack(report: Report, cloudformation: Any, name: str) -> Iterator[checks.AccountFinding]:
    report.stack, report.stack_is_read = read_stack(cloudformation, name), True
    report.facts.append(f"stack {name}: {report.stack.status if report.stack else 'not deployed yet'}")
    yield from checks.check_stack(cloudformation, report.stack)


def _plan(
    report: Report, lambda_: Any, deployed: Mapping[str, str], named: Mapping[str, str]
) -> Iterator[checks.AccountFinding]:
    """Choose the concurrency for the account, and check what is deployed or named."""
    limits = lambda_.get_account_settings()["AccountLimit"]
    executions = limits["UnreservedConcurrentExecutions"] + int(deployed.get("SandboxConcurrency", 0))
    plan = plan_concurrency(executions)
    report.chosen.update(plan)
    before = {**plan_concurrency(NEW_ACCOUNT), **deployed} if deployed else plan
    wanted = {**before, **{name: value for name, value in named.items() if name in plan}}
    report.facts.append(f"concurrency: the account may run {executions} functions at once; {_show(wanted)}")
    yield from checks.check_concurrency(executions, wanted)


def _choose_zone(report: Report, ec2: Any, region: str, named: Mapping[str, str]) -> Iterator[checks.AccountFinding]:
    zones = checks.list_zones(ec2, region)
    zone = named.get("SandboxZone")
    if not zone:
        report.chosen["SandboxZone"] = zones[0]
        report.facts.append(f"zone of the sandbox: {zones[0]}")
    elif zone not in zones:
        yield checks.AccountFinding(f"SandboxZone={zone} is no zone of {region}", f"choose among {', '.join(zones)}")


def _show(wanted: Mapping[str, str]) -> str:
    names = ("Evaluate", "Share", "Script", "Benchmark", "Sandbox", "Drop")
    shown = [*(f"{name}Concurrency" for name in names), "ApiRate", "ReadRate"]
    return ", ".join(f"{name}={wanted[name]}" for name in shown)
