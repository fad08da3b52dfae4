"""DRES sessions, each of which replaces a token for some hours. Only the SHA-256 of a session is stored."""

from dataclasses import dataclass
from datetime import UTC, datetime

from storage.access.tokens import hash_secret
from storage.aws.schema import Schema
from storage.aws.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session, without its own secret and without the token.

    Args:
        token_sha256: Hash of the token that opened it; the session ends with that token.
        ends_at: When it ends, in whole seconds.
    """

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
                "key": _key(secret),
                "token_sha256": session.token_sha256,
                "expires_at": int(session.ends_at.timestamp()),
            },
            condition="attribute_not_exists(#key)",
        )

    def find(self, secret: str) -> Session | None:
        """Read a session (consistent), perhaps one that has ended; None if there is none."""
        plain = self.table.get(Schema.SESSION, key=_key(secret))
        if plain is None:
            return None
        ends_at = datetime.fromtimestamp(int(plain["expires_at"]), UTC)
        return Session(token_sha256=str(plain["token_sha256"]), ends_at=ends_at)

    def delete(self, secret: str) -> None:
        """Delete a session, if it exists."""
        self.table.delete(key=_key(secret))


def _key(secret: str) -> str:
    return f"session#{hash_secret(secret)}"
