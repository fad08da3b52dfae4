"""`/storage/TOKEN`: one-time addresses of the engine, which take the file of a form or give an object, as S3 does."""

import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from xml.sax.saxutils import escape

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.formparser import FormDataParser
from werkzeug.http import parse_options_header
from werkzeug.wrappers import Request, Response

from engine.objects import Grant, Objects
from engine.store import StoreFailed
from storage.gateway.bucket import make_fields
from storage.gateway.errors import StoreError

PREFIX: Final = "/storage/"
MAX_FIELD_BYTES: Final = 20_000
"""What a form has besides its file."""
MAX_PARTS: Final = 100
_BLOCK_BYTES: Final = 128 * 1024
"""Of what is not a file: werkzeug reads half as much at a time."""
_ERRORS: Final = {
    "AccessDenied": (403, "The address is unknown, was used, or its time is over."),
    "BadDigest": (400, "The SHA256 you specified did not match the calculated checksum."),
    "EntityTooLarge": (400, "Your proposed upload exceeds the maximum allowed size"),
    "EntityTooSmall": (400, "Your proposed upload is smaller than the minimum allowed size"),
    "IncorrectNumberOfFilesInPostRequest": (400, "POST requires exactly one file upload per request."),
    "InternalServerError": (503, "There is no room for the file, or the disk fails. Please try again."),
    "InvalidArgument": (400, "A field of the form differs from what its address was made for."),
    "MalformedPOSTRequest": (400, "The body of your POST request is not well-formed multipart/form-data."),
    "MethodNotAllowed": (405, "The specified method is not allowed against this resource."),
    "MissingContentLength": (411, "You must provide the Content-Length HTTP header."),
}
"""S3's code → HTTP status and message."""


class UploadError(Exception):
    """A request is rejected; `code` is S3's name of the error."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


@dataclass(frozen=True)
class Storage:
    """Uploads and downloads by addresses that `objects` made; a rejected request stores nothing."""

    objects: Objects

    def answer(self, request: Request) -> Response:
        """Answer a request for a path below PREFIX."""
        try:
            return self._answer(request)
        except UploadError as error:
            return _refuse(error.code)
        except StoreFailed:
            return _refuse("InternalServerError")
        except StoreError:  # the object is gone
            return _refuse("AccessDenied")

    def _answer(self, request: Request) -> Response:
        token = request.path.removeprefix(PREFIX)
        grant = self.objects.find_grant(token)
        if grant is None:
            raise UploadError("AccessDenied")
        if grant.size_bytes is None:
            if request.method not in {"GET", "HEAD"}:
                raise UploadError("MethodNotAllowed")
            return self._give(grant)
        if request.method != "POST":
            raise UploadError("MethodNotAllowed")
        fields = {"key": grant.key, **make_fields(grant.content_type, grant.sha256)}
        file = _read_file(request, fields, grant.size_bytes)
        if len(file) != grant.size_bytes:
            raise UploadError("EntityTooSmall" if len(file) < grant.size_bytes else "EntityTooLarge")
        if grant.sha256 is not None and hashlib.sha256(file).hexdigest() != grant.sha256:
            raise UploadError("BadDigest")
        etag = self.objects.use_upload(token, file)
        self.objects.store.sync()  # the answer may make its sender delete the file
        return Response(status=HTTPStatus.NO_CONTENT, headers={"ETag": etag})

    def _give(self, grant: Grant) -> Response:
        response = Response(self.objects.get(grant.bucket, grant.key).body, content_type=grant.content_type)
        response.headers["Content-Disposition"] = f'attachment; filename="{grant.filename}"'
        response.headers["Cache-Control"] = "private, no-store"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Access-Control-Allow-Origin"] = "*"  # as the results bucket's CORS rule
        return response


def _read_file(request: Request, fields: Mapping[str, str], most: int) -> bytes:
    """Return the file of a form that has these fields.

    No request is read that is longer than a form with a file of `most` bytes. Raises UploadError.
    """
    media_type, options = parse_options_header(request.headers.get("Content-Type"))
    if request.content_length is None:
        raise UploadError("MissingContentLength")
    if request.content_length > most + MAX_FIELD_BYTES:
        raise UploadError("EntityTooLarge")
    file = io.BytesIO()  # which gives what was written without a copy
    parser = FormDataParser(lambda *_, **__: file, _BLOCK_BYTES, silent=False, max_form_parts=MAX_PARTS)
    try:
        _, form, files = parser.parse(request.stream, media_type, request.content_length, options)
    except (RequestEntityTooLarge, ValueError, KeyError) as error:
        raise UploadError("MalformedPOSTRequest") from error
    if [name for name, _ in files.items(multi=True)] != ["file"]:
        raise UploadError("IncorrectNumberOfFilesInPostRequest")
    if any(form.getlist(name) != [value] for name, value in fields.items()):
        raise UploadError("InvalidArgument")
    return file.getvalue()


def _refuse(code: str) -> Response:
    status, message = _ERRORS[code]
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<Error><Code>{escape(code)}</Code><Message>{escape(message)}</Message></Error>"
    )
    return Response(body, status, mimetype="application/xml", headers={"Cache-Control": "no-store"})
