"""Accepts results: once `submit` returns, S3 has confirmed the raw result and nothing can lose it."""

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

from handlers.http.auth import PLAYER_KEY_HEADER
from handlers.http.problems import RECEIPT_PREFIX, Problem, forbidden, has_secret, not_found, unprocessable
from handlers.http.quotas import quota_problem
from handlers.http.requests import check_result, read_result_format
from handlers.http.submitters import Submitter, SubmitterRequest, identify_submitter, read_owner, show_player
from scoring_core.benchmarks.terms import SubmissionTerms, find_part_fault
from scoring_core.io.formats import FORMATS, JSON
from storage.gateway.errors import StoreError
from storage.keys import ResultKey, make_submission_id, time_of
from storage.players.names import InvalidName, check_name
from storage.players.quotas import QuotaExceeded, QuotaLeft
from storage.players.tokens import hash_secret
from storage.submissions.idempotency import IdempotencyRecord, derive_receipt
from storage.submissions.labels import MAX_LABELS
from storage.submissions.models import NAMELESS, Player, RunStart, Submission
from submit import runs
from submit.dependencies import SubmitServices
from submit.runs import TICKET_HEADER, RunTicket

if TYPE_CHECKING:
    from handlers.http.uploads import LargeResult

_KEY = "idempotency-key"
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}")


class SubmissionRequest(SubmitterRequest):
    """A request to score a result: who submits it, its bytes, part and label; if it is in parts, these instead."""

    large: "LargeResult | None" = None

    def __init__(self, sender: SubmitterRequest, body: bytes, *, part: str | None, label: str | None = None) -> None:
        super().__init__(caller=sender.caller, headers=sender.headers, player=sender.player, kind=sender.kind)
        self.body, self.part, self.label = body, part, label


class AcceptedSubmission(NamedTuple):
    """A stored submission, and the receipt that gives access to its detail and messages.

    Args:
        submission: The submission.
        receipt: The secret, as shown to the player.
        repeated: Whether it was stored before: a repeated Idempotency-Key costs no quota.
        quotas: What is left of each quota after it; nothing for a repeat.
    """

    submission: Submission
    receipt: str
    repeated: bool
    quotas: Sequence[QuotaLeft] = ()

    def max_wait(self, seconds: int) -> int:
        """Return how long its player may wait; 0 for a repeat, or retries would pile up."""
        return 0 if self.repeated else seconds


class _ScopedKey(NamedTuple):
    """An idempotency key, and whose it is: keys of others are separate."""

    value: str
    scope: str


def submit_result(submit: SubmitServices, terms: SubmissionTerms, request: SubmissionRequest) -> AcceptedSubmission:
    """Store a result as a new submission, or as that of a repeated Idempotency-Key.

    Raises Problem if it is rejected, and nothing is stored, StoreError if it is not stored; the caller must not
    answer 202.
    """
    now = submit.clock()
    large = request.large
    file_format = large.file_format if large else read_result_format(request.headers, terms.takes)
    is_new = _KEY not in request.headers and large is None
    submitter = identify_player(submit, request, terms, now=now, is_new=is_new)
    player = submitter.player
    part = check_part(request.part, terms)
    label = check_label(request.label, terms, player)
    if large is None:
        check_result(request.body, file_format, max_bytes=terms.max_bytes)
    ticket = runs.check(submit.signer, request.headers, terms, part=part, player=player)
    new = _make_record(submit, request, player, part, label, file_format=file_format, now=now)
    key = _read_key(request, terms, new)
    stored = new if key is None else _claim(submit, key, new)
    repeated = stored.submission != new.submission
    receipt = RECEIPT_PREFIX + (stored.nonce if key is None else derive_receipt(key.value, nonce=stored.nonce))
    submission = Submission(
        id=stored.submission,
        benchmark=terms.id,
        player=player,
        part=part,
        receipt_sha256=hash_secret(receipt),
        origin=submitter.origin,
        label=label,
        run=ticket and RunStart(ticket.issued_at, ticket.seed),
        file_format=file_format,
        late=terms.is_late(time_of(stored.submission), player.id),
        large=large.sha256 if large else None,
    )
    existing = submit.records.find_submission(ResultKey(terms.id, submission.id)) if repeated else None
    if existing is not None:
        # A retry of an accepted submission: answer as before, even if the quota is used up or the benchmark closed.
        named = existing._replace(player=show_player(submit, submitter))
        return AcceptedSubmission(named, receipt, repeated=True)
    left = _charge(submit, submission, terms, key, ticket, repeated=repeated, now=now)
    try:
        submission = submission._replace(player=show_player(submit, submitter))
        is_new = submit.records.put_result(submission, request.body)
    except StoreError:
        if key is None:  # a retry with a key is the same submission, which is charged once
            _refund(submit, submission, terms)
        raise
    return AcceptedSubmission(submission, receipt, repeated=not is_new, quotas=left if is_new else ())


def issue_ticket(
    submit: SubmitServices, terms: SubmissionTerms, request: SubmitterRequest, part: str | None
) -> tuple[str, RunTicket]:
    """Return a ticket for one play that begins now, as text and in plain.

    It is that of the player who would submit; nothing is written. Raises Problem 403, 409 or 422 as if a result were
    submitted now, 404 if there are no run tickets here.
    """
    now = submit.clock()
    player = identify_player(submit, request, terms, now=now, is_new=True).player
    part = check_part(part, terms)
    if terms.runs is None:
        raise not_found("there are no run tickets here: submit the result without one")
    seed, nonce = None, submit.randomness(runs.NONCE_BYTES).hex()
    match terms.runs.seed:
        case "daily":
            seed = submit.signer.make_daily_seed(terms.id, part, now, time_zone=terms.runs.time_zone)
        case "random":
            seed = submit.signer.make_random_seed(nonce)
    issued_at = now.replace(microsecond=now.microsecond // 1000 * 1000)
    ticket = RunTicket(issued_at, terms.runs.max_age_seconds, nonce, seed, terms.id, part, player.id)
    return submit.signer.write(ticket), ticket


def identify_player(
    submit: SubmitServices, request: SubmitterRequest, terms: SubmissionTerms, *, now: datetime, is_new: bool
) -> Submitter:
    """Return who submits; a result that `is_new` must come in time.

    Whether anybody has more time, nobody else learns: to all others it is closed, whatever they send.

    Raises Problem 401, 403, 409, 422.
    """
    closed = terms.find_closed(now, "") if is_new else None
    if closed is not None and not terms.extensions:
        raise forbidden(*closed)
    try:
        submitter = identify_submitter(submit, request, terms)
    except Problem as problem:
        raise (forbidden(*closed) if closed else problem) from None
    if is_new:
        check_open(terms, submitter.player, now)
    return submitter


def _make_record(
    submit: SubmitServices,
    request: SubmissionRequest,
    player: Player,
    part: str | None,
    label: str | None,
    *,
    file_format: str,
    now: datetime,
) -> IdempotencyRecord:
    ticket = request.headers.get(TICKET_HEADER)
    about = (
        player.id,
        player.name,
        player.kind,
        part or "",
        *([label] if label else []),
        *([ticket] if ticket else []),
        *([] if file_format == JSON else [FORMATS[file_format].media_type]),
    )
    asked = "\0".join(about).encode() + b"\0" + request.body
    return IdempotencyRecord(
        submission=make_submission_id(now, submit.randomness(10)),
        request_sha256=hashlib.sha256(asked).hexdigest(),
        nonce=submit.randomness(16).hex(),
    )


def _claim(submit: SubmitServices, key: _ScopedKey, new: IdempotencyRecord) -> IdempotencyRecord:
    """Return the record of an idempotency key, new or earlier. Raises Problem 422."""
    stored = submit.idempotency.acquire(key.value, scope=key.scope, record=new, now=submit.clock())
    if stored.request_sha256 != new.request_sha256:
        raise unprocessable("idempotency-key-reused", "Idempotency-Key: this key was used before, with another request")
    return stored


def _charge(
    submit: SubmitServices,
    submission: Submission,
    terms: SubmissionTerms,
    key: _ScopedKey | None,
    ticket: RunTicket | None,
    *,
    repeated: bool,
    now: datetime,
) -> Sequence[QuotaLeft]:
    """Check times, charge the quota, admit the label, spend the ticket.

    The ticket is last, because nothing gives it back: whatever rejects the result has done so before. Return what
    is left of each quota. Raises Problem 403, 409, 422 or 429; the key's record goes if this request claimed it, or
    if its day is over.
    """
    try:
        check_open(terms, submission.player, now)
        if ticket is not None:
            runs.check_time(ticket, submission, terms)
        left = submit.quotas.charge(
            submission, terms.limits_of_player, shared=terms.limits_of_address, in_all=terms.in_all
        )
        _admit_label(submit, submission, terms)
        if ticket is not None:
            _spend(submit, ticket, submission, terms, key)
    except (QuotaExceeded, Problem) as error:
        ends = error.resets_at if isinstance(error, QuotaExceeded) else None
        is_over = ends is not None and ends <= submit.clock()
        if key is not None and (is_over or not repeated):
            submit.idempotency.delete(key.value, scope=key.scope, submission=submission.id)
        if isinstance(error, Problem):
            raise
        raise quota_problem(error, by_name=submission.origin is not None, clock=submit.clock) from error
    return left


def _spend(
    submit: SubmitServices, ticket: RunTicket, submission: Submission, terms: SubmissionTerms, key: _ScopedKey | None
) -> None:
    """Spend the ticket; a submission that does not get it is not counted."""
    try:
        runs.spend(submit.run_tickets, ticket, submission, terms)
    except (Problem, StoreError) as error:
        if key is None or isinstance(error, Problem):  # as in `submit`
            _refund(submit, submission, terms)
        raise


def _refund(submit: SubmitServices, submission: Submission, terms: SubmissionTerms) -> None:
    submit.quotas.refund(submission, in_all=terms.in_all is not None)


def _admit_label(submit: SubmitServices, submission: Submission, terms: SubmissionTerms) -> None:
    """Remember a new label, after the quota: what is rejected for that uses none."""
    label, player = submission.label, submission.player.id
    if label is None or submit.labels.admit(submission.benchmark, player, [label]):
        return
    _refund(submit, submission, terms)
    detail = f"label: a player may use {MAX_LABELS} on a benchmark, and you have used as many; use one of them"
    raise Problem(HTTPStatus.CONFLICT, "too-many-labels", detail, [{"parameter": "label", "detail": detail}])


def check_open(terms: SubmissionTerms, player: Player, moment: datetime) -> None:
    """Check that a benchmark takes results of a player then. Raises Problem 403."""
    if closed := terms.find_closed(moment, player.id):
        raise forbidden(*closed)


def check_part(part: str | None, terms: SubmissionTerms) -> str | None:
    """Check the part that a submission names. Raises Problem 422."""
    fault = find_part_fault(part, terms.parts, needs_part=terms.needs_part)
    if fault is not None:
        raise unprocessable("part-needed" if part is None else "unknown-part", fault, parameter="part")
    return part


def check_label(label: str | None, terms: SubmissionTerms, player: Player) -> str | None:
    """Return the label of a submission as it is stored and shown. Raises Problem 422."""
    if label is None:
        return None
    if not terms.takes_labels:
        raise _invalid_label("expected none: no board of this benchmark has a row for each label")
    if player.id in NAMELESS:
        raise _invalid_label("expected a player who can have rows: give a name, or a token")
    if has_secret(label):
        raise _invalid_label("expected a name, found a token or a receipt")
    try:
        return check_name(label)
    except InvalidName as error:
        raise _invalid_label(str(error)) from error


def _invalid_label(reason: str) -> Problem:
    return unprocessable("invalid-label", f"label: {reason}", parameter="label")


def _read_key(request: SubmissionRequest, terms: SubmissionTerms, new: IdempotencyRecord) -> _ScopedKey | None:
    """Return the key of a request; a large result without one has its hash."""
    key = request.headers.get(_KEY, None if request.large is None else new.request_sha256)
    if key is None:
        return None
    if not _IDEMPOTENCY_KEY.fullmatch(key):
        detail = "Idempotency-Key: expected 1 to 255 visible ASCII characters"
        raise Problem(HTTPStatus.BAD_REQUEST, "invalid-idempotency-key", detail)
    return _ScopedKey(key, f"{terms.id}\0{_find_key_owner(request)}")


def _find_key_owner(request: SubmissionRequest) -> str:
    """Return whose idempotency keys a request uses.

    A guest's are those of the player key, because a repeat after days may come from another address. Guests without a
    player key share keys by address, a host's players by their host. The name belongs to the request, so reusing a key
    with another name is rejected.
    """
    caller = request.caller
    if caller.account is None and PLAYER_KEY_HEADER in request.headers:
        return read_owner(caller, request.headers)
    return caller.account.player.id if caller.account else caller.origin
