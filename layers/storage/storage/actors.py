"""The people who act, each in a role."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """In which role it was done.

    `player`: with a token, or with the receipt of an own submission. `owner`, `admin`: with a token of that scope.
    `operator`: as the person who deploys the stack, or runs it.
    """

    PLAYER = "player"
    OWNER = "owner"
    ADMIN = "admin"
    OPERATOR = "operator"

    def outranks(self, other: "Role") -> bool:
        """Return whether a withdrawal in this role replaces one in the other."""
        return _RANKS[self] > _RANKS[other]


_RANKS = {Role.PLAYER: 0, Role.OWNER: 1, Role.ADMIN: 2, Role.OPERATOR: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """A person who acted: a player's id; of an operator the ARN, or the user of the machine."""

    id: str
    role: Role
