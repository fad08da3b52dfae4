"""Publishing over HTTP: the bundle that was uploaded, the request to publish it, and the report.

A bundle holds the ground truth. It lies below `incoming/`, which the API can only write and list, until it is published
or refused; then it is deleted, with its versions. The request lies beside it as long, so that a publication whose
function died is taken up again.
"""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from pydantic import Field

from storage.actors import Actor, Role
from storage.gateway.bucket import Bucket, UploadForm
from storage.gateway.models import FrozenModel, StoredModel
from storage.gateway.schema import Schema
from storage.keys import INCOMING_PREFIX, incoming_key, publication_key, publication_request_key

UPLOAD_SECONDS = 900
"""How long a bundle may be uploaded."""
TWO_TRIES = timedelta(minutes=35)
"""Longer than the two that Lambda makes of a request; the next hour is early enough for a third."""
MAX_REPORT_BYTES = 1_000_000
"""Of the examples in a report, as JSON in JSON: an answer of the API holds them."""


class PublicationId(NamedTuple):
    """The id of an attempt to publish: the benchmark, the player whose token it is, and a UUIDv7."""

    benchmark: str
    player: str
    id: str


class PublicationStatus(StrEnum):
    """How publishing ended."""

    PUBLISHED = "published"
    CHECKED = "checked"
    REFUSED = "refused"
    CONFLICT = "conflict"
    FAILED = "failed"


class CheckedExample(FrozenModel):
    """What became of an example, and how that differs from what was expected."""

    name: str
    outcome: str = Field(description="scored, invalid, evaluator_error, or refused: no player could submit it.")
    differences: tuple[str, ...] = ()
    message: str = ""
    stdout: str = ""
    stderr: str = ""


class PublicationOutcome(FrozenModel):
    """What publishing came to; of what was only checked, what publishing it would do."""

    detail: str = ""
    faults: tuple[str, ...] = Field(default=(), description="What is wrong with the files, one line each.")
    examples: tuple[CheckedExample, ...] = Field(default=(), description="Those that failed come first.")
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


class PublicationReport(PublicationOutcome, StoredModel):
    """How publishing ended, with all that `laurel check` reports; its salt is for the publisher alone."""

    kind = Schema.PUBLICATION

    status: PublicationStatus
    salt: str | None = Field(default=None, repr=False, exclude_if=lambda salt: salt is None)


class PublicationRequest(StoredModel):
    """What the API asks the publishing function; nobody else may invoke that.

    `replaces` is the publish number of what the publisher has seen; 0 for a new benchmark; None: it is only checked.
    `reason` is what is said of it if it corrects scores.
    """

    kind = Schema.PUBLICATION_REQUEST

    benchmark: str
    player: str
    id: str
    role: Role
    replaces: int | None
    reason: str = Field(default="", exclude_if=lambda reason: not reason)

    @property
    def publication(self) -> PublicationId:
        """Which bundle."""
        return PublicationId(self.benchmark, self.player, self.id)

    @property
    def actor(self) -> Actor:
        """The player who publishes."""
        return Actor(id=self.player, role=self.role)


class PublicationStore(NamedTuple):
    """Bundles and reports in the results bucket."""

    bucket: Bucket

    def sign_upload(self, publication: PublicationId, *, size_bytes: int) -> UploadForm:
        """Sign the upload of one bundle of exactly this size."""
        return self.bucket.sign_upload(
            incoming_key(*publication), size_bytes=size_bytes, content_type="application/zip", seconds=UPLOAD_SECONDS
        )

    def is_uploaded(self, publication: PublicationId) -> bool:
        """Return whether the bundle is there."""
        return self.bucket.find_first(incoming_key(*publication)) is not None

    def put_request(self, request: PublicationRequest) -> bool:
        """Keep a request until its publication has a report; False if there is one."""
        return self.bucket.put_new(publication_request_key(*request.publication), request.to_body())

    def withdraw_request(self, publication: PublicationId) -> None:
        """Delete a request that was not passed on."""
        self.bucket.delete(publication_request_key(*publication))

    def count_running(self, player: str, *, since: datetime) -> int:
        """Count the requests of a player since a moment that have not ended."""
        keys = (key for key, at in self.bucket.list_modified(INCOMING_PREFIX) if key.endswith(".json") and at >= since)
        return sum(key.split("/")[2] == player for key in keys)

    def is_requested(self, publication: PublicationId) -> bool:
        """Return whether a publication was started, and has not ended."""
        return self.bucket.find_first(publication_request_key(*publication)) is not None

    def list_requests(self, *, until: datetime) -> Iterator[PublicationRequest]:
        """Yield the kept requests of until then, newest first. Raises NewerSchema."""
        listed = [(at, key) for key, at in self.bucket.list_modified(INCOMING_PREFIX) if key.endswith(".json")]
        for at, key in sorted(listed, reverse=True):
            stored = self.bucket.find(key) if at <= until else None
            if stored is not None:
                yield PublicationRequest.model_validate_json(stored.body)

    def read_bundle(self, publication: PublicationId) -> bytes | None:
        """Return the bytes of a bundle; None if there is none."""
        stored = self.bucket.find(incoming_key(*publication))
        return stored.body if stored else None

    def forget_bundle(self, publication: PublicationId) -> None:
        """Delete a bundle, with all its versions, and then its request."""
        self.bucket.delete_versions(incoming_key(*publication))
        self.bucket.delete_versions(publication_request_key(*publication))

    def find_report(self, publication: PublicationId) -> PublicationReport | None:
        """Read how publishing ended; None if it has not ended. Raises NewerSchema."""
        stored = self.bucket.find_model(publication_key(*publication), PublicationReport)
        return stored.value if stored else None

    def put_report(self, publication: PublicationId, report: PublicationReport) -> None:
        """Write how publishing ended; what was written first stays. Raises NewerSchema."""
        if not self.bucket.put_new(publication_key(*publication), report.to_body()):
            self.find_report(publication)


def keep_examples(examples: list[CheckedExample]) -> tuple[CheckedExample, ...]:
    """Return as many examples as a report may hold, those that failed first."""
    left, kept = MAX_REPORT_BYTES, []
    for example in sorted(examples, key=lambda example: not example.differences):
        left -= len(json.dumps(example.model_dump_json()))
        if left < 0:
            break
        kept.append(example)
    return tuple(kept)
