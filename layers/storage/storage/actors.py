"""Who acted, and in which role."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """In which role it was done.

    `player`: with a token, or with the receipt of an own submission. `owner`, `admin`: with a token of that scope.
    `operator`: from the command line, with credentials of AWS.
    """

    PLAYER = "player"
    OWNER = "owner"
    ADMIN = "admin"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who did it: a player's id, or the ARN of an operator."""

    id: str
    role: Role
