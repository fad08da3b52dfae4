"""Answers about benchmarks."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from handlers.http.bodies import Body
from handlers.http.submission_views import MoreTime
from handlers.http.views import View
from scoring_core.benchmarks.definition import Ranking, SubmissionRules
from scoring_core.benchmarks.owner_changes import ArchiveMark
from scoring_core.metrics.score_type import MetricType
from scoring_core.urls import benchmark_url
from storage.audit import AuditEntry
from storage.benchmarks.publications import PublicationOutcome
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.models import State
from storage.players.bans import Ban
from storage.players.players import is_player_id


class Health(View):
    """The service is up."""

    status: Literal["ok"] = "ok"
    version: str


class BenchmarkCard(View):
    """A benchmark in the list."""

    id: str
    title: str
    summary: str
    tags: tuple[str, ...]
    state: State
    opens: datetime | None
    closes: datetime | None
    archived: ArchiveMark | None = Field(
        description="Since when it is hidden and read-only, and why; null if it is not."
    )
    url: str


class BenchmarkList(View):
    """The published benchmarks, ordered by id."""

    benchmarks: list[BenchmarkCard]


class SharedLimits(View):
    """What all guests at a network address may submit on a day, together."""

    per_day: int
    invalid_per_day: int


class RunsView(View):
    """What the benchmark demands of run tickets."""

    ticket: Literal["required"] = "required"
    seed: Literal["daily", "random"] | None
    max_age_seconds: int = Field(description="How long a ticket is valid.")
    at_least_seconds: int = Field(description="How long after its ticket a result is accepted at the earliest.")
    time_zone: str = Field(description="Whose day a daily seed is of, as IANA names it: that of the daily boards.")


class BenchmarkView(BenchmarkCard):
    """All that a player needs to know about a benchmark, and nothing that helps to guess its ground truth."""

    description: str = Field(description="HTML: no tag has an attribute, but `href` of http and https.")
    scorer: str
    version: str
    headers: tuple[MetricType, ...]
    parts: tuple[str, ...]
    ranking: Ranking
    takes_labels: bool = Field(description="Whether a submission may have a label, because a board shows labels.")
    submissions: SubmissionRules
    runs: RunsView | None = Field(description="Null if results need no run ticket.")
    guest_limits: SharedLimits
    quota_left: int | None = Field(
        description="How many more results the player of the token, the player key or the name may submit now, of the "
        "day and in all; null if the request names nobody who may submit."
    )
    left_in_all: int | None = Field(
        description="How many of them in all; null as above, or if `submissions` has no `in_all`."
    )
    resets_at: datetime | None = Field(description="When the quota of the day is whole again; null as above.")
    extension: MoreTime | None = None
    board_url: str
    sample: str | None = Field(description="An example of a result, of the first format in `takes`, if that is text.")


class RescoreView(View):
    """A requested rescore; the board switches to the next version once every result has an outcome under it."""

    benchmark: str
    version: str = Field(description="The version that the board shows now.")
    next: str = Field(description="The version that it will show.")


class FinalView(View):
    """A final that was requested; the board switches to it once every result that came in time is scored."""

    benchmark: str
    version: str = Field(description="The version that the board shows now.")
    next: str | None = Field(description="That of the final; null: the board shows it.")
    waits: str | None = Field(description="What it waits for that its owners must decide; null if for nothing.")


class ArchiveView(View):
    """Whether a benchmark is archived; lists, pages and results follow within seconds."""

    benchmark: str
    archived: ArchiveMark | None = Field(description="Since when, and the public reason; null if it is not archived.")


class DeletionRequest(Body):
    """The benchmark that is deleted, named again."""

    confirm: Annotated[str, Field(max_length=64, description="The benchmark's id.")]


class DeletionView(View):
    """A benchmark that is being deleted."""

    benchmark: str


def view_card(published: PublishedBenchmark, now: datetime) -> BenchmarkCard:
    """Return the view of a benchmark in the list."""
    definition = published.definition
    return BenchmarkCard(
        id=published.id,
        title=definition.title,
        summary=definition.summary,
        tags=definition.tags,
        state=definition.phase_at(now),
        opens=definition.opens,
        closes=definition.closes,
        archived=published.archived,
        url=benchmark_url(published.id),
    )


class FolderView(View):
    """The files of a benchmark's folder, its salt among them, and what was guessed of the table."""

    files: dict[str, str] = Field(description="Path in the folder → text.")
    notes: tuple[str, ...]


class PublicationTicket(View):
    """Where to send a benchmark's files: one form with these fields first, then the ZIP as `file`."""

    publication: str
    url: str = Field(description="Takes the form; relative to the site if it begins with a slash.")
    fields: dict[str, str] = Field(description="Fields of the form; send them unchanged.")
    expires_at: datetime = Field(description="The upload must begin before this time.")
    replaces: int = Field(description="What is published now, as a number; 0: nothing. Send it to `start_url`.")
    start_url: str = Field(description="Takes a POST once the file is uploaded.")
    status_url: str


class PublicationView(PublicationOutcome, View):
    """How publishing goes, or ended; the report is kept for 30 days."""

    benchmark: str
    publication: str
    status: Literal["waiting", "checking", "checked", "published", "refused", "conflict", "failed"] = Field(
        description="waiting: nothing is uploaded; checking; checked: it passed, and nothing was published, the fields "
        "below say what publishing it would do; published; refused: see `faults` and `examples`; "
        "conflict: somebody else has published; failed: the platform could not check it, publish again."
    )


class BanView(View):
    """A banned player or name, and the public reason."""

    player: str | None = Field(description="The player's id; null if a name is banned.")
    name: str | None = Field(description="The banned name, and all that look like it; null if a player is banned.")
    player_name: str | None = Field(description="How the banned player is named now; null if a name is banned.")
    reason: str
    at: datetime
    lifted_at: datetime | None = Field(default=None, description="When the ban was lifted, in the answer to that.")


class BanList(View):
    """The bans of a benchmark, the oldest first."""

    bans: list[BanView]


def view_ban(ban: Ban, player_name: str) -> BanView:
    """Return the view of a ban; the name of a player is what it is called now."""
    player, name, shown = (ban.subject, None, player_name) if is_player_id(ban.subject) else (None, ban.name, None)
    return BanView(player=player, name=name, player_name=shown, reason=ban.reason, at=ban.at, lifted_at=ban.lifted_at)


class AuditList(View):
    """Entries of the audit trail, the oldest first: who did what, in which role."""

    entries: list[AuditEntry]
    next: str | None = Field(description="The `cursor` of the page that follows; null at the end.")
