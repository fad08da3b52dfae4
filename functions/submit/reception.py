"""Takes a result in: once `receive` returns, S3 has acknowledged the raw result and nothing can lose it."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import NamedTuple

from ledger.access_store import AccessStore, Claim, derive_receipt
from ledger.benchmark_store import BenchmarkStore, Published
from ledger.errors import NotFound
from ledger.submission_id import Clock, Randomness, make_submission_id
from ledger.submission_store import SubmissionStore
from ledger.submissions import Player, PlayerKind, Submission
from submit.envelope import MEDIA_TYPE, check_body, check_headers
from submit.players import name_guest
from submit.problems import Problem, not_found, unprocessable

RECEIPT_PREFIX = "receipt_"
_BENCHMARK_ID = re.compile(r"[a-z0-9-]{1,64}")
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """A POST as it came.

    Args:
        benchmark: From the path.
        headers: Names in lower case.
        body: The bytes of the result.
        player: Of the query; None for a guest without a name.
        kind: Of the query.
        part: Of the query; None where none was named.
        address: Where it came from, as far as we know.
    """

    benchmark: str
    headers: Mapping[str, str]
    body: bytes
    player: str | None
    kind: PlayerKind
    part: str | None
    address: str


class Received(NamedTuple):
    """A submission that is safe, and the receipt that opens its messages."""

    submission: Submission
    receipt: str


@dataclass(frozen=True, slots=True)
class Reception:
    """Judges the envelope and keeps the result; the first fault found is the answer."""

    benchmarks: BenchmarkStore
    submissions: SubmissionStore
    access: AccessStore
    clock: Clock
    randomness: Randomness

    def find_benchmark(self, benchmark: str) -> Published:
        """Give a published benchmark. Raises Problem 404."""
        published = self._find_published(benchmark) if _BENCHMARK_ID.fullmatch(benchmark) else None
        if published is None:
            raise not_found("there is no such benchmark")
        return published

    def list_benchmarks(self) -> list[Published]:
        """Give every published benchmark, in order of id; one whose publishing has not come to its end is left out."""
        return [one for one in map(self._find_published, self.benchmarks.list_ids()) if one is not None]

    def receive(self, handover: Handover) -> Received:
        """Take a result in.

        Returns:
            The submission; with an Idempotency-Key that was used before, the same one again.

        Raises:
            Problem: Refused; then nothing is left behind.
            StoreError: Not kept; the caller must not answer 202.
        """
        published = self.find_benchmark(handover.benchmark)
        check_headers(handover.headers)
        self._check_open(published)
        player = self._identify(handover, published)
        part = _check_part(handover.part, published)
        check_body(handover.body, max_bytes=published.definition.submissions.max_bytes)
        claim, receipt = self._claim(handover, player)
        submission = Submission(
            id=claim.submission,
            benchmark=published.id,
            player=player,
            part=part,
            receipt_sha256=hashlib.sha256(receipt.encode()).hexdigest(),
        )
        self.submissions.put_result(submission, handover.body, content_type=MEDIA_TYPE)
        return Received(submission, receipt)

    def _find_published(self, benchmark: str) -> Published | None:
        try:
            return self.benchmarks.current(benchmark)
        except NotFound:
            return None

    def _check_open(self, published: Published) -> None:
        definition = published.definition
        phase = definition.phase_at(self.clock())
        if phase == "not_open_yet" and definition.opens:
            detail = f"this benchmark opens at {definition.opens.isoformat()}"
            raise Problem(HTTPStatus.FORBIDDEN, "not-open-yet", detail)
        if phase == "closed" and definition.closes:
            detail = f"this benchmark closed at {definition.closes.isoformat()}"
            raise Problem(HTTPStatus.FORBIDDEN, "closed", detail)

    def _identify(self, handover: Handover, published: Published) -> Player:
        if "authorization" in handover.headers:
            raise _unauthorized("unknown-token", "Authorization: this token is not known")
        if not published.definition.submissions.anonymous:
            raise _unauthorized("token-needed", "Authorization: this benchmark takes results only with a token")
        return name_guest(handover.player, handover.kind)

    def _claim(self, handover: Handover, player: Player) -> tuple[Claim, str]:
        """Give the submission's id and its receipt: new ones, or those that the idempotency key stands for."""
        now = self.clock()
        key = handover.headers.get("idempotency-key")
        new = Claim(
            submission=make_submission_id(now, self.randomness(10)),
            request_sha256=_hash_request(handover, player),
            nonce=self.randomness(16).hex(),
        )
        if key is None:
            return new, RECEIPT_PREFIX + new.nonce
        if not _IDEMPOTENCY_KEY.fullmatch(key):
            raise Problem(
                HTTPStatus.BAD_REQUEST,
                "invalid-idempotency-key",
                "Idempotency-Key: expected 1 to 255 visible ASCII characters",
            )
        # A guest's name is part of the request, not of whose key it is: the key with another name is another request.
        whose = player.id if player.verified else handover.address
        scope = f"{handover.benchmark}\0{whose}"
        claim = self.access.claim(key, scope=scope, claim=new, now=now)
        if claim.request_sha256 != new.request_sha256:
            raise unprocessable(
                "idempotency-key-reused", "Idempotency-Key: this key was used before, with another request"
            )
        return claim, RECEIPT_PREFIX + derive_receipt(key, nonce=claim.nonce)


def _unauthorized(name: str, detail: str) -> Problem:
    return Problem(HTTPStatus.UNAUTHORIZED, name, detail, headers={"WWW-Authenticate": "Bearer"})


def _check_part(part: str | None, published: Published) -> str | None:
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


def _hash_request(handover: Handover, player: Player) -> str:
    envelope = "\0".join((player.id, player.name, player.kind, handover.part or ""))
    return hashlib.sha256(envelope.encode() + b"\0" + handover.body).hexdigest()
