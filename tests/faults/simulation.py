"""Simulates the template's cloud and functions in this process, with one clock and deliveries on request."""

import importlib
import json
import pkgutil
import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property, partial
from types import ModuleType
from typing import Any, NamedTuple, Self, cast

import pytest

from api.openapi import describe_api
from handlers.draining import NotDrained
from local.event_sources import QueuePoller, StreamPoller, make_queue_pollers, make_stream_pollers
from local.functions import FunctionError
from local.schedules import SchedulePoller, list_schedules
from local.template import Template, load_template
from scripts.deployment.concurrency import plan_concurrency
from storage.gateway import clients
from storage.gateway.errors import Busy, StoreError
from storage.gateway.table import Table
from storage.keys import INDEX_KEY, MAIN_BOARD, START_PAGE_KEY, ResultKey, boards_key, head_key, parse_result_key
from tests.faults.faults import Crash, FaultInjector, attached
from tests.harness.clock import START, Clock
from tests.harness.engine import Inside, Opened, open_engine
from tests.harness.hooked import list_clients
from tests.harness.raw_cloud import RawCloud
from tests.harness.stack import Api, make_context
from tests.harness.tokens import keep_guest_secret
from tests.rehearsal.ministack.chains import Chains, RecursionStopped, list_causes

MAIL = {"SenderAddress": "laurel@example.org", "AdminAddress": "admin@example.org", "SiteUrl": "https://laurel.example"}
MAX_ROUNDS = 200
MAX_TRIES = 20
ROUND = timedelta(minutes=20)
"""How far the clock advances in a round; a mail is retried after an hour, which is three rounds."""


class NeverQuiet(AssertionError):
    """A delivery repeats without end, or something waits forever."""


class Receipt(NamedTuple):
    """What a 202 promises: that the submission is kept, and that the receipt opens it."""

    submission: str
    receipt: str


@dataclass
class Simulation:
    """A cloud, its functions, and the deliveries between them.

    Args:
        template: The translated template.
        cloud: Clients of the simulation itself; the injector does not count their calls.
        injector: Sees the calls of the functions.
        clock: The time of the functions, and of queues and objects.
        randomness: Seeded.
        handlers: Logical id → handler.
        restart: Clears what a process has in memory.
        inside: What the cloud holds.
        positions: Reader of the stream → how many records it has processed.
        crashes: How many processes have died.
        acknowledged: Idempotency key → receipt, of every POST that was answered with 202.
        chains: What Lambda's recursion detection counts.
    """

    template: Template
    cloud: RawCloud
    injector: FaultInjector
    clock: Clock
    randomness: random.Random
    handlers: Mapping[str, Callable[[dict[str, Any], Any], Any]]
    restart: Callable[[], None]
    inside: Inside
    positions: dict[str, int] = field(default_factory=dict)
    crashes: int = 0
    acknowledged: dict[str, Receipt] = field(default_factory=dict)
    chains: Chains = field(default_factory=Chains)
    queues: dict[str, QueuePoller] = field(init=False)
    readers: dict[str, StreamPoller] = field(init=False)
    schedules: list[SchedulePoller] = field(init=False)
    _records: dict[str, list[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the pollers of the queues, of the stream by the function that reads it, and of the schedules."""
        functions = {name: _SimulatedFunction(self, name) for name in self.handlers}
        pollers = make_queue_pollers(self.template, self.cloud, functions, on_error=_ignore)
        self.queues = {poller.queue: poller for poller in pollers}
        # A reader that reports no record either raises, and Lambda retries the batch.
        retrying = {name: _SimulatedFunction(self, name, retried=(Crash, StoreError)) for name in self.handlers}
        readers = make_stream_pollers(self.template, self.cloud, retrying, on_error=_ignore)
        self.readers = {reader.function.logical_id: reader for reader in readers}
        self.schedules = [
            SchedulePoller(
                schedule,
                _SimulatedFunction(self, schedule.function, retried=(Crash, StoreError, ExceptionGroup, NotDrained)),
                _ignore,
                clock=lambda: self.clock().timestamp(),
                now=self.clock,
            )
            for schedule in list_schedules(self.template)
        ]

    def name_of(self, logical_id: str) -> str:
        """Return the name of a bucket, queue or table."""
        return self.template.resources[logical_id].name

    def items(self, logical_id: str) -> list[dict[str, Any]]:
        """Read every item of a table."""
        return self.cloud.dynamodb.scan(TableName=self.name_of(logical_id))["Items"]

    def results(self) -> list[ResultKey]:
        """List the raw results."""
        keys = (parse_result_key(key) for key in self.keys("ResultsBucket", "results/"))
        return [key for key in keys if key is not None]

    def keys(self, bucket: str, prefix: str) -> list[str]:
        """List the keys of a bucket under a prefix."""
        pages = self.cloud.s3.get_paginator("list_objects_v2").paginate(Bucket=self.name_of(bucket), Prefix=prefix)
        return [entry["Key"] for page in pages for entry in page.get("Contents", [])]

    def read(self, bucket: str, key: str) -> bytes:
        """Read an object."""
        return self.cloud.s3.get_object(Bucket=self.name_of(bucket), Key=key)["Body"].read()

    def read_metadata(self, key: ResultKey) -> dict[str, str]:
        """Read the metadata of a raw result."""
        return self.cloud.s3.head_object(Bucket=self.name_of("ResultsBucket"), Key=str(key))["Metadata"]

    def sent(self) -> list[tuple[str, str]]:
        """Return address and raw text of the mails that SES accepted, in order."""
        return self.inside.list_mails()

    def invoke(self, function: str, event: Mapping[str, Any]) -> Any:
        """Call a handler. If its process dies, start a new one for the next call and raise Crash.

        Raises Crash if the process died, RecursionStopped if Lambda does not invoke the function.
        """
        may_recur = self.template.resources[function].properties.get("RecursiveLoop") == "Allow"
        invocation = self.chains.invoke(function, list_causes(event), may_recur=may_recur)
        self.injector.on_sent = lambda sent: self.chains.carry(invocation, sent)
        self.injector.function = function
        context = make_context(self.name_of(function))
        try:
            return json.loads(json.dumps(self.handlers[function](json.loads(json.dumps(event)), context)))
        except Crash:
            self.replace_process()
            raise

    def replace_process(self) -> None:
        """Start a new process for one that died."""
        self.crashes += 1
        self.injector.revive()
        self.restart()

    def retry_until_answered(self, act: Callable[[], Any]) -> Any:
        """Call until there is an answer, as a client or an operator would."""
        for _ in range(MAX_TRIES):
            try:
                return act()
            except (Crash, Busy):
                self.clock.advance(seconds=5)
        raise NeverQuiet(f"no answer after {MAX_TRIES} tries")

    @cached_property
    def api(self) -> Api:
        """The HTTP API."""
        handlers = {name: partial(self._answer, name) for name in ("SubmitFunction", "ApiFunction")}
        return Api(handlers, self.template.routes(), self.template.origin_headers())

    def _answer(self, function: str, event: dict[str, Any], _: Any) -> Any:
        return self.invoke(function, event)

    def deliver(self) -> bool:
        """Deliver a batch of each queue and to each stream reader; return whether there was any."""
        delivered = [poller.deliver() for poller in self.queues.values()]
        delivered += [self.deliver_records(reader) for reader in self.readers]
        return any(delivered)

    def deliver_records(self, reader: str, *, size: int | None = None) -> bool:
        """Deliver a batch to a stream reader, which continues at the first record that failed."""
        position, poller = self.positions.get(reader, 0), self.readers[reader]
        batch = self.read_stream(reader)[position : position + (size or poller.mapping["BatchSize"])]
        if batch:
            self.positions[reader] = position + poller.handle(batch)
        return bool(batch)

    def discard_records(self, reader: str, *, size: int) -> None:
        """Let Lambda discard the next records of a stream reader, as if all retries had failed.

        Without a failure destination they are lost.
        """
        position = self.positions.get(reader, 0)
        batch = self.read_stream(reader)[position : position + size]
        if batch:
            if "DestinationConfig" in self.readers[reader].mapping:
                self.readers[reader].discard(batch)
            self.positions[reader] = position + len(batch)

    def read_stream(self, reader: str) -> list[Any]:
        """Return all records so far of the stream that a function reads."""
        table = self.readers[reader].table
        records = self._records.setdefault(table, [])
        records += self.inside.list_records(table, skip=len(records))
        return records

    def call_schedules(self) -> None:
        """Invoke every function that is due; the next call retries what failed."""
        for poller in self.schedules:
            poller.poll()

    def settle(self, work: Callable[[], object] = bool) -> None:
        """Deliver until queues are empty, streams read, mails sent, and schedules find no work; others may work."""
        for _ in range(MAX_ROUNDS):
            self.drain()
            self.clock.moment += ROUND
            self.drain()  # failed messages are visible again by now; a schedule that gave up on them would be too early
            self.call_schedules()
            work()
            if not self.is_waiting():
                return
        raise NeverQuiet(f"not quiet after {MAX_ROUNDS} rounds of {ROUND}: {self.waiting()}")

    def drain(self) -> bool:
        """Deliver all that can be delivered now; return whether there was anything."""
        rounds = 0
        while self.deliver():
            rounds += 1
            if rounds > MAX_ROUNDS * 10:
                raise NeverQuiet("deliveries repeat without end at one moment")
        return rounds > 0

    def is_waiting(self) -> bool:
        """Return whether anything waits to be delivered or mailed."""
        return any(self.waiting().values())

    def waiting(self) -> dict[str, int]:
        """Count what waits: messages of each queue, stream records, unrecorded results, boards, mails."""
        queues = self.template.resources_of("AWS::SQS::Queue").keys() - {"MailDeadLetterQueue"}  # nobody reads that one
        counts = {queue: self.inside.count_messages(self.name_of(queue)) for queue in sorted(queues)}
        for reader in self.readers:
            counts[reader] = len(self.read_stream(reader)) - self.positions.get(reader, 0)
        recorded = {item["submission"]["S"] for item in self.items("SubmissionsTable") if "submission" in item}
        counts["results"] = sum(key.submission not in recorded for key in self.results())
        counts["boards"] = sum(map(self.is_moving, self.keys("ResultsBucket", "benchmarks/")))
        counts["discarded"] = len(self.keys("ResultsBucket", "aws/lambda/"))
        counts["MailTable"] = sum("waiting" in item for item in self.items("MailTable"))
        return counts

    def is_moving(self, key: str) -> bool:
        """Return whether a key is the pointer of a benchmark with a next version or a board that is not done."""
        if not key.endswith("/current.json"):
            return False
        pointer = json.loads(self.read("ResultsBucket", key))
        benchmark = pointer["definition"]["id"]
        files = self.keys("SiteBucket", f"data/b/{benchmark}/")
        head = json.loads(self.read("SiteBucket", head_key(benchmark)))
        index = json.loads(self.read("SiteBucket", "data/index.json"))
        cards = {card["id"]: card["sequence"] for card in index["benchmarks"]}
        boards = (MAIN_BOARD, *(board["id"] for board in pointer["definition"].get("boards", ())))
        listed = boards_key(benchmark)
        # The schedule writes a start page that does not show the index.
        start = (
            self.read("SiteBucket", START_PAGE_KEY) if START_PAGE_KEY in self.keys("SiteBucket", "data/index") else b""
        )
        return (
            pointer.get("next") is not None
            or cards[benchmark] < head["sequence"]
            or self.read("SiteBucket", INDEX_KEY).replace(b"<", rb"\u003c") not in start
            or (listed in files and bool(json.loads(self.read("SiteBucket", listed)).get("retired")))
            or any(self._is_behind(pointer, board, files) for board in boards)
        )

    def _is_behind(self, pointer: Mapping[str, Any], board: str, files: Collection[str]) -> bool:
        """Return whether a board was not published as its pointer says, or not whole."""
        key = head_key(pointer["definition"]["id"], board, version=pointer["version"])
        if key not in files:
            return True
        head = json.loads(self.read("SiteBucket", key))
        revision = pointer.get("board_publish_numbers", {}).get(board, pointer["publish_number"])
        since = pointer.get("board_since", {}).get(board, 0)
        is_old = head["publish_number"] < revision or head.get("since", 0) != since
        return is_old or head["is_incomplete"]  # the schedule makes a board again that lacks a decoration


@dataclass(frozen=True)
class _SimulatedFunction:
    """A function that pollers invoke; errors that AWS retries become a FunctionError."""

    simulation: Simulation
    logical_id: str
    retried: tuple[type[BaseException], ...] = (Crash, RecursionStopped)

    def invoke(self, event: Mapping[str, Any]) -> Any:
        """Invoke the handler."""
        try:
            return self.simulation.invoke(self.logical_id, event)
        except self.retried as error:
            raise FunctionError(repr(error)) from error


def _ignore(_: str) -> None:
    """Log nothing."""


class _SerialPool:
    """A thread pool without threads."""

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    map = staticmethod(map)
    submit = staticmethod(clients.make_future)


def read_template() -> Template:
    """Return the template for the development stage in an account that may run 1,000 functions at once."""
    return load_template({"Stage": "dev", **MAIL, **plan_concurrency(1000)})


@dataclass
class SimulationFactory:
    """Makes simulations, one after another, that share the template; each opens a cloud of its own."""

    template: Template
    open_cloud: Callable[[Template, str, Clock], AbstractContextManager[Opened]] = open_engine

    @cached_property
    def _code(self) -> tuple[Mapping[str, ModuleType], list[ModuleType], list[Any]]:
        """The module of each handler by its logical id, all modules of their rooms, and what these cache."""
        handlers = {
            name: function["Handler"]
            for name, function in self.template.resources_of("AWS::Lambda::Function").items()
            if "TenancyConfig" not in function
        }  # the injector answers for the sandbox
        modules = {name: importlib.import_module(path.rpartition(".")[0]) for name, path in handlers.items()}
        names = {path.partition(".")[0] for path in handlers.values()} | {"handlers.http"}
        rooms = [importlib.import_module(name) for name in names]
        loaded = [*modules.values(), *(module for room in rooms for module in _import_all(room))]
        return modules, loaded, list(_caches_of(loaded))

    @contextmanager
    def simulation(self, injector: FaultInjector, *, seed: int = 0) -> Iterator[Simulation]:
        """Make a simulation; it ends with the context."""
        clock, randomness = Clock(START), random.Random(seed)  # noqa: S311  # nothing here is a secret
        modules, loaded, caches = self._code
        with pytest.MonkeyPatch.context() as patch:
            for properties in self.template.resources_of("AWS::Lambda::Function").values():
                for name, value in properties.get("Environment", {}).get("Variables", {}).items():
                    patch.setenv(name, str(value))
            _set_seams(patch, loaded, clock, randomness)
            with self.open_cloud(self.template, MAIL["SenderAddress"], clock) as opened:
                patch.setattr(clients, "gateway", lambda: opened.services)
                _clear(caches)
                keep_guest_secret(Table(opened.cloud.dynamodb, self.template.resources["AccessTable"].name))
                with attached(injector, list_clients(opened.services)):
                    yield Simulation(
                        self.template,
                        opened.cloud,
                        injector,
                        clock,
                        randomness,
                        {name: module.lambda_handler for name, module in modules.items()},
                        lambda: _clear(caches),
                        opened.inside,
                    )
        _clear(caches)


def _import_all(room: ModuleType) -> Iterator[ModuleType]:
    """Import and yield every module of a package, also those that are imported on demand."""
    for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
        yield importlib.import_module(module.name)


def _set_seams(
    patch: pytest.MonkeyPatch, modules: Iterable[ModuleType], clock: Clock, randomness: random.Random
) -> None:
    """Replace clock, randomness and patience of the modules by those of the simulation."""
    for module in modules:
        for name, seam in (
            ("now", clock),
            ("utc_now", clock),
            ("secrets", _Secrets(randomness)),
            ("PATIENCE_SECONDS", 0.0),
            ("LOOK_SECONDS", 0.0),
        ):
            if hasattr(module, name):
                patch.setattr(module, name, seam)
    patch.setattr("storage.gateway.clients.ThreadPoolExecutor", _SerialPool)
    patch.setattr("handlers.draining.LONG_POLL_SECONDS", 0)  # the clock stands still


@dataclass(frozen=True)
class _Secrets:
    """Replaces the module `secrets`."""

    randomness: random.Random

    def token_bytes(self, size: int) -> bytes:
        return self.randomness.randbytes(size)


def _caches_of(modules: Any) -> Iterator[Any]:
    """Return every cached function that the modules define or import, but for the clients and what code decides."""
    functions: dict[str, Any] = {}
    for module in cast("list[ModuleType]", list(modules)):
        for value in vars(module).values():
            if hasattr(value, "cache_clear") and value not in (clients.gateway, describe_api):
                functions[f"{value.__module__}.{value.__qualname__}"] = value
    return iter(functions.values())


def _clear(caches: Any) -> None:
    for cached in caches:
        cached.cache_clear()
