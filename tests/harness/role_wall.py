"""Holds each call of a function to the function's role in template.yaml, and refuses as AWS does.

The function is found by its handler, which the template names. What its clients do outside of it is a test's business.
"""

import functools
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.template import load_template
from tests.harness.role_calls import Requests
from tests.harness.roles import Call, Right, Roles

SENDER = "laurel@example.org"
USED: set[Right] = set()
"""The rights without which a function was refused something, in this process and in xdist's workers that ended."""
OF_AWS: Mapping[tuple[str, str], str] = {
    ("logs:*", "*"): "Lambda writes the log of a function",
    ("ec2:*", "*"): "Lambda connects a function to its network",
    ("dynamodb:*", "*/stream/*"): "Lambda reads a stream for its function",
    ("sqs:GetQueueAttributes", "*"): "Lambda reads a queue for its function",
    ("sqs:ReceiveMessage", "*"): "likewise; check_drains looks at the functions that read one themselves",
    ("sqs:DeleteMessage", "*"): "likewise",
    ("s3:PutObject", "*/aws/lambda/*"): "Lambda writes the batches that it discards",
    ("ses:SendEmail", "*"): "SES documents it for each mail, and refuses a raw one without ses:SendRawEmail",
}
"""Action and resource of what a function calls nowhere in its code → who needs it."""
DEFAULT_MARKS = "not long and not rehearsal"
"""As in pyproject.toml."""
_RUNNING: ContextVar["HeldRole | None"] = ContextVar("running", default=None)
_HELD: dict[str, "HeldRole"] = {}
"""Logical id of a function → its role, while a wall is there."""


@dataclass
class RoleWall:
    """What functions may do, and what they were refused."""

    roles: Roles
    requests: Requests
    refused: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class HeldRole:
    """The role of a function that runs."""

    wall: RoleWall
    function: str
    role: str

    def check(self, operation: str, calls: Iterator[Call]) -> None:
        """Refuse a request if the role lacks a right to it. Raises ClientError."""
        for call in calls:
            rights = self.wall.roles.find(self.role, call)
            USED.update(rights or ())
            if rights is None:
                self.wall.refused.append(f"{self.role} of {self.function} lacks {call}")
                code = "AccessDenied" if call.action.startswith("s3:") else "AccessDeniedException"
                message = f"{self.role} is not authorized to perform: {call}"
                raise ClientError({"Error": {"Code": code, "Message": message}}, operation)


def check_request(operation: str, request: Mapping[str, Any]) -> None:
    """Hold a request of the function that runs, if one does, to its role. Raises ClientError."""
    if (held := _RUNNING.get()) is not None:
        held.check(operation, held.wall.requests.list_calls(operation, request))


def check_missing(operation: str, request: Mapping[str, Any]) -> None:
    """Hold the function that asked for an object that does not exist to its role. Raises ClientError."""
    if (held := _RUNNING.get()) is not None:
        held.check(operation, held.wall.requests.list_missing(operation, request))


def list_unneeded(rights: Iterable[Right]) -> list[Right]:
    """Return the rights that no function used, but for those that AWS uses itself."""
    unused = set(rights) - USED
    return sorted(
        right
        for right in unused
        if not any(fnmatchcase(right.action, action) and fnmatchcase(right.resource, arn) for action, arn in OF_AWS)
    )


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail a whole run that is green without some right; a worker sends what it has seen used."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["used_rights"] = [tuple(right) for right in USED]
    elif exitstatus == pytest.ExitCode.OK and _is_whole(session.config):
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        for right in list_unneeded(Roles(load_template({"SenderAddress": SENDER})).list_rights()):
            reporter.write(f"\ntemplate.yaml: no test needs {' '.join(right)}: take it away, or test what needs it")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """Add the rights that a worker has seen used."""
    USED.update(Right(*right) for right in getattr(node, "workeroutput", {}).get("used_rights", ()))


def _is_whole(config: pytest.Config) -> bool:
    """Return whether a run has all tests of `make test`."""
    is_all = config.args_source is pytest.Config.ArgsSource.TESTPATHS and config.option.markexpr == DEFAULT_MARKS
    return is_all and not (config.option.keyword or config.option.ignore or getattr(config.option, "lf", False))


@contextmanager
def running(function: str) -> Iterator[None]:
    """Hold what happens in the context to the role of a function, by its logical id, while a wall is there."""
    token = _RUNNING.set(_HELD.get(function))
    try:
        yield
    finally:
        _RUNNING.reset(token)


@pytest.fixture(scope="session")
def role_wall() -> Iterator[RoleWall]:
    """The wall of this process; while the session lasts, each handler of the template says that it runs."""
    template = load_template({"SenderAddress": SENDER})
    wall = RoleWall(Roles(template), Requests(template))
    with pytest.MonkeyPatch.context() as patch:
        for function, properties in template.resources_of("AWS::Lambda::Function").items():
            module = importlib.import_module(properties["Handler"].rpartition(".")[0])
            patch.setitem(_HELD, function, HeldRole(wall, function, template.logical_id_of(properties["Role"])))
            patch.setattr(module, "lambda_handler", _hold(module.lambda_handler, function))
        patch.setattr(ThreadPoolExecutor, "submit", _submit_with_context(ThreadPoolExecutor.submit))
        yield wall


@pytest.fixture
def held_to_roles(role_wall: RoleWall) -> Iterator[None]:
    """Fail a test in which a function was refused anything."""
    role_wall.refused.clear()
    yield
    assert not role_wall.refused, "\n".join(["template.yaml:", *dict.fromkeys(role_wall.refused)])


def _hold(handler: Callable[..., Any], function: str) -> Callable[..., Any]:
    @functools.wraps(handler)
    def run(*arguments: Any) -> Any:
        with running(function):
            return handler(*arguments)

    return run


def _submit_with_context(submit: Callable[..., Any]) -> Callable[..., Any]:
    """Return `ThreadPoolExecutor.submit` that takes along which function runs."""

    def run(pool: ThreadPoolExecutor, act: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        return submit(pool, copy_context().run, act, *arguments, **named)

    return run
