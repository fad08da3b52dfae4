"""The tools of agents: routes that exist, called with the credentials of the message that names them."""

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, NamedTuple, get_type_hints

from aws_lambda_powertools.event_handler import Response
from pydantic import BaseModel, ConfigDict, Field, create_model

from scoring_core.io.formats import FORMATS, JSON
from storage.submissions.models import PlayerKind
from submit.dependencies import services
from submit.post import PostParameters, submit_result
from submit.problems import Problem, unprocessable
from submit.requests import read_headers
from submit.routes import benchmarks, boards
from submit.schemas.submissions import SubmissionView
from submit.services.batches import check_model
from submit.services.benchmarks import find_benchmark


def read_submission(
    benchmark: str,
    submission: str,
    receipt: Annotated[str | None, Field(description="Of a guest's: shows its details and messages.")] = None,
) -> SubmissionView:
    """Show the status, scores and rank of a submission."""
    own = {"authorization": f"Bearer {receipt}"} if receipt else {}
    caller = services().authenticator.identify({**_read_headers(), **own})
    return services().status.find(find_benchmark(services().benchmarks, benchmark), submission, caller)


def submit(
    benchmark: str,
    *,
    result: Annotated[object, Field(description="JSON, or the text of a file, as `sample` of the benchmark is.")],
    file_format: Annotated[str, Field(description="One of `submissions.takes` of the benchmark.")] = JSON,
    player: Annotated[str | None, Field(description="A guest's name, if there is no token.")] = None,
    kind: PlayerKind | None = None,
    part: Annotated[str | None, Field(description="The question or level, if the result does not name it.")] = None,
    label: str | None = None,
    private: Annotated[bool, Field(description="Scored, counted as a try, and shown to nobody else.")] = False,
    idempotency_key: Annotated[str | None, Field(description="A repeat with the same key does nothing.")] = None,
) -> str:
    """Submit a result, which counts as a try, and wait ten seconds for its scores."""
    if file_format not in FORMATS or (file_format != JSON and not isinstance(result, str)):
        raise unprocessable("not-a-result", "result: expected JSON, or text in `file_format`", pointer="/result")
    body = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    headers = _read_headers() | {"content-type": FORMATS[file_format].media_type, "prefer": "wait=10"}
    headers |= {"idempotency-key": idempotency_key} if idempotency_key else {}
    headers.pop("content-length", None)  # that of the message
    about = PostParameters(benchmark, player=player, kind=kind, part=part, label=label, private=private)
    return submit_result({"headers": headers, "body": body}, about).body


class Tool(NamedTuple):
    """A function, and the model of its arguments."""

    function: Callable[..., BaseModel | Response[Any] | str]
    arguments: type[BaseModel]

    def describe(self, name: str) -> dict[str, Any]:
        """Return the tool as a client lists it."""
        about = inspect.getdoc(self.function) or ""
        hints = {"readOnlyHint": self.function is not submit, "destructiveHint": False}
        return {
            "name": name,
            "description": about,
            "inputSchema": self.arguments.model_json_schema(),
            "annotations": hints,
        }

    def call(self, arguments: object) -> dict[str, Any]:
        """Return what the function answers or why it does not, as text for the agent."""
        try:
            given = check_model(arguments, self.arguments)
            answer = self.function(**{name: getattr(given, name) for name in self.arguments.model_fields})
        except Problem as problem:
            return {"content": [{"type": "text", "text": problem.to_answer().body}], "isError": True}
        body = answer.body if isinstance(answer, Response) else answer
        text = body.model_dump_json(by_alias=True) if isinstance(body, BaseModel) else body
        return {"content": [{"type": "text", "text": text}], "isError": False}


def _make_tool(function: Callable[..., Any]) -> Tool:
    hints, parameters = get_type_hints(function, include_extras=True), inspect.signature(function).parameters
    fields: dict[str, Any] = {
        name: (hints[name], ... if each.default is each.empty else each.default) for name, each in parameters.items()
    }
    return Tool(function, create_model("Arguments", __config__=ConfigDict(extra="forbid"), **fields))


def _read_headers() -> dict[str, str]:
    return read_headers(boards.router.current_event.raw_event)


TOOLS: Final[Mapping[str, Tool]] = {
    "list_benchmarks": _make_tool(benchmarks.list_benchmarks),
    "read_benchmark": _make_tool(benchmarks.get_benchmark),
    "read_board": _make_tool(boards.list_rows),
    "read_submission": _make_tool(read_submission),
    "submit_result": _make_tool(submit),
}
