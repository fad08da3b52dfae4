"""What the rules of the template share: how a violation is told, one-or-many, and the statements of a role."""

from collections.abc import Iterator, Mapping
from typing import Any

from local.template import Properties


def unmet(name: str, wishes: Mapping[str, bool]) -> list[str]:
    """Tell which of the wishes (sentence → whether it holds) a resource does not meet."""
    return [f"{name}: expected that {wish}" for wish, holds in wishes.items() if not holds]


def listed(value: Any) -> list[Any]:
    """Give a list of what may be one thing, a list, or nothing."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def list_statements(role: Properties, effect: str) -> Iterator[dict[str, Any]]:
    """Give a role's own statements of one effect: `Allow` or `Deny`."""
    for policy in role.get("Policies", []):
        yield from (found for found in policy["PolicyDocument"]["Statement"] if found["Effect"] == effect)
