"""Binds a port of this machine for a site, or for the pages of a game."""

import socket
import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final

from werkzeug.serving import BaseWSGIServer, ThreadedWSGIServer, WSGIRequestHandler

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

LOCALHOST: Final = "127.0.0.1"
IDLE_SECONDS: Final = 60.0
"""After which a thread ends that has no request to answer."""


class PortTaken(Exception):
    """Another program uses the port."""


class _QuietHandler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002  # werkzeug's own signature
        """Log nothing; the site logs requests itself."""


class _Server(ThreadedWSGIServer):
    """Answers requests in threads that stay for the next one: to start a thread for each took a tenth of all work.

    As in werkzeug's server they are as many as requests under way, since a client may be slow and an answer may wait,
    and no end of the program waits for them; so they are no `ThreadPoolExecutor`.
    """

    def __init__(self, port: int, application: "WSGIApplication") -> None:
        super().__init__(LOCALHOST, port, application, _QuietHandler)
        self._waiting: SimpleQueue[tuple[socket.socket, Any]] = SimpleQueue()
        self._idle = threading.Semaphore(0)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Hand a request to an idle thread, or to a new one."""
        self._waiting.put((request, client_address))
        if not self._idle.acquire(blocking=False):
            threading.Thread(target=self._answer_requests, daemon=True).start()

    def _answer_requests(self) -> None:
        while True:
            try:
                request, client_address = self._waiting.get(timeout=IDLE_SECONDS)
            except Empty:
                if self._idle.acquire(blocking=False):  # else a request is on its way to this thread
                    return
                continue
            self.process_request_thread(request, client_address)
            self._idle.release()


def listen(port: int, application: "WSGIApplication") -> BaseWSGIServer:
    """Return a server that has bound a port; 0 picks a free one. Raises PortTaken."""
    try:
        return _Server(port, application)
    except (OSError, SystemExit) as error:  # werkzeug exits if the port is taken
        raise PortTaken(f"port {port} is taken") from error
