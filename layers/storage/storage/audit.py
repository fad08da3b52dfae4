"""The audit trail: who published, rescored, withdrew, made or revoked tokens; objects that are added and never changed.

A line is added before the act that it tells of, and the act is left undone where its line could not be kept: so nothing
happens unrecorded. What a line tells is therefore that somebody went about it; the act itself may have failed after.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from storage.aws.bucket import Bucket
from storage.aws.schema import Schema, StoredModel
from storage.ids import Clock, Randomness, make_submission_id
from storage.keys import AUDIT_PREFIX, audit_day, audit_key


class Action(StrEnum):
    """What was done."""

    PUBLISH = "publish"
    RESCORE = "rescore"
    REBUILD = "rebuild"
    SWEEP = "sweep"
    WITHDRAW = "withdraw"
    CREATE_TOKEN = "create_token"  # noqa: S105  # an act, no password
    REVOKE_TOKEN = "revoke_token"  # noqa: S105  # as above


class Role(StrEnum):
    """In which role it was done.

    `player`: with a token or the receipt of a submission of one's own. `owner`, `admin`: with a token of that scope.
    `operator`: from the command line, with credentials of AWS.
    """

    PLAYER = "player"
    OWNER = "owner"
    ADMIN = "admin"
    OPERATOR = "operator"


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, serialize_by_alias=True, validate_by_name=True, defer_build=True)


class Actor(_Model):
    """Who did it: a player's id, or the ARN of whom AWS knows an operator as."""

    id: str
    role: Role


class AuditEntry(_Model, StoredModel):
    """One act.

    Args:
        at: When, in UTC.
        actor: By whom.
        action: What.
        benchmark: The benchmark that it concerns; None: all of them.
        subject: What was acted on: a submission, a benchmark version, a token's id.
        detail: What else explains it, such as the reason of a withdrawal; never a secret.
    """

    form = Schema.AUDIT_ENTRY

    at: datetime
    actor: Actor
    action: Action
    benchmark: str | None = None
    subject: str | None = None
    detail: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class AuditTrail:
    """The lines in the results bucket."""

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
        """Add a line; call this first, and act only once it has returned.

        Args:
            actor: Who is about to act.
            action: What is about to be done.
            benchmark: The benchmark that it concerns; None: all of them.
            subject: What is acted on.
            detail: What else explains it.

        Raises:
            StoreError: The line is not kept, and the act must not be done.
        """
        now = self.clock()
        line = AuditEntry(at=now, actor=actor, action=action, benchmark=benchmark, subject=subject, detail=detail or {})
        key = audit_key(make_submission_id(now, self.randomness(10)))
        self.bucket.put(key, line.to_body(), replacing=None)
        return line

    def list_lines(self, *, benchmark: str | None = None, since: datetime | None = None) -> Iterator[AuditEntry]:
        """Read the lines, the oldest first.

        Args:
            benchmark: Only those of this benchmark; None: all.
            since: Only those from this moment on; None: all.
        """
        for key in self.bucket.list_keys(AUDIT_PREFIX, after=audit_day(since) if since else AUDIT_PREFIX):
            line = AuditEntry.model_validate_json(self.bucket.get(key).body)
            if benchmark in {None, line.benchmark} and (since is None or line.at >= since):
                yield line
