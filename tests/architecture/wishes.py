"""What the rules of the template share: how a violation is told, and CloudFormation's one-or-many."""

from collections.abc import Mapping
from typing import Any


def unmet(name: str, wishes: Mapping[str, bool]) -> list[str]:
    """Tell which of the wishes (sentence → whether it holds) a resource does not meet."""
    return [f"{name}: expected that {wish}" for wish, holds in wishes.items() if not holds]


def listed(value: Any) -> list[Any]:
    """Give a list of what may be one thing, a list, or nothing."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
