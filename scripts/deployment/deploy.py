"""Deploys a stage: functions and resources, benchmarks, site, then a smoke test. A second run changes nothing."""  # noqa: INP001 — scripts are no package

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
from boto3.session import Session
from botocore.exceptions import BotoCoreError, ClientError

from cli.commands.benchmarks import publish_folder
from cli.commands.tokens import open_token_service
from local.site.headers import read_headers
from local.template import translate
from scoring_core.errors import LaurelError
from scripts.artifacts import Architecture, find_build
from scripts.deployment.smoke_test import SmokeTestFailed, run_smoke_test
from scripts.deployment.sync_site import SiteBucket, invalidate, read_site
from scripts.deployment.upload_check import check_upload, lend_token
from scripts.frontend.build_frontend import FRONTEND, build_site
from scripts.tools import ROOT, SAM, tool_command

CONFIGURATIONS: Final = {"prod": "default", "dev": "dev"}
"""Stage → its environment in samconfig.toml."""


class Deployed(NamedTuple):
    """What the rest of a deployment needs of a stack: its name and its outputs."""

    stack: str
    site: str
    api: str
    site_bucket: str
    distribution: str


def main() -> int:
    """Deploy the stage that the command line names.

    Returns:
        0; 1 where a step failed. The steps before it stay done, and the same command continues from there.
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
    arguments = parser.parse_args()
    try:
        deploy(
            arguments.stage,
            parameters=arguments.parameter,
            architecture=arguments.architecture,
            dry_run=arguments.dry_run,
        )
    except subprocess.CalledProcessError as error:
        return _fail(f"`{' '.join(map(str, error.cmd))}` failed; see its output above")
    except (BotoCoreError, ClientError, LaurelError, SmokeTestFailed, FileNotFoundError) as error:
        return _fail(str(error))
    return 0


def deploy(stage: str, *, parameters: list[str], architecture: Architecture, dry_run: bool) -> None:
    """Run every step in order; a step with nothing to do does nothing."""
    stack = f"laurel-{stage}"
    build = ["scripts/build_lambda.py", architecture]
    sam = make_sam_command(stage, parameters, architecture=architecture)
    for shown, command in (
        (["python", *build], [sys.executable, *build]),
        (sam, tool_command(SAM, *sam)),
    ):
        _print(f"{'would run' if dry_run else 'running'} {' '.join(shown)}")
        if not dry_run:
            subprocess.run(command, cwd=ROOT, check=True)  # noqa: S603 — our own programs
    session = Session()
    deployed = read_outputs(session.client("cloudformation"), stack)
    if deployed is None:
        _print(f"{stack} is not deployed yet: everything else would be new")
        return
    benchmarks = publish_benchmarks(deployed, dry_run=dry_run)
    build_site()
    sync_site(session, deployed, FRONTEND / "dist", dry_run=dry_run)
    if not dry_run:
        with httpx.Client(timeout=30) as client, lend_token(open_token_service(stack)) as token:
            headers = read_headers(translate(ROOT / "template.yaml", {}))
            answered = run_smoke_test(
                client, site=deployed.site, api=deployed.api, benchmarks=benchmarks, headers=headers
            )
            emulator = os.environ.get("AWS_ENDPOINT_URL")
            sent_to = check_upload(client, site=deployed.site, token=token, benchmarks=benchmarks, endpoint=emulator)
        _print(f"a file was uploaded to {sent_to}")
        _print(f"{len(answered)} addresses answer as they must; the site is {deployed.site}")


def make_sam_command(stage: str, parameters: list[str], *, architecture: Architecture) -> list[str]:
    """Return the command that deploys; unnamed parameters keep their deployed values."""
    overrides = ["--parameter-overrides", f"Stage={stage}", *parameters] if parameters else []
    # SAM finds the build of arm64 by itself. It looks for samconfig.toml beside the template that `--template` names.
    template = str(find_build(architecture) / "template.yaml")
    files = ["--config-file", str(ROOT / "samconfig.toml"), "--template", template]
    named = [] if architecture is Architecture.ARM64 else files
    return ["sam", "deploy", "--config-env", CONFIGURATIONS[stage], *named, *overrides]


def read_outputs(cloudformation: Any, stack: str) -> Deployed | None:
    """Return the outputs of a stack, or None if it does not exist."""
    try:
        (description,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    except ClientError as error:
        if "does not exist" in str(error):
            return None
        raise
    outputs = {output["OutputKey"]: output["OutputValue"] for output in description["Outputs"]}
    return Deployed(
        stack=stack,
        site=outputs["SiteUrl"],
        api=outputs["ApiUrl"],
        site_bucket=outputs["SiteBucketName"],
        distribution=outputs["DistributionId"],
    )


def publish_benchmarks(deployed: Deployed, *, dry_run: bool) -> list[str]:
    """Publish every benchmark of the repository, and return their ids."""
    folders = sorted(path.parent for path in ROOT.glob("benchmarks/*/benchmark.yaml"))
    for folder in folders:
        if dry_run:
            _print(f"would publish {folder.name}, if it has changed")
        else:
            report = publish_folder(folder, stack=deployed.stack)
            _print(f"{folder.name}: {'published' if report.changed else 'as it was'}, version {report.version}")
    return [folder.name for folder in folders]


def sync_site(session: Session, deployed: Deployed, folder: Path, *, dry_run: bool) -> None:
    """Upload the built site to its bucket, and invalidate in CloudFront what changed."""
    bucket = SiteBucket(session.client("s3"), deployed.site_bucket)
    change = bucket.compare(read_site(folder))
    _print(f"site: {len(change.put)} files to put, {len(change.delete)} to delete")
    if not dry_run:
        bucket.apply(change)
        invalidate(session.client("cloudfront"), deployed.distribution, change)


def _print(text: str) -> None:
    sys.stdout.write(f"deploy: {text}\n")
    sys.stdout.flush()


def _fail(text: str) -> int:
    sys.stderr.write(f"deploy: {text}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
