"""The peer of submit's POST: the same checks in the same order as plain FastAPI, on dictionaries of its own.

What both need and neither could do better is taken from Laurel: the strict JSON reader, the ids, the hash of a secret.
"""

import hashlib
import hmac
import json
import logging
import re
import secrets
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple

from fastapi import FastAPI, Header, HTTPException, Request, Response
from pydantic import BaseModel

from scoring_core.benchmarks.definition import Definition
from scoring_core.errors import StrictJsonError
from scoring_core.io import strict_json
from storage.access.tokens import hash_secret
from storage.ids import make_submission_id

MAX_BODY_BYTES = 2_500_000
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_CHARSETS = {"", "charset=utf-8", "charset=utf8"}

logger = logging.getLogger("plain_submit")


class Accepted(BaseModel):
    """The result is safe and will be scored."""

    submission: str
    status: str = "queued"
    status_url: str
    receipt: str


class Claim(NamedTuple):
    """What an idempotency key stands for."""

    submission: str
    request_sha256: str
    nonce: bytes


class Kept(NamedTuple):
    """A result and what is known of it."""

    body: bytes
    player: str
    receipt_sha256: str


@dataclass
class Stores:
    """What is kept, all of it in this process."""

    origin_secret: str
    benchmarks: dict[str, Definition]
    tokens: dict[str, str] = field(default_factory=dict)
    claims: dict[tuple[str, str, str], Claim] = field(default_factory=dict)
    used: dict[tuple[str, str, date], set[str]] = field(default_factory=lambda: defaultdict(set))
    results: dict[tuple[str, str], Kept] = field(default_factory=dict)


def make_app(stores: Stores) -> FastAPI:
    """Make the application."""
    app = FastAPI()

    @app.post("/api/benchmarks/{benchmark}/submissions", status_code=HTTPStatus.ACCEPTED)
    async def post_submission(  # a coroutine: a plain function would be sent to a thread, which costs more
        benchmark: str,
        *,
        request: Request,
        response: Response,
        x_origin_secret: Annotated[str, Header()],
        authorization: Annotated[str, Header()],
        idempotency_key: Annotated[str | None, Header()] = None,
        content_type: Annotated[str, Header()] = "",
        content_encoding: Annotated[str, Header()] = "identity",
    ) -> Accepted:
        now = datetime.now(UTC)
        if not hmac.compare_digest(x_origin_secret.encode(), stores.origin_secret.encode()):
            raise HTTPException(HTTPStatus.FORBIDDEN)
        definition = stores.benchmarks.get(benchmark)
        if definition is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        player = find_player(stores, authorization)
        check_headers(content_type, content_encoding)
        check_open(definition, now)
        body = await request.body()
        check_body(body, max_bytes=definition.submissions.max_bytes)
        claim = claim_key(stores, benchmark=benchmark, player=player, key=idempotency_key, body=body, now=now)
        charge(stores, definition, player=player, submission=claim.submission, now=now)
        receipt = f"receipt_{make_receipt(claim, idempotency_key)}"
        stores.results.setdefault((benchmark, claim.submission), Kept(body, player, hash_secret(receipt)))
        log(benchmark, claim.submission, now=now)
        url = f"/api/benchmarks/{benchmark}/submissions/{claim.submission}"
        response.headers.update({"Location": url, "Cache-Control": "no-store"})
        return Accepted(submission=claim.submission, status_url=url, receipt=receipt)

    return app


def find_player(stores: Stores, authorization: str) -> str:
    """Give the player whom the token names."""
    scheme, _, secret = authorization.partition(" ")
    player = stores.tokens.get(hash_secret(secret.strip())) if scheme.lower() == "bearer" else None
    if player is None:
        raise HTTPException(HTTPStatus.UNAUTHORIZED)
    return player


def check_headers(content_type: str, content_encoding: str) -> None:
    """Check that the body is declared to be plain JSON."""
    media_type, _, parameter = content_type.lower().partition(";")
    if media_type.strip() != "application/json" or parameter.strip() not in _CHARSETS or content_encoding != "identity":
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)


def check_open(definition: Definition, now: datetime) -> None:
    """Check that the benchmark takes results now."""
    if definition.phase_at(now) != "open":
        raise HTTPException(HTTPStatus.FORBIDDEN)


def check_body(body: bytes, *, max_bytes: int) -> None:
    """Check size and form of the body."""
    if len(body) > min(max_bytes, MAX_BODY_BYTES):
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    try:
        value = strict_json.loads(body)
    except StrictJsonError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, str(error)) from error
    if not isinstance(value, dict | list):
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY)


def claim_key(stores: Stores, *, benchmark: str, player: str, key: str | None, body: bytes, now: datetime) -> Claim:
    """Give what the idempotency key stands for; without one, or with a new one, a new submission."""
    digest = hashlib.sha256(f"{player}\0".encode() + body).hexdigest()
    new = Claim(make_submission_id(now, secrets.token_bytes(10)), digest, secrets.token_bytes(16))
    if key is None:
        return new
    if not _KEY.fullmatch(key):
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    claim = stores.claims.setdefault((benchmark, player, key), new)
    if claim.request_sha256 != digest:
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY)
    return claim


def charge(stores: Stores, definition: Definition, *, player: str, submission: str, now: datetime) -> None:
    """Count the submission towards the quota of the day."""
    used = stores.used[definition.id, player, now.date()]
    if submission not in used and len(used) >= definition.submissions.per_day:
        raise HTTPException(HTTPStatus.TOO_MANY_REQUESTS)
    used.add(submission)


def make_receipt(claim: Claim, key: str | None) -> str:
    """Give the receipt: 128 bits, the same for a repeat."""
    return hmac.digest(claim.nonce, (key or "").encode(), "sha256")[:16].hex()


def log(benchmark: str, submission: str, *, now: datetime) -> None:
    """Write the line that tells of it."""
    told: dict[str, Any] = {"message": "result received", "benchmark": benchmark, "submission": submission}
    logger.info(json.dumps({"level": "INFO", "timestamp": now.isoformat(), **told}))
