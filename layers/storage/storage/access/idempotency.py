"""Idempotency keys in the access table: which submission a key stands for. Nothing here opens a receipt."""

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
    """What an idempotency key stands for.

    Args:
        submission: The submission's id, the same for every repeat.
        request_sha256: Hash of all that the request asked for; a repeat must have the same.
        nonce: Makes the receipt together with the key itself, of which only a hash is kept.
    """

    submission: str
    request_sha256: str
    nonce: str


@dataclass(frozen=True, slots=True)
class IdempotencyStore:
    """The access table."""

    table: Table

    def claim(self, idempotency_key: str, *, scope: str, claim: IdempotencyRecord, now: datetime) -> IdempotencyRecord:
        """Claim an idempotency key; the first claim of a day stands.

        Args:
            idempotency_key: As the client sent it.
            scope: Whose key it is (benchmark and player, or address): others' keys do not meet.
            claim: What the key shall stand for if it is new.
            now: The time by our clock; a claim is kept for a day.

        Returns:
            The claim that stands: the given one, or an earlier one.

        Raises:
            Busy: The earlier claim expired this very moment.
        """
        key = _key(idempotency_key, scope)
        try:
            self.table.put(
                Schema.CLAIM,
                {"key": key, **claim._asdict(), "expires_at": int((now + KEEP).timestamp())},
                condition="attribute_not_exists(#key) OR #expires_at < :now",
                values={"now": int(now.timestamp())},
            )
        except Conflict:
            return self._read(key)
        return claim

    def release(self, idempotency_key: str, *, scope: str, submission: str) -> None:
        """Forget a claim whose request was refused after all, if it still stands for this submission."""
        try:
            self.table.delete(
                key=_key(idempotency_key, scope),
                condition="#submission = :submission",
                values={"submission": submission},
            )
        except Conflict:
            return

    def _read(self, key: str) -> IdempotencyRecord:
        plain = self.table.get(Schema.CLAIM, key=key)
        if plain is None:
            raise Busy("an idempotency key expired while it was read")
        return IdempotencyRecord(
            submission=str(plain["submission"]),
            request_sha256=str(plain["request_sha256"]),
            nonce=str(plain["nonce"]),
        )


def _key(idempotency_key: str, scope: str) -> str:
    return "idempotency#" + hashlib.sha256(f"{scope}\0{idempotency_key}".encode()).hexdigest()


def derive_receipt(idempotency_key: str, *, nonce: str) -> str:
    """Give the receipt of a claimed submission: 128 bits that neither the table alone nor the client alone can make."""
    return hmac.digest(bytes.fromhex(nonce), idempotency_key.encode(), "sha256")[:16].hex()
