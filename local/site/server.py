"""The site on this machine: `/api` as behind API Gateway, all else as CloudFront serves it."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from werkzeug.exceptions import ClientDisconnected
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.wrappers import Request, Response

from handlers.http.paths import SHORT
from local.mail.outbox import Outbox, is_outbox
from local.site.compression import compress
from local.site.files import answer_page, find_served, is_page
from local.site.gateway import Gateway
from local.site.headers import ALLOW_ORIGIN, SiteHeaders
from local.site.hosts import Hosts
from local.site.storage import PREFIX, Storage
from storage.gateway.bucket import Bucket
from storage.gateway.errors import StoreError

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

BOARD_FILES = "/data/b/*/boards/*"
WELCOME = """Laurel runs here.

GET  /data/index.json               every board
GET  /data/b/{benchmark}/head.json  one board
GET  /api/openapi.json              the API
"""


@dataclass(frozen=True)
class Site:
    """A WSGI application; without built `pages` the start page is a few lines of text."""

    gateway: Gateway
    site: Bucket
    storage: Storage
    pages: Path
    outbox: Outbox
    log_request: Callable[[str], None]
    hosts: Hosts
    headers: SiteHeaders

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer a request."""
        started = time.monotonic()
        if environ["PATH_INFO"] == "/submit" and environ["REQUEST_METHOD"] not in {"GET", "HEAD"}:
            environ["PATH_INFO"] = SHORT  # as CloudFront's function does
        request = Request(environ)
        try:
            response = self._answer(request)
        except ClientDisconnected:  # while it sent: nobody reads the answer
            response = Response(status=HTTPStatus.BAD_REQUEST)
        for name, value in self.headers.find(request.path).items():
            if not (is_outbox(request.path) and name in response.headers):  # mails have a stricter policy
                response.headers[name] = value
        milliseconds = (time.monotonic() - started) * 1000
        # The query string holds names, so it is not logged.
        path = PREFIX if request.path.startswith(PREFIX) else request.path  # an address of the storage is a secret
        self.log_request(f"{request.method} {path} {response.status_code} {milliseconds:.0f} ms")
        return response(environ, start_response)

    def _answer(self, request: Request) -> Response:
        early = self.hosts.reject(request) or self._answer_preflight(request)
        if early is not None:
            return early
        if request.path.startswith(PREFIX):
            return self.storage.answer(request)
        if is_outbox(request.path):
            return self.outbox.answer(request)
        if is_page(request.path):
            return self._answer_page(request)
        if request.path.startswith("/api/"):
            return self.gateway.answer(request)
        return self._answer_data(request, request.path.removeprefix("/"))

    def _answer_preflight(self, request: Request) -> Response | None:
        """Answer of files that any page may read as the bucket in the cloud, else None."""
        if request.method != "OPTIONS" or request.path.startswith("/api/"):
            return None
        if ALLOW_ORIGIN not in self.headers.find(request.path):
            return None
        asked = request.headers.get("Access-Control-Request-Headers", "")
        allowed = {"Access-Control-Allow-Headers": asked, "Access-Control-Allow-Methods": "GET, HEAD"}
        return Response(status=HTTPStatus.NO_CONTENT, headers=allowed)

    def _answer_page(self, request: Request) -> Response:
        response = answer_page(request, self.pages)
        served = find_served(quote(request.path), request.args)
        if served is not None and response is not None and response.status_code == HTTPStatus.OK:
            return self._answer_data(request, served)
        if response is not None:
            return compress(request, response)
        if request.path == "/":
            return Response(WELCOME, mimetype="text/plain")
        return Response("There is nothing here.\n", HTTPStatus.NOT_FOUND, mimetype="text/plain")

    def _answer_data(self, request: Request, key: str) -> Response:
        """Answer with an object of the site bucket, or as the API where there is none."""
        if request.method not in {"GET", "HEAD"}:
            return Response(status=HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
        try:
            snapshot = self.site.get(key)
        except StoreError:
            if not request.path.startswith("/data/") or fnmatchcase(request.path, BOARD_FILES):
                # As the template's origin group.
                asked = {"PATH_INFO": f"/api/{key}", "QUERY_STRING": ""}
                return self.gateway.answer(Request({**request.environ, **asked}))
            return Response("There is no such snapshot.\n", HTTPStatus.NOT_FOUND, mimetype="text/plain")
        response = Response(snapshot.body, content_type=snapshot.info.content_type)
        response.headers["Cache-Control"] = snapshot.info.cache_control or "no-store"
        response.set_etag(snapshot.info.etag.strip('"'))
        return compress(request, response)


def behind_proxy(application: "WSGIApplication") -> "WSGIApplication":
    """Return an application that believes the proxy in front of it.

    The proxy's own entry of `X-Forwarded-For` is the last one; those before it are whatever the visitor sent.
    """
    return ProxyFix(application, x_for=1)
