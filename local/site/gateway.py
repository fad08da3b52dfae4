"""API Gateway on this machine: turns requests for `/api` into events of the function, with the limits of the cloud."""

import base64
import math
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

import orjson
from werkzeug.datastructures import Headers
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Request, Response

from handlers.http.paths import DRES_SUBMIT, MCP, SHORT
from handlers.http.requests import MAX_WAIT_SECONDS, read_wait
from local.functions import PROMPT_WORKERS, WAITING_WORKERS, Function, FunctionError
from local.template import Properties, Route, find_route
from scoring_core.io.gateway import GATEWAY_ANSWERS, MAX_EVENT_BYTES
from submit.dres.service import WAIT_SECONDS

_DRES_SUBMIT: Final = DRES_SUBMIT.partition("<")[0]
_SUBMIT_TOOL: Final = b"submit_result"


@dataclass
class Gateway:
    """Answers every path under `/api/`.

    In the cloud each request has a worker. Workers are few here, and a request that waits for an outcome keeps one for
    seconds. So only WAITING_WORKERS requests wait at a time, and PROMPT_WORKERS others are served.

    Args:
        functions: Those behind the API, by logical id.
        routes: Those of the API: method and path to a function.
        origin_headers: Headers that CloudFront adds to each request for the API.
        cors: What the API allows to pages of other origins, as in its document.
        log: Takes lines that a person should read.
    """

    functions: Mapping[str, Function]
    routes: Sequence[Route]
    origin_headers: Mapping[str, str]
    cors: Properties
    log: Callable[[str], None]
    _places: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(WAITING_WORKERS), init=False)
    _prompt: Mapping[str, threading.Semaphore] = field(init=False)

    def __post_init__(self) -> None:
        """Make places for each function: readers take none from results."""
        self._prompt = {name: threading.Semaphore(PROMPT_WORKERS) for name in self.functions}

    def answer(self, request: Request) -> Response:
        """Answer a request."""
        if request.method == "OPTIONS":
            return Response(status=HTTPStatus.NO_CONTENT, headers=self._preflight())
        request.max_content_length = MAX_EVENT_BYTES
        try:
            response = self._route(request)
        except RequestEntityTooLarge:
            response = _answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        if "Origin" in request.headers:
            response.headers["Access-Control-Allow-Origin"] = ",".join(self.cors["allowOrigins"])
            response.headers["Access-Control-Expose-Headers"] = ",".join(self.cors["exposeHeaders"])
        return response

    def _route(self, request: Request) -> Response:
        route = find_route(self.routes, request.method, request.path)
        return _answer(HTTPStatus.NOT_FOUND) if route is None else self._invoke(route, request)

    def _invoke(self, route: Route, request: Request) -> Response:
        event = make_event(request, self.origin_headers, route.path)
        if len(orjson.dumps(event)) > MAX_EVENT_BYTES:
            raise RequestEntityTooLarge
        try:
            with self._waiting(request, self._prompt[route.function]) as preference:
                event["headers"] |= preference
                response = _from_answer(self.functions[route.function].invoke(event))
        except FunctionError as error:
            self.log(f"{route.function} failed: {error}")
            return _answer(HTTPStatus.INTERNAL_SERVER_ERROR)
        if request.method == "HEAD":
            # The function returns no body for HEAD, but Content-Length: 0 would be wrong, because a GET has a body.
            response.automatically_set_content_length = False
            response.headers.pop("Content-Length", None)
        return response

    @contextmanager
    def _waiting(self, request: Request, prompt: threading.Semaphore) -> Iterator[dict[str, str]]:
        """Hold a place for a request, and yield `Prefer` with the rest and others.

        The time until a place is free counts as waiting. A request that gets no place does not wait.
        """
        others = [each for each in request.headers.get("Prefer", "").split(",") if each and not read_wait(each)]
        seconds = _read_wait(request)
        deadline = time.monotonic() + seconds
        if seconds and self._places.acquire(timeout=seconds):
            try:
                yield {"prefer": ",".join([f"wait={max(math.ceil(deadline - time.monotonic()), 0)}", *others])}
            finally:
                self._places.release()
        else:
            with prompt:
                yield {"prefer": ",".join(["wait=0", *others])} if seconds or request.path == MCP else {}

    def _preflight(self) -> dict[str, str]:
        return {
            "Access-Control-Allow-Origin": ",".join(self.cors["allowOrigins"]),
            "Access-Control-Allow-Methods": ",".join(self.cors["allowMethods"]),
            "Access-Control-Allow-Headers": ",".join(self.cors["allowHeaders"]),
            "Access-Control-Max-Age": str(self.cors["maxAge"]),
        }


def _read_wait(request: Request) -> int:
    """Return how many seconds a request wants to wait for an outcome."""
    if request.method != "POST":
        return 0
    if "Prefer" in request.headers:
        return read_wait(request.headers["Prefer"])
    if request.path == SHORT:
        return MAX_WAIT_SECONDS
    if request.path == MCP:  # a name that is written otherwise submits too, and does not wait
        return WAIT_SECONDS if _SUBMIT_TOOL in request.get_data() else 0
    return WAIT_SECONDS if request.path.startswith(_DRES_SUBMIT) else 0


def make_event(request: Request, origin_headers: Mapping[str, str], route: str = "/api/{proxy+}") -> dict[str, Any]:
    """Return the event (payload format 2.0) for a request that a route takes."""
    query: dict[str, list[str]] = request.args.to_dict(flat=False)
    address = request.remote_addr or "127.0.0.1"
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": f"{request.method} {route}",
        "rawPath": request.path,
        "rawQueryString": request.query_string.decode("latin-1"),
        "headers": {name.lower(): value for name, value in request.headers.items()}
        | dict(origin_headers)
        | {"x-viewer-address": address, "x-viewer-host": request.host},
        "requestContext": {
            "domainName": request.host,
            "http": {
                "method": request.method,
                "path": request.path,
                "protocol": "HTTP/1.1",
                "sourceIp": address,
                "userAgent": request.headers.get("User-Agent", ""),
            },
            "requestId": str(uuid.uuid4()),
            "stage": "$default",
        },
        "isBase64Encoded": False,
    }
    if query:
        event["queryStringParameters"] = {name: ",".join(values) for name, values in query.items()}
    body = request.get_data()
    if body:
        try:
            event["body"] = body.decode()
        except UnicodeDecodeError:
            event["body"], event["isBase64Encoded"] = base64.b64encode(body).decode(), True
    return event


def _from_answer(answer: dict[str, Any]) -> Response:
    body = answer.get("body") or ""
    content = base64.b64decode(body) if answer.get("isBase64Encoded") else body.encode()
    headers = Headers(list((answer.get("headers") or {}).items()))
    return Response(content, status=answer["statusCode"], headers=headers)


def _answer(status: HTTPStatus) -> Response:
    """Return an answer of API Gateway itself."""
    return Response(GATEWAY_ANSWERS[status].body, status, mimetype="application/json")
