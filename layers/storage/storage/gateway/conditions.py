"""Conditions of reads and writes of items, and changes of items.

Each is said to DynamoDB as an expression, and tells by itself what it means for an item, in DynamoDB's form.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from operator import contains, eq, ge, gt, le, lt
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple

from storage.gateway.schema import Plain, Value, marshal, marshal_value

type Item = Mapping[str, Any]
"""In DynamoDB's form."""

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
_LAST: Final = "\U0010ffff\U0010ffff"


class Placeholders(NamedTuple):
    """What stands for attributes and values in the expressions of one request.

    Attributes are never named themselves: hundreds of words are reserved.
    """

    names: dict[str, str]
    values: dict[str, Any]

    def name(self, attribute: str) -> str:
        """Return what stands for an attribute."""
        self.names[f"#{attribute}"] = attribute
        return f"#{attribute}"

    def value(self, value: Value) -> str:
        """Return what stands for a value."""
        placeholder = f":{len(self.values)}"
        self.values[placeholder] = marshal_value(value)
        return placeholder


class ItemCondition:
    """What must hold for an item; an item that does not exist has no attributes."""

    def holds(self, item: Item) -> bool:
        """Return whether an item fulfils it."""
        raise NotImplementedError

    def translate(self, placeholders: Placeholders) -> str:
        """Return the expression that says it to DynamoDB."""
        raise NotImplementedError

    def __and__(self, other: "ItemCondition") -> "ItemCondition":
        """Return the condition that both hold."""
        return _Joined((self, other), all, " AND ")

    def __or__(self, other: "ItemCondition") -> "ItemCondition":
        """Return the condition that one of them holds, or both."""
        return _Joined((self, other), any, " OR ")


class _Joined(ItemCondition):
    def __init__(
        self, conditions: tuple[ItemCondition, ...], test: Callable[[Iterable[bool]], bool], word: str
    ) -> None:
        self.conditions, self.test, self.word = conditions, test, word

    def holds(self, item: Item) -> bool:
        return self.test(condition.holds(item) for condition in self.conditions)

    def translate(self, placeholders: Placeholders) -> str:
        return self.word.join(f"({condition.translate(placeholders)})" for condition in self.conditions)


class Absent(ItemCondition):
    """The item has no such attribute; of an attribute of the key: the item does not exist."""

    def __init__(self, attribute: str) -> None:
        self.attribute = attribute

    def holds(self, item: Item) -> bool:
        """Return whether it is absent."""
        return self.attribute not in item

    def translate(self, placeholders: Placeholders) -> str:
        """Return the expression."""
        return f"attribute_not_exists({placeholders.name(self.attribute)})"


class _Test(ItemCondition):
    """The attribute exists, and the test of what it is with a value holds."""

    expression: ClassVar[str]
    test: ClassVar[Callable[[Any, Any], bool]]
    if_absent: ClassVar[bool] = False

    def __init__(self, attribute: str, value: Plain) -> None:
        self.attribute, self.value = attribute, value

    def holds(self, item: Item) -> bool:
        """Return whether it holds."""
        stored = item.get(self.attribute)
        return self.if_absent if stored is None else self._holds_for(stored)

    def translate(self, placeholders: Placeholders) -> str:
        """Return the expression."""
        name = placeholders.name(self.attribute)
        return self.expression.format(name=name, value=placeholders.value(self.value))

    def _holds_for(self, stored: Mapping[str, Any]) -> bool:
        return type(self).test(frozenset(stored["SS"]), self.value)


class _Comparison(_Test):
    """The attribute is of the kind of the value; DynamoDB orders texts by their UTF-8, as Python its characters."""

    def _holds_for(self, stored: Mapping[str, Any]) -> bool:
        ((kind, value),) = marshal_value(self.value).items()
        if kind not in stored:
            return False
        return type(self).test(*((int(stored[kind]), int(value)) if kind == "N" else (stored[kind], value)))


class Equals(_Comparison):
    """The attribute has this value."""

    expression, test = "{name} = {value}", eq


class Below(_Comparison):
    """The attribute is less than the value."""

    expression, test = "{name} < {value}", lt


class AtMost(_Comparison):
    """The attribute is the value or less."""

    expression, test = "{name} <= {value}", le


class Above(_Comparison):
    """The attribute is more than the value."""

    expression, test = "{name} > {value}", gt


class AtLeast(_Comparison):
    """The attribute is the value or more."""

    expression, test = "{name} >= {value}", ge


class Prefix(_Comparison):
    """The attribute is a text that begins so."""

    expression, test = "begins_with({name}, {value})", str.startswith


class SizeIs(_Test):
    """The attribute is a set of so many members."""

    expression, test = "size({name}) = {value}", lambda stored, size: len(stored) == size


class SizeBelow(_Test):
    """The attribute is a set of fewer members."""

    expression, test = "size({name}) < {value}", lambda stored, size: len(stored) < size


class SizeAtLeast(_Test):
    """The attribute is a set of so many members or more."""

    expression, test = "size({name}) >= {value}", lambda stored, size: len(stored) >= size


class Contains(_Test):
    """The attribute is a set with this member."""

    expression, test = "contains({name}, {value})", contains


class Lacks(_Test):
    """The attribute is a set without this member, or absent."""

    expression, test = "NOT contains({name}, {value})", lambda stored, member: member not in stored
    if_absent = True


class Between(ItemCondition):
    """The attribute is one of these texts, or between them."""

    def __init__(self, attribute: str, low: str, high: str) -> None:
        self.attribute, self.low, self.high = attribute, low, high

    def holds(self, item: Item) -> bool:
        """Return whether it is between them."""
        return self.low <= str(item.get(self.attribute, {}).get("S", "")) <= self.high

    def translate(self, placeholders: Placeholders) -> str:
        """Return the expression."""
        name = placeholders.name(self.attribute)
        return f"{name} BETWEEN {placeholders.value(self.low)} AND {placeholders.value(self.high)}"


type SortCondition = Prefix | Between | AtLeast | Below
"""What a query may ask of the sort key."""


class CopyOf(NamedTuple):
    """The value that another attribute had before the change."""

    attribute: str


class ItemChange(NamedTuple):
    """What an update does to an item; no attribute is changed twice.

    Args:
        set: Attributes and their new values; one that is copied must exist.
        remove: Attributes that go.
        add: Numbers that are added to numbers (0 if absent), or members to sets.
        take_out: Members that are taken out of sets; a set without members goes.
    """

    set: Mapping[str, Value | CopyOf] = _NOTHING
    remove: Collection[str] = ()
    add: Mapping[str, int | frozenset[str]] = _NOTHING
    take_out: Mapping[str, frozenset[str]] = _NOTHING

    def apply(self, item: Item) -> dict[str, Any]:
        """Return an item as it is after the change."""
        after = dict(item)
        for name, value in self.set.items():
            after[name] = item[value.attribute] if isinstance(value, CopyOf) else marshal_value(value)
        for name in self.remove:
            after.pop(name, None)
        for name, more in self.add.items():
            if isinstance(more, frozenset):
                after[name] = {"SS": sorted(more.union(_members(item, name)))}
            else:
                after[name] = {"N": str(int(item.get(name, {"N": "0"})["N"]) + more)}
        for name, gone in self.take_out.items():
            left = sorted(frozenset(_members(item, name)) - gone)
            after |= {name: {"SS": left}}
            if not left:
                del after[name]
        return after

    def translate(self, placeholders: Placeholders) -> str:
        """Return the expression."""
        name, value = placeholders.name, placeholders.value
        assigned = {
            attribute: name(to.attribute) if isinstance(to, CopyOf) else value(to) for attribute, to in self.set.items()
        }
        clauses = {
            "SET": [f"{name(attribute)} = {to}" for attribute, to in assigned.items()],
            "REMOVE": [name(attribute) for attribute in self.remove],
            "ADD": [f"{name(attribute)} {value(more)}" for attribute, more in self.add.items()],
            "DELETE": [f"{name(attribute)} {value(gone)}" for attribute, gone in self.take_out.items()],
        }
        return " ".join(f"{clause} {', '.join(actions)}" for clause, actions in clauses.items() if actions)


def _members(item: Item, name: str) -> Collection[str]:
    members: Collection[str] = item.get(name, {"SS": ()})["SS"]
    return members


class Put(NamedTuple):
    """An item that is written on a condition; if that does not hold, the error has the stored item."""

    item: Item
    condition: ItemCondition


class Update(NamedTuple):
    """A change of an item, which is created if it does not exist, on a condition.

    Args:
        key: Of the item.
        change: What is changed.
        condition: What must hold.
        may_read: Whether the answer may have attributes: those that were changed, or the stored item in the error if
            the condition does not hold.
    """

    key: Mapping[str, str]
    change: ItemChange
    condition: ItemCondition
    may_read: bool = True

    @property
    def names(self) -> Collection[str]:
        """The attributes that are changed."""
        return (*self.change.set, *self.change.remove, *self.change.add, *self.change.take_out)

    def apply(self, item: Item | None) -> dict[str, Any]:
        """Return the item as it is after the change."""
        return self.change.apply(marshal(self.key) if item is None else item)


class Query(NamedTuple):
    """What is read of a partition, or of one of an index, in order of the sort key.

    Args:
        key: The attribute that is the partition key, and its value.
        sort: What the sort key must fulfil.
        keep: What else an item must fulfil; others are skipped.
        attributes: Those that are read; none: all.
        by_index: The name of an index.
        is_consistent: Whether all is seen that was written before; an index may lack the latest.
        is_down: Whether the last ones come first.
        length: Items of a page at most, those that are skipped included; None: as many as there is room for.
    """

    key: tuple[str, str]
    sort: SortCondition | None = None
    keep: ItemCondition | None = None
    attributes: Collection[str] = ()
    by_index: str | None = None
    is_consistent: bool = True
    is_down: bool = False
    length: int | None = None

    @property
    def bounds(self) -> tuple[str, str]:
        """Two sort keys between which, or equal to which, all is that it reads."""
        match self.sort:
            case Prefix(value=prefix):
                return str(prefix), f"{prefix}{_LAST}"
            case Between(low=low, high=high):
                return low, high
            case AtLeast(value=value):
                return str(value), _LAST
            case Below(value=value):
                return "", str(value)
        return "", _LAST
