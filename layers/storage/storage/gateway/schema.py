"""What is stored or sent: the schemas of everything, with their numbers, and the attribute values of items.

What newer code wrote is never guessed at and never overwritten: `NewerSchema` is raised, and the message, stream record
or request comes back for that code. See docs/building.md before you change a schema.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, get_args, get_origin

from storage.gateway.errors import NewerSchema

type Plain = str | int | bool
type Value = Plain | frozenset[str]
"""Of an attribute, in Python. There is no float, so no Decimal: scores are stored as one JSON string."""


class Schema(StrEnum):
    """What is stored: items of tables, objects of buckets and their metadata, messages of queues."""

    RESULT = "metadata of a raw result"
    RECORD = "record"
    LONG_OUTPUT = "long output of a record"
    WORK = "submission that waits for a runner, or a runner"
    RUNNER_OUTCOME = "outcome of a runner"
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


def marshal(item: Mapping[str, Value | None]) -> dict[str, Any]:
    """Return an item in DynamoDB's form; None is left out."""
    return {name: marshal_value(value) for name, value in item.items() if value is not None}


def unmarshal(item: Mapping[str, Mapping[str, Any]]) -> dict[str, Plain]:
    """Return an item in plain form. Raises ValueError on any other kind of value."""
    return {name: _unmarshal_value(name, value) for name, value in item.items()}


def to_attributes(value: NamedTuple) -> dict[str, Plain | None]:
    """Return a named tuple as attributes; times are ISO 8601, tuples and sets JSON."""
    return {name: _to_attribute(field) for name, field in value._asdict().items()}


def from_attributes[Model: NamedTuple](model: type[Model], plain: Mapping[str, Plain], **given: object) -> Model:
    """Return what `to_attributes` wrote; `given` are fields that are no attributes.

    A field without an attribute has its default. Raises KeyError, ValueError on any other item.
    """
    given = {name: default for name, default in model._field_defaults.items() if name not in plain} | given
    forms = model.__annotations__
    return model._make(
        given[name] if name in given else _from_attribute(forms[name], name, plain) for name in model._fields
    )


def _to_attribute(value: Any) -> Plain | None:
    match value:
        case datetime():
            return value.isoformat()
        case tuple() | frozenset():
            return json.dumps(sorted(value) if isinstance(value, frozenset) else value)
        case _:
            plain: Plain | None = value
            return plain


def _from_attribute(form: Any, name: str, plain: Mapping[str, Plain]) -> Any:
    """Return a text, number, truth or time, or a tuple or set of texts, or None."""
    if (kinds := get_args(form)) and kinds[-1] is type(None):
        return None if plain.get(name) is None else _from_attribute(kinds[0], name, plain)
    if form is datetime:
        return datetime.fromisoformat(str(plain[name]))
    if collection := get_origin(form):
        return collection(map(kinds[0], json.loads(str(plain[name]))))
    return form(plain[name])


def marshal_value(value: Value) -> dict[str, Any]:
    """Return a value in DynamoDB's form."""
    match value:
        case bool():
            return {"BOOL": value}
        case int():
            return {"N": str(value)}
        case str():
            return {"S": value}
        case frozenset():
            return {"SS": sorted(value)}


def _unmarshal_value(name: str, value: Mapping[str, Any]) -> Plain:
    # Every item that is read passes here. Matching patterns of mappings would take three times as long.
    if isinstance(text := value.get("S"), str):
        return text
    if isinstance(text := value.get("N"), str):
        return int(text)
    if isinstance(truth := value.get("BOOL"), bool):
        return truth
    raise ValueError(f"attribute {name!r}: expected S, N or BOOL, found {', '.join(value)}")
