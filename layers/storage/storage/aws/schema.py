"""Every form in which something is kept or sent, and its schema number: the one place that knows which there are.

What newer code has written is never read by guess, nor written over: `Newer` is raised, and the message, the stream
record or the request comes back for that code. To change a form see docs/operations.md.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from storage.aws.attributes import Plain, unmarshal
from storage.aws.errors import NewerSchema


class Schema(StrEnum):
    """What is kept: items of tables, objects of buckets and their metadata, messages of queues."""

    RESULT = "metadata of a raw result"
    RECORD = "record"
    LONG_OUTPUT = "long output of a record"
    WITHDRAWAL = "withdrawal"
    CONTRIBUTION = "contribution"
    STANDING = "standing"
    IDEMPOTENCY_RECORD = "idempotency record"
    QUOTA = "quota"
    TOKEN = "token"  # noqa: S105  # a kind of item, no password
    SESSION = "session"
    PLAYER = "player"
    NAME = "name of a player"
    FLAG = "flag"
    GENERATION = "generation of a sandbox tenant"
    PENDING_MAIL = "pending mail"
    LEASE = "mail lease"
    SUPPRESSION = "suppressed address"
    POINTER = "benchmark pointer"
    SNAPSHOT = "snapshot"
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
        """The highest number that can be read."""
        return max(self.number, READ_AHEAD.get(self, 0))

    def check(self, schema: int) -> None:
        """Let what can be read pass. Raises Newer."""
        if schema > self.newest:
            raise NewerSchema(f"{self}: expected schema {self.newest} or less, found {schema}: newer code wrote it")

    def read(self, item: Mapping[str, Mapping[str, Any]]) -> dict[str, Plain]:
        """Give an item of a table or a stream record in plain form.

        Raises:
            Newer: Newer code has written it.
            KeyError, ValueError: The item is not one of ours.
        """
        self.check(int(item["schema"]["N"]))
        return unmarshal(item)


SCHEMA_NUMBERS: Mapping[Schema, int] = dict.fromkeys(Schema, 1)
"""What this code writes. It reads that and whatever was written before, for ever."""

READ_AHEAD: Mapping[Schema, int] = {}
"""What this code reads already, though only the next release will write it."""


class StoredModel(BaseModel):
    """An object of a bucket, whose JSON carries its schema number; reading one that newer code wrote raises Newer.

    `form` is named by each subclass; a `schema_number` of 0 stands for the number that is written.
    """

    model_config = ConfigDict(frozen=True, serialize_by_alias=True, validate_by_name=True, defer_build=True)
    form: ClassVar[Schema]

    schema_number: int = Field(default=0, alias="schema", validate_default=True)

    @field_validator("schema_number")
    @classmethod
    def check_schema(cls, schema: int) -> int:
        """Let what can be read pass."""
        cls.form.check(schema)
        return schema or cls.form.number

    def to_body(self, *, exclude_none: bool = False) -> bytes:
        """Give the bytes of the object, in the form that this code writes, whatever it was read from."""
        present = self.model_copy(update={"schema_number": self.form.number})
        return present.model_dump_json(exclude_none=exclude_none).encode()
