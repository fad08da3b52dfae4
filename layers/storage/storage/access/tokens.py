"""Tokens, which identify players to the API, and the sessions of DRES, each of which replaces a token for some hours.

Only the SHA-256 of their secrets is stored, so the table opens nothing.
"""

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from storage.aws.attributes import Plain
from storage.aws.errors import Conflict, NotFound
from storage.aws.schema import Schema
from storage.aws.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

TOKEN_PREFIX = "laurel_"  # noqa: S105  # lets scanners find leaked tokens


class Scope(StrEnum):
    """What a token allows.

    `submit`: to submit results and read their outcomes. `host`: to submit results of players whom it names, as the
    server of a game does. `own`: to publish the benchmarks that it covers, read their errors, rescore them, and
    withdraw their submissions. `organise`: to create benchmarks, and own those that its player created. `admin`:
    everything, everywhere, but not to name players.
    """

    SUBMIT = "submit"
    HOST = "host"
    OWN = "own"
    ORGANISE = "organise"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token, without its secret. No benchmarks: it covers all of them. No `ends_at`: it never expires."""

    id: str
    player: str
    scopes: frozenset[Scope]
    benchmarks: tuple[str, ...]
    created_at: datetime
    ends_at: datetime | None = None
    revoked_at: datetime | None = None

    def holds_at(self, moment: datetime) -> bool:
        """Return whether it is neither revoked nor expired."""
        return self.revoked_at is None and (self.ends_at is None or moment < self.ends_at)

    @property
    def organises(self) -> bool:
        """Return whether it allows to create benchmarks."""
        return not self.scopes.isdisjoint({Scope.ORGANISE, Scope.ADMIN})

    @property
    def hosts(self) -> bool:
        """Return whether it allows to name players, on whatever benchmark."""
        return Scope.HOST in self.scopes

    def allows(self, scope: Scope, benchmark: str) -> bool:
        """Return whether it allows something on a benchmark."""
        covered = not self.benchmarks or benchmark in self.benchmarks
        if scope is not Scope.HOST and Scope.ADMIN in self.scopes:
            return True
        return scope in self.scopes and covered


def hash_secret(secret: str) -> str:
    """Return the SHA-256 of a secret in hexadecimal: all that is stored of it."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def token_id_of(secret: str) -> str:
    """Return the id of a token."""
    return hash_secret(secret)[:12]


@dataclass(frozen=True, slots=True)
class TokenStore:
    """The tokens in the access table."""

    table: Table

    def put(self, secret: str, token: Token) -> None:
        """Store a new token. Raises Conflict if there is one of the same secret."""
        item = _to_item(_key(hash_secret(secret)), token)
        self.table.put(Schema.TOKEN, item, condition="attribute_not_exists(#key)")

    def find(self, secret: str) -> Token | None:
        """Read a token (consistent), perhaps one that has expired; None if it is unknown."""
        return self.find_hashed(hash_secret(secret))

    def find_hashed(self, sha256: str) -> Token | None:
        """Read the token with this hash, as `find` does."""
        plain = self.table.get(Schema.TOKEN, key=_key(sha256))
        return None if plain is None else _from_item(plain)

    def list_all(self) -> list[Token]:
        """Read every token, the oldest first, by reading the whole table."""
        return sorted((_from_item(plain) for plain in self._scan()), key=lambda token: (token.created_at, token.id))

    def revoke(self, token_id: str, *, now: datetime) -> Token:
        """Revoke a token for good; a repeat changes nothing. Raises NotFound."""
        plain = next((plain for plain in self._scan() if plain["id"] == token_id), None)
        if plain is None:
            raise NotFound(f"there is no token {token_id!r}")
        token = _from_item(plain)
        if token.revoked_at is not None:
            return token
        revoked = replace(token, revoked_at=now)
        item = _to_item(str(plain["key"]), revoked)
        try:
            self.table.put(Schema.TOKEN, item, condition="attribute_exists(#key)")
        except Conflict as error:  # it has expired, and DynamoDB has deleted it
            raise NotFound(f"there is no token {token_id!r} any more") from error
        return revoked

    def _scan(self) -> list[dict[str, Plain]]:
        return list(map(Schema.TOKEN.read, self.table.scan(_key(""))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session, without its own secret; it ends at `ends_at`, in whole seconds, or with the token that opened it."""

    token_sha256: str
    ends_at: datetime

    def holds_at(self, moment: datetime) -> bool:
        """Return whether it has not ended."""
        return moment < self.ends_at


@dataclass(frozen=True, slots=True)
class SessionStore:
    """The sessions in the access table."""

    table: Table

    def put(self, secret: str, session: Session) -> None:
        """Store a new session. Raises Conflict if there is one of the same secret."""
        self.table.put(
            Schema.SESSION,
            {
                "key": _session_key(secret),
                "token_sha256": session.token_sha256,
                "expires_at": int(session.ends_at.timestamp()),
            },
            condition="attribute_not_exists(#key)",
        )

    def find(self, secret: str) -> Session | None:
        """Read a session (consistent), perhaps one that has ended; None if there is none."""
        plain = self.table.get(Schema.SESSION, key=_session_key(secret))
        if plain is None:
            return None
        ends_at = datetime.fromtimestamp(int(plain["expires_at"]), UTC)
        return Session(token_sha256=str(plain["token_sha256"]), ends_at=ends_at)

    def delete(self, secret: str) -> None:
        """Delete a session, if it exists."""
        self.table.delete(key=_session_key(secret))


def _key(sha256: str) -> str:
    return f"token#{sha256}"


def _to_item(key: str, token: Token) -> dict[str, Plain | None]:
    return {
        "key": key,
        "id": token.id,
        "player": token.player,
        "scopes": json.dumps(sorted(token.scopes)),
        "benchmarks": json.dumps(token.benchmarks),
        "created_at": token.created_at.isoformat(),
        "ends_at": token.ends_at.isoformat() if token.ends_at else None,
        "revoked_at": token.revoked_at.isoformat() if token.revoked_at else None,
    }


def _from_item(plain: "Mapping[str, Plain]") -> Token:
    return Token(
        id=str(plain["id"]),
        player=str(plain["player"]),
        scopes=frozenset(map(Scope, json.loads(str(plain["scopes"])))),
        benchmarks=tuple(json.loads(str(plain["benchmarks"]))),
        created_at=datetime.fromisoformat(str(plain["created_at"])),
        ends_at=_moment(plain.get("ends_at")),
        revoked_at=_moment(plain.get("revoked_at")),
    )


def _moment(value: Plain | None) -> datetime | None:
    return None if value is None else datetime.fromisoformat(str(value))


def _session_key(secret: str) -> str:
    return f"session#{hash_secret(secret)}"
