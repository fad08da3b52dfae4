"""The request for an upload, and the form that answers it."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from handlers.http.bodies import Body
from handlers.http.views import View
from scoring_core.io.formats import FORMATS
from scoring_core.io.limits import MAX_BATCH_BYTES

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
    again: Annotated[
        bool, Field(description="Whether the file counts although the same bytes were uploaded within a day.")
    ] = False


class UploadTicket(View):
    """Where to send a file: one multipart form with these fields first, then the file as `file`."""

    upload: str
    url: str = Field(description="Takes the form; relative to the site if it begins with a slash.")
    fields: dict[str, str] = Field(description="Fields of the form; send them unchanged.")
    expires_at: datetime = Field(description="The upload must begin before this time.")
    status_url: str
