"""What is left in the end, in a form that two runs of one story share: no ids, no times, no sequence numbers."""

import email
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email.policy import SMTP
from typing import Any, NamedTuple

from storage.access.quotas import _short
from storage.aws.attributes import unmarshal
from tests.faults.world import World

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)")
_PASSING = {
    "submissions": {"recorded_at", "withdrawn_at", "long_output", "long_output_digest", "receipt"},
    "boards": {"counter", "withdrawn_at"},
    "head": {"sequence", "generated_at", "rows_url", "replaced", "baseline", "updated_at", "at"},
    "mail": {"noted_at", "expires_at", "waiting"},
}
"""What depends on when, and how often, something was done."""
ADDED = "added"
"""An attribute that only a later release writes."""
_OF_RELEASES = frozenset({"schema", ADDED})


class Mail(NamedTuple):
    """A mail that SES took.

    Args:
        to: The address.
        subject: The subject.
        message_id: The same for a mail that was sent again.
        told: The submissions that it names, as labels, sorted.
    """

    to: str
    subject: str
    message_id: str
    told: tuple[str, ...]


@dataclass(frozen=True)
class Books:
    """The state of a world.

    Args:
        results: Label of each raw result → how many there are.
        records: The records, and the withdrawals.
        boards: Contributions and standings.
        snapshots: Heads, rows, index and badges.
        quotas: Of each player and day the labels that are used, invalid or of drops.
        intents: Thread and submission → how it ended.
        reports: Of drops.
        mails: In the order in which they went.
    """

    results: dict[str, int]
    records: list[Any]
    boards: list[Any]
    snapshots: dict[str, Any]
    quotas: list[Any]
    intents: list[Any]
    reports: list[Any]
    mails: list[Mail]

    def differences(self, other: "Books") -> list[str]:
        """Tell where another run ended differently; mails are judged by `lost_mails` and `doubled_mails`."""
        names = ("results", "records", "boards", "snapshots", "quotas", "intents", "reports")
        return [
            f"{name}: {_first_difference(getattr(self, name), getattr(other, name))}"
            for name in names
            if getattr(self, name) != getattr(other, name)
        ]

    @property
    def told(self) -> Counter[tuple[str, str]]:
        """How often each address was told of each submission, or of a drop."""
        return Counter((mail.to, label) for mail in self.mails for label in mail.told or (mail.subject,))

    def lost_mails(self, clean: "Books") -> list[Any]:
        """Give what the clean run mailed, or this one should not have, and did not or did."""
        return sorted(self.told.keys() ^ clean.told.keys())

    def doubled_mails(self) -> list[str]:
        """Give the ids of mails that went more than once, as often as they did so."""
        counts = Counter(mail.message_id for mail in self.mails)
        return sorted(one for one, number in counts.items() for _ in range(number - 1))

    def twice_told(self) -> int:
        """Count how often somebody was told of the same thing again."""
        return sum(number - 1 for number in self.told.values())


def keep_books(world: World) -> Books:
    """Read the state of a world."""
    names = _Names(world)
    return Books(
        results=dict(Counter(label.partition("~")[0] for label in names.labels.values())),
        records=_sort(names.tell(one, _PASSING["submissions"]) for one in _items(world, "SubmissionsTable")),
        boards=_sort(names.tell(one, _PASSING["boards"]) for one in _items(world, "BoardsTable")),
        snapshots=dict(_snapshots(world, names)),
        quotas=_sort(_quotas(world, names)),
        intents=_sort(
            names.tell(one, _PASSING["mail"]) for one in _items(world, "MailTable") if one["item"] != "lease"
        ),
        reports=_sort(
            names.tell(_load(world, "ResultsBucket", key), {"drop", "version_id", "received_at"})
            for key in world.keys("ResultsBucket", "reports/")
        ),
        mails=list(_mails(world, names)),
    )


class _Names:
    """Puts labels in the place of ids: what was handed in by whom is the same in every run."""

    def __init__(self, world: World) -> None:
        self.labels: dict[str, str] = {}
        seen: Counter[str] = Counter()
        for key in world.results():
            metadata = world.read_metadata(key)
            body = hashlib.sha256(world.read("ResultsBucket", str(key))).hexdigest()[:8]
            way = "drop" if "drop" in metadata else "post"
            label = f"<{key.benchmark} {metadata['player']} {way} {body}>"
            seen[label] += 1
            self.labels[key.submission] = label if seen[label] == 1 else f"{label}~{seen[label]}"
        self._shorts = {_short(one): label for one, label in self.labels.items()}

    def tell(self, value: Any, passing: Iterable[str] = ()) -> Any:
        """Give JSON with labels for ids, lists of these sorted, and without the keys that are passing."""
        match value:
            case dict():
                kept = {key: one for key, one in value.items() if key not in passing and key not in _OF_RELEASES}
                return {self.tell(key): self.tell(one, passing) for key, one in kept.items()}
            case list() | tuple():
                return [self.tell(one, passing) for one in value]
            case str() if value.startswith(("{", "[")):
                return self.tell(json.loads(value), passing)
            case str():
                return _MOMENT.sub("<moment>", _ID.sub(lambda match: self.labels.get(match[0], "<unknown>"), value))
            case _:
                return value

    def shorts(self, values: Iterable[str]) -> list[str]:
        """Give the labels of what quotas hold."""
        return sorted(self._shorts.get(one, f"<unknown {one}>") for one in values)

    def find(self, text: str) -> tuple[str, ...]:
        """Give the labels of all ids in a text, sorted."""
        return tuple(sorted({self.labels[one] for one in _ID.findall(text) if one in self.labels}))


def _items(world: World, table: str) -> Iterator[dict[str, Any]]:
    for item in world.items(table):
        yield dict(unmarshal({name: value for name, value in item.items() if name not in _OF_RELEASES}))


def _quotas(world: World, names: _Names) -> Iterator[Any]:
    for item in world.items("AccessTable"):
        if item["key"]["S"].startswith("quota#"):
            sets = {name: names.shorts(value["SS"]) for name, value in item.items() if "SS" in value}
            yield {"key": item["key"]["S"], **sets}


def _snapshots(world: World, names: _Names) -> Iterator[tuple[str, Any]]:
    for key in world.keys("SiteBucket", "data/"):
        if "/rows." in key:
            continue
        content = world.read("SiteBucket", key).decode()
        if not key.endswith("head.json"):
            yield key, names.tell(json.loads(content), _PASSING["head"]) if key.endswith(".json") else content
            continue
        head = json.loads(content)
        rows = _load(world, "SiteBucket", head["rows_url"].removeprefix("/"))
        head["best_over_time"] = [step[1:] for step in head["best_over_time"]]
        yield key, names.tell({**head, "all_rows": rows}, _PASSING["head"])


def _mails(world: World, names: _Names) -> Iterator[Mail]:
    for to, raw in world.sent():
        message = email.message_from_string(raw, policy=SMTP)
        body = message.get_body(("plain",))  # type: ignore[attr-defined]
        yield Mail(to, str(message["Subject"]), str(message["Message-ID"]), names.find(body.get_content()))


def _load(world: World, bucket: str, key: str) -> Any:
    return json.loads(world.read(bucket, key))


def _sort(values: Iterable[Any]) -> list[Any]:
    return sorted(values, key=lambda one: json.dumps(one, sort_keys=True))


def _first_difference(mine: Any, others: Any) -> str:
    match mine, others:
        case dict(), dict():
            key = min(key for key in mine.keys() | others.keys() if mine.get(key) != others.get(key))
            return f"{key}: {_first_difference(mine.get(key), others.get(key))}"
        case list(), list() if len(mine) == len(others):
            pair = next((one, other) for one, other in zip(mine, others, strict=True) if one != other)
            return _first_difference(*pair)
        case list(), list():
            return f"{len(mine)} in the place of {len(others)}: {mine} / {others}"
        case _:
            return f"{mine!r} in the place of {others!r}"
