"""Sessions: what stands for a token on the routes of DRES for some hours. Only the SHA-256 of one is kept."""

from dataclasses import dataclass
from datetime import UTC, datetime

from storage.access.tokens import hash_secret
from storage.aws.schema import Schema
from storage.aws.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What a session stands for; neither its own secret nor the token is in here.

    Args:
        token_sha256: Hash of the token that opened it: the session holds no longer than that does.
        ends_at: When it stops to hold, in whole seconds.
    """

    token_sha256: str
    ends_at: datetime

    def holds_at(self, moment: datetime) -> bool:
        """Tell whether it is not past its end."""
        return moment < self.ends_at


@dataclass(frozen=True, slots=True)
class SessionStore:
    """The sessions in the access table."""

    table: Table

    def put(self, secret: str, session: Session) -> None:
        """Keep a session that was just opened. Raises Conflict if there is one of the same secret."""
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
        """Read a session (consistent); None where there is none. It may have ended: DynamoDB forgets it days later."""
        plain = self.table.get(Schema.SESSION, key=_key(secret))
        if plain is None:
            return None
        return Session(
            token_sha256=str(plain["token_sha256"]),
            ends_at=datetime.fromtimestamp(int(plain["expires_at"]), UTC),
        )

    def delete(self, secret: str) -> None:
        """Forget a session; one that is not there is forgotten already."""
        self.table.delete(key=_key(secret))


def _key(secret: str) -> str:
    return f"session#{hash_secret(secret)}"
