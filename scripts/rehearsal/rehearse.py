"""Rehearses a deployment on an AWS of this machine: template, script, roles, and the way of the data."""  # noqa: INP001 — scripts are no package

import os
import signal
import subprocess
import sys
import time
from typing import Final

from boto3.session import Session

from local.lambda_emulator.artifacts import this_architecture
from local.stack import ROOT
from scripts.rehearsal.cloud import RehearsedCloud, run_cloud

STAGE: Final = "prod"
SENDER: Final = "laurel@example.org"
ADMINISTRATOR: Final = "admin@example.org"
PARAMETERS: Final = (f"SenderAddress={SENDER}", f"AdminAddress={ADMINISTRATOR}", "RetryBaseSeconds=0")
"""Somebody to write to, so that mails and alarms are made; and retries at once."""
LOG: Final = ROOT / ".aws-sam" / "rehearsal.log"
UNCHANGED: Final = ("No changes to deploy", "site: 0 files to put, 0 to delete")
"""What a second deployment says where it finds nothing to do."""
NOT_PROVEN: Final = (
    "arm64: the functions are built for this machine and run in a bubblewrap view of it, without limits of memory",
    "a microVM for each tenant, the VPC: the sandbox has no network, because its view has none",
    "concurrency, throttling, metrics, alarms and the dashboard: they are made, and nothing moves them",
    "CloudFront's caches, certificates and edges; DNS; mail beyond SES",
    "what AWS itself would refuse: quotas, names that are taken, an account that may not reserve concurrency",
)


def main() -> int:
    """Deploy twice, try what was deployed, and say what was proven.

    Returns:
        0; 1 where anything was not as it must be.
    """
    # Told to end, it cleans up as when it ends by itself.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    LOG.parent.mkdir(exist_ok=True)
    try:
        with run_cloud(LOG) as cloud:
            _say(
                f"an empty AWS listens at {cloud.environment['AWS_ENDPOINT_URL']}; it writes to {LOG.relative_to(ROOT)}"
            )
            _verify_sender(cloud)
            deploy(cloud)
            again = deploy(cloud)
            if missing := [line for line in UNCHANGED if line not in again] or ": published" in again:
                return _fail(f"a second deployment changed something: {missing}\n{again}")
            _say("a second deployment changed nothing")
            if try_it(cloud) != 0:
                return _fail("what was deployed is not as it must be; see above")
    except (subprocess.CalledProcessError, TimeoutError) as error:
        return _fail(str(error))
    _say("proven is what is listed above; not proven:\n" + "\n".join(f"  - {one}" for one in NOT_PROVEN))
    return 0


def deploy(cloud: RehearsedCloud) -> str:
    """Run the script that deploys; give what it printed. Raises CalledProcessError."""
    options = [word for one in PARAMETERS for word in ("--parameter", one)]
    command = ["scripts/deployment/deploy.py", STAGE, "--architecture", this_architecture(), *options]
    _say(f"python {' '.join(command)}")
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
    told = [line for line in done.stdout.splitlines() if line.startswith("deploy: ")]
    sys.stdout.write("".join(f"  {line}\n" for line in told))
    _say(f"deployed in {time.monotonic() - began:.0f} s")
    return done.stdout


def try_it(cloud: RehearsedCloud) -> int:
    """Run the tests of a deployed stack; give pytest's exit code."""
    environment = os.environ | cloud.environment | {"LAUREL_REHEARSAL": f"laurel-{STAGE}"}
    command = [sys.executable, "-m", "pytest", "tests/rehearsal", "-m", "rehearsal", "-v", "--no-header", "-n", "0"]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode  # noqa: S603 — our own program


def _verify_sender(cloud: RehearsedCloud) -> None:
    """Do what docs/mail.md asks an operator to do once."""
    told = cloud.environment
    session = Session(told["AWS_ACCESS_KEY_ID"], told["AWS_SECRET_ACCESS_KEY"], region_name=told["AWS_DEFAULT_REGION"])
    client = session.client("sesv2", endpoint_url=told["AWS_ENDPOINT_URL"], verify=told["AWS_CA_BUNDLE"])
    client.create_email_identity(EmailIdentity=SENDER)


def _say(text: str) -> None:
    sys.stdout.write(f"rehearse: {text}\n")
    sys.stdout.flush()


def _fail(text: str) -> int:
    sys.stderr.write(f"rehearse: {text}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
