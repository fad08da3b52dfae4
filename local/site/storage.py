"""`/storage/TOKEN`: one-time addresses of the engine, which take the file of a form or give an object, as S3 does."""

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from xml.sax.saxutils import escape

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.http import parse_options_header
from werkzeug.sansio.multipart import Data, Epilogue, Event, Field, File, MultipartDecoder, NeedData
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
        form = _Form(request)
        asked = form.read_fields()
        fields = {"key": grant.key, **make_fields(grant.content_type, grant.sha256)}
        if any(asked.get(name.lower()) != value for name, value in fields.items()):
            raise UploadError("InvalidArgument")
        file = form.read_file(grant.size_bytes)
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


class _Form:
    """A form as it arrives: the fields, then the file; anything after the file is ignored."""

    def __init__(self, request: Request) -> None:
        media_type, options = parse_options_header(request.headers.get("Content-Type"))
        if media_type != "multipart/form-data" or not options.get("boundary"):
            raise UploadError("PreconditionFailed")
        if request.content_length is None:
            raise UploadError("MissingContentLength")
        self._stream = request.stream
        self._decoder = MultipartDecoder(
            options["boundary"].encode(), MAX_FIELD_BYTES + 2 * _BLOCK_BYTES, max_parts=MAX_PARTS
        )

    def read_fields(self) -> dict[str, str]:
        """Return the fields before the file by lower-case name.

        Values of a repeated field are joined with commas.
        """
        fields: dict[str, list[str]] = {}
        read_bytes = 0
        while not isinstance(part := self._read_event(), Epilogue):
            if not isinstance(part, Field | File):
                continue
            name = (part.name or "").lower()
            if name == "file":
                return {key: ",".join(values) for key, values in fields.items()}
            content = bytearray()
            for block in self._read_content():
                content += block
                if read_bytes + len(name) + len(content) > MAX_FIELD_BYTES:
                    raise UploadError("MaxPostPreDataLengthExceededError")
            read_bytes += len(name) + len(content)
            fields.setdefault(name, []).append(content.decode(errors="replace"))
        raise UploadError("IncorrectNumberOfFilesInPostRequest")

    def read_file(self, most: int) -> bytes:
        """Return the file after the fields; no more than `most` bytes of it are read."""
        content = io.BytesIO()  # which gives what was written without a copy
        for block in self._read_content():
            content.write(block)
            if content.tell() > most:
                raise UploadError("EntityTooLarge")
        return content.getvalue()

    def _read_content(self) -> Iterator[bytes]:
        """Yield the content of the current part in blocks."""
        while True:
            event = self._read_event()
            if not isinstance(event, Data):
                raise UploadError("MalformedPOSTRequest")
            yield event.data
            if not event.more_data:
                return

    def _read_event(self) -> Event:
        try:
            while isinstance(event := self._decoder.next_event(), NeedData):
                self._decoder.receive_data(self._stream.read(_BLOCK_BYTES) or None)
        except RequestEntityTooLarge as error:
            raise UploadError("MaxPostPreDataLengthExceededError") from error
        except (ValueError, KeyError) as error:
            raise UploadError("MalformedPOSTRequest") from error
        return event


def _refuse(code: str) -> Response:
    status, message = _ERRORS[code]
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<Error><Code>{escape(code)}</Code><Message>{escape(message)}</Message></Error>"
    )
    return Response(body, status, mimetype="application/xml", headers={"Cache-Control": "no-store"})
