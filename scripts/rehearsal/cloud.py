# ruff: noqa: INP001  # scripts are no package
"""AWS on this machine for a rehearsal: ministack, with roles and TLS."""

import contextlib
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from local.layout import ROOT
from scripts.rehearsal.certificate import Certificate, make_certificate
from scripts.rehearsal.tunnel import LOCALHOST, open_tunnel
from scripts.tools import MINISTACK, find_uv

HOSTS: Final = (".cloudfront.net", ".execute-api.localhost")
ADMINISTRATOR: Final = {
    "AWS_ACCESS_KEY_ID": "administrator",
    "AWS_SECRET_ACCESS_KEY": "of-nobody-and-nothing",
    "AWS_DEFAULT_REGION": "eu-central-1",
}
"""The credentials of the root of ministack's account, in a region that no client takes by default."""
ACCOUNT: Final = "123456789012"
NEW_ACCOUNT_EXECUTIONS: Final = 10
START_SECONDS: Final = 120


@dataclass(frozen=True)
class RehearsedCloud:
    """A running cloud.

    Args:
        environment: The variables that lead to it, with the credentials of its administrator.
        log: Where it writes.
        unverified: A file; while it exists, CloudFront is closed to the account.
    """

    environment: dict[str, str]
    log: Path
    unverified: Path


@contextlib.contextmanager
def run_cloud(log: Path) -> Iterator[RehearsedCloud]:
    """Run an empty cloud while the context lasts; only its log remains afterwards.

    Raises:
        TimeoutError: It does not listen; see its log.
    """
    with contextlib.ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="laurel-rehearsal-")))
        certificate = make_certificate(folder, ["localhost", *(f"*{host}" for host in HOSTS)])
        port = _find_port()
        unverified = folder / "unverified"
        unverified.touch()
        ending.enter_context(_run_emulator(folder, certificate, port=port, log=log, unverified=unverified))
        proxy = ending.enter_context(open_tunnel(port, HOSTS))
        yield RehearsedCloud(
            {
                **ADMINISTRATOR,
                "AWS_ENDPOINT_URL": f"https://{LOCALHOST}:{port}",
                "AWS_EC2_METADATA_DISABLED": "true",
                "AWS_CA_BUNDLE": str(certificate.trusted),
                "SSL_CERT_FILE": str(certificate.trusted),
                **dict.fromkeys(("HTTPS_PROXY", "https_proxy"), proxy),
                **dict.fromkeys(("NO_PROXY", "no_proxy"), LOCALHOST),
                "SAM_CLI_TELEMETRY": "0",
            },
            log,
            unverified,
        )


@contextlib.contextmanager
def _run_emulator(folder: Path, certificate: Certificate, *, port: int, log: Path, unverified: Path) -> Iterator[None]:
    scratch = folder / "scratch"
    scratch.mkdir()
    # The emulator needs Node for the distribution's function.
    node = ROOT / ".venv" / "bin"
    environment = {
        **ADMINISTRATOR,
        "PATH": os.pathsep.join([os.environ["PATH"], str(node)]),
        "HOME": str(folder),
        "TMPDIR": str(scratch),
        "AUTH": "true",
        "LAMBDA_ACCOUNT_CONCURRENCY": str(NEW_ACCOUNT_EXECUTIONS),
        "REHEARSAL_UNVERIFIED": str(unverified),
        "USE_SSL": "1",
        "BIND_HOST": LOCALHOST,
        "GATEWAY_PORT": str(port),
        "MINISTACK_ACCOUNT_ID": ACCOUNT,
        "MINISTACK_SSL_CERT": str(certificate.chain),
        "MINISTACK_SSL_KEY": str(certificate.key),
    }
    subprocess.run([find_uv(), "sync", "--quiet", "--frozen", "--directory", str(MINISTACK)], check=True)  # noqa: S603 — our own lock
    with log.open("w") as output:
        process = subprocess.Popen(  # noqa: S603 — our own program
            [str(MINISTACK / ".venv" / "bin" / "python"), str(MINISTACK / "emulator.py")],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait_for(port, process)
        yield
    finally:
        # Its functions are processes of the same group.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _find_port() -> int:
    with socket.create_server((LOCALHOST, 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection((LOCALHOST, port), timeout=1):
            return
        time.sleep(0.05)
    raise TimeoutError(f"ministack does not listen on port {port}")
