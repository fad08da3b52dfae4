"""Deploys a stage: checks, functions and resources, site, smoke test. A second run changes nothing."""  # noqa: INP001 — scripts are no package

import argparse
import os
import secrets
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
from boto3.session import Session
from botocore.exceptions import BotoCoreError, ClientError

from local.admin_token import keep_admin_token
from local.site.headers import read_headers
from local.template import find_fault
from sandbox.runtimes import SHIPPED, list_locks
from scoring_core.errors import LaurelError
from scoring_core.io.text import suggest_nearest
from scripts.artifacts import Architecture, find_build
from scripts.deployment.budget import keep_budget
from scripts.deployment.preflight import ORIGIN, Report, describe_error, run_preflight
from scripts.deployment.smoke_test import (
    SmokeTestFailed,
    check_sandbox,
    check_stage,
    check_upload,
    run_smoke_test,
)
from scripts.deployment.stacks import (
    FAILED_CREATION,
    StackState,
    delete_stack,
    find_failure,
    find_newest_event,
    read_stack,
)
from scripts.deployment.sync_site import SiteBucket, invalidate, read_site
from scripts.frontend.build_frontend import FRONTEND, build_site
from scripts.tools import ROOT, SAM, tool_command
from scripts.translation import list_parameters, translate
from storage.actors import Actor, Role
from storage.audit import AuditTrail
from storage.boards.models import Index
from storage.boards.snapshots import SnapshotStore
from storage.gateway import clients
from storage.gateway.bucket import Bucket
from storage.gateway.errors import Conflict
from storage.gateway.table import Table
from storage.keys import utc_now

CONFIGURATIONS: Final = {"prod": "default", "dev": "dev"}
"""Stage → its environment in samconfig.toml."""
PROTECTED: Final = frozenset({"prod"})
"""Stages whose tables are protected against deletion."""
_STAGE: Final = "Stage"
TOKEN_LIFETIME: Final = timedelta(days=90)
"""Of the administrator's token; a deployment after its end issues another one."""


class DeploymentStopped(Exception):
    """A deployment cannot begin, or failed; the message says what to do."""


def main() -> int:
    """Deploy the stage that the command line names.

    Return 1 if a step failed; else 0. The steps before it stay done, and the same command continues from there.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stage", choices=CONFIGURATIONS)
    parser.add_argument(
        "--architecture",
        type=Architecture,
        default=Architecture.ARM64,
        choices=list(Architecture),
        help="what the functions run on; in the cloud always that of template.yaml, the default",
    )
    parser.add_argument("--dry-run", action="store_true", help="print what would be done, and change nothing")
    parser.add_argument(
        "--parameter",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the template; the others keep their values",
    )
    parser.add_argument("--replace-token", action="store_true", help="replace the administrator's token, and no more")
    arguments = parser.parse_args()
    if region := os.environ.get("AWS_REGION"):
        # boto3 and SAM read the other variable only.
        os.environ["AWS_DEFAULT_REGION"] = region
    try:
        if arguments.replace_token:
            keep_token(Session(), f"laurel-{arguments.stage}", replace=True)
            return 0
        deploy(arguments)
    except KeyboardInterrupt:
        return _fail("stopped; what CloudFormation has begun goes on. The same command continues from there")
    except subprocess.CalledProcessError as error:
        return _fail(f"`{' '.join(map(str, error.cmd))}` failed; see its output above")
    except (BotoCoreError, ClientError, LaurelError, DeploymentStopped, SmokeTestFailed, FileNotFoundError) as error:
        return _fail(str(error))
    return 0


def deploy(arguments: argparse.Namespace) -> None:
    """Run every step in order; a step with nothing to do does nothing.

    Args:
        arguments: What `main` reads from the command line.

    Raises:
        DeploymentStopped: The checks found a problem, or CloudFormation failed.
    """
    stage, parameters = arguments.stage, arguments.parameter
    architecture, dry_run = arguments.architecture, arguments.dry_run
    stack = f"laurel-{stage}"
    session = Session()
    report = prepare(session, stack, parameters)
    rate = report.parameter("ReadRate", read_parameters(parameters))
    build = ["scripts/build_lambda.py", architecture, *(["--read-rate", rate] if rate else [])]
    sam = make_sam_command(stage, merge_parameters(report.chosen, parameters), architecture=architecture)
    _run(["python", *build], [sys.executable, *build], dry_run=dry_run)
    cloudformation = session.client("cloudformation")
    before = find_newest_event(cloudformation, stack)
    try:
        _run(sam, tool_command(SAM, *sam), dry_run=dry_run)
    except subprocess.CalledProcessError as error:
        raise DeploymentStopped(explain_failure(cloudformation, stack, before)) from error
    deployed = read_stack(cloudformation, stack)
    if deployed is None or not deployed.outputs:
        _print(f"{stack} is not deployed yet: everything else would be new")
        return
    if stage in PROTECTED:
        tables = [value for name, value in deployed.outputs.items() if name.endswith("TableName")]
        protect_tables(session.client("dynamodb"), tables, dry_run=dry_run)
    build_site()
    sync_site(session, deployed, FRONTEND / "dist", dry_run=dry_run)
    if not dry_run:
        token = keep_token(session, stack)
        check_account(session, deployed)
        for runtime in ("", *(f"-{name}" for name in list_locks(SHIPPED))):
            for line in check_sandbox(session.client("lambda"), f"{stack}-sandbox{runtime}"):
                _print(f"sandbox{runtime}: {line}")
        check_deployed(deployed, token)


def keep_token(session: Session, stack: str, *, replace: bool = False) -> str:
    """Return this machine's token of an administrator, whose file is printed.

    One is issued if there is none that holds, or to replace it. Raises DeploymentStopped.
    """
    deployed = read_stack(session.client("cloudformation"), stack)
    if deployed is None or not deployed.outputs:
        raise DeploymentStopped(f"{stack} is not deployed yet; `make deploy` does it")
    bucket = deployed.outputs["ResultsBucketName"]
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    file = settings / "laurel" / f"{bucket.replace('-results', '')}.token"
    secret = keep_admin_token(
        file,
        Table(clients.gateway().tables, deployed.outputs["AccessTableName"]),
        AuditTrail(Bucket(clients.gateway().objects, bucket), utc_now, secrets.token_bytes),
        Actor(id=session.client("sts").get_caller_identity()["Arn"], role=Role.OPERATOR),
        lasts=TOKEN_LIFETIME,
        replace=replace,
    )
    _print(f"the administrator's token is in {file}: export LAUREL_TOKEN=$(cat {file})")
    return secret


def check_deployed(deployed: StackState, admin: str) -> None:
    """Run the smoke test: what a deployed stack must answer, and an upload.

    Raises SmokeTestFailed.
    """
    ids, site, api = list_published(deployed), deployed.outputs["SiteUrl"], deployed.outputs["ApiUrl"]
    with httpx.Client(timeout=30) as client:
        headers = read_headers(translate(ROOT / "template.yaml", {}))
        answered = run_smoke_test(client, site=site, api=api, benchmarks=ids, headers=headers)
        if ids:
            endpoint = os.environ.get("AWS_ENDPOINT_URL")
            url = check_upload(client, site=site, token=admin, benchmarks=ids, endpoint=endpoint)
            _print(f"a file was uploaded to {url}")
        else:
            _print("no upload was tried, for nothing is published; `laurel publish` does it")
    _print(f"{len(answered)} addresses answer as they must; the site is {site}")


def prepare(session: Session, stack: str, parameters: list[str]) -> Report:
    """Check everything first, print what was found, and return it.

    Raises DeploymentStopped if a check found a problem. Nothing was built or changed.
    """
    report = run_preflight(session, stack, read_parameters(parameters))
    _print_report(report)
    if report.problems:
        count = len(report.problems)
        raise DeploymentStopped(f"{count} problem{'s'[: count > 1]}, see above; nothing was built or changed")
    return report


def explain_failure(cloudformation: Any, stack: str, before: str | None) -> str:
    """Return what a deployment failed on; a stack whose creation failed is deleted.

    SAM's `--on-failure DELETE` would delete it too, and with it the name under which its events are found.

    Args:
        cloudformation: The client.
        stack: The name of the stack.
        before: The id of the newest event before the deployment.
    """
    state = read_stack(cloudformation, stack)
    failure = find_failure(cloudformation, stack, after=before) if state else None
    cause = f"{stack} failed at {failure.resource}: {failure.reason}" if failure else "`sam deploy` failed, see above"
    if state is None or state.status not in FAILED_CREATION:
        undone = state is not None and state.status == "UPDATE_ROLLBACK_COMPLETE" and failure is not None
        return f"{cause}\nCloudFormation undid it: the stack is as it was before." if undone else cause
    _print(cause)
    _print(f"{stack} is in {state.status}: deleting it, so that the next deployment can create it")
    delete_stack(cloudformation, stack)
    return f"{cause}\nWhat it had created is deleted. Remove the cause, then type the same command again."


def protect_tables(dynamodb: Any, tables: list[str], *, dry_run: bool) -> None:
    """Protect tables from being deleted, also by CloudFormation and by an operator.

    The template cannot: a table that is protected from its creation survives the rollback of a failed one.
    """
    for table in tables:
        if dynamodb.describe_table(TableName=table)["Table"].get("DeletionProtectionEnabled"):
            continue
        _print(f"{'would protect' if dry_run else 'protecting'} {table} against deletion")
        if not dry_run:
            dynamodb.update_table(TableName=table, DeletionProtectionEnabled=True)


def read_parameters(parameters: list[str]) -> dict[str, str]:
    """Return typed parameters by name.

    SAM drops a name that the template does not have in silence. Raises DeploymentStopped if a parameter is not
    NAME=VALUE as the template takes it, or is typed twice.
    """
    named: dict[str, str] = {}
    names = list_parameters(ROOT / "template.yaml") if parameters else {}
    for parameter in parameters:
        name, separator, value = parameter.partition("=")
        if not separator:
            raise DeploymentStopped(f"{name}: expected NAME=VALUE")
        if name == _STAGE:
            raise DeploymentStopped(f"{name}: expected STAGE=… beside PARAMETERS, which also chooses the stack")
        if name not in names:
            others = [other for other in names if other != _STAGE]
            raise DeploymentStopped(f"{name}: no such parameter; {suggest_nearest(name, others)}")
        if name in named:
            raise DeploymentStopped(f"{name}: named twice")
        if fault := find_fault(name, names[name], value):
            raise DeploymentStopped(fault)
        named[name] = value
    return named


def merge_parameters(chosen: Mapping[str, str], parameters: list[str]) -> list[str]:
    """Return the parameters to pass: what was typed, and what was chosen of the rest."""
    named = read_parameters(parameters)
    return [f"{name}={value}" for name, value in chosen.items() if name not in named] + parameters


def make_sam_command(stage: str, parameters: list[str], *, architecture: Architecture) -> list[str]:
    """Return the command that deploys; unnamed parameters keep their deployed values."""
    overrides = ["--parameter-overrides", f"Stage={stage}", *parameters] if parameters else []
    # SAM finds the build of arm64 by itself. It looks for samconfig.toml beside the template that `--template` names.
    template = str(find_build(architecture) / "template.yaml")
    files = ["--config-file", str(ROOT / "samconfig.toml"), "--template", template]
    named = [] if architecture is Architecture.ARM64 else files
    return ["sam", "deploy", "--config-env", CONFIGURATIONS[stage], *named, *overrides]


def check_account(session: Session, deployed: StackState) -> None:
    """Make the budget, and check the rates of the API.

    A budget that the account may not have yet is a note, and the deployment goes on. Raises SmokeTestFailed if API
    Gateway has other rates than the stack.
    """
    named = deployed.parameters
    try:
        done = keep_budget(
            session.client("budgets", region_name="us-east-1"),
            session.client("sts").get_caller_identity()["Account"],
            deployed.name,
            dollars=int(named.get("MonthlyBudget", "0")),
            address=named.get("AdminAddress", ""),
        )
    except (BotoCoreError, ClientError) as error:
        advice = "a later deployment tries again, as a new account may have one after a day, once IAM may see its bills"
        done = f"note: the budget is not as these parameters say: {describe_error(error)}; {advice}"
    if done:
        _print(done)
    if not os.environ.get("AWS_ENDPOINT_URL"):  # an emulator names the settings as CloudFormation does
        check_stage(
            session.client("apigatewayv2"), urlsplit(deployed.outputs["ApiUrl"]).netloc.partition(".")[0], named
        )


def list_published(deployed: StackState) -> list[str]:
    """Return the ids that the site lists; begin the list if there is none."""
    snapshots = SnapshotStore(Bucket(clients.gateway().objects, deployed.outputs["SiteBucketName"]))
    index = snapshots.read_index()
    if index is None:
        with suppress(Conflict):  # somebody has just published the first one
            snapshots.write_index(Index(), replacing=None)
        return []
    return [entry.id for entry in index.value.benchmarks]


def sync_site(session: Session, deployed: StackState, folder: Path, *, dry_run: bool) -> None:
    """Upload the built site to its bucket, and invalidate in CloudFront what changed."""
    bucket = SiteBucket(session.client("s3"), deployed.outputs["SiteBucketName"])
    change = bucket.compare(read_site(folder))
    _print(f"site: {len(change.put)} files to put, {len(change.delete)} to delete")
    if not dry_run:
        bucket.apply(change)
        invalidate(session.client("cloudfront"), deployed.outputs["DistributionId"], change)


def _run(shown: list[str], command: list[str], *, dry_run: bool) -> None:
    harmless = [f"{ORIGIN}=…" if word.startswith(f"{ORIGIN}=") else word for word in shown]
    _print(f"{'would run' if dry_run else 'running'} {' '.join(harmless)}")
    if not dry_run:
        subprocess.run(command, cwd=ROOT, check=True)  # noqa: S603 — our own programs


def _print_report(report: Report) -> None:
    for fact in report.facts:
        _print(fact)
    for note in report.notes:
        _print(f"note: {note}")
    for problem in report.problems:
        _print(f"problem: {problem.text}\n{' ' * 8}→ {problem.advice}")


def _print(text: str) -> None:
    sys.stdout.write(f"deploy: {text}\n")
    sys.stdout.flush()


def _fail(text: str) -> int:
    sys.stderr.writelines(f"deploy: {line}\n" for line in text.splitlines())
    return 1


if __name__ == "__main__":
    sys.exit(main())
