"""What is left in the end, in a form that two runs of one scenario share: no ids, no times, no sequence numbers."""

import email
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email.policy import SMTP
from typing import Any, NamedTuple

from storage.access.quotas import _short_hash
from storage.aws.attributes import unmarshal
from tests.faults.simulation import Simulation

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
class StateSnapshot:
    """The state of a simulation.

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

    def differences(self, other: "StateSnapshot") -> list[str]:
        """Return where another run ended differently, but for mails: see `lost_mails` and `doubled_mails`."""
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

    def lost_mails(self, clean: "StateSnapshot") -> list[Any]:
        """Return what the clean run mailed, or this one should not have, and did not or did."""
        return sorted(self.told.keys() ^ clean.told.keys())

    def doubled_mails(self) -> list[str]:
        """Return the ids of mails that went more than once, as often as they did so."""
        counts = Counter(mail.message_id for mail in self.mails)
        return sorted(one for one, number in counts.items() for _ in range(number - 1))

    def twice_told(self) -> int:
        """Count how often somebody was told of the same thing again."""
        return sum(number - 1 for number in self.told.values())


def take_snapshot(simulation: Simulation) -> StateSnapshot:
    """Read the state of a simulation."""
    names = _Names(simulation)
    return StateSnapshot(
        results=dict(Counter(label.partition("~")[0] for label in names.labels.values())),
        records=_sort(names.run_steps(one, _PASSING["submissions"]) for one in _items(simulation, "SubmissionsTable")),
        boards=_sort(names.run_steps(one, _PASSING["boards"]) for one in _items(simulation, "BoardsTable")),
        snapshots=dict(_snapshots(simulation, names)),
        quotas=_sort(_quotas(simulation, names)),
        intents=_sort(
            names.run_steps(one, _PASSING["mail"]) for one in _items(simulation, "MailTable") if one["item"] != "lease"
        ),
        reports=_sort(
            names.run_steps(_load(simulation, "ResultsBucket", key), {"drop", "version_id", "received_at"})
            for key in simulation.keys("ResultsBucket", "reports/")
        ),
        mails=list(_mails(simulation, names)),
    )


class _Names:
    """Puts labels in the place of ids: what was handed in by whom is the same in every run."""

    def __init__(self, simulation: Simulation) -> None:
        self.labels: dict[str, str] = {}
        seen: Counter[str] = Counter()
        for key in simulation.results():
            metadata = simulation.read_metadata(key)
            body = hashlib.sha256(simulation.read("ResultsBucket", str(key))).hexdigest()[:8]
            way = "drop" if "drop" in metadata else "post"
            label = f"<{key.benchmark} {metadata['player']} {way} {body}>"
            seen[label] += 1
            self.labels[key.submission] = label if seen[label] == 1 else f"{label}~{seen[label]}"
        self._shorts = {_short_hash(one): label for one, label in self.labels.items()}

    def run_steps(self, value: Any, passing: Iterable[str] = ()) -> Any:
        """Return JSON with labels for ids, lists of these sorted, and without the keys that are passing."""
        match value:
            case dict():
                kept = {key: one for key, one in value.items() if key not in passing and key not in _OF_RELEASES}
                return {self.run_steps(key): self.run_steps(one, passing) for key, one in kept.items()}
            case list() | tuple():
                return [self.run_steps(one, passing) for one in value]
            case str() if value.startswith(("{", "[")):
                return self.run_steps(json.loads(value), passing)
            case str():
                return _MOMENT.sub("<moment>", _ID.sub(lambda match: self.labels.get(match[0], "<unknown>"), value))
            case _:
                return value

    def shorts(self, values: Iterable[str]) -> list[str]:
        """Return the labels of what quotas hold."""
        return sorted(self._shorts.get(one, f"<unknown {one}>") for one in values)

    def find(self, text: str) -> tuple[str, ...]:
        """Return the labels of all ids in a text, sorted."""
        return tuple(sorted({self.labels[one] for one in _ID.findall(text) if one in self.labels}))


def _items(simulation: Simulation, table: str) -> Iterator[dict[str, Any]]:
    for item in simulation.items(table):
        yield dict(unmarshal({name: value for name, value in item.items() if name not in _OF_RELEASES}))


def _quotas(simulation: Simulation, names: _Names) -> Iterator[Any]:
    for item in simulation.items("AccessTable"):
        if item["key"]["S"].startswith("quota#"):
            sets = {name: names.shorts(value["SS"]) for name, value in item.items() if "SS" in value}
            yield {"key": item["key"]["S"], **sets}


def _snapshots(simulation: Simulation, names: _Names) -> Iterator[tuple[str, Any]]:
    for key in simulation.keys("SiteBucket", "data/"):
        if "/rows." in key:
            continue
        content = simulation.read("SiteBucket", key).decode()
        if not key.endswith("head.json"):
            yield key, names.run_steps(json.loads(content), _PASSING["head"]) if key.endswith(".json") else content
            continue
        head = json.loads(content)
        rows = _load(simulation, "SiteBucket", head["rows_url"].removeprefix("/"))
        head["best_over_time"] = [step[1:] for step in head["best_over_time"]]
        yield key, names.run_steps({**head, "all_rows": rows}, _PASSING["head"])


def _mails(simulation: Simulation, names: _Names) -> Iterator[Mail]:
    for to, raw in simulation.sent():
        message = email.message_from_string(raw, policy=SMTP)
        body = message.get_body(("plain",))  # type: ignore[attr-defined]
        yield Mail(to, str(message["Subject"]), str(message["Message-ID"]), names.find(body.get_content()))


def _load(simulation: Simulation, bucket: str, key: str) -> Any:
    return json.loads(simulation.read(bucket, key))


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
