"""Process 1 behind the wall: starts the function, and passes events to it by the runtime's interface.

Reads one event a line from stdin, and writes one answer a line to stdout. It ends with the function, as a microVM is
given up whose function exited. Like Lambda's, it collects no orphan, and ignores signals.
"""

import json
import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, Queue
from threading import Thread
from typing import Any

SECRET = "EXAMPLE-of-the-functions-credentials"
"""What the function's process must not keep; this process stands for Lambda's own, which nobody can look into here."""

_ADDRESS = ("127.0.0.1", 9001)
_CREDENTIALS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")


class RuntimeInterface(BaseHTTPRequestHandler):
    """What a runtime asks of Lambda: the next event, and to take its answer."""

    events: "Queue[tuple[int, bytes] | None]" = Queue()
    answers: "Queue[tuple[int, bytes]]" = Queue()

    def do_GET(self) -> None:
        """Answer the next event, when there is one."""
        self.answers.put((0, b'{"ready": true}'))
        number, event = self.events.get() or (0, b"")
        self.send_response(200)
        self.send_header("Lambda-Runtime-Aws-Request-Id", str(number))
        self.send_header("Content-Length", str(len(event)))
        self.end_headers()
        self.wfile.write(event)

    def do_POST(self) -> None:
        """Take the answer to an event, or the error."""
        number, answer = self.path.split("/")[-2], self.rfile.read(int(self.headers["Content-Length"]))
        self.answers.put((int(number), answer))
        self.send_response(202)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 — the base class's
        """Log nothing."""


def main(python: str, timeout_seconds: float) -> None:
    """Serve until the function ends, or is ended because it takes too long."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # for Python's own handler, the kernel would deliver it
    server = ThreadingHTTPServer(_ADDRESS, RuntimeInterface)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    function = subprocess.Popen(
        [python, "/var/runtime/bootstrap.py"],
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        env=os.environ | dict.fromkeys(_CREDENTIALS, SECRET),
    )
    Thread(target=lambda: os._exit(function.wait() and 1), daemon=True).start()
    _pass(0, timeout_seconds)
    for number, line in enumerate(sys.stdin, start=1):
        json.loads(line)
        RuntimeInterface.events.put((number, line.encode()))
        _pass(number, timeout_seconds)


def _pass(number: int, timeout_seconds: float) -> None:
    """Write the answer to an event; answers to others are late or forged. Without one, end in time."""
    ends_at = time.monotonic() + timeout_seconds
    try:
        while (answer := RuntimeInterface.answers.get(timeout=ends_at - time.monotonic()))[0] != number:
            pass
    except (Empty, ValueError):
        os._exit(1)
    sys.stdout.write(answer[1].decode() + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
