"""Starts and stops the whole stack in order.

This process runs the pollers and the site. Each function runs in worker processes of its own.
"""

import getpass
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cli.sites import DATA_VARIABLE, TOKEN_FILE, announced
from engine.cloud import FUNCTIONS_VARIABLE, Engine
from engine.mails import INVOCATIONS
from engine.store import Store
from local.admin_token import keep_admin_token
from local.data import FILE, locked, opened
from local.erasures import erase_again
from local.event_sources import make_sources
from local.functions import PROMPT_WORKERS, Function, OpenLog, make_functions
from local.layout import PAGES
from local.log_files import LogFiles
from local.mail.outbox import Outbox
from local.mail.relay import RETRY_SECONDS, MailServer, Relay
from local.schedules import begin_finals
from local.site.gateway import Gateway
from local.site.headers import read_local_headers
from local.site.hosts import Hosts
from local.site.listening import listen
from local.site.server import Site, behind_proxy
from local.site.storage import Storage
from local.template import Template, load_template
from local.work.dispatcher import BEAT_SECONDS, Dispatcher, OneAtATime, Source, make_periodic
from local.work.invocations import InvocationPoller, serve_functions
from sandbox.bubblewrap import Sandbox
from storage.actors import Actor, Role
from storage.audit import AuditTrail
from storage.benchmarks.store import BenchmarkStore
from storage.gateway.bucket import Bucket
from storage.gateway.clients import ENGINE_VARIABLE
from storage.gateway.functions import LambdaFunction
from storage.gateway.table import Table
from storage.keys import utc_now
from storage.settings import RescoreSettings


def plan_workers(count: int) -> dict[str, str]:
    """Return the parameters with which so many results are scored at once, ≥ 1."""
    share = min(count, max(2, count // 2))
    queues = ("EvaluateConcurrency", "ShareConcurrency", "ScriptConcurrency")
    return {**dict.fromkeys(queues, str(count)), "BenchmarkConcurrency": str(share)}


PARAMETERS = {
    "Stage": "dev",
    "RetryBaseSeconds": "0",
    "DropConcurrency": str(min(5, PROMPT_WORKERS)),
    "SweepAgeSeconds": "5",
    "SenderAddress": "laurel@localhost.example",
    "AdminAddress": "admin@localhost.example",
    "FlushSchedule": "rate(2 seconds)",
    "GatherSeconds": "60",
    **plan_workers(PROMPT_WORKERS),
}
WARM = {"SubmitFunction": 1, "ApiFunction": 1, "EvaluateFunction": 1, "AggregateFunction": 1}
"""The workers that start with the stack: results and readers pass these. Others start with their first event."""
IDLE_SECONDS = 60.0
"""After which a worker ends that has nothing to do, but for those that start with the stack."""
CHECKPOINT_SECONDS = 5.0
"""How often what was committed moves from the log of the store to its file, beside the writers."""
LOG_BYTES = 16 * 2**20
"""From this size on the log is emptied."""
WARNING_SECONDS = 1.0
"""How often it shows the warnings that functions have written."""
CLOCK_SECONDS = 5.0
"""How often it looks whether the clock was set back, after which messages would wait for their old time."""
FINAL_SECONDS = 20.0
"""How often it looks whether a final is due, which begins within a minute of its time, whenever that was published."""
EXPIRY_SECONDS = 3600.0
"""How often the engine deletes what AWS deletes by itself, from the start of the stack on."""
_INVOCATION_SECONDS = 900
"""The longest invocation of a function."""


@dataclass(frozen=True)
class Stack:
    """A running stack; the functions are by logical id, `state` is the folder of `LocalStack`.

    It is new if nothing was kept of an earlier one.
    """

    url: str
    cloud: Engine
    functions: dict[str, Function]
    settings: RescoreSettings
    template: Template
    outbox: Outbox
    store: Store
    state: Path
    is_new: bool


@dataclass(frozen=True, kw_only=True)
class LocalStack:
    """The whole stack, which runs while it is entered as a context.

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
        poll_seconds: How often it looks for work although nothing woke it.
        mail_retry_seconds: How long it waits before it sends a mail again to `mail_server`.
    """

    port: int
    log: Callable[[str], None]
    state: Path
    data: Path | None = None
    log_request: Callable[[str], None] = lambda _: None
    hosts: frozenset[str] = frozenset()
    public_url: str | None = None
    mail_server: MailServer | None = None
    parameters: Mapping[str, str] = field(default_factory=lambda: PARAMETERS)
    variables: Mapping[str, str] = field(default_factory=dict)
    poll_seconds: float = BEAT_SECONDS
    mail_retry_seconds: float = RETRY_SECONDS
    _ending: ExitStack = field(default_factory=ExitStack, init=False)

    def __enter__(self) -> Stack:
        """Start everything in order; what was started ends in the reverse order.

        Raises PortTaken if another program uses the port, DataError if another stack uses the folder of the data or of
        the state, or what is in it cannot be read.
        """
        try:
            return self._start()
        except BaseException:
            self._ending.close()
            raise

    def __exit__(self, *error: object) -> None:
        self._ending.close()

    def _start(self) -> Stack:
        self._ending.enter_context(locked(self.state, otherwise="start this one in another folder"))
        # Bind the port first: it may be taken, and the template needs the URL for mails.
        site = _DeferredSite()
        server = listen(self.port, site)
        self._ending.callback(server.server_close)
        url = f"http://localhost:{server.port}"
        template = load_template({**self.parameters, "SiteUrl": self.public_url or url})
        store = self._ending.enter_context(opened(self._folder, durable=False))
        store.leave_checkpoints()
        clients = declare_resources(store, template, sender=self.parameters["SenderAddress"])
        erase_again(clients, template)
        clients.messages.release()
        woken = threading.Event()
        logs = LogFiles(self.state / "log", self.log)
        self._ending.callback(logs.show_warnings)  # what workers wrote last, after they have ended
        engine, functions = self._make_functions(template, log=logs.open, on_end=woken.set)
        # A connection of its own: readers of boards wait for no writer.
        shown = Engine(self._open_file())
        site.application = self._make_site(template, functions, storage=Storage(clients.objects), shown=shown)
        for logical_id, workers in WARM.items():
            for _ in range(workers):
                functions[logical_id].warm_up()
        sources = self._make_sources(template, clients, functions)
        sources.append(make_periodic("warnings", WARNING_SECONDS, logs.show_warnings))
        dispatcher = Dispatcher(store, sources, woken=woken, on_error=self.log, beat_seconds=self.poll_seconds)
        dispatcher.start()
        self._ending.callback(dispatcher.stop)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self._ending.callback(server.shutdown)
        environment = {**_list_variables(template), **self.variables, **engine, DATA_VARIABLE: str(self._folder)}
        is_new = not store.read("SELECT 1 FROM objects UNION ALL SELECT 1 FROM items LIMIT 1")
        self._keep_admin_token(template, clients)
        self._ending.enter_context(announced(self.state / "stack.json", url=url, environment=environment))
        variables = template.resources_of("AWS::Lambda::Function")["RescoreFunction"]["Environment"]["Variables"]
        return Stack(
            url=url,
            cloud=clients,
            functions=functions,
            settings=RescoreSettings.read(variables),
            template=template,
            outbox=Outbox(shown.store),
            store=store,
            state=self.state,
            is_new=is_new,
        )

    def _keep_admin_token(self, template: Template, clients: Engine) -> None:
        """Keep a token with which commands in the folder operate this stack."""
        names = template.resources
        results = Bucket(clients.objects, names["ResultsBucket"].name)
        keep_admin_token(
            self.state / TOKEN_FILE.name,
            Table(clients.tables, names["AccessTable"].name),
            AuditTrail(results, utc_now, secrets.token_bytes),
            Actor(id=f"local:{getpass.getuser()}", role=Role.OPERATOR),
        )

    @property
    def _folder(self) -> Path:
        return (self.data or self.state / "data").resolve()

    def _open_file(self) -> Store:
        """Open the engine's file once more."""
        return self._ending.enter_context(closing(Store(self._folder / FILE, durable=False)))

    def _make_functions(
        self, template: Template, *, log: OpenLog, on_end: Callable[[], None]
    ) -> tuple[dict[str, str], dict[str, Function]]:
        """Return what names the engine in an environment, and the functions by logical id."""
        sandbox = self._ending.enter_context(Sandbox())
        named: dict[str, Function] = {}
        socket = self._ending.enter_context(serve_functions(sandbox, named, self._folder))
        engine = {ENGINE_VARIABLE: str(self._folder / FILE), FUNCTIONS_VARIABLE: str(socket)}
        functions = make_functions(template, {**engine, **self.variables}, log=log, on_end=on_end)
        for function in functions.values():
            named[function.name] = function
            self._ending.callback(function.stop)
        return engine, functions

    def _make_site(
        self, template: Template, functions: Mapping[str, Function], *, storage: Storage, shown: Engine
    ) -> Any:
        gateway = Gateway(
            functions=functions,
            routes=template.routes(),
            origin_headers=template.origin_headers(),
            cors=template.cors(),
            log=self.log,
        )
        site = Site(
            gateway=gateway,
            site=Bucket(shown.objects, template.resources["SiteBucket"].name),
            storage=storage,
            pages=PAGES,
            outbox=Outbox(shown.store),
            log_request=self.log_request,
            hosts=Hosts(self.hosts | ({urlsplit(self.public_url).hostname or ""} if self.public_url else set())),
            headers=read_local_headers(template),
        )
        return behind_proxy(site) if self.public_url else site

    def _make_sources(self, template: Template, clients: Engine, functions: Mapping[str, Function]) -> list[Source]:
        """Return all that the dispatcher looks after."""
        sources = make_sources(template, clients, functions, on_error=self.log)
        sources.append(
            InvocationPoller(clients.messages, {function.name: function for function in functions.values()}, self.log)
        )
        results = Bucket(clients.objects, template.resources["ResultsBucket"].name)
        rescoring = LambdaFunction(clients.functions, functions["RescoreFunction"].name)
        finals = partial(begin_finals, BenchmarkStore(results, utc_now), rescoring)
        # A connection of its own, for which nothing else waits.
        checkpoints = partial(self._open_file().checkpoint, log_bytes=LOG_BYTES)
        sources += [
            make_periodic("idle workers", IDLE_SECONDS / 4, partial(_end_idle, functions.values())),
            make_periodic("checkpoints", CHECKPOINT_SECONDS, checkpoints),
            make_periodic("finals", FINAL_SECONDS, finals),
            make_periodic("clock", CLOCK_SECONDS, clients.messages.follow_clock),
            make_periodic("expiry", EXPIRY_SECONDS, clients.expire),
        ]
        if self.mail_server:
            sender, wait = self.parameters["SenderAddress"], self.mail_retry_seconds
            relay = Relay(clients.store, self.mail_server, sender, self.log, retry_seconds=wait)
            sources.append(OneAtATime("mail relay", relay.has_mail, relay.poll))
        return sources


def declare_resources(store: Store, template: Template, *, sender: str) -> Engine:
    """Declare what the template has, and the queue of asynchronous invocations.

    Args:
        store: Where they are declared.
        template: Its queues, tables and buckets.
        sender: The address that may send mail.

    Returns:
        What the store answers.
    """
    engine = Engine(store)
    declared = [(resource.type, resource.name, resource.properties) for resource in template.resources.values()]
    invocations = ("AWS::SQS::Queue", INVOCATIONS, {"VisibilityTimeout": _INVOCATION_SECONDS})
    engine.declare([*declared, invocations], sender=sender)
    return engine


def _end_idle(functions: Iterable[Function]) -> None:
    for function in functions:
        function.end_idle(seconds=IDLE_SECONDS, kept=WARM.get(function.logical_id, 0))


class _DeferredSite:
    """A WSGI application that is set after its server has bound the port."""

    application: Any = None

    def __call__(self, environ: Any, start_response: Any) -> Any:
        return self.application(environ, start_response)


def _list_variables(template: Template) -> dict[str, str]:
    """Return the variables of all functions."""
    variables: dict[str, str] = {}
    for properties in template.resources_of("AWS::Lambda::Function").values():
        variables |= properties.get("Environment", {}).get("Variables", {})
    return variables
