"""Whom the local server answers: requests for its own names, and pages of its own.

A page of any origin can send requests to this machine, and by rebinding a name of its own to 127.0.0.1 it could read
the answers. The name in `Host` is then still its own.
"""

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from werkzeug.wrappers import Request, Response

LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_HOST: Final = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")
_PUBLIC: Final = ("/api/", "/data/")
"""What pages of every origin may use, as the template allows it; the rest is for pages of this server alone."""


@dataclass(frozen=True)
class Hosts:
    """The names of this server.

    Args:
        more: Names beside those of this machine, in lower case and without a port.
    """

    more: frozenset[str] = frozenset()

    def refuse(self, request: Request) -> Response | None:
        """Return why a request is refused; None where it is not."""
        host = _find_name(request.environ.get("HTTP_HOST", ""))
        if host not in self._names:
            names = ", ".join(sorted(self._names))
            hint = f"laurel local --host {host}" if host else "laurel local --host NAME"
            message = f"Host: expected one of {names}. If this name is yours, start with `{hint}`.\n"
            return Response(message, HTTPStatus.MISDIRECTED_REQUEST, mimetype="text/plain")
        origin = request.headers.get("Origin")
        if origin is None or request.path.startswith(_PUBLIC) or self._is_ours(origin):
            return None
        message = "Origin: this address is for pages of this server alone.\n"
        return Response(message, HTTPStatus.FORBIDDEN, mimetype="text/plain")

    @property
    def _names(self) -> frozenset[str]:
        return LOCAL_NAMES | self.more

    def _is_ours(self, origin: str) -> bool:
        # By its name, whatever its port: a proxy or tunnel in front of the server has one of its own.
        scheme, separator, host = origin.partition("://")
        return bool(separator) and scheme in {"http", "https"} and _find_name(host) in self._names


def is_name(text: str) -> bool:
    """Tell whether a text can be the name of a host, without a scheme or a port."""
    return _find_name(text) == text.lower() != ""


def _find_name(host: str) -> str:
    """Return the name of `name:port`, in lower case; empty where it is none."""
    match = _HOST.fullmatch(host.lower())
    return match["name"] if match else ""
