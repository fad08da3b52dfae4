"""`/uploads`: stores the file of a presigned POST in the results bucket, as S3 does in the cloud."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import IO, TYPE_CHECKING, Any, Final

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.http import parse_options_header
from werkzeug.sansio.multipart import Data, Epilogue, Event, Field, File, MultipartDecoder, NeedData
from werkzeug.wrappers import Request, Response

from local.uploads.errors import UploadError, missing_field
from local.uploads.post_policy import SizeRange, check_policy
from local.uploads.signatures import Credentials

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

PATH: Final = "/uploads"
MAX_FIELD_BYTES: Final = 20_000
"""Size of all fields before the file."""
MAX_PARTS: Final = 100
_BLOCK_BYTES: Final = 64 * 1024
_MEMORY_BYTES: Final = 2**20
"""Larger files are buffered on disk."""
_HEADERS: Final = {
    "cache-control": "CacheControl",
    "content-disposition": "ContentDisposition",
    "content-encoding": "ContentEncoding",
    "content-type": "ContentType",
}
_METADATA: Final = "x-amz-meta-"
_SETTLED: Final = frozenset(
    {
        *("bucket", "key", "policy", "success_action_status"),
        *("x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-signature"),
    }
)
"""Fields that do not describe the object."""
_STATUSES: Final = {"200": HTTPStatus.OK, "204": HTTPStatus.NO_CONTENT}


@dataclass(frozen=True)
class Uploads:
    """Takes presigned POSTs, one file each, with a policy signed by `credentials`."""

    s3: "S3Client"
    bucket: str
    credentials: Credentials
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def answer(self, request: Request) -> Response:
        """Answer a request; a rejected one stores nothing."""
        try:
            return self._take(request)
        except UploadError as error:
            return error.to_response()

    def _take(self, request: Request) -> Response:
        if request.method != "POST":
            raise UploadError("MethodNotAllowed")
        form = _Form(request)
        fields = form.read_fields()
        if not fields.get("key"):
            raise missing_field("key")
        size = check_policy(fields, bucket=self.bucket, credentials=self.credentials, now=self.now())
        arguments = _read_arguments(fields)
        status = _STATUSES.get(fields.get("success_action_status", ""), HTTPStatus.NO_CONTENT)
        with form.read_file(size) as file:
            stored = self.s3.put_object(Bucket=self.bucket, Key=fields["key"], Body=file, **arguments)
        return Response(status=status, headers={"ETag": stored["ETag"], "Location": f"{PATH}/{fields['key']}"})


class _Form:
    """A form as it arrives: the fields, then the file; anything after the file is ignored."""

    def __init__(self, request: Request) -> None:
        media_type, options = parse_options_header(request.headers.get("Content-Type"))
        if media_type != "multipart/form-data" or not options.get("boundary"):
            raise UploadError(
                "PreconditionFailed", Condition="Bucket POST must be of the enclosure-type multipart/form-data"
            )
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
                filename = part.filename if isinstance(part, File) else ""
                return {key: ",".join(values).replace("${filename}", filename) for key, values in fields.items()}
            content = bytearray()
            for block in self._read_content():
                content += block
                if read_bytes + len(name) + len(content) > MAX_FIELD_BYTES:
                    raise UploadError("MaxPostPreDataLengthExceededError")
            read_bytes += len(name) + len(content)
            fields.setdefault(name, []).append(content.decode(errors="replace"))
        raise UploadError("IncorrectNumberOfFilesInPostRequest")

    @contextmanager
    def read_file(self, size: SizeRange) -> Iterator[IO[bytes]]:
        """Yield the file after the fields, and read no more than its size limit."""
        with tempfile.SpooledTemporaryFile(_MEMORY_BYTES) as file:
            size_bytes = 0
            for block in self._read_content():
                size_bytes += len(block)
                if size_bytes > size.most:
                    break
                file.write(block)
            size.check(size_bytes)
            file.seek(0)
            yield file

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


def _read_arguments(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return headers and metadata of the object. Raises UploadError."""
    arguments: dict[str, Any] = {"Metadata": {}}
    for name, value in fields.items():
        if name in _HEADERS:
            arguments[_HEADERS[name]] = value
        elif name.startswith(_METADATA):
            arguments["Metadata"][name.removeprefix(_METADATA)] = value
        elif name not in _SETTLED and not name.startswith("x-ignore-"):
            raise UploadError("NotImplemented", name)
    return arguments
