"""The content of `benchmark.yaml` as frozen models."""

from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from operator import not_
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from scoring_core.benchmarks.salts import NO_SALT, SALT_FILE
from scoring_core.benchmarks.terms import (
    BENCHMARK_ID,
    MAX_IN_ALL,
    MAX_PER_DAY,
    RECURRING,
    Phase,
    RunTerms,
    SeedKind,
    find_phase,
    read_seconds,
)
from scoring_core.benchmarks.validation import show_value
from scoring_core.benchmarks.zones import find_zone
from scoring_core.io.limits import MAX_LARGE_BYTES, MAX_RESULT_BYTES
from scoring_core.io.strict_models import StrictModel
from scoring_core.io.text import suggest_nearest
from scoring_core.metrics.expressions import MAX_LENGTH, Expression, ExpressionError, parse_condition
from scoring_core.metrics.score_type import ScoreType
from scoring_core.runtimes import DEFAULT_RUNTIME
from scoring_core.scorers import NEED_PART, SCORERS, SCRIPT_SCORER, find_scorer
from scoring_core.scorers.base import ScorerSpec, Scores

DEFINITION_FILE = "benchmark.yaml"
DESCRIPTION_FILE = "description.md"
SCRIPT_FILE = "evaluate.py"
EXPECTED_FILE = "examples/expected.yaml"
RUNTIME_FILE = "runtime.txt"
"""Of a published bundle alone: the hash of the lock of its runtime."""
WITHHELD_FILE = "withheld.json"
"""Of a published bundle alone: the hashes of truth and program, which only the owner's runner has."""
MAX_DESCRIPTION_BYTES = 64_000
MAX_SAMPLE_BYTES = 16_000
MAX_PARTS = 1000
MAX_RULES_LENGTH = 1000
MAX_TICKET_SECONDS = 7 * 86_400
MAX_WINDOWS = 50
FINAL: Final = "final"
"""Raw results that are public at once: rows times parts."""
KINDS = ("human", "model")
"""The kinds of players."""

type PartName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
type BaselineId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}(/[^\x00-\x1f\x7f]{1,64})?$")]
MAIL_ADDRESS: Final = r"^[^@\s<>,;\"]+@[^@\s<>,;\"]+$"
type MailAddress = Annotated[str, Field(pattern=MAIL_ADDRESS, max_length=254)]


def _reject_number(value: object) -> object:
    # pydantic would read a number, as text too, as seconds since 1970.
    if isinstance(value, int | float) or (isinstance(value, str) and value.strip("+-.0123456789") == ""):
        raise PydanticCustomError("timezone_aware", "a number is no time")
    return value


def _check_duration(value: object) -> object:
    if not isinstance(value, str) or read_seconds(value) is None:
        raise ValueError(f"expected a duration such as 90s, 5m, 2h or 1d, found {show_value(value)}")
    return value


def _check_no_salt(value: object) -> object:
    # Without the value: people write their salt here.
    if value != NO_SALT:
        raise ValueError(f"expected {NO_SALT}, or no such key: a salt is in {SALT_FILE}")
    return value


def _check_zone(value: str) -> str:
    find_zone(value)
    return value


def _check_end(value: object) -> object:
    # A union of both would report two faults, at places that no file has.
    moment: object = value
    if isinstance(value, str) and value != FINAL:
        with suppress(ValueError):
            moment = datetime.fromisoformat(value)
    if moment in {None, FINAL} or (isinstance(moment, datetime) and moment.tzinfo):
        return moment
    raise ValueError(
        f"expected final, or a time with its zone, such as 2026-01-01T00:00:00Z, found {show_value(value)}"
    )


type ResultFormatName = Literal["json", "csv", "tsv", "jsonl", "txt", "npy", "zip"]
type FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
type Duration = Annotated[str, Field(max_length=7), BeforeValidator(_check_duration)]
type Moment = Annotated[AwareDatetime, BeforeValidator(_reject_number)]
_ONCE: Final = AfterValidator(lambda values: tuple(dict.fromkeys(values)))
"""What is repeated changes nothing."""


class Keep(StrEnum):
    """Which of a player's scored submissions count for each part.

    `best_public`, which only a final has: the submission with the best public scores, and its hidden ones.
    """

    BEST = "best"
    BEST_PUBLIC = "best_public"
    LATEST = "latest"
    MEAN = "mean"
    SUM = "sum"


class Combine(StrEnum):
    """How the declared parts become one value."""

    SUM = "sum"
    MEAN = "mean"


class Unfinished(StrEnum):
    """Where a row stands that has not done all parts: below those that have done more, or where its scores put it."""

    BELOW = "below"
    AS_SCORED = "as_scored"


class RowKind(StrEnum):
    """What a row of a board is: a player, or what a player submitted under one label."""

    PLAYER = "player"
    LABEL = "label"


class Ranking(StrictModel):
    """The order of rows: `keep` for each part, `combine` over the parts, then the metrics `by`, the first one first.

    With `unfinished: below`, rows with more parts done come first.
    """

    keep: Keep = Keep.BEST
    combine: Combine = Combine.SUM
    by: Annotated[tuple[str, ...], _ONCE] = Field(min_length=1)
    rows: RowKind = Field(default=RowKind.PLAYER, exclude_if=lambda rows: rows is RowKind.PLAYER)
    unfinished: Unfinished = Unfinished.AS_SCORED


class BoardCondition(StrictModel):
    """Which submissions a board takes, by what is fixed when they are received."""

    kind: Literal["human", "model"] | None = None


class WindowSpec(StrictModel):
    """A window: boards of a day, a week or a month, each with an id of its own, or the one of a season."""

    model_config = ConfigDict(serialize_by_alias=True)

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,31}$")
    title: str | None = Field(default=None, min_length=1, max_length=60)
    starts: Moment | None = Field(default=None, alias="from")
    ends: Moment | None = Field(default=None, alias="to")

    @model_validator(mode="before")
    @classmethod
    def _read_short(cls, value: object) -> object:
        return {"id": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.id in RECURRING:
            if self.starts or self.ends:
                raise ValueError(f"{self.id} comes again: expected neither from nor to")
            return self
        if self.starts is None or self.ends is None or self.title is None:
            expected = f"one of {', '.join(RECURRING)}, or a season with title, from and to"
            raise ValueError(f"expected {expected}; found {show_value(self.id)}")
        if self.starts >= self.ends:
            raise ValueError(f"from: expected a time before to ({self.ends}), found {self.starts}")
        return self


class BoardSpec(StrictModel):
    """A board beside the main one; what it leaves out is as on the main one. `ranking` is replaced as a whole."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,31}$")
    title: str = Field(min_length=1, max_length=100)
    parts: tuple[PartName, ...] = Field(default=(), max_length=MAX_PARTS)
    when: BoardCondition = BoardCondition()
    ranking: Ranking | None = None
    metrics: tuple[str, ...] = Field(default=(), max_length=40)
    windows: tuple[WindowSpec, ...] = Field(default=(), max_length=MAX_WINDOWS, exclude_if=not_)


class LateRules(StrictModel):
    """How results are taken after `closes`: they are scored, and count on no board.

    Args:
        until: From when on they are rejected; None: never.
        shows: Whether their scores are those of the hidden rows, too, once the final is shown.
    """

    until: Moment | None = None
    shows: Literal["hidden"] | None = None

    @model_validator(mode="before")
    @classmethod
    def _read_short(cls, value: object) -> object:
        return {} if value == "scored" else value


class SubmissionRules(StrictModel):
    """What may be submitted. Daily limits are for each player, and a day is a day in UTC.

    The guests at a network address also share the limits of `GUESTS_PER_ADDRESS` players. `in_all` is how many results
    of a player may be scored, ever; a guest could take another name, so it needs players with tokens. A file of a
    format in `takes` is one result, whatever way it comes.
    """

    anonymous: bool = True
    takes: Annotated[tuple[ResultFormatName, ...], _ONCE] = Field(default=("json",), min_length=1, max_length=7)
    max_bytes: int = Field(default=1_048_576, ge=1, le=MAX_LARGE_BYTES)
    per_day: int = Field(default=100, ge=1, le=MAX_PER_DAY)
    invalid_per_day: int = Field(default=50, ge=1, le=MAX_PER_DAY)
    drop_per_day: int = Field(default=10_000, ge=1, le=MAX_PER_DAY)
    in_all: int | None = Field(default=None, ge=1, le=MAX_IN_ALL)
    late: LateRules | None = Field(default=None, exclude_if=not_)

    @model_validator(mode="after")
    def _counts_players(self) -> Self:
        if self.in_all is not None and self.anonymous:
            raise ValueError("in_all: expected anonymous: false beside it, because a guest can take another name")
        return self


class RunRules(StrictModel):
    """What a benchmark demands of run tickets.

    Args:
        ticket: Every result needs one.
        seed: Which seed a ticket has: that of the day, the same for all players, or one of its own; None without.
        max_age: How long a ticket is valid.
        at_least: How long after its ticket a result is accepted at the earliest.
    """

    ticket: Literal["required"]
    seed: SeedKind | None = None
    max_age: Duration = "2h"
    at_least: Duration = "0s"

    @property
    def terms(self) -> RunTerms:
        """The same in seconds."""
        return RunTerms(self.seed, read_seconds(self.max_age) or 0, read_seconds(self.at_least) or 0)

    @model_validator(mode="after")
    def _leaves_time(self) -> Self:
        terms = self.terms
        if not 1 <= terms.max_age_seconds <= MAX_TICKET_SECONDS:
            raise ValueError(f"max_age: expected 1s to 7d, found {self.max_age}")
        if terms.at_least_seconds >= terms.max_age_seconds:
            raise ValueError(f"at_least: expected less than max_age ({self.max_age}), found {self.at_least}")
        return self


def is_web_address(text: str) -> bool:
    """Return whether a text is an address of the web.

    That is one of HTTP with a host, in ASCII, without blanks and without a user.

    >>> [is_web_address(text) for text in ("https://example.com/play?level=1", "javascript:alert(1)", "https://")]
    [True, False, False]
    """
    if not text.isascii() or not text.isprintable() or " " in text:
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        return False


def _check_address(value: str) -> str:
    if not is_web_address(value):
        raise ValueError(f"expected an address such as https://example.com/play, found {show_value(value)}")
    return value


class BoardLink(StrictModel):
    """Where a visitor may go from a board: to the game, a paper, code or data."""

    label: str = Field(min_length=1, max_length=32)
    url: Annotated[str, Field(max_length=500), AfterValidator(_check_address)]


class FinalRules(StrictModel):
    """When the hidden truth is scored, and which submissions count then.

    Args:
        at: The time; None: when the owner says so.
        counts: What `keep` of every ranking is at the final; None: as it was. It compares scores by the public truth.
        ground_truth: The file with the hidden truth, for scorers whose one truth has no rows to hide.
    """

    at: Moment | None = None
    counts: Literal["best", "latest"] | None = None
    ground_truth: FileName | None = None


class ReviewRules(StrictModel):
    """What is scored and waits: what meets `when`, and all that comes while the board is frozen.

    Args:
        when: A condition over the metrics. What meets it waits for the owner, whenever it comes.
        starts: `from` in the file: what is received from then on waits, because the board is frozen.
        until: When that ends: at a time, or with the final; None: the owner accepts it.
        shows: The one who sees the scores of what waits, beside the owner.
    """

    model_config = ConfigDict(serialize_by_alias=True)

    when: str | None = Field(default=None, max_length=MAX_LENGTH)
    starts: Moment | None = Field(default=None, alias="from")
    until: Annotated[AwareDatetime | Literal["final"] | None, BeforeValidator(_check_end)] = None
    shows: Literal["owner", "player"] = "player"

    @model_validator(mode="before")
    @classmethod
    def _read_short(cls, value: object) -> object:
        return {"when": value} if isinstance(value, str) else value

    @property
    def ends(self) -> datetime | None:
        """The time at which the board thaws, if there is one."""
        return self.until if isinstance(self.until, datetime) else None


class Contacts(StrictModel):
    """The address for mail if the benchmark is at fault."""

    owner: MailAddress


class Definition(StrictModel):
    """The content of `benchmark.yaml`."""

    id: str = Field(pattern=f"^{BENCHMARK_ID}$")
    title: str = Field(min_length=1, max_length=100)
    summary: str = Field(min_length=1, max_length=300)
    tags: tuple[Annotated[str, Field(min_length=1, max_length=32)], ...] = Field(default=(), max_length=10)
    links: tuple[BoardLink, ...] = Field(default=(), max_length=5, exclude_if=not_)
    baselines: tuple[BaselineId, ...] = Field(default=(), max_length=8, exclude_if=not_)
    listed: bool = Field(default=True, strict=True, exclude_if=lambda listed: listed)
    rules: str | None = Field(default=None, min_length=1, max_length=MAX_RULES_LENGTH, exclude_if=not_)
    scorer: str
    runs_on: Literal["platform", "own"] = Field(default="platform", exclude_if=lambda place: place == "platform")
    runtime: str = Field(
        default=DEFAULT_RUNTIME, pattern=r"^[a-z][a-z0-9]{0,31}$", exclude_if=lambda name: name == DEFAULT_RUNTIME
    )
    parameters: dict[str, Any] = Field(default_factory=dict)
    ground_truth: FileName | None = None
    salt: Annotated[Literal["none"] | None, BeforeValidator(_check_no_salt)] = Field(default=None, exclude_if=not_)
    score_type: ScoreType
    parts: tuple[PartName, ...] = Field(default=(), max_length=MAX_PARTS)
    ranking: Ranking
    boards: tuple[BoardSpec, ...] = Field(default=(), exclude_if=not_)
    windows: tuple[WindowSpec, ...] = Field(default=(), max_length=MAX_WINDOWS, exclude_if=not_)
    time_zone: Annotated[str, AfterValidator(_check_zone)] = Field(default="UTC", exclude_if=lambda name: name == "UTC")
    review: ReviewRules | None = Field(default=None, exclude_if=not_)
    results: Literal["private", "public"] = Field(default="private", exclude_if=lambda results: results == "private")
    keep_results: Duration | None = Field(default=None, exclude_if=not_)
    submissions: SubmissionRules = SubmissionRules()
    runs: RunRules | None = Field(default=None, exclude_if=not_)
    opens: Moment | None = None
    closes: Moment | None = None
    final: FinalRules | None = Field(default=None, exclude_if=not_)
    contacts: Contacts
    _review: Expression | None = PrivateAttr(default=None)

    @field_validator("scorer")
    @classmethod
    def _scorer_known(cls, value: str) -> str:
        if value not in SCORERS:
            raise ValueError(f"expected one of {', '.join(SCORERS)}, found {show_value(value)}")
        return value

    @field_validator("ground_truth")
    @classmethod
    def _ground_truth_apart(cls, value: str | None) -> str | None:
        if value in {DEFINITION_FILE, DESCRIPTION_FILE, SCRIPT_FILE, SALT_FILE, RUNTIME_FILE, WITHHELD_FILE}:
            raise ValueError(f"expected a file of its own, found {value!r}")
        return value

    @field_validator("parts")
    @classmethod
    def _parts_unique(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        repeated = next((part for index, part in enumerate(value) if part in value[:index]), None)
        if repeated is not None:
            raise ValueError(f"the part {repeated!r} is there twice")
        return value

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        for name in self.ranking.by:
            if name not in self.score_type.names:
                hint = suggest_nearest(name, self.score_type.names)
                raise ValueError(f"ranking.by: {show_value(name)} is no metric of score_type; {hint}")
        if self.runs and not self.needs_part:
            raise ValueError(f"runs: expected the scorer {' or '.join(sorted(NEED_PART))}, found {self.scorer}")
        if self.runtime != DEFAULT_RUNTIME and not self.runs_script:
            raise ValueError(f"runtime: expected scorer {SCRIPT_SCORER}, which runs one; found {self.scorer}")
        if self.runtime != DEFAULT_RUNTIME and self.runs_own:
            raise ValueError(
                f"runtime: expected none with runs_on: own, whose machine has the packages; found {self.runtime}"
            )
        unread = next((name for name in self.submissions.takes if name not in self.spec.reads), None)
        if unread is not None:
            raise ValueError(
                f"submissions.takes: scorer {self.scorer} reads {' and '.join(self.spec.reads)}, found {unread}"
            )
        late = self.submissions.late
        if late is not None and (self.closes is None or (late.until is not None and late.until <= self.closes)):
            raise ValueError(f"submissions.late: expected closes, and until after it; found {self.closes}")
        if self.opens and self.closes and self.opens >= self.closes:
            raise ValueError(f"opens: expected a time before closes ({self.closes}), found {self.opens}")
        return self

    @model_validator(mode="before")
    @classmethod
    def _add_final(cls, value: Any) -> Any:
        """Add a final by hand where only the parameters hide rows."""
        match value:
            case {"scorer": "table", "parameters": {"rows": {"final": _}}} if value.get("final") is None:
                return {**value, "final": {}}
        return value

    @model_validator(mode="after")
    def _final_agrees(self) -> Self:
        if self.final is None:
            return self
        name, rows = self.final.ground_truth, self.parameters.get("rows")
        if self.spec.hides_rows and (name is not None or not isinstance(rows, dict) or rows.get("final") is None):
            raise ValueError(f"final: expected rows.final in parameters, which rows scorer {self.scorer} hides")
        if not self.spec.hides_rows and (name is None or self.ground_truth is None):
            raise ValueError("final: expected ground_truth, the file that is hidden, beside one that is not")
        if name is not None:
            self._ground_truth_apart(name)
            if name == self.ground_truth:
                raise ValueError(f"final.ground_truth: expected another file than ground_truth, found {name!r}")
        kept = next((each.keep for each in self.rankings if each.keep in {Keep.MEAN, Keep.SUM}), None)
        if self.final.counts is not None and kept is not None:
            raise ValueError(f"final.counts: with keep: {kept} every submission counts; leave it out")
        if self.final.at is not None and (self.closes is None or self.final.at < self.closes):
            raise ValueError(f"final.at: expected a time from closes on, {self.closes}; found {self.final.at}")
        return self

    @model_validator(mode="after")
    def _parse_review(self) -> Self:
        review = self.review
        if review is None:
            return self
        if review.when is not None:
            try:
                self._review = parse_condition(review.when)
            except ExpressionError as error:
                raise ValueError(f"review: {error}") from error
            for name in sorted(self._review.names - {*self.score_type.names}):
                hint = suggest_nearest(name, self.score_type.names)
                raise ValueError(f"review: {name!r} is no metric of score_type; {hint}")
        if review.starts is None and (review.when is None or review.until is not None):
            raise ValueError("review: expected when, or from, which until needs, or both")
        for name, moment in (("closes", self.closes), ("until", review.ends)):
            if moment is not None and review.starts is not None and review.starts >= moment:
                raise ValueError(f"review.from: expected a time before {name} ({moment}), found {review.starts}")
        if review.until == FINAL and self.final is None:
            raise ValueError("review.until: expected a time, or a final in this file; found final")
        if review.starts is not None and self.has_windows:
            raise ValueError("review.from: expected no windows: they would show what comes while the board is frozen")
        return self

    def needs_review(self, scores: Scores) -> bool:
        """Return whether scores, of one part if there are parts, wait for the owner.

        They do, too, if the condition has no value, as at a division by 0: what cannot be judged is looked at.
        """
        try:
            return self._review is not None and self._review.compute(scores) != 0.0
        except ValueError:
            return True

    def frozen_since(self, now: datetime) -> datetime | None:
        """Return since when the board is frozen; None: it is not."""
        review = self.review
        if review is None or review.starts is None or now < review.starts:
            return None
        return review.starts if review.ends is None or now < review.ends else None

    def rank_finally(self, ranking: Ranking) -> Ranking:
        """Return a ranking as it is in the final, of a benchmark that has one.

        The best submission is the best by its public scores.
        """
        keep = Keep(self.final.counts) if self.final and self.final.counts else ranking.keep
        return ranking.model_copy(update={"keep": Keep.BEST_PUBLIC if keep is Keep.BEST else keep})

    def reveal(self) -> Self:
        """Return the definition of its final: its rankings, and nothing is frozen."""
        review = self.review.model_copy(update={"starts": None, "until": None}) if self.review else None
        boards = (
            board.model_copy(update={"ranking": board.ranking and self.rank_finally(board.ranking)})
            for board in self.boards
        )
        review = review if review and review.when is not None else None
        ranking = self.rank_finally(self.ranking)
        return self.model_copy(update={"ranking": ranking, "boards": tuple(boards), "review": review})

    @property
    def sample_file(self) -> str:
        """The example that players see: of the first format that is taken."""
        return f"examples/sample.{self.submissions.takes[0]}"

    @model_validator(mode="after")
    def _platform_takes_no_parts(self) -> Self:
        if not self.runs_own and (max_bytes := self.submissions.max_bytes) > MAX_RESULT_BYTES:
            raise ValueError(
                f"submissions.max_bytes: expected at most {MAX_RESULT_BYTES} without runs_on: own, found {max_bytes}"
            )
        if not self.runs_own and self.keep_results:
            raise ValueError("keep_results: expected runs_on: own beside it, where results may come in parts")
        return self

    @property
    def spec(self) -> ScorerSpec:
        """The specification of the scorer."""
        return find_scorer(self.scorer)

    @property
    def runs_script(self) -> bool:
        """True if the owner's script scores: slowly, in a sandbox."""
        return self.scorer == SCRIPT_SCORER

    @property
    def runs_own(self) -> bool:
        """True if the owner's own runner scores: the platform has no truth."""
        return self.runs_on == "own"

    @property
    def needs_part(self) -> bool:
        """True if a submission must name its part, because one is scored at a time."""
        return self.scorer in NEED_PART

    @property
    def takes_labels(self) -> bool:
        """True if a board has a row for each label, so that submissions may have one."""
        return any(ranking.rows is RowKind.LABEL for ranking in self.rankings)

    @property
    def rankings(self) -> tuple[Ranking, ...]:
        """The rankings of all boards, that of the main one first."""
        return (self.ranking, *(board.ranking for board in self.boards if board.ranking))

    @property
    def has_windows(self) -> bool:
        """True if a board has windows."""
        return bool(self.windows) or any(board.windows for board in self.boards)

    def phase_at(self, moment: datetime) -> Phase:
        """Return the phase at this moment."""
        return find_phase(moment, opens=self.opens, closes=self.closes)
