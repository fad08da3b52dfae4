"""Each form of expression that Laurel sends does the same on both engines, whether it matches an item or not."""

import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pytest
from botocore.exceptions import ClientError

from engine.expressions import Expressions
from local.template import Template
from tests.contract.sides import Clients, open_engine, open_moto
from tests.harness.forms import EXPRESSIONS, FORMS

KEY = {"pk": {"S": "a"}, "sk": {"S": "b"}}
TABLE = "forms"
DECLARED: Any = {
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "ipk")],
    "BillingMode": "PAY_PER_REQUEST",
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "index",
            "KeySchema": [{"AttributeName": "ipk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}
PLACEHOLDER = re.compile(r"#\w+|:[A-Z]+\d+|\bname\d+")
TRIES = 3000
GRAMMAR = [
    f"PutItem | ConditionExpression {text}"
    for text in (
        *(f"#1 {operator} :N1" for operator in ("=", "<>", "<", "<=", ">", ">=")),
        *(f"#1 {operator} :S1" for operator in ("=", "<>", "<", "<=", ">", ">=")),
        "#1 = :BOOL1",
        "#1 <> :SS1",
        "contains(#1, :S1) OR #2 = :N2 AND #3 = :N3",
        "begins_with(#1, :S1)",
        "NOT (attribute_exists(#1) OR #2 <> :N1)",
        "attribute_exists(#1) AND size(#1) > :N1",
    )
]
"""What a condition may be made of, whether or not Laurel sends it."""


def read_forms() -> list[str]:
    """Return the recorded forms."""
    return FORMS.read_text(encoding="utf-8").splitlines()


def make_value(random: Random, kind: str) -> dict[str, Any]:
    """Return a value of a type, of which there are few."""
    match kind:
        case "N":
            return {"N": str(random.randint(0, 3))}
        case "BOOL":
            return {"BOOL": random.random() < 0.5}
        case "SS":
            return {"SS": sorted(random.sample("abc", random.randint(1, 3)))}
    return {"S": random.choice("abc")}


def read_form(form: str) -> tuple[str, dict[str, str], bool]:
    """Return the operation of a form, its expressions, and whether it reads an index."""
    operation, *parts = form.split(" | ")
    named = dict(part.split(" ", 1) for part in parts)
    texts = {name: re.sub(r"#(\d)", r"#a\1", named[name]) for name in EXPRESSIONS if name in named}
    if "IndexName" in named:
        texts = {name: re.sub(r"(#|\b)pk\b", r"\1ipk", text) for name, text in texts.items()}
    return operation, texts, "IndexName" in named


def list_attributes(texts: Mapping[str, str]) -> dict[str, str]:
    """Return each attribute of expressions with the type of the values that it meets."""
    text = " ".join(texts.values())
    attributes = {word.lstrip("#"): "S" for word in PLACEHOLDER.findall(text) if word[0] != ":"}
    for name in attributes:
        if re.search(rf"(size|contains)\(#?{name}\b", text) or re.search(rf"(ADD|DELETE|,) #{name} :SS", text):
            attributes[name] = "SS"
        elif match := re.search(rf"#?\b{name}(?: [<>=]+ | BETWEEN | IN \(| )(?:size\()?:([A-Z]+)\d", text):
            attributes[name] = match[1]
    return attributes


def make_requests(form: str, seed: int) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield items, and requests of a form."""
    random = Random(seed)  # noqa: S311
    operation, texts, is_index = read_form(form)
    attributes = {name: kind for name, kind in list_attributes(texts).items() if name not in {"pk", "sk"}}
    words = set(PLACEHOLDER.findall(" ".join(texts.values())))
    whole = " ".join(texts.values())
    # moto fails at the size of an attribute that is missing, as the table says.
    measured = {name for name in attributes if re.search(rf"(?<!not_exists\(#{name}\) OR )size\(#{name}\)", whole)}
    for _ in range(TRIES):
        item = {
            **KEY,
            "ipk": {"S": "a"},
            **{
                name: make_value(random, kind)
                for name, kind in attributes.items()
                if name in measured or random.random() < 0.6
            },
        }
        if random.random() < 0.2 and operation != "Query" and not measured:
            item = {}
        values = {word: make_value(random, re.sub(r"[:\d]", "", word)) for word in sorted(words) if word[0] == ":"}
        request: dict[str, Any] = {"TableName": TABLE, **texts}
        if names := {word: word.lstrip("#") for word in words if word[0] == "#"}:
            request["ExpressionAttributeNames"] = names
        if values:
            request["ExpressionAttributeValues"] = values
        if is_index:
            request["IndexName"] = "index"
        if operation in {"PutItem", "TransactWriteItems.Put"}:
            request["Item"] = {**KEY, "new": {"S": "1"}}
        elif operation in {"UpdateItem", "DeleteItem", "GetItem"}:
            request["Key"] = KEY
        yield item, request


def is_matching(item: Mapping[str, Any], request: Mapping[str, Any]) -> bool:
    """Return whether the conditions of a request hold for an item."""
    expressions = Expressions("Test", request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues"))
    texts = [
        request[name]
        for name in ("ConditionExpression", "KeyConditionExpression", "FilterExpression")
        if name in request
    ]
    return all(expressions.condition(text)(item) for text in texts)


def choose(form: str, count: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return some items that match and some that do not, each with its request, as far as the form has conditions."""
    chosen: dict[bool, list[Any]] = {True: [], False: []}
    for item, request in make_requests(form, 1):
        kind = chosen[is_matching(item, request)]
        if len(kind) < count:
            kind.append((item, request))
        if all(len(each) == count for each in chosen.values()):
            break
    _, texts, _ = read_form(form)
    has_condition = texts.keys() - {"UpdateExpression", "ProjectionExpression"}
    assert chosen[True], "no item matches"
    assert chosen[False] or not has_condition, "every item matches"
    return [*chosen[True], *chosen[False]]


def send(side: Clients, operation: str, item: Mapping[str, Any], request: Mapping[str, Any]) -> Any:
    """Store an item, send a request, and return the answer and what is stored then."""
    side.dynamodb.delete_item(TableName=TABLE, Key=KEY)
    if item:
        side.dynamodb.put_item(TableName=TABLE, Item=item)
    operation, _, action = operation.partition(".")
    request = {"TransactItems": [{action: request}]} if action else request
    name = re.sub(r"(?<!^)([A-Z])", r"_\1", operation).lower()
    try:
        answer = getattr(side.dynamodb, name)(**request)
    except ClientError as error:
        answer = {"Error": error.response["Error"]["Code"]}
    stored = side.dynamodb.get_item(TableName=TABLE, Key=KEY).get("Item")
    members = ("Error", "Count", "ScannedCount", "Items", "Item")
    return _order([{name: answer.get(name) for name in members}, stored])


def _order(value: Any) -> Any:
    """Return a value in which sets have an order."""
    if isinstance(value, Mapping):
        return {name: sorted(part) if name == "SS" else _order(part) for name, part in value.items()}
    return [_order(part) for part in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def sides(clients: Clients, template: Template) -> Iterator[tuple[Clients, Clients]]:
    """Both engines with one table of any attributes."""
    with open_moto(clients, template), open_engine(template, tables={TABLE: DECLARED}) as engine:
        clients.dynamodb.create_table(TableName=TABLE, **DECLARED)
        yield clients, engine


@pytest.mark.parametrize("form", [*read_forms(), *GRAMMAR])
def test_form_does_the_same_on_both(form: str, sides: tuple[Clients, Clients]) -> None:
    """A request of each form is accepted or refused alike, and leaves the same item."""
    operation = form.split(" | ", maxsplit=1)[0]
    outcomes = set()
    for item, request in choose(form, 12 if form in GRAMMAR or "BETWEEN" in form else 2):
        expected, answered = (send(side, operation, item, request) for side in sides)
        assert answered == expected, (item, request)
        outcomes.add(str(answered[0]["Error"] or answered[0]["Count"]))
    assert len(outcomes) > 1 or not re.search(r"(Condition|Filter)Expression", form)
