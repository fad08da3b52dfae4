"""Every request that anybody may send: routes, parameters and tools are found in the code that declares them."""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from api.app import app
from api.mcp import TOOLS
from api.openapi import describe_api
from handlers.http import paths
from tests.harness.api_paths import ROUTES, make_body
from tests.harness.stack import Api, StackHarness

type Values = Mapping[str, Sequence[str]]
type Seen = dict[Any, Any]

JSON: Final = {"Content-Type": "application/json"}
VALUES: Final[Values] = {
    "benchmark": ["tiny"], "evaluation": ["tiny.1"], "board": ["daily", "people"],
    "file": ["head.json", "index.html"],
    "q": ["a"], "from": ["2"], "limit": ["1"], "label": ["a"], "above": ["1"],
    "below": ["0"], "cursor": ["a"], "outcome": ["invalid"], "archived": ["true"],
    "owned": ["true"], "kind": ["human"], "after": ["a"],
    "invitation": ["a"], "token": ["a"], "link": ["true"], "since": ["a"], "part": ["1"], "batch": ["a"],
    "in_review": ["true"], "decimal": ["comma"], "taken_over": ["2020-01-01T00:00:00Z"], "sha256": ["a" * 64],
    **{key: ["0" * 36] for key in ("submission", "upload", "publication", "operation")},
}  # fmt: skip
"""Parameter of a path or query → its values; a new parameter needs some here."""
MAKES: Final = frozenset({
    paths.SUBMISSIONS, paths.RUNS, paths.UPLOADS, paths.MEMBER_INVITATIONS, paths.ERASURE, paths.DRES_LOGIN,
    paths.DRES_SUBMIT, paths.DRES_TIME, paths.DRES_LOGOUT,
})  # fmt: skip
"""What makes something of the caller's, ends it, or tells the time: not twice the same."""
BODIES: Final[Mapping[str, Any]] = {
    paths.WITHDRAWAL: {"reason": "a"},
    paths.UPLOAD_WITHDRAWAL: {"reason": "a"},
    paths.BAN: {"player": "a", "reason": "a"},
    paths.EXTENSION: {"player": "a", "until": "2099-01-01T00:00:00Z", "reason": "a"},
    paths.ARCHIVE: {"reason": "a"},
    paths.SOLUTION: {"solution": "id,y\n1,2\n", "metric": "rmse"},
    paths.PUBLICATIONS: {"bytes": 10},
    paths.START: {"replaces": 1},
}
"""Bodies that an owner could send; a stranger's is rejected. Any other route gets an empty object."""
_SIGNED: Final = re.compile(r"X-Amz-(?:Date|Signature)=\w+|/storage/[\w-]+")
"""What differs from one signed address to the next."""
RESULTS: Final = tuple(
    json.dumps({"question": question, "text": text}).encode()
    for question, text in [
        ("1", "TR-V017-4945,5001"), ("1", "TR-V017-4934"), ("1", "nothing"), ("2", "TR-V018-110"), ("9", "TR-V018-1"),
    ]
)  # fmt: skip
"""Results of all kinds, as strangers send them."""
ACCEPTS: Final = ({}, {}, {}, {"Accept": "text/csv"}, {"Prefer": "wait=1"}, {"Prefer": "return=minimal"})
ODD_METHODS: Final = ("HEAD", "OPTIONS", "PUT", "DELETE")


class Request(NamedTuple):
    """A request, without the credentials of its caller."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str] = {}
    body: bytes | None = None


def read_public(stack: StackHarness, api: Api, values: Values, callers: Mapping[str, Mapping[str, str]]) -> Seen:
    """Return every byte of the site, and every answer of every route to these callers."""
    seen: Seen = {}
    for key in stack.keys(stack.site_bucket, ""):
        stored = stack.cloud.s3.get_object(Bucket=stack.site_bucket, Key=key)
        seen[key] = f"{stored['ETag']} {stored['Metadata']} {stored['Body'].read().decode()}"
    shared: set[str] = set()
    for caller, headers in callers.items():
        found: set[str] = set()
        for path, method in ROUTES:
            if path in shared or (path in MAKES and (method == "POST" or path.startswith(paths.DRES))):
                continue
            body = json.dumps(BODIES.get(path, {})).encode() if method == "POST" else None
            for query in list_queries(path, values) if method == "GET" else [{}]:
                for filled in fill_path(path, values):
                    answer = api(method, filled, query=query, headers={**headers, **JSON}, body=body)
                    assert answer.status < 500, (filled, answer)
                    # What a cache may keep is the same for everybody.
                    found.update([path] if "public" in answer.headers.get("cache-control", "") else [])
                    seen[caller, method, filled, str(query)] = _SIGNED.sub("", f"{answer.headers} {answer.text}")
        shared |= found
    return seen


def list_queries(path: str, values: Values, method: str = "GET") -> Iterator[dict[str, str]]:
    """Yield no query, then each value of each parameter that the API's own document has for a route."""
    if path.startswith(paths.DRES):  # DRES has a document of its own
        yield {"session": "gone" if path == paths.DRES_LOGOUT else values["session"][0]}
        return
    yield {}
    described = _describe_paths().get(path.replace("<", "{").replace(">", "}"), {})
    for parameter in described.get(method.lower(), {}).get("parameters", []):
        if parameter["in"] == "query":
            yield from ({parameter["name"]: value} for value in values[parameter["name"]])


@cache
def _describe_paths() -> Mapping[str, Any]:
    return describe_api(app)["paths"]


def fill_path(path: str, values: Values) -> Iterator[str]:
    """Yield a path with each value of its parameters."""
    name = re.search("<(.+?)>", path)
    if name is None:
        yield path
        return
    for value in values[name[1]]:
        yield from fill_path(path.replace(name[0], value, 1), values)


def draw_requests(values: Values, chance: random.Random) -> Iterator[Request]:
    """Yield requests without end: each route once in any order, and then again and again."""
    while True:
        for path, method in chance.sample(ROUTES, len(ROUTES)):
            yield draw_request(path, method, values, chance)


def draw_request(path: str, method: str, values: Values, chance: random.Random) -> Request:
    """Return a request to a route, with any parameters; now and then its method is one that it does not take."""
    filled = chance.choice([*fill_path(path, values)])
    takes_name = method != "GET" or path in {paths.EXPORT, paths.BENCHMARK}
    named = {**values, "player": ["Gil"]} if takes_name else values  # a name that somebody has is taken
    queries = [*list_queries(path, named, method)]
    query = {name: value for each in chance.choices(queries, k=chance.randrange(3)) for name, value in each.items()}
    accepted = chance.choice(ACCEPTS)
    if chance.random() < 1 / 20:
        return Request(chance.choice(ODD_METHODS), filled, query)
    if method == "GET":
        return Request(method, filled, query, accepted)
    body = chance.choice([*_list_bodies(path, values)])
    return Request(method, filled, query, {**accepted, **JSON}, body)


def _list_bodies(path: str, values: Values) -> Iterator[bytes]:
    if path == paths.MCP:
        for name in (*TOOLS, "nothing"):
            arguments = {key: values[key][0] for key in ("benchmark", "submission", "player")}
            for given in (arguments, {"benchmark": arguments["benchmark"]}, {}):
                call = {"name": name, "arguments": given}
                yield json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
        return
    if path in {paths.SUBMISSIONS, paths.SHORT}:
        yield from RESULTS
    yield b"{}"
    with_body = make_body(path)
    yield with_body


def find_differences(one: Seen, other: Seen) -> dict[Any, Any]:
    """Return what differs, also in its order, and how."""
    keys = dict.fromkeys([*one, *other])
    found = {key: (one.get(key), other.get(key)) for key in keys if one.get(key) != other.get(key)}
    return found or ({} if [*one] == [*other] else {"order": ([*one], [*other])})
