"""Answers about publishing over HTTP."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from storage.benchmarks.publications import CheckedExample
from submit.schemas.base import View


class PublicationTicket(View):
    """Where to send a benchmark's files: one form with these fields first, then the ZIP as `file`."""

    publication: str
    url: str = Field(description="Takes the form; relative to the site if it begins with a slash.")
    fields: dict[str, str] = Field(description="Fields of the form; send them unchanged.")
    expires_at: datetime = Field(description="The upload must begin before this time.")
    replaces: int = Field(description="What is published now, as a number; 0: nothing. Send it to `start_url`.")
    start_url: str = Field(description="Takes a POST once the file is uploaded.")
    status_url: str


class PublicationView(View):
    """How publishing goes, or ended; the report is kept for 30 days."""

    benchmark: str
    publication: str
    status: Literal["waiting", "checking", "published", "refused", "conflict", "failed"] = Field(
        description="waiting: nothing is uploaded; checking; published; refused: see `faults` and `examples`; "
        "conflict: somebody else has published; failed: the platform could not check it, publish again."
    )
    detail: str = ""
    faults: tuple[str, ...] = Field(default=(), description="What is wrong with the files, one line each.")
    examples: tuple[CheckedExample, ...] = Field(default=(), description="Those that failed come first.")
    omitted_examples: int = Field(default=0, description="How many examples this answer has no room for.")
    version: str | None = Field(default=None, description="The version that the board shows.")
    replaced: str | None = Field(default=None, description="The version that was current before.")
    next: str | None = Field(default=None, description="The version that it will show once all results are rescored.")
    publish_number: int | None = Field(default=None, description="The number of what is published now.")
    changed: bool = Field(default=False, description="False if exactly this is published already.")
    changes: tuple[str, ...] = Field(default=(), description="Keys and files that differ, never their content.")
    players: int = 0
    salt: str | None = Field(
        default=None,
        repr=False,
        description="The salt of the version, if the files lacked it: save it beside the ground truth as `salt.txt`. "
        "Null if the files had one, or differ from those that were published with the salt first.",
    )
