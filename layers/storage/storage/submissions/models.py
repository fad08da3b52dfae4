"""Submissions and their records, as S3 metadata and the submissions table hold them."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote

from scoring_core.io.formats import FORMATS, JSON
from scoring_core.outcome import Outcome
from scoring_core.scorers.base import Evaluation, Json, Scores, TicketedRun, write_scores
from storage.gateway.schema import Plain, Schema
from storage.keys import large_folder, time_of

if TYPE_CHECKING:
    from scoring_core.output import Output

APOLOGY = "internal error; the result is kept, and is scored again once the cause is fixed"
"""The only explanation that a player gets of a result that failed by no fault of the player."""
NAMELESS = frozenset({"guest", "guest-model"})
"""The ids of guests without a name: everybody's, so they have no row on a board."""
NO_VERSION = "none"
"""The version of a record whose benchmark does not exist."""
MOVED = "moved"
"""The attribute of a record that another stack made: what follows from it once, such as mail, has been done there."""
_VERSION = re.compile(f"[0-9a-f]{{16}}|{NO_VERSION}")
_OWNED = re.compile(r"guest--([0-9a-f]{20})(?:-model)?")


class PlayerKind(StrEnum):
    """Kinds of players."""

    HUMAN = "human"
    MODEL = "model"


class Player(NamedTuple):
    """A player; verified if a token named the player. A guest's id is `guest` or starts with `guest-`.

    A guest who joins keeps the id (`api/players/invitations/routes.py`): what was submitted before stays not verified.

    Raw results and records have no name: it is in the item of the player (`players/`), and the id until it is read.
    """

    id: str
    name: str
    kind: PlayerKind
    verified: bool = False

    def to_attributes(self) -> dict[str, str | bool]:
        """Return the attributes of an item that names the player."""
        return {"player": self.id, "name": self.name, "kind": self.kind.value, "verified": self.verified}


def player_from_attributes(plain: Mapping[str, Plain]) -> Player:
    """Read the player of an item, which may have no name."""
    player = str(plain["player"])
    name = str(plain.get("name", _name_unread(player)))
    return Player(player, name, PlayerKind(str(plain["kind"])), verified=bool(plain["verified"]))


def _name_unread(player: str) -> str:
    """Return what stands for a name that is not read, or no longer kept."""
    return "guest" if player in NAMELESS else player


def find_owner(player: str) -> str | None:
    """Return the digits by which an owned guest's id differs from others of its name.

    None if the id is another player's: a guest whose name anybody may use, or a verified one who was no guest before.
    """
    match = _OWNED.fullmatch(player)
    return match and match[1]


class RunStart(NamedTuple):
    """What the run ticket of a submission says: when it was issued, in UTC, and its seed, if it has one."""

    issued_at: datetime
    seed: str | None = None


class Submission(NamedTuple):
    """An accepted result under a UUIDv7. All fields but id and benchmark are metadata of its S3 object.

    The receipt opens its messages. `origin` is a keyed hash of a guest's address. `batch` is None if it came over HTTP.
    `late`: it came after `closes`, and counts on no board while that and its player's time are as they were. That it is
    `extended`, and came within more time, is read from these, and not stored.
    `label` is a checked name, by which boards may tell a player's submissions apart. `run` is what its run ticket says,
    `large` the hash of a result in parts, whose raw result lists them; only the raw result has either. `file_format` is
    that of the result, a name of `io/formats.py`.
    """

    id: str
    benchmark: str
    player: Player
    part: str | None = None
    receipt_sha256: str | None = None
    origin: str | None = None
    batch: str | None = None
    label: str | None = None
    run: RunStart | None = None
    file_format: str = JSON
    late: bool = False
    extended: bool = False
    large: str | None = None

    @property
    def submitted_at(self) -> datetime:
        """When it was submitted, in UTC."""
        return time_of(self.id)

    @property
    def media_type(self) -> str:
        """The media type of the raw result."""
        return FORMATS[self.file_format if self.large is None else JSON].media_type

    @property
    def parts_folder(self) -> str | None:
        """Where the parts of a result are; None if it has none."""
        return self.large and large_folder(self.benchmark, player=self.player.id, sha256=self.large)

    @property
    def ticketed_run(self) -> TicketedRun | None:
        """What scoring may know of the play; None without a run ticket."""
        if self.run is None:
            return None
        return TicketedRun(max(0.0, (self.submitted_at - self.run.issued_at).total_seconds()), self.run.seed)

    def to_metadata(self) -> dict[str, str]:
        """Return the S3 user metadata (ASCII, under 2 KB)."""
        values = {
            "schema": str(Schema.RESULT.number),
            "player": self.player.id,
            "kind": self.player.kind.value,
            "verified": "yes" if self.player.verified else "no",
            **self.to_optional_attributes(),
            "label": None if self.label is None else quote(self.label, safe=""),  # HTTP trims and folds spaces
            "run": self.run and self.run.issued_at.isoformat(timespec="milliseconds"),
            "seed": self.run and self.run.seed,
            "large": self.large,
        }
        return {name: value for name, value in values.items() if value is not None}

    def to_optional_attributes(self) -> dict[str, str | None]:
        """Return the attributes that a submission may lack."""
        return {
            "part": self.part,
            "receipt": self.receipt_sha256,
            "origin": self.origin,
            "drop": self.batch,
            "label": self.label,
            "format": None if self.file_format == JSON else self.file_format,
            "late": "yes" if self.late else None,
        }


def submission_from_metadata(*, id: str, benchmark: str, metadata: Mapping[str, str]) -> Submission:  # noqa: A002  # the field's name
    """Read a submission from S3 metadata. Raises NewerSchema, KeyError, ValueError."""
    Schema.RESULT.check(int(metadata["schema"]))
    player = Player(
        id=metadata["player"],
        name=_name_unread(metadata["player"]),
        kind=PlayerKind(metadata["kind"]),
        verified=metadata["verified"] == "yes",
    )
    label, issued_at = metadata.get("label"), metadata.get("run")
    submission = _make_submission(id, benchmark, player, {**metadata, **({"label": unquote(label)} if label else {})})
    run = None if issued_at is None else RunStart(datetime.fromisoformat(issued_at), metadata.get("seed"))
    return submission._replace(large=metadata.get("large"), run=run)


def _make_submission(submission: str, benchmark: str, player: Player, optional: Mapping[str, str]) -> Submission:
    return Submission(
        id=submission,
        benchmark=benchmark,
        player=player,
        part=optional.get("part"),
        receipt_sha256=optional.get("receipt"),
        origin=optional.get("origin"),
        batch=optional.get("drop"),
        label=optional.get("label"),
        file_format=optional.get("format", JSON),
        late="late" in optional,
    )


class SubmissionRecord(NamedTuple):
    """The stored outcome of a submission under one benchmark version.

    Scores and evaluations are empty unless it scored. `message` and `pointer`, the place in an invalid result, explain
    why it did not; `output` is what the evaluation script then printed. `revision` rises when the record is changed
    later; what is derived from it follows the highest. `signature` is how the scores were made. `recorded_at` is ISO
    8601 in UTC. `rescored`: the version was not current yet, so nobody is mailed or charged for the record.
    `in_review`: it counts nowhere, and is shown to its player and owners only, unless it is accepted (`reviews.py`).
    `frozen`: it is so only because the board was frozen when it came; `blind`: its player sees no scores before.
    """

    submission: Submission
    version: str
    outcome: Outcome
    signature: str
    recorded_at: str
    scores: Scores
    evaluations: tuple[Evaluation, ...] = ()
    message: str = ""
    pointer: str = ""
    output: "Output | None" = None
    revision: int = 1
    rescored: bool = False
    in_review: bool = False
    frozen: bool = False
    blind: bool = False

    @property
    def part(self) -> str | None:
        """The one part that it is about; None if it has several, or none."""
        parts = [evaluation.part for evaluation in self.evaluations]
        return self.submission.part or (parts[0] if len(parts) == 1 else None)

    def to_item(self, *, long_output: str | None) -> dict[str, Plain | None]:
        """Return the item in plain form; `long_output` is None if that is in S3."""
        submission = self.submission
        on_board = self.outcome is Outcome.SCORED and not submission.late
        in_review = review_partition(submission.benchmark) if self.in_review else None
        return {
            "benchmark": submission.benchmark,
            "submission_version": sort_key(submission.id, self.version),
            "schema": Schema.RECORD.number,
            "submission": submission.id,
            "version": self.version,
            # What scored is in its player's history by the entry of its board, if a board takes it.
            "benchmark_player": None if on_board else f"{submission.benchmark}#{submission.player.id}",
            "player": submission.player.id,
            "kind": submission.player.kind.value,
            "verified": submission.player.verified,
            # Where the index has it of what an owner may have to look at.
            "failed_benchmark": in_review if self.outcome is Outcome.SCORED else submission.benchmark,
            **submission.to_optional_attributes(),
            "outcome": self.outcome.value,
            "revision": self.revision,
            "scores": json.dumps(self.scores),
            "evaluations": write_scores(self.evaluations),
            "message": self.message,
            "pointer": self.pointer,
            "signature": self.signature,
            "recorded_at": self.recorded_at,
            "rescored": self.rescored,
            "in_review": self.in_review or None,
            "frozen": self.frozen or None,
            "blind": self.blind or None,
            "long_output": long_output,
        }

    def long_output(self) -> str:
        """Return, as JSON, details of the scores and what a script printed; may be long."""
        output = self.output and asdict(self.output)
        details = [evaluation.detail for evaluation in self.evaluations]
        return json.dumps({"schema": Schema.LONG_OUTPUT.number, "details": details, "output": output})


def is_version(text: str) -> bool:
    """Return whether a text looks like a benchmark version, as no other sort key does.

    >>> is_version("4e0bac3ce9c0abfd"), is_version("none"), is_version("withdrawal")
    (True, True, False)
    """
    return _VERSION.fullmatch(text) is not None


def review_partition(benchmark: str) -> str:
    """Return where the index of failures has a benchmark's records in review."""
    return f"{benchmark}#in_review"


def sort_key(submission: str, version: str) -> str:
    """Return the sort key of the submissions table."""
    return f"{submission}#{version}"


def split_sort_key(item: Mapping[str, Mapping[str, Any]]) -> tuple[str, str]:
    """Return submission and version, or what stands for one; "" without a key."""
    submission, _, version = str(item.get("submission_version", {}).get("S", "")).partition("#")
    return submission, version


def name_item(change: Mapping[str, Any]) -> dict[str, str]:
    """Return a stream record's submission and benchmark, for the log; "" if unknown."""
    keys = {name: str(value.get("S", "")) for name, value in change.get("Keys", {}).items()}
    item = keys.get("submission_version", "")
    return {"submission": item.partition("#")[0], "benchmark": keys.get("benchmark", ""), "item": item}


def record_from_item(
    item: Mapping[str, Mapping[str, Any]], *, long_output: str | None = None, detailed: bool = True
) -> SubmissionRecord:
    """Read a record from its item.

    Without long output from S3, or not `detailed`, its details are empty. The item comes from the table or its stream.
    Raises NewerSchema; KeyError or ValueError if it is no record.
    """
    plain = Schema.RECORD.read(item)
    text = {name: value for name, value in plain.items() if isinstance(value, str)}
    extra: dict[str, Any] = json.loads((detailed and (long_output or text.get("long_output"))) or "{}")
    Schema.LONG_OUTPUT.check(extra.get("schema", 0))
    scored: list[tuple[str | None, Scores]] = json.loads(text["evaluations"])
    details: list[dict[str, Json]] = extra.get("details") or [{} for _ in scored]
    return SubmissionRecord(
        submission=_make_submission(text["submission"], text["benchmark"], player_from_attributes(plain), text),
        version=text["version"],
        outcome=Outcome(text["outcome"]),
        signature=text["signature"],
        recorded_at=text["recorded_at"],
        scores=json.loads(text["scores"]),
        evaluations=tuple(
            Evaluation(scores=scores, detail=detail, part=part)
            for (part, scores), detail in zip(scored, details, strict=True)
        ),
        message=text["message"],
        pointer=text["pointer"],
        output=_read_output(extra.get("output")),
        revision=int(plain["revision"]),
        rescored=bool(plain.get("rescored", False)),
        in_review=bool(plain.get("in_review", False)),
        frozen=bool(plain.get("frozen", False)),
        blind=bool(plain.get("blind", False)),
    )


def _read_output(printed: Mapping[str, str] | None) -> "Output | None":
    from scoring_core.output import Output  # noqa: PLC0415  # a POST waits for no data class that it has no use for

    return Output(**printed) if printed else None
