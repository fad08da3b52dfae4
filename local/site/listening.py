"""Binds a port of this machine for a site, or for the pages of a game."""

from typing import TYPE_CHECKING, Any, Final

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

LOCALHOST: Final = "127.0.0.1"


class PortTaken(Exception):
    """Another program uses the port."""


class _QuietHandler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002  # werkzeug's own signature
        """Log nothing; the site logs requests itself."""


def listen(port: int, application: "WSGIApplication") -> BaseWSGIServer:
    """Return a server that has bound a port; 0 picks a free one. Raises PortTaken."""
    try:
        return make_server(LOCALHOST, port, application, threaded=True, request_handler=_QuietHandler)
    except (OSError, SystemExit) as error:  # werkzeug exits if the port is taken
        raise PortTaken(f"port {port} is taken") from error
