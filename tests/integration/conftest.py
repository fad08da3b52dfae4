"""An empty cloud for each test, created from the template by the code of the local stack."""

import importlib
import io
import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, cast

import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders

from aggregate import rescore, stream
from api import http as api_http
from evaluate import dead_letter, queue, script_queue, sweep
from handlers import draining
from local.template import Template, load_template
from notify import send
from notify import stream as notices
from sandbox.bubblewrap import Sandbox
from scoring_core.benchmarks import terms
from scripts.deployment.concurrency import plan_concurrency
from storage.benchmarks.store import PublishedBenchmark
from storage.gateway import clients
from storage.gateway.bucket import Bucket
from storage.gateway.functions import Invoked
from storage.gateway.table import Table
from storage.players.tokens import Scope
from submit import batches, http
from submit import routes as _routes  # noqa: F401  # its loggers are submit's, not those of the function of a test
from tests.harness.clock import Clock
from tests.harness.engine import make_cloud
from tests.harness.factories import make_guest, make_player
from tests.harness.hooked import HookedServices
from tests.harness.raw_cloud import RawCloud
from tests.harness.stack import (
    COINS,
    Api,
    NamingStore,
    StackHarness,
    build_aggregator,
    make_benchmark,
    make_context,
    restart_api,
)
from tests.harness.tokens import keep_guest_secret, keep_name

MAX_TRIES = 5
"""So often a batch of a stream may fail in a story in which nothing breaks."""
_COLLABORATORS = tuple(
    made
    for room in ("aggregate", "api", "evaluate", "notify", "submit", "upkeep")
    for made in vars(importlib.import_module(f"{room}.dependencies")).values()
    if hasattr(made, "cache_clear") and made is not clients.gateway
)
MAIL = {
    "SenderAddress": "laurel@example.org",
    "AdminAddress": "admin@example.org",
    "SiteUrl": "https://laurel.example.org",
}


@pytest.fixture(autouse=True)
def roles(held_to_roles: None) -> None:
    """Each call of a function needs a right of its role."""


@pytest.fixture(autouse=True)
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine returns all messages that are visible at once, so there is nothing to wait for."""
    monkeypatch.setattr(draining, "LONG_POLL_SECONDS", 0)


@pytest.fixture(scope="session")
def template() -> Template:
    """The template of the development stage, in an account that may run 1,000 functions at once."""
    return load_template({"Stage": "dev", **MAIL, **plan_concurrency(1000)})


@pytest.fixture
def cloud(template: Template, monkeypatch: pytest.MonkeyPatch) -> Iterator[RawCloud]:
    """The engine in memory, with the resources of the template and the environment of its functions."""
    for properties in template.resources_of("AWS::Lambda::Function").values():
        for name, value in properties.get("Environment", {}).get("Variables", {}).items():
            monkeypatch.setenv(name, str(value))
    cloud, session = make_cloud(template, sender=MAIL["SenderAddress"])
    session.engine.functions.run = partial(invoke, template)
    held = HookedServices(session.held)
    monkeypatch.setattr(clients, "gateway", lambda: held)
    _clear(_COLLABORATORS)
    yield cloud
    _clear(_COLLABORATORS)
    session.engine.store.close()


def invoke(template: Template, function: str, _: str, payload: bytes) -> Invoked:
    """Answer the invocation of a function that waits for the answer."""
    if template.logical_id_of(function) != "SubmitFunction":
        raise ConnectionError("only what takes results is invoked so here")
    return Invoked(json.dumps(http.lambda_handler(json.loads(payload), make_context())).encode())


@pytest.fixture
def invoked(stack: StackHarness) -> Iterator[list[Any]]:
    """The events of asynchronous invocations of the schedule's function, which the store runs later."""
    events: list[Any] = []

    def answer(params: Any, **_: Any) -> tuple[AWSResponse, dict[str, Any]]:
        assert f"/{stack.template.resources['RescoreFunction'].name}/" in params["url"]
        assert params["headers"]["X-Amz-Invocation-Type"] == "Event"
        events.append(json.loads(params["body"]))
        return AWSResponse(params["url"], 202, HTTPHeaders(), None), {"StatusCode": 202}

    registered = clients.gateway().functions.client.meta.events
    registered.register("before-call.lambda.Invoke", answer)
    yield events
    registered.unregister("before-call.lambda.Invoke", answer)


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still."""
    return Clock()


@pytest.fixture
def stack(cloud: RawCloud, template: Template, clock: Clock) -> StackHarness:
    """The cloud, with stores that read and write it."""
    results = Bucket(cloud.objects, template.resources["ResultsBucket"].name)
    records, access = (
        Table(cloud.dynamodb, template.resources[name].name) for name in ("SubmissionsTable", "AccessTable")
    )
    submissions = NamingStore(records, results, access)
    keep_guest_secret(access)
    bare = StackHarness(template, cloud, cast("Any", None), submissions)
    return StackHarness(template, cloud, build_aggregator(bare, clock), submissions)


@pytest.fixture
def named(stack: StackHarness) -> None:
    """The names of guests whose records are delivered without a POST."""
    for name in ("Ada", "Bob", "Cy", "Eve"):
        keep_name(stack.access, make_guest(name))


@pytest.fixture
def tiny(stack: StackHarness) -> PublishedBenchmark:
    """The benchmark `tiny`, open to everybody, which a built-in scorer scores."""
    return stack.publish(make_benchmark())


@pytest.fixture
def published(stack: StackHarness) -> PublishedBenchmark:
    """The benchmark `coins`, unless a file publishes another."""
    return stack.publish(make_benchmark(COINS))


@pytest.fixture
def api(cloud: RawCloud, template: Template) -> Api:
    """The HTTP API."""
    handlers = {"SubmitFunction": http.lambda_handler, "ApiFunction": api_http.lambda_handler}
    return Api(handlers, template.routes(), template.origin_headers())


@pytest.fixture
def lone_guest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The guests at an address have together what one player has."""
    monkeypatch.setattr(terms, "GUESTS_PER_ADDRESS", 1)


@pytest.fixture
def log() -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """A function that returns what the handlers have logged since the test began."""
    text = io.StringIO()
    modules = (http, api_http, batches, queue, script_queue, dead_letter, stream, notices, send, rescore, sweep)
    handlers = {module.logger.registered_handler for module in modules}
    before = [(handler, handler.setStream(text)) for handler in handlers]
    yield lambda: [json.loads(line) for line in text.getvalue().splitlines()]
    for handler, original in before:
        handler.setStream(original)


def _clear(caches: Iterable[Any]) -> None:
    for cached in caches:
        cached.cache_clear()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """The sandbox of one machine."""
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def owner(stack: StackHarness) -> dict[str, str]:
    """The headers of an owner of the benchmark."""
    stack.publish(make_benchmark())
    return stack.issue_token(make_player("olga", "Olga"), Scope.OWN, benchmarks=("tiny",))


@pytest.fixture
def work(stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Score all that waits, and run the schedule; afterwards no process knows what was published before."""
    monkeypatch.setattr(rescore, "PATIENCE_SECONDS", 0)
    # On a slow machine a result has waited so long that it is handed on to the second queue.
    arrivals, shares = (
        stack.queue_poller(queue.lambda_handler, queue=name, function="EvaluateFunction")
        for name in ("EvaluateQueue", "ShareQueue")
    )
    outcomes = stack.stream_poller(stream.lambda_handler)

    def run() -> None:
        for _ in range(2):
            while arrivals.deliver() or shares.deliver():
                pass
            while outcomes.poll():
                assert outcomes._tries < MAX_TRIES, "the stream does not go on"
            rescore.lambda_handler({}, make_context())
        restart_api()

    return run
