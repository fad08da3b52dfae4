# ruff: noqa: INP001  # scripts are no package
"""A proxy that connects the hosts of the rehearsal to its cloud, and all others to themselves."""

import contextlib
import select
import socket
import socketserver
import threading
from collections.abc import Iterator, Sequence
from typing import Final

LOCALHOST: Final = "127.0.0.1"
_CHUNK_BYTES: Final = 64 << 10


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
