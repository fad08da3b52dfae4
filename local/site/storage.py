"""`/storage/TOKEN`: one-time addresses of the engine, which take the file of a form or give an object, as S3 does."""

import hashlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from xml.sax.saxutils import escape

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.http import parse_options_header
from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder, NeedData
from werkzeug.wrappers import Request, Response

from engine.objects import Grant, Objects
from engine.store import StoreFailed
from storage.gateway.bucket import make_fields
from storage.gateway.errors import StoreError

PREFIX: Final = "/storage/"
MAX_FIELD_BYTES: Final = 20_000
"""Size of all fields before the file."""
MAX_PARTS: Final = 100
_BLOCK_BYTES: Final = 64 * 1024
_ERRORS: Final = {
    "AccessDenied": (403, "The address is unknown, was used, or its time is over."),
    "BadDigest": (400, "The SHA256 you specified did not match the calculated checksum."),
    "EntityTooLarge": (400, "Your proposed upload exceeds the maximum allowed size"),
    "EntityTooSmall": (400, "Your proposed upload is smaller than the minimum allowed size"),
    "IncorrectNumberOfFilesInPostRequest": (400, "POST requires exactly one file upload per request."),
    "InternalServerError": (503, "There is no room for the file, or the disk fails. Please try again."),
    "InvalidArgument": (400, "A field of the form differs from what its address was made for."),
    "MalformedPOSTRequest": (400, "The body of your POST request is not well-formed multipart/form-data."),
    "MaxPostPreDataLengthExceededError": (400, "Your POST request fields preceding the upload file were too large."),
    "MethodNotAllowed": (405, "The specified method is not allowed against this resource."),
    "MissingContentLength": (411, "You must provide the Content-Length HTTP header."),
    "PreconditionFailed": (412, "POST must be of the enclosure-type multipart/form-data"),
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
        if len(file) < grant.size_bytes:
            raise UploadError("EntityTooSmall")
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
    """Return the file of a form that has these fields before it.

    No more than `most` bytes of it are read, and nothing that comes after it. Raises UploadError.
    """
    name, read_bytes, content = "", 0, io.BytesIO()  # which gives what was written without a copy
    asked: dict[str, list[str]] = {}
    for event in _read_events(request):
        if not isinstance(event, Data):
            name, content = (event.name or "").lower(), io.BytesIO()
            if name == "file" and any(",".join(asked.get(each.lower(), ())) != fields[each] for each in fields):
                raise UploadError("InvalidArgument")
            continue
        content.write(event.data)
        if name == "file" and content.tell() > most:
            raise UploadError("EntityTooLarge")
        if name != "file" and read_bytes + len(name) + content.tell() > MAX_FIELD_BYTES:
            raise UploadError("MaxPostPreDataLengthExceededError")
        if event.more_data:
            continue
        if name == "file":
            return content.getvalue()
        read_bytes += len(name) + content.tell()
        asked.setdefault(name, []).append(content.getvalue().decode(errors="replace"))
    raise UploadError("IncorrectNumberOfFilesInPostRequest")


def _read_events(request: Request) -> Iterator[Field | File | Data]:
    """Yield the parts of a form as they arrive, each with its content behind it."""
    media_type, options = parse_options_header(request.headers.get("Content-Type"))
    if media_type != "multipart/form-data" or not options.get("boundary"):
        raise UploadError("PreconditionFailed")
    if request.content_length is None:
        raise UploadError("MissingContentLength")
    limit = MAX_FIELD_BYTES + 2 * _BLOCK_BYTES
    decoder = MultipartDecoder(options["boundary"].encode(), limit, max_parts=MAX_PARTS)
    try:
        while not isinstance(event := decoder.next_event(), Epilogue):
            if isinstance(event, NeedData):
                decoder.receive_data(request.stream.read(_BLOCK_BYTES) or None)
            elif isinstance(event, Field | File | Data):
                yield event
    except RequestEntityTooLarge as error:
        raise UploadError("MaxPostPreDataLengthExceededError") from error
    except (ValueError, KeyError) as error:
        raise UploadError("MalformedPOSTRequest") from error


def _refuse(code: str) -> Response:
    status, message = _ERRORS[code]
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<Error><Code>{escape(code)}</Code><Message>{escape(message)}</Message></Error>"
    )
    return Response(body, status, mimetype="application/xml", headers={"Cache-Control": "no-store"})
