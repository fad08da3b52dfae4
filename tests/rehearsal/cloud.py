# scripts are no package
"""AWS on this machine for a rehearsal: ministack, with roles, with TLS, and with a proxy that finds its hosts."""

import contextlib
import os
import select
import signal
import socket
import socketserver
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

import certifi
import trustme

from local.layout import ROOT
from local.site.listening import LOCALHOST
from scripts.tools import find_uv
from tests.harness.processes import find_ports

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
LIFETIME: Final = timedelta(days=1)
"""Of the certificate: the template's policies reject requests without TLS."""
MINISTACK: Final = Path(__file__).with_name("ministack")
_CHUNK_BYTES: Final = 64 << 10


class Certificate(NamedTuple):
    """Files in PEM.

    Args:
        chain: The server's certificate, and its authority's.
        key: The server's private key.
        trusted: The public authorities' certificates and this one's.
    """

    chain: Path
    key: Path
    trusted: Path


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

    Raises TimeoutError if it does not listen; see its log.
    """
    with contextlib.ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="laurel-rehearsal-")))
        certificate = make_certificate(folder, ["localhost", *(f"*{host}" for host in HOSTS)])
        (port,) = find_ports(1)
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
                "XDG_CONFIG_HOME": str(folder / "config"),  # a token of this stack is nobody else's
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
    subprocess.run([find_uv(), "sync", "--quiet", "--frozen", "--directory", str(MINISTACK)], check=True)
    with log.open("w") as output:
        process = subprocess.Popen(
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


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection((LOCALHOST, port), timeout=1):
            return
        time.sleep(0.05)
    raise TimeoutError(f"ministack does not listen on port {port}")


def make_certificate(folder: Path, names: Sequence[str]) -> Certificate:
    """Create an authority, whose key is not kept, and a certificate for this machine.

    Args:
        folder: Where the files are written.
        names: Hosts of the certificate in addition to 127.0.0.1; `*.` stands for one label.
    """
    authority = trustme.CA()
    server = authority.issue_cert("127.0.0.1", *names, not_after=datetime.now(UTC) + LIFETIME)
    root = authority.cert_pem.bytes()
    files = Certificate(folder / "chain.pem", folder / "key.pem", folder / "trusted.pem")
    files.chain.write_bytes(b"".join(pem.bytes() for pem in server.cert_chain_pems) + root)
    files.key.write_bytes(server.private_key_pem.bytes())
    files.trusted.write_bytes(Path(certifi.where()).read_bytes() + root)
    return files


@contextlib.contextmanager
def open_tunnel(port: int, hosts: Sequence[str]) -> Iterator[str]:
    """Run a proxy while the context lasts.

    Args:
        port: Where the cloud listens on this machine.
        hosts: What the names of its hosts end with.

    Yields:
        The proxy's address, for `HTTPS_PROXY`.
    """

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            """Connect a client that sends `CONNECT host:port`; one that sends nothing is gone."""
            request = self.rfile.readline().split()
            if not request:
                return
            while self.rfile.readline().strip():
                pass
            host, _, host_port = request[1].decode().rpartition(":")
            address = (LOCALHOST, port) if host.endswith(tuple(hosts)) else (host, int(host_port))
            # Either side may disconnect at any time.
            with contextlib.suppress(ConnectionError), socket.create_connection(address) as upstream:
                self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                _carry(self.connection, upstream)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server((LOCALHOST, 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{LOCALHOST}:{server.server_address[1]}"
        server.shutdown()


def _carry(client: socket.socket, upstream: socket.socket) -> None:
    """Copy bytes in both directions until either side ends."""
    to = {client: upstream, upstream: client}
    while True:
        for ready in select.select(list(to), [], [])[0]:
            data = ready.recv(_CHUNK_BYTES)
            if not data:
                return
            to[ready].sendall(data)
