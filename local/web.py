"""The one host of the site on this machine: `/api` as API Gateway calls it, the rest as CloudFront serves it."""

import base64
import json
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from botocore.exceptions import ClientError
from werkzeug.datastructures import Headers
from werkzeug.wrappers import Request, Response

from local.functions import Function, FunctionError
from local.outbox import Outbox, is_outbox
from local.pages import DATA_HEADERS, answer_page, compress, is_page
from local.template import Cors

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment
    from mypy_boto3_s3 import S3Client

UPLOADS = "/uploads"
MAX_BODY_BYTES = 10_000_000
WELCOME = """Laurel runs here.

GET  /data/index.json               every board
GET  /data/b/{benchmark}/head.json  one board
GET  /api/openapi.json              the API
"""


@dataclass(frozen=True)
class Site:
    """A WSGI application.

    Args:
        submit: The function behind `/api`.
        origin_headers: What CloudFront adds to whatever it hands to the API.
        cors: What the API allows to pages of other origins.
        s3: Where `/data` is.
        site_bucket: The bucket.
        uploads: Where S3 takes the forms of presigned POSTs.
        pages: The built frontend; where it is missing, a few lines of text stand for it.
        outbox: What was mailed.
        log: Takes lines worth a person's attention.
        log_request: Takes a line for each request.
        on_post: Is told of each POST that was answered.
    """

    submit: Function
    origin_headers: Mapping[str, str]
    cors: Cors
    s3: "S3Client"
    site_bucket: str
    uploads: str
    pages: Path
    outbox: Outbox
    log: Callable[[str], None]
    log_request: Callable[[str], None]
    on_post: Callable[[], None]

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer one request."""
        started = time.monotonic()
        request = Request(environ)
        response = self._answer(request)
        if request.method == "POST":
            self.on_post()
        milliseconds = (time.monotonic() - started) * 1000
        # Without the query string: names and tokens stay out of the log.
        self.log_request(f"{request.method} {request.path} {response.status_code} {milliseconds:.0f} ms")
        return response(environ, start_response)

    def _answer(self, request: Request) -> Response:
        if request.path == UPLOADS:
            return self._forward_upload(request)
        if is_outbox(request.path):
            return self.outbox.answer(request)
        if is_page(request.path):
            return self._answer_page(request)
        if request.path.startswith("/api/"):
            return self._answer_api(request)
        return self._answer_data(request)

    def _answer_page(self, request: Request) -> Response:
        response = answer_page(request, self.pages)
        if response is not None:
            return response
        if request.path == "/":
            return Response(WELCOME, mimetype="text/plain")
        return Response("There is nothing here.\n", HTTPStatus.NOT_FOUND, mimetype="text/plain")

    def _answer_api(self, request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(status=HTTPStatus.NO_CONTENT, headers=self._preflight())
        if (request.content_length or 0) > MAX_BODY_BYTES:
            response = _message(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "Request Too Long")
        else:
            try:
                response = _from_answer(self.submit.invoke(_to_event(request, self.origin_headers)))
            except FunctionError as error:
                self.log(f"submit failed: {error}")
                response = _message(HTTPStatus.INTERNAL_SERVER_ERROR, "Internal Server Error")
        if "Origin" in request.headers:
            response.headers["Access-Control-Allow-Origin"] = ",".join(self.cors.allow_origins)
            response.headers["Access-Control-Expose-Headers"] = ",".join(self.cors.expose_headers)
        return response

    def _preflight(self) -> dict[str, str]:
        return {
            "Access-Control-Allow-Origin": ",".join(self.cors.allow_origins),
            "Access-Control-Allow-Methods": ",".join(self.cors.allow_methods),
            "Access-Control-Allow-Headers": ",".join(self.cors.allow_headers),
            "Access-Control-Max-Age": str(self.cors.max_age),
        }

    def _forward_upload(self, request: Request) -> Response:
        """Hand a presigned POST on to S3, which in the cloud a page speaks to itself."""
        if request.method != "POST" or request.content_length is None:
            return Response(status=HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "POST"})
        target = urlsplit(self.uploads)
        headers = {"Content-Type": request.headers["Content-Type"], "Content-Length": str(request.content_length)}
        connection = HTTPConnection(target.netloc)
        try:
            connection.request("POST", target.path, body=request.stream, headers=headers)
            answer = connection.getresponse()
            return Response(answer.read(), answer.status, mimetype=answer.headers.get_content_type())
        finally:
            connection.close()

    def _answer_data(self, request: Request) -> Response:
        if request.method not in {"GET", "HEAD"}:
            return Response(status=HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
        try:
            found = self.s3.get_object(Bucket=self.site_bucket, Key=request.path.removeprefix("/"))
        except ClientError:
            return Response("There is no such snapshot.\n", HTTPStatus.NOT_FOUND, mimetype="text/plain")
        response = Response(found["Body"].read(), mimetype=found["ContentType"])
        response.headers["Cache-Control"] = found.get("CacheControl", "no-store")
        response.headers.update(DATA_HEADERS)
        response.set_etag(found["ETag"].strip('"'))
        return compress(request, response)


def _to_event(request: Request, origin_headers: Mapping[str, str]) -> dict[str, Any]:
    """Give the event of API Gateway, payload format 2.0, of a request that came through CloudFront."""
    query: dict[str, list[str]] = request.args.to_dict(flat=False)
    now = time.time()
    address = request.remote_addr or "127.0.0.1"
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": f"{request.method} /api/{{proxy+}}",
        "rawPath": request.path,
        "rawQueryString": request.query_string.decode("latin-1"),
        "headers": {name.lower(): value for name, value in request.headers.items()}
        | dict(origin_headers)
        | {"x-viewer-address": address},
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "local",
            "domainName": request.host,
            "domainPrefix": "local",
            "http": {
                "method": request.method,
                "path": request.path,
                "protocol": "HTTP/1.1",
                "sourceIp": address,
                "userAgent": request.headers.get("User-Agent", ""),
            },
            "requestId": str(uuid.uuid4()),
            "routeKey": f"{request.method} /api/{{proxy+}}",
            "stage": "$default",
            "time": time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(now)),
            "timeEpoch": int(now * 1000),
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


def _message(status: HTTPStatus, message: str) -> Response:
    """Answer as API Gateway does where it never reaches the function."""
    return Response(json.dumps({"message": message}), status, mimetype="application/json")
