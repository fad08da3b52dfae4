"""The OpenAPI document: what Powertools generates, completed by what it cannot know."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.api_gateway import Route

from handlers.http import paths
from scoring_core import __version__
from scoring_core.io.formats import FORMATS, JSON
from scoring_core.io.gateway import GATEWAY_ANSWERS

ABOUT = """Submit a result as a guest, and wait up to ten seconds for its outcome:

```sh
curl 'https://laurel.example/api/benchmarks/coin-run/submissions?player=Ada&part=level-1' \\
     -H 'Content-Type: application/json' -H 'Prefer: wait=10' \\
     -H "Idempotency-Key: $(uuidgen)" -d @result.json
```

The answer has the submission's id, its scores and rank if they came in time, and a `receipt`, which opens its details:

```sh
curl -H 'Authorization: Bearer receipt_…' 'https://laurel.example/api/benchmarks/coin-run/submissions/ID'
```

**Tokens.** `Authorization: Bearer laurel_…` submits for a verified player, whom the token names. The operator of the
site makes it; never put it into a page. Boards need none.

**Files.** What the site shows is plain JSON, which any page may read: `/data/index.json` lists the benchmarks,
`/data/b/coin-run/head.json` is a board with its first rows. `rows.svg` is its badge for a README, and
`rows.svg?player=ID` a player's. Their JSON schemas: [index](https://laurel.example/schema/index.json),
[head](https://laurel.example/schema/head.json). Another board's is `/data/b/coin-run/boards/level-1/head.json`, which
leads to that of the version that is shown. If the head has `corrected_at`, `/data/b/coin-run/corrections.json`
lists what rescores changed ([schema](https://laurel.example/schema/corrections.json)).

**Agents.** `/api/mcp` has the most used of these requests as tools of the Model Context Protocol, and
[/docs/agents](https://laurel.example/docs/agents) says how to use both.

**Errors** are `application/problem+json` (RFC 9457): `detail` says what was expected, `errors` where.
"""

_PROBLEM = {
    "type": "object",
    "description": "A problem (RFC 9457).",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "pointer": {"type": "string"},
                    "parameter": {"type": "string"},
                    "detail": {"type": "string"},
                },
            },
        },
    },
}


_RESULT = {
    "required": True,
    "description": "The result, in a format that `submissions.takes` of the benchmark names.",
    "content": {
        "application/json": {"schema": {"anyOf": [{"type": "object"}, {"type": "array"}]}},
        **{other.media_type: {"schema": {"type": "string"}} for name, other in FORMATS.items() if name != JSON},
    },
}
_LIST: Final = f"GET {paths.SUBMISSIONS}"
"""The list, where another method of its path has the path as its name."""
_ERRORS = {
    400: "Not strict JSON, or a header, query or cursor that cannot be read.",
    401: "A token is missing, unknown, revoked or expired.",
    403: "Not allowed: the benchmark is not open or is archived, all tries are used, or the token does not cover this.",
    404: "It does not exist, or you may not see it.",
    409: "The name is a verified player's, or looks like one; nothing to rescore; no more time to give; too many bans, "
    "members, tokens or invitations; the invitation has ended; others published; the benchmark is archived; or a "
    "runner has another version, lost its lease, or is late.",
    413: "The result is too large.",
    415: "Not application/json in UTF-8, or the media type of another format that the benchmark takes.",
    422: "Well-formed, but not acceptable, such as a parameter that this path does not have.",
    429: "A quota is used up, or too much runs at once; `Retry-After` says in how many seconds to try again.",
    500: "Internal error, try again later.",
    503: "Busy; nothing was accepted, try again.",
}
_ALWAYS = (400, 403, 422, 500, 503)
_GATEWAY = (429, 431, 500, 503)
"""What API Gateway may answer to every described request; 413 only to one with a body."""
_GATEWAY_MESSAGE = {
    "type": "object",
    "description": "An answer of API Gateway itself, in place of a problem.",
    "required": ["message"],
    "properties": {"message": {"type": "string"}},
}
_ALSO: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys((paths.BENCHMARK, paths.RUNS, paths.WITHDRAWAL, paths.UPLOAD_WITHDRAWAL, paths.ACCEPTANCE), (409,)),
    **dict.fromkeys((paths.RESCORE, paths.REVEAL, paths.BAN, paths.EXTENSION, paths.ARCHIVE, paths.DELETION), (409,)),
    **dict.fromkeys((paths.EXPORT, paths.ERASURE, paths.INVITE, paths.MEMBER_INVITATIONS, paths.CREATE_TOKEN), (409,)),
    **dict.fromkeys((paths.WORK, paths.WORK_ON, paths.WORK_LEASE), (409,)),
    **dict.fromkeys((paths.UPLOADS, paths.DOWNLOADS), (429,)),
    **dict.fromkeys((paths.SOLUTION, paths.LARGE), (409, 429)),
    **dict.fromkeys((paths.SUBMISSIONS, paths.PUBLICATIONS, paths.START, paths.INVITE_BY_MAIL), (409, 429)),
    **dict.fromkeys((paths.TOKENS, paths.OPERATIONS), (404,)),
    paths.OPEN_INVITATION: (404,),
    paths.JOIN: (404, 409),
}
"""Path → the error statuses that neither its name nor its body or credentials bring."""

_TOKEN = {
    "type": "http",
    "scheme": "bearer",
    "description": "A token, `laurel_…`; for a single submission also its receipt, `receipt_…`. In place of both, the "
    "header `Laurel-Player-Key` opens what a guest submitted with it.",
}
type _Credentials = list[dict[str, list[str]]]
_REQUIRED: _Credentials = [{"token": []}]
_OPTIONAL: _Credentials = [{}, {"token": []}]
_PUBLIC = {
    *(paths.HEALTH, paths.PLAYER, paths.AROUND, paths.BOARDS, paths.BANS, paths.PLAYER_BOARDS, paths.OPEN_INVITATION),
    *(paths.ROWS, paths.ROWS_CSV, paths.ROWS_SVG, paths.ROWS_PNG, paths.ROWS_ATOM),
}
"""The paths that ignore credentials; the others require them, but for these:"""
_OPEN = {
    *(paths.BENCHMARKS, paths.BENCHMARK, paths.SUBMISSIONS, paths.RUNS, paths.SUBMISSION, paths.RESULT),
    *(_LIST, paths.EXPORT, paths.ERASURE, paths.JOIN),
}


def _header(name: str, description: str, **schema: object) -> dict[str, Any]:
    return {
        "name": name,
        "in": "header",
        "required": False,
        "description": description,
        "schema": {"type": "string", **schema},
    }


_IDEMPOTENCY_KEY = _header(
    "Idempotency-Key",
    "A repeated request with the same key returns the same submission.",
    minLength=1,
    maxLength=255,
)
_JOIN_KEY = _header(
    "Idempotency-Key",
    "32 random characters or more, such as a UUID. A repeated request with the same key gets the same token, so that "
    "an answer that was lost uses nothing up.",
    pattern="^[!-~]{32,255}$",
)
_PLAYER_KEY = _header(
    "Laurel-Player-Key",
    "`player_` and 32 hexadecimal digits: 128 random bits that the game makes once and keeps. The name in `player` is "
    "then the key's. The same name with another key, or with none, is another player. A lost key cannot be replaced. "
    "Only its hash is used, and nothing shows or logs it.",
    pattern="^player_[0-9a-f]{32}$",
)
_TICKET = _header(
    "Laurel-Ticket",
    "The `ticket` of `POST …/runs`, if the benchmark needs one (`runs`). It is for one result of one player and part. "
    "A repeat with the same Idempotency-Key does not use it again. Nothing shows or logs it.",
    pattern="^run_[A-Za-z0-9_-]{40,480}$",
)
_OWN_PLAYER_KEY = _header(
    "Laurel-Player-Key",
    "The player key with which the submission was made, in place of its receipt: the same key, of the same browser or "
    "game, opens and withdraws what it made. What is no key opens nothing.",
)
_JOIN_PLAYER_KEY = _PLAYER_KEY | {
    "description": "The player key of the guest of this `name` and `kind`: the new player takes along what the guest "
    "did before, and has its id. Without such a guest, or if it was erased, a player with a new id joins. None with a "
    "token of `Authorization`, nor by the link of a player."
}
_PREFER = _header(
    "Prefer",
    "`wait=N` waits up to N seconds, at most 10. The answer is 200 with the outcome if there is one in time, and with "
    "the rank if the board shows it in time, too. A repeat with the same Idempotency-Key is answered at once. With "
    "`return=minimal` too, the answer to a scored result is one object of its scores and the members of its detail, "
    "and nothing else, not even a receipt: for programs that expect those alone.",
)
_HEADERS: Mapping[str, tuple[dict[str, Any], ...]] = {
    paths.SUBMISSIONS: (_IDEMPOTENCY_KEY, _PLAYER_KEY, _TICKET, _PREFER),
    paths.RUNS: (_PLAYER_KEY,),
    paths.BENCHMARK: (_PLAYER_KEY,),
    **dict.fromkeys((paths.SUBMISSION, paths.RESULT, paths.WITHDRAWAL), (_OWN_PLAYER_KEY,)),
    paths.JOIN: (_JOIN_KEY, _JOIN_PLAYER_KEY),
    **dict.fromkeys((paths.EXPORT, paths.ERASURE), (_PLAYER_KEY,)),
}
"""Path → the headers that it reads."""
_TEXTS = {
    paths.ROWS_CSV: ("text/csv", "A line for each row, in order; the first line names the columns."),
    paths.GRADES: ("text/csv", "A line for each player; the first line names the columns."),
    paths.ROWS_SVG: ("image/svg+xml", "An image, 20 pixels high."),
    paths.ROWS_PNG: ("image/png", "A picture of 1200 × 630 pixels."),
    paths.ROWS_ATOM: ("application/atom+xml", "A feed with an entry for each of the newest 20 improvements."),
}
"""Path → media type and description of an answer that is no JSON."""
_RESOLVER_SCHEMAS = ("HTTPValidationError", "ValidationError", "ResponseValidationError")


@lru_cache(maxsize=1)  # most of a second of a small function, for an answer that the code alone decides
def describe_api(app: APIGatewayHttpResolver) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document, which nobody may change."""
    schema = app.get_openapi_schema(title="Laurel", version=__version__, description=ABOUT)
    document: dict[str, Any] = schema.model_dump(by_alias=True, exclude_none=True, mode="json")
    schemas = document["components"]["schemas"]
    schemas["Problem"] = _PROBLEM
    schemas["GatewayMessage"] = _GATEWAY_MESSAGE
    document["components"]["securitySchemes"] = {"token": _TOKEN}
    for name in _RESOLVER_SCHEMAS:
        schemas.pop(name, None)
    for route in filter(lambda route: route.include_in_schema, list_routes(app)):
        operation = document["paths"][route.openapi_path][route.method.lower()]
        name = _LIST if (route.path, route.method) == (paths.SUBMISSIONS, "GET") else route.path
        _complete(operation, name, summary=str(route.func.__doc__), schemas=schemas)
    return document


def _describe_error(status: int, *, is_own: bool) -> dict[str, Any]:
    """Return an answer of the API's own, of API Gateway, or of both."""
    described, content = [], {}
    if is_own:
        described.append(_ERRORS[status])
        content["application/problem+json"] = {"schema": {"$ref": "#/components/schemas/Problem"}}
    if status in (413, *_GATEWAY):
        described.append(f"From API Gateway, as a message: {GATEWAY_ANSWERS[status].cause}.")
        content["application/json"] = {"schema": {"$ref": "#/components/schemas/GatewayMessage"}}
    return {"description": " ".join(described), "content": content}


def _answer(model: str) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{model}"}}}}


_ANSWERS: Final = {
    paths.RESULT: {"200": _answer("ResultLink")},
    paths.LARGE: {"200": _answer("LackingParts"), "202": _answer("Accepted")},
    _LIST: {"200": {"content": _answer("SubmissionList")["content"] | {"text/csv": {"schema": {"type": "string"}}}}},
}
"""Path → answers that the resolver does not know."""


def _find_description(described: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """Return what the model of a request's or answer's JSON says of it; "" for none."""
    name = described["content"]["application/json"]["schema"].get("$ref", "").rpartition("/")[2]
    about: str = schemas.get(name, {}).get("description", "")
    return about


def list_routes(app: APIGatewayHttpResolver) -> list[Route]:
    """Return every route of a resolver."""
    return [*app._static_routes, *app._dynamic_routes]  # noqa: SLF001  # the resolver has no public list of routes


def _complete(operation: dict[str, Any], path: str, *, summary: str, schemas: Mapping[str, Any]) -> None:
    """Add to the operation of a path what the resolver cannot know."""
    operation["security"] = [] if path in _PUBLIC else _OPTIONAL if path in _OPEN else _REQUIRED
    operation["summary"] = summary.strip().splitlines()[0]
    body = operation.get("requestBody")
    if body is not None:
        body |= {"description": _find_description(body, schemas), "required": body.get("required", False)}
    if path == paths.SUBMISSIONS:
        operation["requestBody"] = _RESULT
    if path in _HEADERS:
        operation["parameters"] = [*operation.get("parameters", ()), *_HEADERS[path]]
    # The resolver adds a 422 to every path, in a shape that is never sent.
    responses = {status: answer for status, answer in operation["responses"].items() if status < "400"}
    if path == paths.SUBMISSIONS:
        responses = {"200": _answer("SubmissionView"), "202": _answer("Accepted")}
        either = [responses["200"]["content"]["application/json"]["schema"], {"type": "object"}]
        responses["200"]["content"]["application/json"]["schema"] = {"anyOf": either}
    responses |= _ANSWERS.get(path, {})
    if path in _TEXTS:
        media_type, description = _TEXTS[path]
        responses = {"200": {"description": description, "content": {media_type: {"schema": {"type": "string"}}}}}
    for answer in responses.values():
        if "application/json" in answer["content"]:
            about = _find_description(answer, schemas)
            answer["description"] = about or "The status of the submission, and its outcome."
    own = {*_ALWAYS, *_ALSO.get(path, ())}
    own |= {*((401,) if path not in _PUBLIC else ()), *((404,) if "<" in path else ())}
    own |= {413, 415} if "requestBody" in operation else set()
    for status in sorted({*own, *_GATEWAY}):
        responses[str(status)] = _describe_error(status, is_own=status in own)
    operation["responses"] = responses
