"""Starts and stops the whole stack in order.

This process runs the pollers and the site. Each function runs in worker processes of its own.
"""

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from cli.sites import DATA_VARIABLE, announced
from engine.cloud import FUNCTIONS_VARIABLE, make_clients
from engine.store import Store
from local.aws import LOCALHOST, Cloud, as_cloud, declare_resources
from local.data import FILE, opened
from local.event_sources import make_sources
from local.functions import Function, make_functions
from local.layout import PAGES
from local.mail.outbox import Outbox
from local.mail.relay import MailServer, Relay
from local.site.gateway import Gateway
from local.site.headers import read_local_headers
from local.site.hosts import Hosts
from local.site.server import Site, behind_proxy
from local.site.storage import Storage
from local.template import Template, load_template
from local.work.checkpoints import make_checkpoints
from local.work.dispatcher import Dispatcher, OneAtATime
from local.work.drops import DropFolder
from local.work.expiry import Expiry
from local.work.invocations import InvocationPoller, serve_functions
from sandbox.bubblewrap import Sandbox
from storage.aws.clients import ENGINE_VARIABLE
from storage.settings import RescoreSettings

PARAMETERS = {
    "Stage": "dev",
    "RetryBaseSeconds": "0",
    # Each queue has one worker more than there are cores at most.
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
WARM = {"SubmitFunction": 2, "EvaluateFunction": 1, "AggregateFunction": 1}
"""The workers that start with the stack: every result passes these. Others start with their first event."""
IDLE_SECONDS = 60.0
"""After which a worker ends that has nothing to do, but for those that start with the stack."""
_SHOWN = ("WARNING", "ERROR", "CRITICAL")
"""Levels of the lines of functions that a person should read."""


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
    store: Store
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
        template = load_template({**parameters, "SiteUrl": public_url or url})
        folder = (data or state / "data").resolve()
        store = ending.enter_context(opened(folder, durable=False))
        store.leave_checkpoints()
        clients = declare_resources(store, template, sender=parameters["SenderAddress"])
        clients.sqs.release()
        cloud = as_cloud(clients)
        sink = ending.enter_context(_log_files(state, log))
        sandbox = ending.enter_context(Sandbox())
        socket = ending.enter_context(serve_functions(sandbox, folder))
        engine = {ENGINE_VARIABLE: str(folder / FILE), FUNCTIONS_VARIABLE: str(socket)}
        woken = threading.Event()
        functions = make_functions(template, {**engine, **(variables or {})}, log=sink, on_end=woken.set)
        for function in functions.values():
            ending.callback(function.stop)
        # A connection of its own: readers of boards wait for no writer.
        shown = make_clients(ending.enter_context(closing(Store(folder / FILE, durable=False))))
        outbox = Outbox(shown.store)
        application = Site(
            gateway=Gateway(
                submit=functions[template.api_function()],
                origin_headers=template.origin_headers(),
                cors=template.cors(),
                methods={route.method for route in template.routes()},
                log=log,
            ),
            s3=as_cloud(shown).s3,
            site_bucket=template.resources["SiteBucket"].name,
            storage=Storage(clients.s3),
            pages=PAGES,
            outbox=outbox,
            log_request=log_request or (lambda _: None),
            hosts=Hosts(hosts | ({urlsplit(public_url).hostname or ""} if public_url else set())),
            headers=read_local_headers(template),
        )
        site.application = behind_proxy(application) if public_url else application
        for logical_id, workers in WARM.items():
            for _ in range(workers):
                functions[logical_id].warm_up()
        sources = make_sources(template, cloud, store, functions, on_error=log)
        sources.append(InvocationPoller(clients.sqs, {function.name: function for function in functions.values()}, log))
        sources.append(_end_idle(functions.values()))
        sources.append(make_checkpoints(ending.enter_context(closing(Store(folder / FILE, durable=False)))))
        drops = DropFolder(state / "drops", clients.s3, template.resources["ResultsBucket"].name, log)
        sources.append(OneAtATime("drops", drops.is_due, drops.poll))
        expiry = Expiry(clients)
        sources.append(OneAtATime("expiry", expiry.is_due, expiry.poll))
        if mail_server:
            relay = Relay(store, mail_server, parameters["SenderAddress"], log)
            sources.append(OneAtATime("mail relay", relay.has_mail, relay.poll))
        dispatcher = Dispatcher(store, sources, woken=woken, on_error=log)
        dispatcher.start()
        ending.callback(dispatcher.stop)
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
            store=store,
            state=state,
        )
        environment = {**_list_variables(template), **engine, DATA_VARIABLE: str(folder)}
        ending.enter_context(announced(state / "stack.json", url=url, environment=environment))
        yield stack


def _end_idle(functions: Iterable[Function]) -> OneAtATime:
    """Return what ends idle workers now and then."""
    due = time.monotonic() + IDLE_SECONDS

    def step() -> bool:
        nonlocal due
        due = time.monotonic() + IDLE_SECONDS / 4
        for function in functions:
            function.end_idle(seconds=IDLE_SECONDS, kept=WARM.get(function.logical_id, 0))
        return False

    return OneAtATime("idle workers", lambda _: time.monotonic() >= due, step)


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
def _log_files(state: Path, log: Callable[[str], None]) -> Iterator[Callable[[str, str], None]]:
    """Yield a sink that writes log files, and passes warnings on to `log`."""
    folder = state / "log"
    folder.mkdir(exist_ok=True)
    lock = threading.Lock()

    def write(function: str, line: str) -> None:
        with lock, open(f"{folder}/{function}.jsonl", "a") as file:  # noqa: PTH123  # a path takes longer than the write
            file.write(line + "\n")
        if not any(f'"{level}"' in line for level in _SHOWN):  # hardly any is, and to parse each takes longer
            return
        try:
            entry = json.loads(line)
        except ValueError:
            return
        if isinstance(entry, dict) and entry.get("level") in _SHOWN:
            error = str(entry.get("exception", "")).strip().rpartition("\n")[2]
            log(" ".join(filter(None, (f"{function}:", entry.get("message"), entry.get("submission"), error))))

    yield write


def _list_variables(template: Template) -> dict[str, str]:
    """Return the variables of all functions."""
    variables: dict[str, str] = {}
    for properties in template.resources_of("AWS::Lambda::Function").values():
        variables |= properties.get("Environment", {}).get("Variables", {})
    return variables
