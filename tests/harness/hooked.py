"""Clients of the engine with the hooks that botocore's have: events by name, and one place that makes requests."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import batched
from typing import Any, NamedTuple

from botocore.exceptions import ClientError
from botocore.hooks import HierarchicalEmitter

from engine.cloud import Engine
from storage.gateway import aws
from storage.gateway.conditions import Item, ItemCondition, Put, Query, Update
from storage.gateway.schema import unmarshal
from tests.harness.role_wall import check_missing, check_request
from tests.harness.shapes import Paginator, answering, shape

type Key = Mapping[str, str]

_FIRST_OK, _FIRST_ERROR = 200, 300


class Named(NamedTuple):
    """What botocore says of an operation or of a service."""

    name: str

    def hyphenize(self) -> str:
        """Return the name as events have it."""
        return self.name

    @property
    def service_id(self) -> "Named":
        """Return the name of the service."""
        return self


class Answered(NamedTuple):
    """The part of an HTTP response that botocore reads."""

    status_code: int = _FIRST_OK


@dataclass
class Meta:
    """Events and the service of a client."""

    service_model: Named
    events: HierarchicalEmitter = field(default_factory=HierarchicalEmitter)


class Endpoint:
    """Makes requests; a test may put itself in its place."""

    def make_request(self, operation: "Operation", request: Mapping[str, Any]) -> tuple[Answered, dict[str, Any]]:
        """Let the engine answer."""
        return Answered(), operation.call(**request["context"]["input_params"])


class Operation(NamedTuple):
    """An operation of the engine."""

    name: str
    call: Callable[..., dict[str, Any]]


class Hooked:
    """A client of the engine whose calls are events, in the order of botocore's."""

    def __init__(self, inner: Any, service: str) -> None:
        self._inner, self._service = inner, service
        self.meta, self._endpoint = Meta(Named(service)), Endpoint()

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._inner, name)
        if name == "get_paginator":
            return self._make_paginator
        if name.startswith("generate_") or not callable(attribute):
            return attribute
        return lambda **request: self._call(name, answering(_name_operation(name), attribute), request)

    def _make_paginator(self, operation: str) -> Paginator:
        return Paginator(getattr(self, operation))

    def _call(self, name: str, call: Callable[..., dict[str, Any]], given: dict[str, Any]) -> dict[str, Any]:
        operation = Operation(_name_operation(name), call)
        emit, of = self.meta.events.emit, f"{self._service}.{operation.name}"
        context: dict[str, Any] = {"input_params": given}
        emit(f"provide-client-params.{of}", params=given, model=operation, context=context)
        emit(f"before-parameter-build.{of}", params=given, model=operation, context=context)
        request = Request(context=context)
        _, answered = self.meta.events.emit_until_response(
            f"before-call.{of}", params=request, model=operation, context=context, request_signer=None
        )
        http, parsed = answered if answered is not None else self._endpoint.make_request(operation, request)
        emit(f"after-call.{of}", http_response=http, parsed=parsed, model=operation, context=context)
        if http.status_code >= _FIRST_ERROR:
            raise ClientError(parsed, operation.name)
        return dict(parsed)


class HookedTables(Hooked):
    """The tables of the engine; each call is the event of the request that DynamoDB would get."""

    def get(self, table: str, key: Key) -> Item | None:
        """Read an item."""
        item: Item | None = self._ask("get_item", aws.request_get(table, key), lambda: self._inner.get(table, key))
        return item

    def get_many(self, table: str, keys: Sequence[Key]) -> Iterator[Item]:
        """Read items, a hundred a request."""
        for batch in batched(keys, aws.READ_AT_ONCE, strict=False):
            request = aws.request_get_many(table, batch)
            yield from self._ask(
                "batch_get_item", request, lambda batch=batch: list(self._inner.get_many(table, batch))
            )

    def put(self, table: str, put: Put) -> None:
        """Write an item."""
        self._ask("put_item", aws.request_put(table, put), lambda: self._inner.put(table, put))

    def transact(self, table: str, puts: Sequence[Put]) -> None:
        """Write items, or none."""
        request = aws.request_transaction(table, puts)
        self._ask("transact_write_items", request, lambda: self._inner.transact(table, puts))

    def update(self, table: str, update: Update) -> Item:
        """Change an item."""
        request = aws.request_update(table, update)
        changed: Item = self._ask("update_item", request, lambda: self._inner.update(table, update))
        return changed

    def delete(self, table: str, key: Key, condition: ItemCondition | None) -> None:
        """Delete an item."""
        request = aws.request_delete(table, key, condition)
        self._ask("delete_item", request, lambda: self._inner.delete(table, key, condition))

    def query(self, table: str, query: Query) -> Iterator[Sequence[Item]]:
        """Read the pages of a query, one a request."""
        at: Any = ()
        while at is not None:
            read = partial(self._inner.read_page, table, query, at)
            items, at = self._ask("query", aws.request_query(table, query), read)
            yield items

    # What tests alone ask for, by DynamoDB's names

    def get_item(self, **request: Any) -> dict[str, Any]:
        """Read an item."""
        item = self._ask("get_item", request, lambda: self._inner.get(request["TableName"], unmarshal(request["Key"])))
        return {} if item is None else {"Item": item}

    def put_item(self, **request: Any) -> None:
        """Write an item, whatever is stored."""
        put = Put(request["Item"], Anything())
        self._ask("put_item", request, lambda: self._inner.put(request["TableName"], put))

    def delete_item(self, **request: Any) -> None:
        """Delete an item."""
        key = unmarshal(request["Key"])
        self._ask("delete_item", request, lambda: self._inner.delete(request["TableName"], key, None))

    def scan(self, **request: Any) -> dict[str, Any]:
        """Read all items of a table."""
        items = self._ask("scan", request, lambda: self._inner.list_items(request["TableName"]))
        return {"Items": items, "Count": len(items)}

    def _ask(self, name: str, request: dict[str, Any], act: Callable[[], Any]) -> Any:
        with aws.aws_errors(name):
            return self._call(name, lambda **_: {"Answer": act()}, request)["Answer"]


class Anything(ItemCondition):
    """Holds for every item."""

    def holds(self, _: Item) -> bool:
        """Return that it holds."""
        return True


class Held(Hooked):
    """A client as functions have it: a call that the role of the function does not allow has no effect."""

    def __init__(self, client: Hooked) -> None:
        self._inner, self._service = client._inner, client._service
        self.meta, self._endpoint = client.meta, client._endpoint

    def __getattr__(self, name: str) -> Any:
        attribute = super().__getattr__(name)
        if not name.startswith("generate_presigned"):
            return attribute

        def sign(*operation: str, **given: Any) -> Any:
            """Sign what the signer may do: anything else, the address would refuse."""
            check_request(*(("GetObject", given["Params"]) if operation else ("PutObject", given)))
            return attribute(*operation, **given)

        return sign

    def _call(self, name: str, call: Callable[..., dict[str, Any]], given: dict[str, Any]) -> dict[str, Any]:
        operation = _name_operation(name)
        check_request(operation, given)
        try:
            return super()._call(name, call, given)
        except ClientError as error:
            if error.response["Error"]["Code"] in {"404", "NoSuchKey"}:
                check_missing(operation, given)
            raise


class HeldTables(Held, HookedTables):
    """Tables as functions have them."""


class HookedSession:
    """Makes one client for each service, as a session of botocore makes them."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._hooked: dict[str, Hooked] = {
            "dynamodb": HookedTables(engine.tables, "dynamodb"),
            **{service: Hooked(client, service) for service, client in shape(engine).items()},
        }

    @property
    def held(self) -> "HookedSession":
        """The session of functions, whose clients are held to their roles; hooks are the same."""
        session = HookedSession(self.engine)
        session._hooked = {
            service: (HeldTables if service == "dynamodb" else Held)(client) for service, client in self._hooked.items()
        }
        return session

    def create_client(self, service: str) -> Any:
        """Return the client of a service."""
        return self._hooked[service]


class HookedServices(aws.AwsServices):
    """The gateway's side of AWS, whose requests the engine answers; tables are asked by types."""

    @cached_property
    def tables(self) -> Any:
        """The tables."""
        return self._session.create_client("dynamodb")


def list_clients(services: Any) -> list[Any]:
    """Return the clients of the gateway's side of AWS."""
    return [
        getattr(services.tables, "client", services.tables),
        *(getattr(services, name).client for name in ("objects", "messages", "mails", "functions")),
    ]


@cache
def _name_operation(method: str) -> str:
    """Return AWS's name of an operation."""
    return "".join(part.capitalize() for part in method.split("_"))


class Request(dict[str, Any]):
    """What a test may ask a request: its context, and made when asked, an address, headers and a body."""

    def __missing__(self, name: str) -> Any:
        """Make a member."""
        given = self["context"]["input_params"]
        match name:
            case "body":
                body = given.get("Body", given.get("Payload"))
                return json.dumps(given, default=str).encode() if body is None else body
            case "headers":
                names = {"InvocationType": "X-Amz-Invocation-Type", "TenantId": "X-Amz-Tenant-Id"}
                return {header: given[name] for name, header in names.items() if name in given}
            case "url_path" if "FunctionName" in given:
                return f"/2015-03-31/functions/{given['FunctionName']}/invocations"
            case "url_path":
                return f"/{given.get('Bucket', '')}/{given.get('Key', '')}"
            case "url":
                return f"https://engine{self['url_path']}"
        raise KeyError(name)
