"""What is used once, in the access table: idempotency keys and run tickets, each with its submission.

None of the items opens a receipt.
"""

import hashlib
import hmac
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from storage.gateway.conditions import Absent, Below, Equals
from storage.gateway.errors import Busy, Conflict
from storage.gateway.schema import Schema
from storage.gateway.table import Table

KEEP = timedelta(days=8)
"""How long a key is remembered: a day longer than the kit for games keeps a result that it may send again."""
_SLACK = timedelta(hours=1)


class IdempotencyRecord(NamedTuple):
    """The submission of a key, and the hash of the whole request, which a repeat must have.

    Together with the key, of which only a hash is stored, `nonce` yields the receipt.
    """

    submission: str
    request_sha256: str
    nonce: str


class IdempotencyStore(NamedTuple):
    """The idempotency records in the access table."""

    table: Table

    def acquire(
        self, idempotency_key: str, *, scope: str, record: IdempotencyRecord, now: datetime
    ) -> IdempotencyRecord:
        """Acquire a key for KEEP; return what is stored: this record, or an earlier one.

        Equal keys of different scopes (benchmark and player, or address) are different keys. Raises Busy if the earlier
        record expired at this moment.
        """
        key = _key(idempotency_key, scope)
        is_new = self.table.put_if(
            Schema.IDEMPOTENCY_RECORD,
            {"key": key, **record._asdict(), "expires_at": int((now + KEEP).timestamp())},
            Absent("key") | Below("expires_at", int(now.timestamp())),
        )
        if is_new:
            return record
        plain = self.table.get(Schema.IDEMPOTENCY_RECORD, key=key)
        if plain is None:
            raise Busy("an idempotency key expired while it was read")
        return IdempotencyRecord(*(str(plain[name]) for name in IdempotencyRecord._fields))

    def delete(self, idempotency_key: str, *, scope: str, submission: str) -> None:
        """Delete the record of a rejected request, if it is still this submission's."""
        with suppress(Conflict):
            self.table.delete(Equals("submission", submission), key=_key(idempotency_key, scope))


def _key(idempotency_key: str, scope: str) -> str:
    return "idempotency#" + hashlib.sha256(f"{scope}\0{idempotency_key}".encode()).hexdigest()


def derive_receipt(idempotency_key: str, *, nonce: str) -> str:
    """Return the receipt: 128 bits that neither table nor client alone can derive."""
    return hmac.digest(bytes.fromhex(nonce), idempotency_key.encode(), "sha256")[:16].hex()


class RunTicketStore(NamedTuple):
    """The spent run tickets."""

    table: Table

    def spend(self, ticket: str, *, submission: str, expires_at: datetime) -> bool:
        """Spend a ticket on a submission; return False if it was spent on another.

        Nobody can get it back, so of two submissions at once one has it. The item outlasts the ticket by as long as an
        idempotency key holds: a repeat counts as submitted at the first try, so it may come after the ticket's end.

        Args:
            ticket: What no other ticket has.
            submission: The id of the submission.
            expires_at: When the ticket ends.
        """
        return self.table.put_if(
            Schema.RUN_TICKET,
            {
                "key": f"ticket#{ticket}",
                "submission": submission,
                "expires_at": int((expires_at + KEEP + _SLACK).timestamp()),
            },
            Absent("key") | Equals("submission", submission),
        )
