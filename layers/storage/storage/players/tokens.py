"""Tokens, which identify players to the API, and the sessions of DRES, each of which replaces a token for some hours.

Only the SHA-256 of their secrets is stored, so the table opens nothing.
"""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple

from storage.gateway.conditions import Absent, Equals
from storage.gateway.errors import Conflict, NotFound
from storage.gateway.schema import Schema, from_attributes, to_attributes
from storage.gateway.table import Table, Write

TOKEN_PREFIX = "laurel_"  # noqa: S105  # lets scanners find leaked tokens
CODE_PREFIX = "join_"
"""Of the code of an invitation, for the same reason."""


class Scope(StrEnum):
    """What a token allows.

    `submit`: to submit results and read their outcomes. `host`: to submit results of players whom it names, as the
    server of a game does. `own`: to publish the benchmarks that it covers, read their errors, rescore them, and
    withdraw their submissions. `work`: to score their submissions on a machine of the owner. `organise`: to create
    benchmarks, and own those that its player created. `admin`: everything, everywhere, but not to name players.
    """

    SUBMIT = "submit"
    HOST = "host"
    OWN = "own"
    WORK = "work"
    ORGANISE = "organise"
    ADMIN = "admin"


class Token(NamedTuple):
    """A token, without its secret. No benchmarks: it covers all of them. No `ends_at`: it never expires.

    `member`: the name of the player's member who has it; None: it is the player's own. `invitation`: the id of the
    invitation that it was issued for; None: an operator issued it. `rules_accepted_at`: when the rules of its
    benchmarks were accepted; None: they had none, or nobody was asked.
    """

    id: str
    player: str
    scopes: frozenset[Scope]
    benchmarks: tuple[str, ...]
    created_at: datetime
    ends_at: datetime | None = None
    revoked_at: datetime | None = None
    member: str | None = None
    invitation: str | None = None
    rules_accepted_at: datetime | None = None

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

    def covers(self, other: "Token") -> bool:
        """Return whether it allows all that another token of its player does, everywhere."""
        return all(self._allows_on(scope, other.benchmarks) for scope in other.scopes)

    def allows(self, scope: Scope, benchmark: str) -> bool:
        """Return whether it allows something on a benchmark."""
        return self._allows_on(scope, (benchmark,))

    def _allows_on(self, scope: Scope, benchmarks: tuple[str, ...]) -> bool:
        """Return whether it allows something on all of these; none: on whatever there is."""
        if scope is not Scope.HOST and Scope.ADMIN in self.scopes:
            return True
        is_covered = not self.benchmarks or (bool(benchmarks) and set(benchmarks) <= set(self.benchmarks))
        return scope in self.scopes and is_covered


def hash_secret(secret: str) -> str:
    """Return the SHA-256 of a secret in hexadecimal: all that is stored of it."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def token_id_of(secret: str) -> str:
    """Return the id of a token."""
    return hash_secret(secret)[:12]


class TokenStore(NamedTuple):
    """The tokens in the access table."""

    table: Table

    def plan(self, secret: str, token: Token) -> Write:
        """Return the write of a new token, if there is none of the same secret."""
        return Write(Schema.TOKEN, {"key": _key(hash_secret(secret)), **to_attributes(token)}, Absent("key"))

    def find(self, secret: str) -> Token | None:
        """Read a token (consistent), perhaps one that has expired; None if it is unknown."""
        return self.find_hashed(hash_secret(secret))

    def find_hashed(self, sha256: str) -> Token | None:
        """Read the token with this hash, as `find` does."""
        plain = self.table.get(Schema.TOKEN, key=_key(sha256))
        return None if plain is None else from_attributes(Token, plain)

    def revoke_hashed(self, sha256: str, token: Token, *, now: datetime) -> Token:
        """Revoke a token that was read; the name of its member goes. Raises NotFound."""
        if token.revoked_at is not None:
            return token
        revoked = token._replace(revoked_at=now, member=token.member and "")
        try:
            self.table.transact([plan_revoked(sha256, revoked)])
        except Conflict as error:  # it has expired, and DynamoDB has deleted it
            raise NotFound(f"there is no token {token.id!r} any more") from error
        return revoked

    def find_many(self, hashes: Iterable[str]) -> dict[str, Token]:
        """Return hash → token, of those that exist (consistent). Raises Busy."""
        items = map(Schema.TOKEN.read, self.table.get_many({"key": _key(sha256)} for sha256 in sorted(hashes)))
        return {str(item["key"]).removeprefix(_key("")): from_attributes(Token, item) for item in items}


def plan_revoked(sha256: str, revoked: Token) -> Write:
    """Return the write of a token that is revoked, if it still exists."""
    return Write(Schema.TOKEN, {"key": _key(sha256), **to_attributes(revoked)}, Equals("id", revoked.id))


class Session(NamedTuple):
    """A session, without its own secret; it ends at `ends_at`, in whole seconds, or with the token that opened it."""

    token_sha256: str
    ends_at: datetime

    def holds_at(self, moment: datetime) -> bool:
        """Return whether it has not ended."""
        return moment < self.ends_at


class SessionStore(NamedTuple):
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
            Absent("key"),
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


def _session_key(secret: str) -> str:
    return f"session#{hash_secret(secret)}"
