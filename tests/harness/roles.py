"""What the roles of template.yaml allow, decided as IAM decides it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import product
from typing import Any, NamedTuple

from local.template import Properties, Template


class Call(NamedTuple):
    """What a function asks AWS for.

    Args:
        action: As policies name it.
        resource: Its ARN.
        values: Condition key → the values of the request; a key that it lacks is not in the request.
    """

    action: str
    resource: str
    values: Mapping[str, tuple[str, ...]] = {}

    def __str__(self) -> str:
        named = "; ".join(f"{key} {', '.join(values)}" for key, values in self.values.items())
        return " ".join(filter(None, (f"{self.action} on {self.resource}", named and f"({named})")))


class Right(NamedTuple):
    """The smallest thing that a role can lack: an action on a resource, for a value of a condition if it has any.

    Args:
        role: Logical id.
        action: As in the policy.
        resource: Its ARN, with the policy's wildcards.
        value: The pattern of the condition's key that the request must match, or "".
    """

    role: str
    action: str
    resource: str
    value: str = ""


class Roles:
    """The rights of all roles of a template."""

    def __init__(self, template: Template) -> None:
        self._statements = {
            role: list(_list_statements(properties))
            for role, properties in template.resources_of("AWS::IAM::Role").items()
        }
        self._by_action: defaultdict[tuple[str, str], list[Properties]] = defaultdict(list)
        for role, statements in self._statements.items():
            for statement, action in ((each, action) for each in statements for action in _listed(each["Action"])):
                self._by_action[role, action].append(statement)

    def list_rights(self) -> set[Right]:
        """Return every right of every role."""
        return {
            Right(role, *right)
            for role, statements in self._statements.items()
            for statement in statements
            for right in product(
                _listed(statement["Action"]), _listed(statement["Resource"]), _list_patterns(statement) or [""]
            )
        }

    def find(self, role: str, call: Call) -> frozenset[Right] | None:
        """Return the rights that a call needs, none of those of which two allow it; None: AWS refuses it."""
        ways = [way for statement in self._by_action[role, call.action] for way in _list_ways(role, statement, call)]
        return frozenset.intersection(*ways) if ways else None


def _list_statements(role: Properties) -> Iterator[Properties]:
    for policy in role["Policies"]:
        yield from (each for each in policy["PolicyDocument"]["Statement"] if each["Effect"] == "Allow")


def _list_patterns(statement: Properties) -> list[str]:
    """Return the patterns of a statement's condition, which has one key at most."""
    return [
        pattern
        for keys in statement.get("Condition", {}).values()
        for patterns in keys.values()
        for pattern in _listed(patterns)
    ]


def _list_ways(role: str, statement: Properties, call: Call) -> Iterator[frozenset[Right]]:
    """Yield the rights by which a statement of its action allows a call, a set for each resource that fits."""
    if (patterns := _match_condition(statement, call)) is not None:
        for resource in _listed(statement["Resource"]):
            if fnmatchcase(call.resource, resource):
                yield frozenset(Right(role, call.action, resource, each) for each in patterns)


def _match_condition(statement: Properties, call: Call) -> list[str] | None:
    """Return the patterns that a call needs, [""] if there is no condition; None if a value of it matches none."""
    needed: list[str] = []
    for operator, keys in statement.get("Condition", {}).items():
        for key, patterns in keys.items():
            if key not in call.values and not operator.startswith("ForAllValues:"):
                return None
            values = call.values.get(key, ())
            likes = [[like for like in _listed(patterns) if fnmatchcase(value, like)] for value in values]
            if [] in likes:
                return None
            needed += [like[0] for like in likes if len(like) == 1]
    return needed if "Condition" in statement else [""]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
