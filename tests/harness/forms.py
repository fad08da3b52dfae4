"""The forms of expressions that Laurel sends to DynamoDB: placeholders by their order, values by their type.

`tests/contract/forms.txt` lists them, and `tests/contract/test_forms.py` tries each on both engines.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from engine.store import Store

FORMS = Path(__file__).parents[1] / "contract" / "forms.txt"
RECORDING = "LAUREL_RECORD_FORMS"
"""The variable that lets a run add the forms that it sees."""
EXPRESSIONS = (
    "UpdateExpression",
    "KeyConditionExpression",
    "FilterExpression",
    "ProjectionExpression",
    "ConditionExpression",
)
_WORDS = {
    *("AND", "OR", "NOT", "BETWEEN", "SET", "REMOVE", "ADD", "DELETE"),
    *("attribute_exists", "attribute_not_exists", "begins_with", "contains", "size"),
}
_PLACEHOLDER = re.compile(r"[#:]?\b[A-Za-z_]\w*")
_listed: set[str] = set()
_checked: set[tuple[Any, ...]] = set()


class _Keys(NamedTuple):
    """The attributes of a table's or an index's key."""

    hash: str
    sort: str | None


class UnknownForm(AssertionError):
    """A request has an expression of a form that the contract of the engines does not try."""


def check_forms(store: Store, operation: str, request: Mapping[str, Any]) -> None:
    """Check that the contract tries the form of each expression of a request. Raises UnknownForm."""
    for kind, part in _list_parts(operation, request):
        texts = tuple(part[name] for name in EXPRESSIONS if name in part)
        if not texts:
            continue
        values: Mapping[str, Mapping[str, Any]] = part.get("ExpressionAttributeValues", {})
        mark = (kind, part["TableName"], part.get("IndexName"), *texts, *map(next, map(iter, values.values())))
        if mark in _checked:
            continue
        form = describe_form(kind, part, _read_keys(store, part))
        if not _listed:
            _listed.update(FORMS.read_text(encoding="utf-8").splitlines() if FORMS.exists() else ())
        if form not in _listed and os.environ.get(RECORDING):
            _listed.add(form)
            FORMS.write_text("\n".join(sorted({*_listed, *FORMS.read_text().splitlines()})) + "\n", encoding="utf-8")
        if form not in _listed:
            raise UnknownForm(
                f"tests/contract/forms.txt lacks the form {form!r}: run this test with {RECORDING}=1, then "
                "tests/contract/test_forms.py, which tries the form on both engines"
            )
        _checked.add(mark)


def describe_form(kind: str, request: Mapping[str, Any], keys: tuple[str, str | None]) -> str:
    """Return the form of a request's expressions in one line.

    `#pk` and `#sk` stand for the key's attributes, `#1` for another one and `:N1` for a number; those without `#` are
    names that the expression itself has.
    """
    names, values = request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})
    order: dict[str, str] = dict(zip((name for name in keys if name), ("pk", "sk"), strict=False))
    numbers: dict[str, str] = {}

    def replace(match: re.Match[str]) -> str:
        word = match[0]
        if word in _WORDS:
            return word
        if word[0] == ":":
            (type_,) = values[word]
            return ":" + numbers.setdefault(word, f"{type_}{len(numbers) + 1}")
        name, mark = (names[word], "#") if word[0] == "#" else (word, "")
        return mark + order.setdefault(name, str(len(order.keys() - set(keys)) + 1) if mark else f"name{len(order)}")

    index = [f"IndexName {request['IndexName']}"] if "IndexName" in request else []
    texts = [f"{name} {_PLACEHOLDER.sub(replace, request[name])}" for name in EXPRESSIONS if name in request]
    return " | ".join([kind, *index, *texts])


def _list_parts(operation: str, request: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if operation == "TransactWriteItems":
        for action in request["TransactItems"]:
            for kind, part in action.items():
                yield f"{operation}.{kind}", part
    elif "TableName" in request:
        yield operation, request


def _read_keys(store: Store, request: Mapping[str, Any]) -> _Keys:
    properties = store.find_resource("table", request["TableName"]) or {}
    indexes = {index["IndexName"]: index for index in properties.get("GlobalSecondaryIndexes", ())}
    schema = indexes.get(request.get("IndexName", ""), properties)["KeySchema"]
    names = {key["KeyType"]: key["AttributeName"] for key in schema}
    return _Keys(names["HASH"], names.get("RANGE"))
