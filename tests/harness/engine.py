"""The engine in memory as the cloud of a test."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, NamedTuple, Protocol

import pytest
from werkzeug.test import Client, TestResponse
from werkzeug.wrappers import Request

from engine.cloud import Engine
from engine.store import Store
from local.site.storage import Storage
from local.template import Template
from storage.gateway import clients
from tests.harness.clock import Clock
from tests.harness.hooked import HookedServices, HookedSession
from tests.harness.raw_cloud import RawCloud, wrap
from tests.harness.shapes import S3Shape


class Inside(Protocol):
    """What a cloud holds, read without a call that anybody counts."""

    def list_mails(self) -> list[tuple[str, str]]:
        """Return address and raw text of the mails that were accepted, in order."""

    def count_messages(self, queue: str) -> int:
        """Count the messages of a queue, those that are hidden included."""

    def list_records(self, table: str, *, skip: int) -> list[Any]:
        """Return the records of the stream of a table but for the first, as Lambda passes them on."""


class Opened(NamedTuple):
    """A cloud of a simulation, the services of its functions, and a look inside."""

    cloud: RawCloud
    services: Any
    inside: Inside


class Download(NamedTuple):
    """What an address of a download gives."""

    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class EngineInside:
    """What the engine holds."""

    store: Store

    def list_mails(self) -> list[tuple[str, str]]:
        """Return address and raw text of the mails that were accepted, in order."""
        rows = self.store.read("SELECT recipient, content FROM mails ORDER BY number")
        return [(recipient, content.decode()) for recipient, content in rows]

    def make_visible(self, queue: str) -> None:
        """Let the delay of every message of a queue be over."""
        with self.store.writing() as connection:
            connection.execute("UPDATE messages SET visible = 0 WHERE queue = ? AND receives = 0", (queue,))

    def open(self, address: str, **request: Any) -> TestResponse:
        """Send a request to an address that is signed."""
        return Client(Request.application(Storage(Engine(self.store).objects).answer)).open(address, **request)

    def download(self, address: str) -> Download:
        """Return what an address of a download gives."""
        response = self.open(address)
        assert response.status_code == HTTPStatus.OK
        return Download(dict(response.headers), response.get_data())

    @contextmanager
    def signing(self) -> Iterator[list[dict[str, Any]]]:
        """Watch addresses being signed while the context lasts; gives what each was signed for."""
        signed: list[dict[str, Any]] = []
        with pytest.MonkeyPatch.context() as patch:
            for name in ("generate_presigned_url", "generate_presigned_post"):
                sign = getattr(S3Shape, name)

                def note(client: S3Shape, *operation: str, sign: Any = sign, **request: Any) -> Any:
                    signed.append(request)
                    return sign(client, *operation, **request)

                patch.setattr(S3Shape, name, note)
            yield signed

    def count_messages(self, queue: str) -> int:
        """Count the messages of a queue, those that are hidden included."""
        ((count,),) = self.store.read("SELECT count(*) FROM messages WHERE queue = ?", queue)
        return int(count)

    def list_records(self, table: str, *, skip: int) -> list[Any]:
        """Return the records of the stream of a table but for the first, as Lambda passes them on."""
        sql = "SELECT number FROM records WHERE tbl = ? ORDER BY number LIMIT 1 OFFSET ?"
        rows = self.store.read(sql, table, skip - 1) if skip else [(0,)]
        records: list[Any] = []
        after = str(rows[0][0])
        while page := Engine(self.store).streams.read(table, after=after, length=1000):
            records += page
            after = page[-1]["dynamodb"]["SequenceNumber"]
        return records


def make_cloud(
    template: Template, *, sender: str = "laurel@example.org", clock: Callable[[], float] = time.time
) -> tuple[RawCloud, HookedSession]:
    """Make an engine with the resources of a template.

    Returns its clients, and the session from which the functions get the same ones.
    """
    made = Engine(Store(clock=clock))
    resources = template.resources.values()
    made.declare([(resource.type, resource.name, resource.properties) for resource in resources], sender=sender)
    session = HookedSession(made)
    clients = (session.create_client(service) for service in ("s3", "sqs", "dynamodb"))
    return wrap(*clients, made.streams), session


def look_inside() -> EngineInside:
    """Look into the engine that the functions of this process use."""
    objects: Any = clients.gateway().objects
    return EngineInside(objects.client.store)


@contextmanager
def open_engine(template: Template, sender: str, clock: Clock) -> Iterator[Opened]:
    """Open an engine with the time of a simulation; its functions have clients of their own."""
    cloud, session = make_cloud(template, sender=sender, clock=lambda: clock().timestamp())
    store = session.engine.store
    try:
        yield Opened(cloud, HookedServices(HookedSession(session.engine).held), EngineInside(store))
    finally:
        store.close()
