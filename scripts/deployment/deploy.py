"""Deploys a stage: functions and resources, benchmarks, site, and then a smoke test. A second time changes nothing."""  # noqa: INP001 — scripts are no package

import argparse
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
from boto3.session import Session
from botocore.exceptions import BotoCoreError, ClientError

from cli.publishing import publish_folder
from local.artifacts import Architecture, find_build
from local.headers import read_headers
from local.template import translate
from scoring_core.errors import LaurelError
from scripts.deployment.smoke_test import SmokeTestFailed, run_smoke_test
from scripts.deployment.sync_site import SiteBucket, invalidate, read_site
from scripts.frontend.build_frontend import FRONTEND, build_site, find_program

ROOT: Final = Path(__file__).parents[2]
CONFIGURATIONS: Final = {"prod": "default", "dev": "dev"}
"""Stage → its environment in samconfig.toml."""


class Deployed(NamedTuple):
    """What the rest of a deployment needs to know of a stack: its outputs."""

    stack: str
    site: str
    api: str
    site_bucket: str
    distribution: str


def main() -> int:
    """Deploy the stage that the command line names.

    Returns:
        0; 1 where a step failed: what was done before it stays, and the same command goes on from there.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stage", choices=CONFIGURATIONS)
    parser.add_argument(
        "--architecture",
        type=Architecture,
        default=Architecture.ARM64,
        choices=list(Architecture),
        help="what the functions run on; in the cloud always what template.yaml says, which is the default",
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and change nothing")
    parser.add_argument(
        "--parameter",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the template; what was set before stays as it is",
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
        return _fail(f"`{' '.join(map(str, error.cmd))}` failed; what it printed above says why")
    except (BotoCoreError, ClientError, LaurelError, SmokeTestFailed, FileNotFoundError) as error:
        return _fail(str(error))
    return 0


def deploy(stage: str, *, parameters: list[str], architecture: Architecture, dry_run: bool) -> None:
    """Take every step in its order; each does nothing where there is nothing to do."""
    stack = f"laurel-{stage}"
    commands = [
        ["python", "scripts/build_lambda.py", architecture],
        make_sam_command(stage, parameters, architecture=architecture),
    ]
    for command in commands:
        _say(f"{'would run' if dry_run else 'running'} {' '.join(command)}")
        if not dry_run:
            subprocess.run([find_program(command[0]), *command[1:]], cwd=ROOT, check=True)  # noqa: S603 — our own programs
    session = Session()
    deployed = read_outputs(session.client("cloudformation"), stack)
    if deployed is None:
        _say(f"{stack} is not deployed yet: everything else would be new")
        return
    benchmarks = publish_benchmarks(deployed, dry_run=dry_run)
    build_site()
    sync_site(session, deployed, FRONTEND / "dist", dry_run=dry_run)
    if not dry_run:
        with httpx.Client(timeout=30) as client:
            headers = read_headers(translate(ROOT / "template.yaml", {}))
            answered = run_smoke_test(
                client, site=deployed.site, api=deployed.api, benchmarks=benchmarks, headers=headers
            )
        _say(f"{len(answered)} addresses answer as they must; the site is {deployed.site}")


def make_sam_command(stage: str, parameters: list[str], *, architecture: Architecture) -> list[str]:
    """Give the command that deploys; parameters that it does not name keep the values of the last deployment."""
    overrides = ["--parameter-overrides", f"Stage={stage}", *parameters] if parameters else []
    # SAM finds the build of arm64 by itself, and looks for its configuration beside the template that it is told.
    elsewhere = [
        "--config-file",
        str(ROOT / "samconfig.toml"),
        "--template",
        str(find_build(architecture) / "template.yaml"),
    ]
    told = [] if architecture is Architecture.ARM64 else elsewhere
    return ["sam", "deploy", "--config-env", CONFIGURATIONS[stage], *told, *overrides]


def read_outputs(cloudformation: Any, stack: str) -> Deployed | None:
    """Read what a stack tells of itself; None where there is no such stack."""
    try:
        (found,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    except ClientError as error:
        if "does not exist" in str(error):
            return None
        raise
    outputs: Mapping[str, str] = {one["OutputKey"]: one["OutputValue"] for one in found["Outputs"]}
    return Deployed(
        stack=stack,
        site=outputs["SiteUrl"],
        api=outputs["ApiUrl"],
        site_bucket=outputs["SiteBucketName"],
        distribution=outputs["DistributionId"],
    )


def publish_benchmarks(deployed: Deployed, *, dry_run: bool) -> list[str]:
    """Publish every benchmark of the repository; give their ids."""
    folders = sorted(path.parent for path in ROOT.glob("benchmarks/*/benchmark.yaml"))
    for folder in folders:
        if dry_run:
            _say(f"would publish {folder.name}, if it has changed")
        else:
            report = publish_folder(folder, stack=deployed.stack)
            _say(f"{folder.name}: {'published' if report.changed else 'as it was'}, version {report.version}")
    return [folder.name for folder in folders]


def sync_site(session: Session, deployed: Deployed, folder: Path, *, dry_run: bool) -> None:
    """Bring the built site into its bucket, and have CloudFront forget what was there before."""
    bucket = SiteBucket(session.client("s3"), deployed.site_bucket)
    change = bucket.compare(read_site(folder))
    _say(f"site: {len(change.put)} files to put, {len(change.delete)} to delete")
    if not dry_run:
        bucket.apply(change)
        invalidate(session.client("cloudfront"), deployed.distribution, change)


def _say(text: str) -> None:
    sys.stdout.write(f"deploy: {text}\n")
    sys.stdout.flush()


def _fail(text: str) -> int:
    sys.stderr.write(f"deploy: {text}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
