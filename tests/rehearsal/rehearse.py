"""Rehearses a deployment on an AWS of this machine: template, script, roles, and the flow of data."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from boto3.session import Session

from local.layout import ROOT
from scripts.artifacts import this_architecture
from tests.rehearsal.cloud import RehearsedCloud, run_cloud

STAGE: Final = "prod"
SENDER: Final = "laurel@example.org"
ADMINISTRATOR: Final = "admin@example.org"
PARAMETERS: Final = (f"SenderAddress={SENDER}", f"AdminAddress={ADMINISTRATOR}", "RetryBaseSeconds=0")
"""Addresses, so that mails and alarms exist; and retries without delay."""
LOG: Final = ROOT / ".aws-sam" / "rehearsal.log"
POLICY: Final = ROOT / "scripts" / "deployment" / "deployer_policy.json"
FAILED_WELL: Final = (
    "laurel-prod failed at SiteDistribution (AWS::CloudFront::Distribution): Access denied",
    "What it had created is deleted.",
)
"""What a first deployment prints that CloudFront refuses."""
UNCHANGED: Final = ("No changes to deploy", "site: 0 files to put, 0 to delete")
"""What a second deployment prints if it finds nothing to do."""
NOT_PROVEN: Final = (
    "arm64: the functions are built for this machine and run in a bubblewrap view of it, without limits of memory",
    "a microVM for each tenant, the VPC: the sandbox has no network, because its view has none",
    "metrics and alarms: they are created, and nothing triggers them",
    "too few executions: what a template reserves is checked, but no invocation has to wait for one",
    "the lower rate of reads: the emulator knows the API's rate, not that of one route",
    "CloudFront's caches, certificates and edges; DNS; mail beyond SES",
    "the deployer's rights to what CloudFormation creates",
    "what else AWS would reject: tests/rehearsal/ministack/walls.py lists what is emulated",
)


class Deployment(NamedTuple):
    """How a deployment ended, and what it printed."""

    succeeded: bool
    output: str


def main() -> int:
    """Deploy into a new account, test it, and print what was proven; 1 if that failed."""
    # SIGTERM ends the context managers as a normal exit does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    LOG.parent.mkdir(exist_ok=True)
    try:
        with run_cloud(LOG) as cloud:
            address = cloud.environment["AWS_ENDPOINT_URL"]
            _print(f"an empty AWS listens at {address}; it writes to {LOG.relative_to(ROOT)}")
            deployer = _make_deployer(cloud)
            if fault := fail_first(cloud, deployer):
                return _fail(fault)
            cloud.unverified.unlink()
            _print("AWS verifies the account for CloudFront; the same command again")
            if not deploy(cloud, deployer).succeeded:
                return _fail("the deployment failed; see above")
            publish(cloud)
            again = deploy(cloud, deployer).output
            if missing := [line for line in UNCHANGED if line not in again]:
                return _fail(f"a second deployment changed something: {missing}\n{again}")
            _print("a second deployment changed nothing")
            if run_tests(cloud) != 0:
                return _fail("the tests of the deployed stack failed; see above")
    except (subprocess.CalledProcessError, TimeoutError) as error:
        return _fail(str(error))
    _print("proven is what is listed above; not proven:\n" + "\n".join(f"  - {line}" for line in NOT_PROVEN))
    return 0


def fail_first(cloud: RehearsedCloud, deployer: Mapping[str, str]) -> str | None:
    """Deploy into an account that AWS has not verified, and return what went wrong.

    CloudFormation has created most of the stack when CloudFront refuses the distribution.
    """
    output = deploy(cloud, deployer).output
    if missing := [words for words in FAILED_WELL if words not in output]:
        return f"a first deployment that fails must say {missing}\n{output}"
    if left := list(_list_left(cloud)):
        return f"a first deployment that failed left {', '.join(left)}"
    _print("the first deployment failed, named its cause, and left nothing")
    return None


def deploy(cloud: RehearsedCloud, deployer: Mapping[str, str]) -> Deployment:
    """Run the script that deploys, with a deployer's rights."""
    options = [word for parameter in PARAMETERS for word in ("--parameter", parameter)]
    command = ["scripts/deployment/deploy.py", STAGE, "--architecture", this_architecture(), *options]
    _print(f"python {' '.join(command)}")
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=os.environ | cloud.environment | deployer,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith(("deploy: ", "        → "))]
    sys.stdout.write("".join(f"  {line}\n" for line in lines))
    ended = "deployed" if done.returncode == 0 else "failed"
    _print(f"{ended} in {time.monotonic() - began:.0f} s")
    return Deployment(done.returncode == 0, done.stdout)


def publish(cloud: RehearsedCloud) -> None:
    """Publish all benchmarks of the repository with the token that the deployment has kept."""
    (stack,) = _make_client(cloud, "cloudformation").describe_stacks(StackName=f"laurel-{STAGE}")["Stacks"]
    (site,) = (output["OutputValue"] for output in stack["Outputs"] if output["OutputKey"] == "SiteUrl")
    (file,) = Path(cloud.environment["XDG_CONFIG_HOME"]).glob("laurel/*.token")
    variables = {"LAUREL_API": site, "LAUREL_TOKEN": file.read_text().strip()}
    for definition in sorted(ROOT.glob("benchmarks/*/benchmark.yaml")):
        command = [sys.executable, "-m", "cli", "publish", definition.parent]
        subprocess.run(command, cwd=ROOT, env=os.environ | cloud.environment | variables, check=True)


def run_tests(cloud: RehearsedCloud) -> int:
    """Run the tests of a deployed stack, and return pytest's exit code."""
    rehearsed = {"LAUREL_REHEARSAL": f"laurel-{STAGE}", "LAUREL_REHEARSAL_HOME": cloud.environment["XDG_CONFIG_HOME"]}
    environment = os.environ | cloud.environment | rehearsed
    command = [sys.executable, "-m", "pytest", "tests/rehearsal", "-m", "rehearsal", "-v", "--no-header", "-n", "0"]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def _make_deployer(cloud: RehearsedCloud) -> dict[str, str]:
    """Verify the sender with SES, and return the key of a user who may only deploy."""
    _make_client(cloud, "sesv2").create_email_identity(EmailIdentity=SENDER)
    iam = _make_client(cloud, "iam")
    iam.create_user(UserName="deployer")
    policy = iam.create_policy(PolicyName="deployer", PolicyDocument=POLICY.read_text(encoding="utf-8"))["Policy"]
    iam.attach_user_policy(UserName="deployer", PolicyArn=policy["Arn"])
    key = iam.create_access_key(UserName="deployer")["AccessKey"]
    return {"AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}


def _list_left(cloud: RehearsedCloud) -> Iterator[str]:
    """Yield what is left of the stack: itself, its buckets, tables and functions."""
    prefix = f"laurel-{STAGE}"
    names: list[str] = [bucket["Name"] for bucket in _make_client(cloud, "s3").list_buckets()["Buckets"]]
    names += _make_client(cloud, "dynamodb").list_tables()["TableNames"]
    names += [stack["StackName"] for stack in _make_client(cloud, "cloudformation").describe_stacks()["Stacks"]]
    names += [function["FunctionName"] for function in _make_client(cloud, "lambda").list_functions()["Functions"]]
    yield from (name for name in names if name.startswith(prefix))


def _make_client(cloud: RehearsedCloud, service: str) -> Any:
    """Return a client of the administrator."""
    env = cloud.environment
    session = Session(env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"], region_name=env["AWS_DEFAULT_REGION"])
    return session.client(service, endpoint_url=env["AWS_ENDPOINT_URL"], verify=env["AWS_CA_BUNDLE"])  # type: ignore[call-overload]


def _print(text: str) -> None:
    sys.stdout.write(f"rehearse: {text}\n")
    sys.stdout.flush()


def _fail(text: str) -> int:
    sys.stderr.write(f"rehearse: {text}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
