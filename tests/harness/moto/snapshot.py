"""The resources of a template in moto, created by the first test and put back for every other one.

Creating them takes 33 ms of processor time, putting them back one.
"""

import copy
import copyreg
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from botocore import useragent
from moto.backends import get_backend
from moto.core import responses
from moto.core.base_backend import BaseBackend
from moto.s3.models import s3_backends

from local.template import Template
from tests.harness.moto.server import create_resources, verify_sender
from tests.harness.raw_cloud import RawCloud

if TYPE_CHECKING:
    from mypy_boto3_sesv2 import SESV2Client

_SERVICES = ("dynamodb", "s3", "ses", "sesv2", "sqs")
_LOCKS = (threading.Lock, threading.RLock, threading.Condition)


class _Place(NamedTuple):
    """Where moto keeps a service's resources."""

    service: Any
    account: str
    region: str


class _Snapshot:
    """What moto keeps at one moment; it must not have objects yet, whose bytes are in files."""

    def __init__(self, template: Template, sender: str | None) -> None:
        self.made_for = (template, sender)
        backends = {
            _Place(service, account, region): backend
            for service in _SERVICES
            for account, regions in get_backend(service).items()
            for region, backend in regions.items()
        }
        # A backend may refer to another, so a mark stands for each: moto may have other ones when it is put back.
        self._marks = {place: object() for place in backends}
        marked = {id(backend): self._marks[place] for place, backend in backends.items()}
        self._state = _copy({place: vars(backend) for place, backend in backends.items()}, marked)
        self._accounts = dict(s3_backends.bucket_accounts)

    def put_back(self) -> None:
        """Let an empty moto have these resources."""
        backends = {place: get_backend(place.service)[place.account][place.region] for place in self._marks}
        marked = {id(mark): backends[place] for place, mark in self._marks.items()}
        for place, state in _copy(self._state, marked).items():
            vars(backends[place]).update(state)
        s3_backends.bucket_accounts.update(self._accounts)


_TAKEN: list[_Snapshot] = []


def create_once(
    cloud: RawCloud, template: Template, *, ses: "SESV2Client | None" = None, sender: str | None = None
) -> None:
    """Create the resources of a template and verify a sender, or put back what that made before in this process."""
    for snapshot in _TAKEN:
        if snapshot.made_for[0] is template and snapshot.made_for[1] == sender:
            snapshot.put_back()
            return
    create_resources(cloud, template)
    if ses is not None and sender is not None:
        verify_sender(ses, sender)
    _TAKEN.append(_Snapshot(template, sender))


def _copy(state: Any, marked: dict[int, object]) -> Any:
    with _copyable_locks():
        return copy.deepcopy(state, marked)


@contextmanager
def _copyable_locks() -> Iterator[None]:
    """Let a copy have new locks of its own."""
    kinds = {type(make()): make for make in _LOCKS}
    for kind, make in kinds.items():
        copyreg.pickle(kind, lambda _, make=make: (make, ()))
    try:
        yield
    finally:
        for kind in kinds:
            copyreg.dispatch_table.pop(kind)


def _compute_once() -> None:
    """Remember what botocore and moto compute again for every call, though it is constant in a process.

    That is a quarter of the processor time of a call.
    """
    compute_urls = BaseBackend.urls.fget
    urls: dict[type, Any] = {}

    def read_urls(backend: BaseBackend) -> Any:
        kind = type(backend)
        if kind not in urls:
            urls[kind] = compute_urls(backend)
        return urls[kind]

    BaseBackend.urls = property(read_urls)
    responses.method_names_from_class = cache(responses.method_names_from_class)
    useragent.sanitize_user_agent_string_component = cache(useragent.sanitize_user_agent_string_component)


_compute_once()
