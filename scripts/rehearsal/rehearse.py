"""Rehearses a deployment on an AWS of this machine: template, script, roles, and the flow of data."""  # noqa: INP001 — scripts are no package

import os
import signal
import subprocess
import sys
import time
from typing import Final

from boto3.session import Session

from local.stack import ROOT
from scripts.artifacts import this_architecture
from scripts.rehearsal.cloud import RehearsedCloud, run_cloud

STAGE: Final = "prod"
SENDER: Final = "laurel@example.org"
ADMINISTRATOR: Final = "admin@example.org"
PARAMETERS: Final = (f"SenderAddress={SENDER}", f"AdminAddress={ADMINISTRATOR}", "RetryBaseSeconds=0")
"""Addresses, so that mails and alarms exist; and retries without delay."""
LOG: Final = ROOT / ".aws-sam" / "rehearsal.log"
UNCHANGED: Final = ("No changes to deploy", "site: 0 files to put, 0 to delete")
"""What a second deployment prints if it finds nothing to do."""
NOT_PROVEN: Final = (
    "arm64: the functions are built for this machine and run in a bubblewrap view of it, without limits of memory",
    "a microVM for each tenant, the VPC: the sandbox has no network, because its view has none",
    "concurrency, throttling, metrics, alarms and the dashboard: they are created, and nothing triggers them",
    "CloudFront's caches, certificates and edges; DNS; mail beyond SES",
    "what AWS itself would reject: quotas, names that are taken, an account that may not reserve concurrency",
)


def main() -> int:
    """Deploy twice, test what was deployed, and print what was proven.

    Returns:
        0; 1 if anything failed.
    """
    # SIGTERM ends the context managers as a normal exit does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    LOG.parent.mkdir(exist_ok=True)
    try:
        with run_cloud(LOG) as cloud:
            address = cloud.environment["AWS_ENDPOINT_URL"]
            _print(f"an empty AWS listens at {address}; it writes to {LOG.relative_to(ROOT)}")
            _verify_sender(cloud)
            deploy(cloud)
            again = deploy(cloud)
            if missing := [line for line in UNCHANGED if line not in again] or ": published" in again:
                return _fail(f"a second deployment changed something: {missing}\n{again}")
            _print("a second deployment changed nothing")
            if run_tests(cloud) != 0:
                return _fail("the tests of the deployed stack failed; see above")
    except (subprocess.CalledProcessError, TimeoutError) as error:
        return _fail(str(error))
    _print("proven is what is listed above; not proven:\n" + "\n".join(f"  - {line}" for line in NOT_PROVEN))
    return 0


def deploy(cloud: RehearsedCloud) -> str:
    """Run the script that deploys, and return its output. Raises CalledProcessError."""
    options = [word for parameter in PARAMETERS for word in ("--parameter", parameter)]
    command = ["scripts/deployment/deploy.py", STAGE, "--architecture", this_architecture(), *options]
    _print(f"python {' '.join(command)}")
    began = time.monotonic()
    done = subprocess.run(  # noqa: S603 — our own program
        [sys.executable, *command],
        cwd=ROOT,
        env=os.environ | cloud.environment,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        sys.stdout.write(done.stdout)
    done.check_returncode()
    lines = [line for line in done.stdout.splitlines() if line.startswith("deploy: ")]
    sys.stdout.write("".join(f"  {line}\n" for line in lines))
    _print(f"deployed in {time.monotonic() - began:.0f} s")
    return done.stdout


def run_tests(cloud: RehearsedCloud) -> int:
    """Run the tests of a deployed stack, and return pytest's exit code."""
    environment = os.environ | cloud.environment | {"LAUREL_REHEARSAL": f"laurel-{STAGE}"}
    command = [sys.executable, "-m", "pytest", "tests/rehearsal", "-m", "rehearsal", "-v", "--no-header", "-n", "0"]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode  # noqa: S603 — our own program


def _verify_sender(cloud: RehearsedCloud) -> None:
    """Verify the sender with SES, as docs/mail.md asks an operator to do once."""
    env = cloud.environment
    session = Session(env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"], region_name=env["AWS_DEFAULT_REGION"])
    client = session.client("sesv2", endpoint_url=env["AWS_ENDPOINT_URL"], verify=env["AWS_CA_BUNDLE"])
    client.create_email_identity(EmailIdentity=SENDER)


def _print(text: str) -> None:
    sys.stdout.write(f"rehearse: {text}\n")
    sys.stdout.flush()


def _fail(text: str) -> int:
    sys.stderr.write(f"rehearse: {text}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
