"""The final state of a simulation, without ids, times and sequence numbers, so that two runs can be compared."""

import email
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email.policy import SMTP
from typing import Any, NamedTuple

from scoring_core.ranking.improvement_lists import unpack_id
from storage.boards.reading import BoardReader
from storage.boards.snapshots import SnapshotStore
from storage.gateway.bucket import Bucket
from storage.gateway.schema import unmarshal
from storage.players.quotas import _short_hash
from tests.faults.simulation import Simulation

_OBJECT = re.compile(r"/(?:directory|page|places|recent|improvements)\.")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_PACKED = re.compile(r"[\w-]{22}")
_SINCE = re.compile(r"(?<=/)([a-z0-9-]+)~\d+$")
"""The end of a board's key; a publish number of a process that died is never used again."""
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)")
_VOLATILE = {
    "submissions": {"recorded_at", "withdrawn_at", "long_output", "long_output_digest", "receipt"},
    "boards": {"counter", "withdrawn_at"},
    "head": {"sequence", "generated_at", "beat", "pages", "updated_at", "at", "since", "publish_number"},
    "mail": {"noted_at", "expires_at", "waiting"},
}
"""Attributes that depend on when, and how often, a step ran."""
_NUMBERS = {"player": {"revision", "seen", "begun"}, "begun": {"publish_number"}, "late": {"publish_number"}}
"""Publish numbers of standings and of boards that began: one of a process that died is never used again."""
ADDED = "added"
"""An attribute that only a later release writes."""
_RELEASE_ATTRIBUTES = frozenset({"schema", ADDED})


class Mail(NamedTuple):
    """A mail that SES accepted.

    Args:
        to: The address.
        subject: The subject.
        mail_id: Equal for a mail that was sent again.
        submissions: The labels of the submissions that it names, sorted.
    """

    to: str
    subject: str
    mail_id: str
    submissions: tuple[str, ...]


@dataclass(frozen=True)
class StateSnapshot:
    """The state of a simulation.

    Args:
        results: Label of each raw result → how many there are.
        records: The submission records and the withdrawals.
        boards: Board entries and standings.
        snapshots: Heads, rows, index, badges and served pages.
        tickets: The submissions that spent run tickets, once for each ticket.
        quotas: What each player used on each day, and the labels of what the quota remembers.
        pending_mails: Digest and submission → how it ended.
        reports: The reports of batches.
        mails: In the order in which they were sent.
    """

    results: dict[str, int]
    records: list[Any]
    boards: list[Any]
    snapshots: dict[str, Any]
    tickets: list[str]
    quotas: list[Any]
    pending_mails: list[Any]
    reports: list[Any]
    mails: list[Mail]

    def differences(self, other: "StateSnapshot") -> list[str]:
        """Return where another run differs, except in mails: see `lost_mails`, `doubled_mails`."""
        names = ("results", "records", "boards", "snapshots", "tickets", "quotas", "pending_mails", "reports")
        return [
            f"{name}: {_first_difference(getattr(self, name), getattr(other, name))}"
            for name in names
            if getattr(self, name) != getattr(other, name)
        ]

    @property
    def mail_counts(self) -> Counter[tuple[str, str]]:
        """Return how often each address was mailed about each submission or batch."""
        return Counter((mail.to, label) for mail in self.mails for label in mail.submissions or (mail.subject,))

    def lost_mails(self, clean: "StateSnapshot") -> list[Any]:
        """Return what only the clean run or only this run mailed."""
        return sorted(self.mail_counts.keys() ^ clean.mail_counts.keys())

    def doubled_mails(self) -> list[str]:
        """Return the ids of mails that were sent again, once for each repeat."""
        counts = Counter(mail.mail_id for mail in self.mails)
        return sorted(mail_id for mail_id, number in counts.items() for _ in range(number - 1))

    def count_repeated_notices(self) -> int:
        """Count how often an address was mailed again about the same submission."""
        return sum(number - 1 for number in self.mail_counts.values())


def take_snapshot(simulation: Simulation) -> StateSnapshot:
    """Read the state of a simulation."""
    names = _Names(simulation)
    return StateSnapshot(
        results=dict(Counter(label.partition("~")[0] for label in names.labels.values())),
        records=_sort(
            names.normalize(item, _VOLATILE["submissions"]) for item in _items(simulation, "SubmissionsTable")
        ),
        boards=_sort(
            # The publish numbers of a standing: nothing is quiet before its board has that of the pointer.
            names.normalize(item, _VOLATILE["boards"] | _NUMBERS.get(item["item"].partition("#")[0], set()))
            for item in _items(simulation, "BoardsTable")
        ),
        snapshots=dict(_snapshots(simulation, names)),
        tickets=sorted(
            names.normalize(item["submission"]["S"])
            for item in simulation.items("AccessTable")
            if item["key"]["S"].startswith("ticket#")
        ),
        quotas=_sort(_quotas(simulation, names)),
        pending_mails=_sort(
            names.normalize(item, _VOLATILE["mail"])
            for item in _items(simulation, "MailTable")
            if item["item"] != "lease"
        ),
        reports=_sort(
            names.normalize(_load(simulation, "ResultsBucket", key), {"drop", "version_id", "received_at"})
            for key in simulation.keys("ResultsBucket", "reports/")
        ),
        mails=list(_mails(simulation, names)),
    )


class _Names:
    """Replaces ids by labels of benchmark, player and result, which are the same in every run."""

    def __init__(self, simulation: Simulation) -> None:
        self.labels: dict[str, str] = {}
        seen: Counter[str] = Counter()
        for key in simulation.results():
            metadata = simulation.read_metadata(key)
            body = hashlib.sha256(simulation.read("ResultsBucket", str(key))).hexdigest()[:8]
            origin = "drop" if "drop" in metadata else "post"
            label = f"<{key.benchmark} {metadata['player']} {origin} {body}>"
            seen[label] += 1
            self.labels[key.submission] = label if seen[label] == 1 else f"{label}~{seen[label]}"
        self._labels_of_hashes = {_short_hash(submission): label for submission, label in self.labels.items()}

    def normalize(self, value: Any, volatile: Iterable[str] = ()) -> Any:
        """Return JSON with labels for ids and without the volatile keys."""
        match value:
            case dict():
                kept = {
                    key: member
                    for key, member in value.items()
                    if key not in volatile and key not in _RELEASE_ATTRIBUTES
                }
                return {self.normalize(key): self.normalize(member, volatile) for key, member in kept.items()}
            case list() | tuple():
                return [self.normalize(element, volatile) for element in value]
            case str() if value.startswith(("{", "[")):
                return self.normalize(json.loads(value), volatile)
            case str() if _PACKED.fullmatch(value):
                return self.normalize(unpack_id(value))
            case str():
                value = _SINCE.sub(r"\1~<publish number>", value)
                return _MOMENT.sub("<moment>", _ID.sub(lambda match: self.labels.get(match[0], "<unknown>"), value))
            case _:
                return value

    def find_by_hashes(self, hashes: Iterable[str]) -> list[str]:
        """Return the labels of the short hashes that quotas hold."""
        return sorted(self._labels_of_hashes.get(hashed, f"<unknown {hashed}>") for hashed in hashes)

    def find(self, text: str) -> tuple[str, ...]:
        """Return the labels of all ids in a text, sorted."""
        return tuple(sorted({self.labels[id_] for id_ in _ID.findall(text) if id_ in self.labels}))


def _items(simulation: Simulation, table: str) -> Iterator[dict[str, Any]]:
    for item in simulation.items(table):
        yield dict(unmarshal({name: value for name, value in item.items() if name not in _RELEASE_ATTRIBUTES}))


_UNCOUNTED = ("schema", "expires_at")


def _quotas(simulation: Simulation, names: _Names) -> Iterator[Any]:
    for item in simulation.items("AccessTable"):
        if item["key"]["S"].startswith("quota#"):
            sets = {name: names.find_by_hashes(value["SS"]) for name, value in item.items() if "SS" in value}
            counts = {name: value["N"] for name, value in item.items() if "N" in value and name not in _UNCOUNTED}
            chunks = sorted(counts.pop(name) for name in list(counts) if name.startswith("chunk_"))
            yield {"key": item["key"]["S"], **sets, **counts, "chunks": chunks}


def _snapshots(simulation: Simulation, names: _Names) -> Iterator[tuple[str, Any]]:
    site = SnapshotStore(Bucket(simulation.cloud.objects, simulation.name_of("SiteBucket")))
    for key in simulation.keys("SiteBucket", "data/"):
        if _OBJECT.search(key):
            continue
        content = simulation.read("SiteBucket", key).decode()
        if key.endswith(".html"):
            # Served pages have texts with ids and times; what they show is the head or index that they contain.
            served = json.loads(content.partition('id="served"')[2].partition(">")[2].partition("</script>")[0])
            steps = served.get("improvements", {}).get("steps", ())
            served |= {"improvements": [improvement[1:] for improvement in steps]}
            yield key, names.normalize(served, _VOLATILE["head"])
            continue
        if not key.endswith("head.json"):
            yield key, names.normalize(json.loads(content), _VOLATILE["head"]) if key.endswith(".json") else content
            continue
        head = json.loads(content)
        board = BoardReader(site).find(head["id"], head["board"], version=head["version"])
        rows = [ranked.row._asdict() | {"rank": ranked.rank} for ranked in board.view.all_rows()] if board else []
        head["improvements"]["steps"] = [improvement[1:] for improvement in head["improvements"]["steps"]]
        yield key, names.normalize({**head, "all_rows": rows}, _VOLATILE["head"])


def _mails(simulation: Simulation, names: _Names) -> Iterator[Mail]:
    for to, raw in simulation.sent():
        message = email.message_from_string(raw, policy=SMTP)
        body = message.get_body(("plain",))  # type: ignore[attr-defined]
        yield Mail(to, str(message["Subject"]), str(message["X-Laurel-Mail"]), names.find(body.get_content()))


def _load(simulation: Simulation, bucket: str, key: str) -> Any:
    return json.loads(simulation.read(bucket, key))


def _sort(values: Iterable[Any]) -> list[Any]:
    return sorted(values, key=lambda value: json.dumps(value, sort_keys=True))


def _first_difference(mine: Any, others: Any) -> str:
    match mine, others:
        case dict(), dict():
            key = min(key for key in mine.keys() | others.keys() if mine.get(key) != others.get(key))
            return f"{key}: {_first_difference(mine.get(key), others.get(key))}"
        case list(), list() if len(mine) == len(others):
            pair = next((left, right) for left, right in zip(mine, others, strict=True) if left != right)
            return _first_difference(*pair)
        case list(), list():
            return f"{len(mine)} instead of {len(others)}: {mine} / {others}"
        case _:
            return f"{mine!r} instead of {others!r}"
