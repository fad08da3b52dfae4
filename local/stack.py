"""Starts and stops the whole stack in order.

This process runs AWS, the pollers and the site. Each function runs in worker processes of its own.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from cli.sites import DATA_VARIABLE, announced
from local.aws import LOCALHOST, Cloud, start_cloud
from local.disk.expiry import Expiry
from local.disk.store import Disk
from local.event_sources import PollInterval, Source, make_sources, stop_sources
from local.functions import Function, make_functions
from local.outbox import Outbox
from local.relay import MailServer, Relay
from local.sandbox import SandboxEndpoint, resume_publications
from local.site.gateway import Gateway
from local.site.headers import read_local_headers
from local.site.hosts import Hosts
from local.site.server import Site, behind_proxy
from local.template import Template, translate
from local.uploads.endpoint import PATH, Uploads
from local.uploads.signatures import Credentials, SignedOnly
from sandbox.bubblewrap import Sandbox
from storage.aws.bucket import Bucket
from storage.benchmarks.publications import PublicationStore
from storage.settings import RescoreSettings

ROOT = Path(__file__).resolve().parent.parent
PARAMETERS = {
    "Stage": "dev",
    "RetryBaseSeconds": "0",
    # Each queue has three workers a core at most.
    "EvaluateConcurrency": "10",
    "ShareConcurrency": "20",
    "ScriptConcurrency": "20",
    "BenchmarkConcurrency": "2",
    "DropConcurrency": "5",
    "SweepAgeSeconds": "5",
    "SenderAddress": "laurel@localhost.example",
    "AdminAddress": "admin@localhost.example",
    "FlushSchedule": "rate(2 seconds)",
    "GatherSeconds": "60",
}
WARM = ("SubmitFunction", "EvaluateFunction", "AggregateFunction")
"""Every result passes these functions, so their workers start with the stack; others start with their first event."""


class PortTaken(Exception):
    """Another program uses the port."""


@dataclass(frozen=True)
class Stack:
    """A running stack; the functions are by logical id, `state` is the folder of `run_stack`."""

    url: str
    cloud: Cloud
    functions: dict[str, Function]
    settings: RescoreSettings
    template: Template
    outbox: Outbox
    disk: Disk
    state: Path


@contextmanager
def run_stack(
    *,
    port: int,
    log: Callable[[str], None],
    state: Path,
    data: Path | None = None,
    log_request: Callable[[str], None] | None = None,
    hosts: frozenset[str] = frozenset(),
    public_url: str | None = None,
    mail_server: MailServer | None = None,
    parameters: Mapping[str, str] = PARAMETERS,
    variables: Mapping[str, str] | None = None,
) -> Iterator[Stack]:
    """Run the whole stack while the context lasts.

    Args:
        port: Port of the site; 0 picks a free one.
        log: Takes lines that a person should read.
        state: Folder for the functions' logs and for the file by which the CLI finds the stack.
        data: Folder in which everything is kept; None: `data` in the folder of the state.
        log_request: Takes a line for each request.
        hosts: Host names of the site besides those of this machine.
        public_url: Its address behind a reverse proxy on this machine, which reports where each visitor comes from.
        mail_server: Also sends each mail; None: mails are only shown.
        parameters: Parameters of the template; `SiteUrl` is added.
        variables: More of the functions' environment.

    Raises:
        PortTaken: Another program uses the port.
        DataError: Another stack uses the folder of the data, or what is in it cannot be read.
    """
    state.mkdir(parents=True, exist_ok=True)
    with ExitStack() as ending:
        # Bind the port first: it may be taken, and the template needs the URL for mails.
        site = _DeferredSite()
        server = _listen(port, site)
        ending.callback(server.server_close)
        url = f"http://localhost:{server.port}"
        template = translate(ROOT / "template.yaml", {**parameters, "SiteUrl": public_url or url})
        disk = Disk(data or state / "data", on_failure=log)
        ending.callback(disk.close)
        cloud = start_cloud(template, sender=parameters["SenderAddress"], disk=disk)
        ending.callback(cloud.stop)
        sink = ending.enter_context(_log_files(state, log))
        invoked: dict[str, Function] = {}
        lambda_url = ending.enter_context(_serve_lambda(cloud.credentials, invoked, log))
        environment = {
            **cloud.environment,
            "AWS_ENDPOINT_URL_LAMBDA": lambda_url,
            "UPLOADS_URL": PATH,
            **(variables or {}),
        }
        functions = make_functions(template, environment, log=sink)
        invoked |= {function.name: function for function in functions.values()}
        for function in functions.values():
            ending.callback(function.stop)
        outbox, interval = Outbox(disk), PollInterval()
        application = Site(
            gateway=Gateway(
                submit=functions[template.api_function()],
                origin_headers=template.origin_headers(),
                cors=template.cors(),
                methods={route.method for route in template.routes()},
                log=log,
            ),
            s3=cloud.s3,
            site_bucket=template.resources["SiteBucket"].name,
            uploads=Uploads(cloud.s3, template.resources["ResultsBucket"].name, cloud.credentials),
            pages=ROOT / "frontend" / "dist",
            outbox=outbox,
            log_request=log_request or (lambda _: None),
            hosts=Hosts(hosts | ({urlsplit(public_url).hostname or ""} if public_url else set())),
            headers=read_local_headers(template),
            on_post=interval.wake,
        )
        site.application = behind_proxy(application) if public_url else application
        for logical_id in WARM:
            functions[logical_id].warm_up()
        sources = make_sources(template, cloud, functions, interval=interval, on_error=log, disk=disk)
        sources.append(Source("expiry", Expiry(template, disk).poll, log, interval))
        if mail_server:
            relay = Relay(disk, mail_server, parameters["SenderAddress"], log)
            sources.append(Source("mail relay", relay.poll, log, interval))
        for source in sources:
            source.start()
        ending.callback(stop_sources, sources)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        ending.callback(server.shutdown)
        publications = PublicationStore(Bucket(cloud.s3, template.resources["ResultsBucket"].name))
        resuming = (publications, functions["PublishFunction"], log)
        threading.Thread(target=resume_publications, args=resuming, daemon=True).start()
        variables = template.resources_of("AWS::Lambda::Function")["RescoreFunction"]["Environment"]["Variables"]
        stack = Stack(
            url=url,
            cloud=cloud,
            functions=functions,
            settings=RescoreSettings.read(variables),
            template=template,
            outbox=outbox,
            disk=disk,
            state=state,
        )
        ending.enter_context(announced(state / "stack.json", url=url, environment=_list_variables(stack)))
        yield stack


class _DeferredSite:
    """A WSGI application that is set after its server has bound the port."""

    application: Any = None

    def __call__(self, environ: Any, start_response: Any) -> Any:
        return self.application(environ, start_response)


class _QuietHandler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002  # werkzeug's own signature
        """Log nothing; the site logs requests itself."""


def _listen(port: int, application: Any) -> BaseWSGIServer:
    try:
        return make_server(LOCALHOST, port, application, threaded=True, request_handler=_QuietHandler)
    except (OSError, SystemExit) as error:  # werkzeug exits if the port is taken
        raise PortTaken(f"port {port} is taken") from error


@contextmanager
def _serve_lambda(
    credentials: Credentials, functions: Mapping[str, Function], log: Callable[[str], None]
) -> Iterator[str]:
    """Serve Lambda's Invoke to requests with these credentials; yield its URL."""
    with Sandbox() as sandbox:
        server = _listen(0, SignedOnly(SandboxEndpoint(sandbox, functions, log), credentials))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://{LOCALHOST}:{server.port}"
        finally:
            server.shutdown()
            server.server_close()


@contextmanager
def _log_files(state: Path, log: Callable[[str], None]) -> Iterator[Callable[[str, str], None]]:
    """Yield a sink that writes log files, and passes warnings on to `log`."""
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


def _list_variables(stack: Stack) -> dict[str, str]:
    """Return the variables of all functions and those of AWS clients."""
    variables: dict[str, str] = {}
    for properties in stack.template.resources_of("AWS::Lambda::Function").values():
        variables |= properties.get("Environment", {}).get("Variables", {})
    return {**variables, **stack.cloud.environment, DATA_VARIABLE: str(stack.disk.path.parent.resolve())}
