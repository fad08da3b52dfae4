"""The stack: start everything in order, stop everything in order.

AWS, the pollers and the site are this process; every function runs in worker processes beside it, and nothing but what
it wrote outlives one of these.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from cli.stack import announced
from local.aws import LOCALHOST, Cloud, start_cloud
from local.event_sources import Pace, Source, make_sources, stop_sources
from local.functions import Function, make_functions
from local.outbox import Outbox
from local.sandbox import SandboxEndpoint
from local.site.gateway import Gateway
from local.site.headers import read_local_headers
from local.site.hosts import Hosts
from local.site.server import Site
from local.template import Template, translate
from local.uploads.endpoint import PATH, Uploads
from local.uploads.signatures import Credentials, SignedOnly
from sandbox.bubblewrap import Sandbox
from storage.settings import RescoreSettings

ROOT = Path(__file__).resolve().parent.parent
PARAMETERS = {
    "Stage": "dev",
    "RetryBaseSeconds": "0",
    "BenchmarkConcurrency": "2",  # of three workers a core for each queue
    "SweepAgeSeconds": "5",
    "SenderAddress": "laurel@localhost.example",
    "AdminAddress": "admin@localhost.example",
    "FlushSchedule": "rate(2 seconds)",
    "GatherSeconds": "60",
}


ON_THE_WAY = ("SubmitFunction", "EvaluateFunction", "AggregateFunction")
"""What every result passes: warm from the start, where the others start with their first event."""


class PortTaken(Exception):
    """Somebody else listens on the port."""


@dataclass(frozen=True)
class Stack:
    """A running stack.

    Args:
        url: Where the site and the API are.
        cloud: AWS on this machine.
        functions: By logical id.
        settings: What names the buckets and tables, for whoever publishes.
        template: What all of it was made from.
        outbox: What was mailed.
    """

    url: str
    cloud: Cloud
    functions: dict[str, Function]
    settings: RescoreSettings
    template: Template
    outbox: Outbox


@contextmanager
def run_stack(
    *,
    port: int,
    log: Callable[[str], None],
    state: Path,
    log_request: Callable[[str], None] | None = None,
    hosts: frozenset[str] = frozenset(),
    parameters: Mapping[str, str] = PARAMETERS,
) -> Iterator[Stack]:
    """Run the whole stack while the context lasts.

    Args:
        port: Of the site; 0 takes a free one.
        log: Takes lines worth a person's attention.
        state: A folder for the functions' logs and for what tells the command line where everything is.
        log_request: Takes a line for each request.
        hosts: Names under which the site is asked for, beside those of this machine.
        parameters: Of the template; `SiteUrl` is added.

    Raises:
        PortTaken: Somebody else listens there.
    """
    state.mkdir(parents=True, exist_ok=True)
    with ExitStack() as ending:
        # The port first: it is the one thing that may be refused, and mails name it.
        site = _Late()
        server = _listen(port, site)
        ending.callback(server.server_close)
        url = f"http://localhost:{server.port}"
        template = translate(ROOT / "template.yaml", {**parameters, "SiteUrl": url})
        cloud = start_cloud(template, sender=parameters["SenderAddress"])
        ending.callback(cloud.stop)
        sink = ending.enter_context(_log_files(state, log))
        sandbox = ending.enter_context(_serve_sandbox(cloud.credentials))
        environment = {**cloud.environment, "AWS_ENDPOINT_URL_LAMBDA": sandbox, "UPLOADS_URL": PATH}
        functions = make_functions(template, environment, log=sink)
        ending.callback(_stop_all, functions)
        outbox, pace = Outbox(state / "outbox"), Pace()
        site.application = Site(
            gateway=Gateway(
                submit=functions[template.api_function()],
                origin_headers=template.origin_headers(),
                cors=template.cors(),
                log=log,
            ),
            s3=cloud.s3,
            site_bucket=template.resources["SiteBucket"].name,
            uploads=Uploads(cloud.s3, template.resources["ResultsBucket"].name, cloud.credentials),
            pages=ROOT / "frontend" / "dist",
            outbox=outbox,
            log_request=log_request or _ignore,
            hosts=Hosts(hosts),
            headers=read_local_headers(template),
            on_post=pace.stir,
        )
        for logical_id in ON_THE_WAY:
            functions[logical_id].warm_up()
        sources = make_sources(template, cloud, functions, pace=pace, on_error=log)
        sources.append(Source("outbox", outbox.poll, log, pace))
        for source in sources:
            source.start()
        ending.callback(stop_sources, sources)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        ending.callback(server.shutdown)
        variables = template.resources_of("AWS::Lambda::Function")["RescoreFunction"]["Environment"]["Variables"]
        stack = Stack(
            url=url,
            cloud=cloud,
            functions=functions,
            settings=RescoreSettings.read(variables),
            template=template,
            outbox=outbox,
        )
        ending.enter_context(announced(state / "stack.json", url=url, environment=_list_variables(stack)))
        yield stack


class _Late:
    """A WSGI application that is known only after its server listens."""

    application: Any = None

    def __call__(self, environ: Any, start_response: Any) -> Any:
        return self.application(environ, start_response)


class _QuietHandler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002  # werkzeug's own signature
        """Stay silent: the site logs requests itself."""


def _listen(port: int, application: Any) -> BaseWSGIServer:
    try:
        return make_server(LOCALHOST, port, application, threaded=True, request_handler=_QuietHandler)
    except (OSError, SystemExit) as error:  # werkzeug exits where the port is taken
        raise PortTaken(f"port {port} is taken") from error


@contextmanager
def _serve_sandbox(credentials: Credentials) -> Iterator[str]:
    """Serve the sandbox function on a port of its own, to whom the credentials belong; yield its URL."""
    with Sandbox() as sandbox:
        server = _listen(0, SignedOnly(SandboxEndpoint(sandbox), credentials))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://{LOCALHOST}:{server.port}"
        finally:
            server.shutdown()
            server.server_close()


def _ignore(_: str) -> None:
    """Log nothing."""


@contextmanager
def _log_files(state: Path, log: Callable[[str], None]) -> Iterator[Callable[[str, str], None]]:
    """Give a sink that writes each function's log to a file, and lets warnings and errors be seen."""
    folder = state / "log"
    folder.mkdir(exist_ok=True)
    lock = threading.Lock()

    def write(function: str, line: str) -> None:
        with lock, (folder / f"{function}.jsonl").open("a") as file:
            file.write(line + "\n")
        try:
            entry = json.loads(line)
        except ValueError:
            return
        if isinstance(entry, dict) and entry.get("level") in {"WARNING", "ERROR", "CRITICAL"}:
            error = str(entry.get("exception", "")).strip().rpartition("\n")[2]
            log(" ".join(filter(None, (f"{function}:", entry.get("message"), entry.get("submission"), error))))

    yield write


def _stop_all(functions: dict[str, Function]) -> None:
    for function in functions.values():
        function.stop()


def _list_variables(stack: Stack) -> dict[str, str]:
    """Return what the functions are given, and what leads AWS clients to the stack."""
    variables: dict[str, str] = {}
    for properties in stack.template.resources_of("AWS::Lambda::Function").values():
        variables |= properties.get("Environment", {}).get("Variables", {})
    return {**variables, **stack.cloud.environment}
