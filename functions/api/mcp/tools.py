"""The tools of agents: routes that exist, called with the credentials of the message that names them."""

import inspect
import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import Annotated, Any, Final, get_type_hints
from urllib.parse import urlencode

from aws_lambda_powertools.event_handler import Response
from pydantic import BaseModel, ConfigDict, Field, create_model

from api.asked import find_published, read_headers
from api.benchmarks import routes as benchmarks
from api.boards import routes as boards
from api.dependencies import services
from api.submissions.service import find_status
from handlers.http import auth, paths
from handlers.http.bodies import check_model
from handlers.http.problems import Problem, unprocessable
from handlers.http.submission_views import SubmissionView
from scoring_core.io.formats import FORMATS, JSON
from scoring_core.io.text import is_absent
from storage.submissions.models import PlayerKind


def read_submission(
    benchmark: str,
    submission: str,
    receipt: Annotated[str | None, Field(description="Of a guest's: shows its details and messages.")] = None,
) -> SubmissionView:
    """Show the status, scores and rank of a submission."""
    own = {"authorization": f"Bearer {receipt}"} if receipt else {}
    caller = auth.identify(services(), {**read_headers(), **own})
    return find_status(services(), find_published(benchmark), submission, caller)


def submit(
    benchmark: str,
    *,
    result: Annotated[object, Field(description="JSON, or the text of a file, as `sample` of the benchmark is.")],
    file_format: Annotated[str, Field(description="One of `submissions.takes` of the benchmark.")] = JSON,
    player: Annotated[str | None, Field(description="A guest's name, if there is no token.")] = None,
    kind: PlayerKind | None = None,
    part: Annotated[str | None, Field(description="The question or level, if the result does not name it.")] = None,
    label: str | None = None,
    idempotency_key: Annotated[str | None, Field(description="A repeat with the same key does nothing.")] = None,
) -> Response[str]:
    """Submit a result, which counts as a try, and wait ten seconds for its scores."""
    if file_format not in FORMATS or (file_format != JSON and not isinstance(result, str)):
        raise unprocessable("not-a-result", "result: expected JSON, or text in `file_format`", pointer="/result")
    body = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    headers = {"prefer": "wait=10"} | read_headers() | {"content-type": FORMATS[file_format].media_type}
    headers |= {"idempotency-key": idempotency_key} if idempotency_key else {}
    headers.pop("content-length", None)  # that of the message
    named = {"player": player, "kind": kind, "part": part, "label": label}
    query = {name: value for name, value in named.items() if value is not None}
    path = paths.SUBMISSIONS.replace("<benchmark>", benchmark)
    event = boards.router.current_event.raw_event | {"rawPath": path, "headers": headers, "body": body}
    event |= {"rawQueryString": urlencode(query), "queryStringParameters": query, "isBase64Encoded": False}
    answer = services().submit.ask(event)
    return Response(answer["statusCode"], JSON, answer["body"])


def describe_tool(name: str) -> dict[str, Any]:
    """Return a tool as a client lists it."""
    hints = {"readOnlyHint": TOOLS[name] is not submit, "destructiveHint": False}
    schema = _model_arguments(name).model_json_schema()
    return {"name": name, "description": inspect.getdoc(TOOLS[name]), "inputSchema": schema, "annotations": hints}


def call_tool(name: str, arguments: object) -> dict[str, Any]:
    """Return what a tool answers, or why it does not, as text for the agent."""
    model = _model_arguments(name)
    if isinstance(arguments, dict):  # many a model writes "" for what it leaves out
        optional = {field for field, facts in model.model_fields.items() if not facts.is_required()}
        arguments = {key: value for key, value in arguments.items() if key not in optional or not is_absent(value)}
    try:
        given = check_model(arguments, model)
        answer = TOOLS[name](**{field: getattr(given, field) for field in model.model_fields})
        body, status = (answer.body, answer.status_code) if isinstance(answer, Response) else (answer, HTTPStatus.OK)
        text = body.model_dump_json(by_alias=True) if isinstance(body, BaseModel) else body
        is_error = status >= HTTPStatus.BAD_REQUEST
    except Problem as problem:
        text, is_error = problem.to_answer().body, True
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


@lru_cache(maxsize=8)
def _model_arguments(name: str) -> type[BaseModel]:
    """Return the parameters of a tool's function as a model."""
    hints, parameters = get_type_hints(TOOLS[name], include_extras=True), inspect.signature(TOOLS[name]).parameters
    fields: dict[str, Any] = {
        field: (hints[field], ... if each.default is each.empty else each.default) for field, each in parameters.items()
    }
    return create_model("Arguments", __config__=ConfigDict(extra="forbid"), **fields)


TOOLS: Final[Mapping[str, Callable[..., BaseModel | Response[Any]]]] = {
    "list_benchmarks": benchmarks.list_benchmarks,
    "read_benchmark": benchmarks.get_benchmark,
    "read_board": boards.list_rows,
    "read_submission": read_submission,
    "submit_result": submit,
}
