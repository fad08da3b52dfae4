"""The request for an upload, and the form that answers it."""

import hashlib
from datetime import datetime
from typing import Annotated, ClassVar

from pydantic import Field

from handlers.http.bodies import Body
from handlers.http.views import View
from scoring_core.io.formats import FORMATS, JSON, format_of
from scoring_core.io.limits import MAX_BATCH_BYTES, MAX_LARGE_BYTES, PART_BYTES

_ENDINGS = rf"\.({'|'.join(''.join(f'[{letter}{letter.upper()}]' for letter in name) for name in FORMATS)})$"


class UploadRequest(Body):
    """The file that is to be uploaded."""

    bytes: Annotated[int, Field(ge=1, description="The file's size.", json_schema_extra={"maximum": MAX_BATCH_BYTES})]
    filename: Annotated[
        str,
        Field(
            min_length=1,
            max_length=255,
            description="Ends in .jsonl, .zip, or the ending of a format that the benchmark takes.",
            json_schema_extra={"pattern": _ENDINGS},
        ),
    ]


class LargeResult(Body):
    """A result in parts of 4 MiB, but for the last one; it is stored as the raw result."""

    MAX_BYTES: ClassVar[int] = 40_000

    filename: Annotated[str, Field(min_length=1, max_length=255, description="Its ending says what the format is.")]
    bytes: Annotated[int, Field(ge=1, le=MAX_LARGE_BYTES)]
    parts: Annotated[
        tuple[Annotated[str, Field(pattern="^[0-9a-f]{64}$")], ...],
        Field(min_length=1, max_length=-(-MAX_LARGE_BYTES // PART_BYTES), strict=False),
    ]

    @property
    def sha256(self) -> str:
        """The hash over those of the parts."""
        return hashlib.sha256(b"".join(map(bytes.fromhex, self.parts))).hexdigest()

    @property
    def file_format(self) -> str:
        """The format that its name says."""
        return format_of(self.filename) or JSON


class PartForm(View):
    """Where to send a part: a multipart form as that of an upload."""

    sha256: str
    url: str
    fields: dict[str, str]


class LackingParts(View):
    """How many parts are not there yet, and the forms of the first of them, which work for 15 minutes."""

    lacking: int
    forms: list[PartForm]


class UploadTicket(View):
    """Where to send a file: one multipart form with these fields first, then the file as `file`."""

    upload: str
    url: str = Field(description="Takes the form; relative to the site if it begins with a slash.")
    fields: dict[str, str] = Field(description="Fields of the form; send them unchanged.")
    expires_at: datetime = Field(description="The upload must begin before this time.")
    status_url: str
