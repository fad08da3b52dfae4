"""Rejects requests for other host names, and requests from pages of other origins.

A page of any origin can send requests to this machine. If it rebinds its own name to 127.0.0.1 it could even read the
answers, but `Host` then still has that name.
"""

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from werkzeug.wrappers import Request, Response

from local.mail.outbox import is_outbox

LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_HOST: Final = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")
_FORWARDED: Final = frozenset({"X-Forwarded-For", "X-Forwarded-Host", "Forwarded", "Via", "X-Real-Ip"})
"""Headers that a proxy adds."""
_PUBLIC: Final = ("/api/", "/data/", "/sdk/")
"""Paths for pages of every origin, as in the template; other paths are for pages of this server only."""


@dataclass(frozen=True)
class Hosts:
    """The names of this server: those of this machine, and `more` in lower case without a port."""

    more: frozenset[str] = frozenset()

    def reject(self, request: Request) -> Response | None:
        """Return the answer to a request that is rejected, else None."""
        host = _find_name(request.environ.get("HTTP_HOST", ""))
        if host not in self._names:
            names = ", ".join(sorted(self._names))
            hint = f"laurel local --host {host}" if host else "laurel local --host NAME"
            message = f"Host: expected one of {names}. If this name is yours, start with `{hint}`.\n"
            return Response(message, HTTPStatus.MISDIRECTED_REQUEST, mimetype="text/plain")
        if is_outbox(request.path) and (host not in LOCAL_NAMES or not _FORWARDED.isdisjoint(request.headers.keys())):
            message = "The outbox is shown on the machine itself only, under http://localhost.\n"
            return Response(message, HTTPStatus.FORBIDDEN, mimetype="text/plain")
        origin = request.headers.get("Origin")
        if origin is None or request.path.startswith(_PUBLIC) or self._is_own(origin):
            return None
        message = "Origin: this address is only for pages of this server.\n"
        return Response(message, HTTPStatus.FORBIDDEN, mimetype="text/plain")

    @property
    def _names(self) -> frozenset[str]:
        return LOCAL_NAMES | self.more

    def _is_own(self, origin: str) -> bool:
        # Ignore the port, because a proxy or tunnel in front of the server has another one.
        scheme, separator, host = origin.partition("://")
        return bool(separator) and scheme in {"http", "https"} and _find_name(host) in self._names


def is_name(text: str) -> bool:
    """Return whether a text is a host name, without scheme and port."""
    return _find_name(text) == text.lower() != ""


def _find_name(host: str) -> str:
    """Return the name of `name:port` in lower case; empty if it is invalid."""
    match = _HOST.fullmatch(host.lower())
    return match["name"] if match else ""
