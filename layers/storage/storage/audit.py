"""The audit trail: who did what as an owner or operator; objects that are added and never changed.

An entry is added before the act, and the act is not done if its entry could not be stored. So an entry says that
somebody was about to act; the act itself may have failed afterwards.
"""

from datetime import datetime
from enum import StrEnum
from itertools import islice
from pathlib import PurePosixPath
from typing import NamedTuple

from aws_lambda_powertools import Logger
from pydantic import Field

from storage.actors import Actor
from storage.gateway.bucket import Bucket
from storage.gateway.clients import run_at_once
from storage.gateway.models import StoredModel
from storage.gateway.schema import Schema
from storage.gateway.table import Page
from storage.keys import AUDIT_PREFIX, Clock, Randomness, audit_day, audit_key, make_submission_id

logger = Logger(child=True)


class Action(StrEnum):
    """What was done."""

    PUBLISH = "publish"
    RESCORE = "rescore"
    REVEAL = "reveal"
    REBUILD = "rebuild"
    SWEEP = "sweep"
    MOVE_OUT = "move-out"
    MOVE_IN = "move-in"
    WITHDRAW = "withdraw"
    ACCEPT = "accept"
    BAN = "ban"
    LIFT_BAN = "lift_ban"
    EXTEND = "extend"
    END_EXTENSION = "end_extension"
    ARCHIVE = "archive"
    UNARCHIVE = "unarchive"
    DELETE = "delete"
    ERASE = "erase"
    CREATE_TOKEN = "create_token"  # noqa: S105  # an act, no password
    INVITE = "invite"
    REVOKE_INVITATION = "revoke_invitation"
    REVOKE_TOKEN = "revoke_token"  # noqa: S105  # as above


class AuditEntry(StoredModel):
    """An entry of the audit trail; no `benchmark`: it concerns all of them. `detail` never holds a secret."""

    kind = Schema.AUDIT_ENTRY

    at: datetime
    actor: Actor
    action: Action
    benchmark: str | None = None
    subject: str | None = None
    detail: dict[str, str] = Field(default={})


class AuditTrail(NamedTuple):
    """The audit trail in the results bucket."""

    bucket: Bucket
    clock: Clock
    randomness: Randomness

    def add(
        self,
        actor: Actor,
        action: Action,
        *,
        benchmark: str | None = None,
        subject: str | None = None,
        detail: dict[str, str] | None = None,
    ) -> AuditEntry:
        """Add an entry and log it; the caller acts only after that. Raises StoreError."""
        now = self.clock()
        entry = AuditEntry(
            at=now, actor=actor, action=action, benchmark=benchmark, subject=subject, detail=detail or {}
        )
        key = audit_key(make_submission_id(now, self.randomness(10)))
        self.bucket.put(key, entry.to_body(), replacing=None)
        about = {"action": action, "role": actor.role, "benchmark": benchmark, "subject": subject}
        logger.info("audit entry added", extra=about)
        return entry

    def list_page(
        self, *, benchmark: str | None = None, since: datetime | None = None, after: str | None = None, length: int
    ) -> Page[AuditEntry]:
        """Read a page of entries, the oldest first: of one benchmark, from a moment on.

        Args:
            benchmark: Only entries about it; None: all.
            since: Only later entries; None: all.
            after: The position of the page before; None: the first page.
            length: How many entries are read; the page has those of them that match.
        """
        start = audit_key(after) if after else audit_day(since) if since else AUDIT_PREFIX
        keys = list(islice(self.bucket.list_keys(AUDIT_PREFIX, after=start), length))
        read = run_at_once(lambda key: AuditEntry.model_validate_json(self.bucket.get(key).body), keys)
        kept = (each for each in read if benchmark in {None, each.benchmark} and (since is None or each.at >= since))
        last = PurePosixPath(keys[-1]).stem if len(keys) == length else None
        return Page(tuple(kept), last)
