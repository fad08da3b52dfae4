"""Idempotency records of batches in the access table: the batch that has the same bytes under the same name.

The condition of one write decides which of several batches is the one that exists. The record names its object, so that
an import that comes later, or continues after a crash, derives the same ids.
"""

import hashlib
from datetime import timedelta
from typing import NamedTuple

from storage.batches.uploads import BatchUpload
from storage.gateway.conditions import Absent, Below, Equals
from storage.gateway.errors import Busy, Conflict
from storage.gateway.schema import Plain, Schema
from storage.gateway.table import Table
from storage.keys import Clock, make_submission_id, parse_batch_key, time_of

SAME_WITHIN = timedelta(days=1)
"""How long after a batch its bytes are that batch, by the moments at which S3 received the files."""
KEEP = timedelta(days=20)
"""How long a record is kept: a batch is read or given up within 18 days, and others within a day of it."""


class BatchIdempotencyStore(NamedTuple):
    """The idempotency records of batches; `clock` says from when on they are kept."""

    table: Table
    clock: Clock

    def acquire(self, batch: BatchUpload, *, digest: str, replacing: BatchUpload | None = None) -> BatchUpload:
        """Return the batch that has the bytes within a day; this one if none has.

        Args:
            batch: The batch that asks. Others of its player, benchmark, file name and bytes ask for the same record.
            digest: Of its bytes.
            replacing: The batch that was returned before and turned out to have nothing that counts.

        Raises:
            Busy: The earlier record expired at this moment.
        """
        # A file's name may contain any character, so it comes last.
        parts = ("batch", batch.key.benchmark, batch.key.player, digest, str(batch.size_bytes), batch.key.file)
        key = "idempotency#" + hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        oldest = make_submission_id(batch.received_at - SAME_WITHIN, bytes(10))  # ids are in order of time
        free = Absent("key") | Equals("submission", batch.id) | Below("submission", oldest)
        if replacing is not None:
            free |= Equals("submission", replacing.id)
        item: dict[str, Plain] = {
            "key": key,
            "submission": batch.id,
            "object": str(batch.key),
            "version_id": batch.version_id,
            "expires_at": int((self.clock() + KEEP).timestamp()),
        }
        try:
            self.table.put(Schema.IDEMPOTENCY_RECORD, item, free)
        except Conflict:
            earlier = self._read(key, batch)
            # Another file took the place a day after this one, whose notice was late.
            return batch if earlier.received_at > batch.received_at + SAME_WITHIN else earlier
        return batch

    def _read(self, key: str, batch: BatchUpload) -> BatchUpload:
        plain = self.table.get(Schema.IDEMPOTENCY_RECORD, key=key)
        name = parse_batch_key(str(plain["object"])) if plain else None
        if plain is None or name is None:
            raise Busy("the idempotency record of a batch expired while it was read")
        received_at = time_of(str(plain["submission"]))
        return batch._replace(key=name, version_id=str(plain["version_id"]), received_at=received_at)
