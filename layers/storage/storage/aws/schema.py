"""The schemas of everything that is stored or sent, and their numbers.

What newer code wrote is never guessed at and never overwritten: `NewerSchema` is raised, and the message, stream record
or request comes back for that code. See docs/building.md before you change a schema.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from storage.aws.attributes import Plain, unmarshal
from storage.aws.errors import NewerSchema


class Schema(StrEnum):
    """What is stored: items of tables, objects of buckets and their metadata, messages of queues."""

    RESULT = "metadata of a raw result"
    RECORD = "record"
    LONG_OUTPUT = "long output of a record"
    WITHDRAWAL = "withdrawal"
    ACCEPTANCE = "acceptance of a submission in review"
    STANDING = "standing"
    BOARD_ENTRY = "board entry"
    PROGRESS = "progress of a publishing"
    BOARD_LEASE = "lease of a board"
    WORD = "word for the renderer of a board"
    STALL = "stall of a board"
    IDEMPOTENCY_RECORD = "idempotency record"
    QUOTA = "quota"
    LABELS = "labels of a player"
    RUN_TICKET = "spent run ticket"
    TOKEN = "token"  # noqa: S105  # a kind of item, no password
    SESSION = "session"
    INVITATION = "invitation"
    LISTED = "list of tokens or invitations"
    PLAYER = "player"
    NAME = "name of a player"
    GUEST_NAME = "name of guests"
    GUEST_SECRET = "secret of guests' ids"  # noqa: S105  # a kind of item, no password
    BANS = "bans of a benchmark"
    ARCHIVE = "archive mark of a benchmark"
    FLAG = "flag"
    CORRECTION_NOTE = "note of a correction"
    NUMBER = "number that only rises"
    PENDING_MAIL = "pending mail"
    LEASE = "mail lease"
    SUPPRESSION = "suppressed address"
    POINTER = "benchmark pointer"
    PUBLICATION = "report of a publication"
    PUBLICATION_REQUEST = "request of a publication"
    OPERATION = "operation"
    OWNER = "owner of a benchmark"
    SNAPSHOT = "snapshot"
    UNNAMED = "objects of a board that nothing names"
    BATCH_REPORT = "batch report"
    AUDIT_ENTRY = "entry of the audit trail"
    S3_EVENT = "S3 event"
    MAIL_MESSAGE = "mail queue message"

    @property
    def number(self) -> int:
        """The number that is written."""
        return SCHEMA_NUMBERS[self]

    @property
    def newest(self) -> int:
        """The highest number that can be read.

        It is what is written, except in the release that prepares a change: that reads the next number already.
        """
        return self.number

    def check(self, number: int) -> None:
        """Raise NewerSchema if this number cannot be read."""
        if number > self.newest:
            raise NewerSchema(f"{self}: expected schema {self.newest} or less, found {number}: newer code wrote it")

    def read(self, item: Mapping[str, Mapping[str, Any]]) -> dict[str, Plain]:
        """Return an item in plain form. Raises NewerSchema, KeyError, ValueError."""
        self.check(int(item["schema"]["N"]))
        return unmarshal(item)


SCHEMA_NUMBERS: Mapping[Schema, int] = dict.fromkeys(Schema, 1)
"""What this code writes. It reads that, and everything that was written since release 1.0."""
