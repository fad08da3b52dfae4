"""What the rules of the template share: listing violations, one-or-many values, and the statements of a role."""

from collections.abc import Iterator, Mapping
from typing import Any

from local.template import Properties


def list_violations(name: str, expectations: Mapping[str, bool]) -> list[str]:
    """Return a violation for each expectation (sentence → holds) that fails."""
    return [f"{name}: expected that {sentence}" for sentence, holds in expectations.items() if not holds]


def listed(value: Any) -> list[Any]:
    """Return a list of what may be one thing, a list, or nothing."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def list_statements(role: Properties, effect: str) -> Iterator[dict[str, Any]]:
    """Yield the statements of one effect, `Allow` or `Deny`, of a role."""
    for policy in role.get("Policies", []):
        yield from (statement for statement in policy["PolicyDocument"]["Statement"] if statement["Effect"] == effect)
