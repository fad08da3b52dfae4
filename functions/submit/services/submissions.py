"""Takes a result in: once `receive` returns, S3 has acknowledged the raw result and nothing can lose it."""

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import NamedTuple

from storage.access.idempotency import IdempotencyRecord, IdempotencyStore, derive_receipt
from storage.access.players import PlayerStore
from storage.access.quotas import QuotaExceeded, QuotaKind, QuotaStore
from storage.access.tokens import hash_secret
from storage.aws.errors import StoreError
from storage.benchmarks.store import PublishedBenchmark
from storage.ids import Clock, Randomness, make_submission_id
from storage.keys import ResultKey
from storage.submissions.models import Player, PlayerKind, Submission
from storage.submissions.store import SubmissionStore
from submit.auth import Caller
from submit.credentials import RECEIPT_PREFIX
from submit.envelope import MEDIA_TYPE, check_body, check_headers
from submit.problems import Problem, forbidden, unauthorized, unprocessable
from submit.services.players import name_guest

_KEY = "idempotency-key"
_WHAT_IS_BOUNDED = {
    QuotaKind.USED: "{} results a day here",
    QuotaKind.INVALID: "{} invalid results a day here",
    QuotaKind.FREED: "{} results a day here whose scoring failed",
    QuotaKind.TICKETS: "{} files a day here by upload",
}
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionRequest:
    """A POST as it came.

    Args:
        caller: Who hands in.
        headers: Names in lower case.
        body: The bytes of the result.
        player: A guest's name, of the query; None for a guest without a name.
        kind: A guest's kind, of the query.
        part: Of the query; None where none was named.
    """

    caller: Caller
    headers: Mapping[str, str]
    body: bytes
    player: str | None
    kind: PlayerKind
    part: str | None


class AcceptedSubmission(NamedTuple):
    """A submission that is safe, and the receipt that opens its detail and messages.

    Args:
        submission: Where and whose it is.
        receipt: The secret, as it is shown.
        repeated: Whether it was safe before: an Idempotency-Key was used again, which costs no quota.
    """

    submission: Submission
    receipt: str
    repeated: bool

    def bound(self, seconds: int) -> int:
        """Give how long whoever hands in may wait: a repeat not at all, or one result would hold us again and again."""
        return 0 if self.repeated else seconds


class _Claimed(NamedTuple):
    """The id of a submission and its receipt, and what was claimed with the idempotency key, if there was one.

    `earlier` says that another request made the claim.
    """

    submission: str
    receipt: str
    key: str | None
    scope: str
    earlier: bool


@dataclass(frozen=True, slots=True)
class SubmissionService:
    """Judges the envelope and keeps the result; the first fault found is the answer."""

    submissions: SubmissionStore
    access: IdempotencyStore
    quotas: QuotaStore
    players: PlayerStore
    clock: Clock
    randomness: Randomness

    def receive(self, published: PublishedBenchmark, handover: SubmissionRequest) -> AcceptedSubmission:
        """Take a result in.

        Returns:
            The submission; with an Idempotency-Key that was used before, the same one again.

        Raises:
            Problem: Refused; then nothing is left behind.
            StoreError: Not kept; the caller must not answer 202.
        """
        check_headers(handover.headers)
        if _KEY not in handover.headers:
            self.check_open(published)
        player = self._identify(handover, published)
        part = check_part(handover.part, published)
        check_body(handover.body, max_bytes=published.definition.submissions.max_bytes)
        claimed = self._claim(handover, published, player, part)
        submission = Submission(
            id=claimed.submission,
            benchmark=published.id,
            player=player,
            part=part,
            receipt_sha256=hash_secret(claimed.receipt),
            origin=None if handover.caller.account else handover.caller.origin,
        )
        if claimed.earlier and self.submissions.find_submission(ResultKey(published.id, submission.id)) is not None:
            # Whatever has come of it, and of its quota, and whether the benchmark is still open: it was taken in.
            return AcceptedSubmission(submission, claimed.receipt, repeated=True)
        self._admit(submission, published, claimed)
        try:
            kept = self.submissions.put_result(submission, handover.body, content_type=MEDIA_TYPE)
        except StoreError:
            if claimed.key is None:  # with a key the caller's next try is the same submission
                self.quotas.release(submission)
            raise
        return AcceptedSubmission(submission, claimed.receipt, repeated=not kept)

    def check_open(self, published: PublishedBenchmark) -> None:
        """Check that a benchmark takes results now. Raises Problem 403, with the time."""
        definition = published.definition
        phase = definition.phase_at(self.clock())
        if phase == "not_open_yet" and definition.opens:
            raise forbidden("not-open-yet", f"this benchmark opens at {definition.opens.isoformat()}")
        if phase == "closed" and definition.closes:
            raise forbidden("closed", f"this benchmark closed at {definition.closes.isoformat()}")

    def _identify(self, handover: SubmissionRequest, published: PublishedBenchmark) -> Player:
        caller = handover.caller
        if caller.receipt_sha256 is not None:
            raise unauthorized(
                "token-needed", "Authorization: a receipt opens one submission; expected a token, or nothing"
            )
        player = caller.find_player(published.id)
        if player is not None:
            return player
        if not published.definition.submissions.anonymous:
            raise unauthorized("token-needed", "Authorization: this benchmark takes results only with a token")
        guest = name_guest(handover.player, handover.kind)
        if handover.player is not None and self.players.find_namesake(guest.name) is not None:
            detail = "player: this name belongs to a verified player, or looks like one that does"
            raise Problem(HTTPStatus.CONFLICT, "name-taken", detail, [{"parameter": "player", "detail": detail}])
        return guest

    def _claim(
        self, handover: SubmissionRequest, published: PublishedBenchmark, player: Player, part: str | None
    ) -> _Claimed:
        """Give the submission's id and its receipt: new ones, or those that the idempotency key stands for."""
        now = self.clock()
        key = handover.headers.get(_KEY)
        new = IdempotencyRecord(
            submission=make_submission_id(now, self.randomness(10)),
            request_sha256=_hash_request(handover, player, part),
            nonce=self.randomness(16).hex(),
        )
        if key is None:
            return _Claimed(new.submission, RECEIPT_PREFIX + new.nonce, None, "", earlier=False)
        if not _IDEMPOTENCY_KEY.fullmatch(key):
            raise Problem(
                HTTPStatus.BAD_REQUEST,
                "invalid-idempotency-key",
                "Idempotency-Key: expected 1 to 255 visible ASCII characters",
            )
        # A guest's name is part of the request, not of whose key it is: the key with another name is another request.
        whose = player.id if player.verified else handover.caller.origin
        scope = f"{published.id}\0{whose}"
        claim = self.access.claim(key, scope=scope, claim=new, now=now)
        if claim.request_sha256 != new.request_sha256:
            raise unprocessable(
                "idempotency-key-reused", "Idempotency-Key: this key was used before, with another request"
            )
        receipt = RECEIPT_PREFIX + derive_receipt(key, nonce=claim.nonce)
        return _Claimed(claim.submission, receipt, key, scope, earlier=claim.submission != new.submission)

    def _admit(self, submission: Submission, published: PublishedBenchmark, claimed: _Claimed) -> None:
        """Check that the benchmark is open, and count a submission towards the quota of its day.

        Raises:
            Problem: 403 or 429; then the claim is forgotten if this request made it, or if its day is over.
        """
        rules = published.definition.submissions
        try:
            self.check_open(published)
            self.quotas.charge(submission, per_day=rules.per_day, invalid_per_day=rules.invalid_per_day)
        except (QuotaExceeded, Problem) as error:
            is_over = isinstance(error, QuotaExceeded) and error.resets_at <= self.clock()
            if claimed.key is not None and (is_over or not claimed.earlier):
                self.access.release(claimed.key, scope=claimed.scope, submission=submission.id)
            if isinstance(error, Problem):
                raise
            raise refuse_more(error, verified=submission.player.verified, clock=self.clock) from error


def refuse_more(error: QuotaExceeded, *, verified: bool, clock: Clock) -> Problem:
    """Refuse what goes beyond the quota of the day, and say when the next one begins."""
    whom = "each player" if verified else "all guests at an address together"
    what = _WHAT_IS_BOUNDED[error.count].format(error.limit)
    seconds = math.ceil((error.resets_at - clock()).total_seconds())
    return Problem(
        HTTPStatus.TOO_MANY_REQUESTS,
        "quota-exhausted",
        f"quota: {whom} may hand in {what}; the next day begins at {error.resets_at:%FT%TZ}",
        headers={"Retry-After": str(max(1, seconds))},
    )


def check_part(part: str | None, published: PublishedBenchmark) -> str | None:
    """Check the part that a submission names. Raises Problem 422."""
    script = published.definition.scorer == "script"
    if part is None:
        if script and published.parts:
            raise unprocessable(
                "part-needed", f"part: expected one of {_some(published.parts)}, found none", parameter="part"
            )
        return None
    if part not in published.parts:
        expected = f"one of {_some(published.parts)}" if published.parts else "none: this benchmark has no parts"
        raise unprocessable("unknown-part", f"part: expected {expected}, found {part[:64]!r}", parameter="part")
    return part


def _some(parts: tuple[str, ...]) -> str:
    shown = 10
    return ", ".join(parts[:shown]) + (f" and {len(parts) - shown} more" if len(parts) > shown else "")


def _hash_request(handover: SubmissionRequest, player: Player, part: str | None) -> str:
    envelope = "\0".join((player.id, player.name, player.kind, part or ""))
    return hashlib.sha256(envelope.encode() + b"\0" + handover.body).hexdigest()
