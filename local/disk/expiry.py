"""What AWS deletes by itself: objects and versions by the lifecycle of a bucket, items by their time to live."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from moto.core.model_instances import model_data
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import Item
from moto.s3.models import FakeDeleteMarker, s3_backends

from local.disk.store import Disk
from local.intrinsics import ACCOUNT, REGION
from local.template import Properties, Template

INTERVAL_SECONDS: Final = 3600.0


class LifecycleRule(NamedTuple):
    """A rule of a bucket: what it deletes of objects whose name starts with a prefix."""

    prefix: str
    days: int | None
    """Until an object gets a delete marker; None: it stays."""
    noncurrent_days: int | None
    """Until a version is deleted that another one has replaced; None: it stays."""
    deletes_markers: bool
    """Whether a delete marker without versions below it is deleted."""


@dataclass
class Expiry:
    """Deletes what is due, at the start of the stack and every hour.

    Args:
        template: Names the rules of buckets and tables.
        disk: Each object and each item is a unit of its own.
        now: The time; versions and items are due by it.
        clock: Counts seconds.
    """

    template: Template
    disk: Disk
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    clock: Callable[[], float] = time.monotonic
    _due: float = field(default=0.0, init=False)

    def poll(self) -> bool:
        """Delete what is due, if an hour has passed. Returns False."""
        if self.clock() >= self._due:
            is_first, self._due = not self._due, self.clock() + INTERVAL_SECONDS
            self.run()
            if not is_first:
                forget_instances()
        return False

    def run(self) -> None:
        """Delete what is due."""
        for logical_id, properties in self.template.resources_of("AWS::S3::Bucket").items():
            for rule in list_rules(properties):
                self._expire_objects(self.template.resources[logical_id].name, rule)
        for logical_id, properties in self.template.resources_of("AWS::DynamoDB::Table").items():
            lifetime = properties.get("TimeToLiveSpecification", {})
            if lifetime.get("Enabled"):
                self._expire_items(self.template.resources[logical_id].name, lifetime["AttributeName"])

    def _expire_objects(self, bucket: str, rule: LifecycleRule) -> None:
        backend = s3_backends[ACCOUNT]["aws"]
        keys = backend.buckets[bucket].keys
        for name in [name for name in list(keys) if name.startswith(rule.prefix)]:
            with self.disk.unit():
                versions: list[Any] = keys.getlist(name, [])
                if rule.days is not None and versions and self._is_due(versions[-1], rule.days):
                    backend.delete_object(bucket, name)
                    versions = keys.getlist(name, [])
                left = list(self._list_left(versions, rule))
                if len(left) < len(versions):
                    keys.setlist(name, left)
                    if not left:
                        keys.pop(name)

    def _list_left(self, versions: list[Any], rule: LifecycleRule) -> Iterator[Any]:
        successors = [*versions[1:], None]
        left = [
            version
            for version, successor in zip(versions, successors, strict=True)
            if successor is None
            or rule.noncurrent_days is None
            or self.now() - _when(successor) < timedelta(days=rule.noncurrent_days)
        ]
        is_bare_marker = len(left) == 1 and isinstance(left[0], FakeDeleteMarker)
        yield from () if is_bare_marker and rule.deletes_markers else left

    def _is_due(self, version: Any, days: int) -> bool:
        return not isinstance(version, FakeDeleteMarker) and self.now() - _when(version) >= timedelta(days=days)

    def _expire_items(self, name: str, attribute: str) -> None:
        backend = dynamodb_backends[ACCOUNT][REGION]
        table, now = backend.tables[name], self.now().timestamp()
        with self.disk.unit():  # nobody may add an item while they are listed
            items = table.all_items()
        for item in (item for item in items if _is_over(item, attribute, now)):
            with self.disk.unit():
                # It may have been written again, with another end.
                stored = table.get_item(item.hash_key, item.range_key)
                if stored is not None and _is_over(stored, attribute, now):
                    key = {key: item.attrs[key].to_json() for key in table.table_key_attrs}
                    backend.delete_item(name, key)


def forget_instances() -> None:
    """Empty the lists of all objects that moto ever made, which its dashboard shows."""
    models: list[Any] = [model for classes in model_data.values() for model in classes.values()]
    for model in models:
        model.instances_tracked.clear()


def list_rules(properties: Properties) -> Iterator[LifecycleRule]:
    """Yield the rules of a bucket that are enabled."""
    for rule in properties.get("LifecycleConfiguration", {}).get("Rules", []):
        if rule["Status"] == "Enabled":
            yield LifecycleRule(
                prefix=rule.get("Prefix", ""),
                days=rule.get("ExpirationInDays"),
                noncurrent_days=rule.get("NoncurrentVersionExpiration", {}).get("NoncurrentDays"),
                deletes_markers=rule.get("ExpiredObjectDeleteMarker", False),
            )


def _is_over(item: Item, attribute: str, now: float) -> bool:
    return attribute in item.attrs and float(item.attrs[attribute].value) < now


def _when(version: Any) -> datetime:
    """Return when a version was written; moto's times have no zone."""
    written: datetime = version.last_modified
    return written.replace(tzinfo=UTC)
