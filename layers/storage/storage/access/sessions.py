"""Sessions: what stands for a token on the routes of DRES for some hours. Only the SHA-256 of one is kept."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from storage.access.tokens import hash_secret
from storage.aws.conditional import put_item
from storage.aws.errors import aws_errors
from storage.aws.schema import Schema

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


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

    dynamodb: "DynamoDBClient"
    table: str

    def put(self, secret: str, session: Session) -> None:
        """Keep a session that was just opened. Raises Conflict if there is one of the same secret."""
        put_item(
            self.dynamodb,
            table=self.table,
            form=Schema.SESSION,
            item={
                "key": _key(secret),
                "schema": Schema.SESSION.schema,
                "token_sha256": session.token_sha256,
                "expires_at": int(session.ends_at.timestamp()),
            },
            condition="attribute_not_exists(#key)",
        )

    def find(self, secret: str) -> Session | None:
        """Read a session (consistent); None where there is none. It may have ended: DynamoDB forgets it days later."""
        with aws_errors("read a session"):
            answer = self.dynamodb.get_item(TableName=self.table, Key={"key": {"S": _key(secret)}}, ConsistentRead=True)
        if "Item" not in answer:
            return None
        plain = Schema.SESSION.read(answer["Item"])
        return Session(
            token_sha256=str(plain["token_sha256"]),
            ends_at=datetime.fromtimestamp(int(plain["expires_at"]), UTC),
        )

    def delete(self, secret: str) -> None:
        """Forget a session; one that is not there is forgotten already."""
        with aws_errors("forget a session"):
            self.dynamodb.delete_item(TableName=self.table, Key={"key": {"S": _key(secret)}})


def _key(secret: str) -> str:
    return f"session#{hash_secret(secret)}"
