"""Idempotency records in the access table: the submission of an idempotency key. None of them opens a receipt."""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from storage.aws.errors import Busy, Conflict
from storage.aws.schema import Schema
from storage.aws.table import Table

KEEP = timedelta(days=1)


class IdempotencyRecord(NamedTuple):
    """What is stored under an idempotency key.

    Args:
        submission: The submission's id, the same for every repeat.
        request_sha256: Hash of the whole request; a repeat must have the same.
        nonce: Together with the key, of which only a hash is stored, it yields the receipt.
    """

    submission: str
    request_sha256: str
    nonce: str


@dataclass(frozen=True, slots=True)
class IdempotencyStore:
    """The idempotency records in the access table."""

    table: Table

    def acquire(
        self, idempotency_key: str, *, scope: str, record: IdempotencyRecord, now: datetime
    ) -> IdempotencyRecord:
        """Acquire an idempotency key for a day; the first request wins.

        Args:
            idempotency_key: As the client sent it.
            scope: Whose key it is (benchmark and player, or address); equal keys of others are different keys.
            record: What to store if the key is new.
            now: The time.

        Returns:
            What is stored: the given record, or an earlier one.

        Raises:
            Busy: The earlier record expired at this moment.
        """
        key = _key(idempotency_key, scope)
        try:
            self.table.put(
                Schema.IDEMPOTENCY_RECORD,
                {"key": key, **record._asdict(), "expires_at": int((now + KEEP).timestamp())},
                condition="attribute_not_exists(#key) OR #expires_at < :now",
                values={"now": int(now.timestamp())},
            )
        except Conflict:
            return self._read(key)
        return record

    def release(self, idempotency_key: str, *, scope: str, submission: str) -> None:
        """Delete the record of a request that was rejected after all, if it is still this submission's."""
        try:
            self.table.delete(
                key=_key(idempotency_key, scope),
                condition="#submission = :submission",
                values={"submission": submission},
            )
        except Conflict:
            return

    def _read(self, key: str) -> IdempotencyRecord:
        plain = self.table.get(Schema.IDEMPOTENCY_RECORD, key=key)
        if plain is None:
            raise Busy("an idempotency key expired while it was read")
        return IdempotencyRecord(*(str(plain[name]) for name in IdempotencyRecord._fields))


def _key(idempotency_key: str, scope: str) -> str:
    return "idempotency#" + hashlib.sha256(f"{scope}\0{idempotency_key}".encode()).hexdigest()


def derive_receipt(idempotency_key: str, *, nonce: str) -> str:
    """Return the receipt of a submission: 128 bits that neither the table alone nor the client alone can derive."""
    return hmac.digest(bytes.fromhex(nonce), idempotency_key.encode(), "sha256")[:16].hex()
