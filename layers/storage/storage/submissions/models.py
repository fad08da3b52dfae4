"""What a submission is and what is recorded of it, with the forms that S3 metadata and the submissions table keep."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from urllib.parse import quote, unquote

from scoring_core.errors import Output
from scoring_core.outcome import Outcome
from scoring_core.scorers.base import Evaluation, Json, Scores, write_scores
from storage.aws.attributes import Plain
from storage.aws.schema import Schema
from storage.ids import time_of

APOLOGY = "internal error, try again later"
"""The only explanation that a player gets of a result that failed by no fault of the player."""
NO_VERSION = "none"
"""Under this a result is recorded whose benchmark is not there."""
_VERSION = re.compile(f"[0-9a-f]{{16}}|{NO_VERSION}")


class PlayerKind(StrEnum):
    """Who plays."""

    HUMAN = "human"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Player:
    """Who made a result.

    Args:
        id: `[a-z0-9][a-z0-9-]{0,63}`; a guest's is `guest` or starts with `guest-`.
        name: As shown: NFKC, 1-64 code points.
        kind: `human` or `model`.
        verified: Whether a token named the player.
    """

    id: str
    name: str
    kind: PlayerKind
    verified: bool = False


@dataclass(frozen=True, slots=True)
class Submission:
    """A result handed in; all of it but the id and the benchmark travels as metadata of the S3 object.

    Args:
        id: UUIDv7.
        benchmark: The benchmark's id.
        player: Who made the result.
        part: The part that the submission named.
        receipt_sha256: Hash of the receipt that opens its messages.
        origin: Tells the address that a guest's came from apart from others: a keyed hash; None of a verified player's.
        drop: Id of the drop that it came in; None: it came over HTTP.
    """

    id: str
    benchmark: str
    player: Player
    part: str | None = None
    receipt_sha256: str | None = None
    origin: str | None = None
    drop: str | None = None

    @property
    def submitted_at(self) -> datetime:
        """When it came, in UTC."""
        return time_of(self.id)

    def to_metadata(self) -> dict[str, str]:
        """Give the S3 user metadata (ASCII, under 2 KB)."""
        values = {
            "schema": str(Schema.RESULT.number),
            "player": self.player.id,
            "name": quote(self.player.name, safe=""),  # HTTP trims and folds spaces
            "kind": self.player.kind.value,
            "verified": "yes" if self.player.verified else "no",
            "part": self.part,
            "receipt": self.receipt_sha256,
            "origin": self.origin,
            "drop": self.drop,
        }
        return {name: value for name, value in values.items() if value is not None}


def submission_from_metadata(*, id: str, benchmark: str, metadata: Mapping[str, str]) -> Submission:  # noqa: A002  # the field's name
    """Read a submission back from its S3 object's metadata. Raises Newer; KeyError or ValueError on a foreign one."""
    Schema.RESULT.check(int(metadata["schema"]))
    player = Player(
        id=metadata["player"],
        name=unquote(metadata["name"]),
        kind=PlayerKind(metadata["kind"]),
        verified=metadata["verified"] == "yes",
    )
    return Submission(
        id=id,
        benchmark=benchmark,
        player=player,
        part=metadata.get("part"),
        receipt_sha256=metadata.get("receipt"),
        origin=metadata.get("origin"),
        drop=metadata.get("drop"),
    )


@dataclass(frozen=True, slots=True)
class SubmissionRecord:
    """What became of one submission under one benchmark version: the terminal item.

    Args:
        submission: What was handed in.
        version: The benchmark version that it was scored under.
        outcome: How it ended.
        scores: The columns of the submission; empty unless scored.
        evaluations: Part by part; empty unless scored. Their details are long output.
        message: For whoever must act; "" where scored.
        pointer: Where in an invalid result.
        output: What the evaluation script printed, where it did not score.
        revision: Rises when the record is changed after the fact; what follows from it follows from the highest.
        signature: How the scores were made.
        recorded_at: When, in UTC, ISO 8601.
        rescored: Whether it was made under a version that was not current yet: nobody is mailed or charged for it.
    """

    submission: Submission
    version: str
    outcome: Outcome
    signature: str
    recorded_at: str
    scores: Scores = field(default_factory=dict)
    evaluations: tuple[Evaluation, ...] = ()
    message: str = ""
    pointer: str = ""
    output: Output | None = None
    revision: int = 1
    rescored: bool = False

    def to_item(self, *, long_output: str | None) -> dict[str, Plain | None]:
        """Give the item of the submissions table, in plain form.

        Args:
            long_output: What `long_output()` gave where it is short enough to stay in the item; None where it
                lies in S3.
        """
        player = self.submission.player
        return {
            "benchmark": self.submission.benchmark,
            "submission_version": sort_key(self.submission.id, self.version),
            "schema": Schema.RECORD.number,
            "submission": self.submission.id,
            "version": self.version,
            "benchmark_player": f"{self.submission.benchmark}#{player.id}",
            "player": player.id,
            "name": player.name,
            "kind": player.kind.value,
            "verified": player.verified,
            "failed_benchmark": None if self.outcome is Outcome.SCORED else self.submission.benchmark,
            "part": self.submission.part,
            "receipt": self.submission.receipt_sha256,
            "origin": self.submission.origin,
            "drop": self.submission.drop,
            "outcome": self.outcome.value,
            "revision": self.revision,
            "scores": json.dumps(self.scores),
            "evaluations": write_scores(self.evaluations),
            "message": self.message,
            "pointer": self.pointer,
            "signature": self.signature,
            "recorded_at": self.recorded_at,
            "rescored": self.rescored,
            "long_output": long_output,
        }

    def long_output(self) -> str:
        """Give, as JSON, what explains the outcome and may be long: details and what a script printed."""
        output = self.output and {
            "stdout": self.output.stdout,
            "stderr": self.output.stderr,
            "ended": self.output.ended,
        }
        return json.dumps(
            {"schema": Schema.LONG_OUTPUT.number, "details": [one.detail for one in self.evaluations], "output": output}
        )


def is_version(text: str) -> bool:
    """Tell whether a text has the form of a benchmark version, as records name theirs.

    What else lies under such a sort key is no record.

    >>> is_version("4e0bac3ce9c0abfd"), is_version("none"), is_version("withdrawal")
    (True, True, False)
    """
    return _VERSION.fullmatch(text) is not None


def sort_key(submission: str, version: str) -> str:
    """Give the sort key of the submissions table."""
    return f"{submission}#{version}"


def name_item(change: Mapping[str, Any]) -> dict[str, str]:
    """Give, for the log, which submission of which benchmark a stream record is about; "" where it does not tell.

    Args:
        change: `dynamodb` of a record of the submissions table's stream.
    """
    keys = {name: str(value.get("S", "")) for name, value in change.get("Keys", {}).items()}
    item = keys.get("submission_version", "")
    return {"submission": item.partition("#")[0], "benchmark": keys.get("benchmark", ""), "item": item}


def record_from_item(item: Mapping[str, Mapping[str, Any]], *, long_output: str | None = None) -> SubmissionRecord:
    """Read a record back from its item.

    Args:
        item: In DynamoDB's form, from the table or from its stream.
        long_output: The long output, where it lies in S3 and has been read; without it details are empty.

    Raises:
        Newer: Newer code has written it.
        KeyError, ValueError: The item is not one of ours.
    """
    plain = Schema.RECORD.read(item)
    text = {name: value for name, value in plain.items() if isinstance(value, str)}
    player = Player(
        id=text["player"], name=text["name"], kind=PlayerKind(text["kind"]), verified=bool(plain["verified"])
    )
    submission = Submission(
        id=text["submission"],
        benchmark=text["benchmark"],
        player=player,
        part=text.get("part"),
        receipt_sha256=text.get("receipt"),
        origin=text.get("origin"),
        drop=text.get("drop"),
    )
    extra: dict[str, Any] = json.loads(long_output or text.get("long_output") or "{}")
    Schema.LONG_OUTPUT.check(extra.get("schema", 0))
    scored: list[tuple[str | None, Scores]] = json.loads(text["evaluations"])
    details: list[dict[str, Json]] = extra.get("details") or [{} for _ in scored]
    return SubmissionRecord(
        submission=submission,
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
        output=Output(**extra["output"]) if extra.get("output") else None,
        revision=int(plain["revision"]),
        rescored=bool(plain.get("rescored", False)),
    )
