"""The final, whose public scores say what counts and whose hidden ones rank; and late tries, which it never takes."""

import csv
import io
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

import pytest

from aggregate import dependencies, rescore
from aggregate.benchmarks.promoter import VersionPromoter, publish_phases
from aggregate.dependencies import make_publisher
from local.schedules import begin_finals
from notify.templates import MailTopic, write_plain_mail
from scoring_core.benchmarks.loading import Benchmark
from scoring_core.benchmarks.owner_changes import Extension
from scoring_core.errors import BenchmarkError
from scoring_core.outcome import Outcome
from storage.actors import Actor, Role
from storage.audit import Action
from storage.benchmarks.corrections import Correction, CorrectionStore
from storage.benchmarks.publications import PublicationReport, PublicationStatus
from storage.benchmarks.store import PublishConflict, PublishedBenchmark
from storage.gateway import clients
from storage.gateway.functions import LambdaFunction
from storage.gateway.schema import Schema
from storage.keys import utc_now
from storage.mail.models import DigestKind, pending_mail_from_item
from storage.players.tokens import Scope
from storage.settings import AggregateSettings
from tests.harness.clock import START, Clock
from tests.harness.factories import make_player
from tests.harness.stack import EVENTS, TRUTH, Api, InProcess, StackHarness, make_benchmark

HIDDEN: Final = TRUTH.replace("4945,5010,5001,5020", "4934,4934,5001,5001")
STEADY: Final = {"question": "1", "text": "TR-V017-4945,5001"}
"""79.0 by the public truth, 94.5 by the hidden one; boards show half."""
LUCKY: Final = {"question": "1", "text": "TR-V017-4934,5001"}
"""73.5, then 100.0."""
GOOD: Final = {"question": "1", "text": "TR-V017-4940,5001"}
"""76.5, then 97.0."""
PUBLIC_BOARD, FINAL_BOARD = [("Ada", 39.5), ("Bea", 38.25)], [("Bea", 48.5), ("Ada", 47.25)]
MOVES: Final = [("Bea", 2, 1, 38.25, 48.5), ("Ada", 1, 2, 39.5, 47.25)]
SCHEDULE: Final = InProcess(rescore.lambda_handler, "RescoreFunction")
PAST, FUTURE = "2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"
SOON: Final = (START + timedelta(minutes=5)).isoformat()
LATE: Final[dict[str, Any]] = {"submissions": {"late": "scored"}}
TINY: Final = "/api/benchmarks/tiny/submissions"


def make_contest(*, hidden: str = HIDDEN, final: dict[str, Any] | None = None, **changes: Any) -> Benchmark:
    """Make a benchmark with a final, which has closed."""
    spec = {"ground_truth": "hidden.csv", **(final or {})}
    return make_benchmark(files={"hidden.csv": hidden.encode()}, final=spec, **{"closes": PAST, **changes})


@dataclass(frozen=True)
class Contest:
    """A contest, as its owner sees it."""

    api: Api
    stack: StackHarness
    work: Callable[[], None]
    owner: dict[str, str]

    def publish(self, **changes: Any) -> PublishedBenchmark:
        """Publish it with changes."""
        return self.stack.publish(make_contest(**changes))

    def play(self, *tries: tuple[str, Any], **changes: Any) -> None:
        """Hand results in, as guests while it is open; they are not scored yet."""
        self.publish(closes=None, **changes)
        for player, result in tries:
            self.api.post(result, query={"player": player})
        self.publish(**changes)

    def reveal(self, **body: Any) -> Any:
        """Ask for the final."""
        return self.ask("reveal", body or None)

    def ask(self, path: str, body: Any) -> Any:
        """Ask the API."""
        return self.api.ask(f"/api/benchmarks/tiny/{path}", body, self.owner)

    @property
    def is_final(self) -> bool:
        """Whether the head says so."""
        final = self.stack.head("tiny").final
        return final is not None and final.is_shown

    @property
    def board(self) -> list[tuple[str, float | None]]:
        """Names and scores, in order of rank."""
        assert self.stack.check_boards("tiny") == []
        rows = self.stack.rows("tiny")
        return list(zip(rows.name, rows.scores["score"], strict=True))

    @property
    def corrections(self) -> Sequence[Correction]:
        """The list of corrections, the newest first."""
        stored = CorrectionStore(self.stack.aggregator.snapshots.bucket).find("tiny")
        return stored.corrections if stored else ()


def publish(contest: Contest, benchmark: Benchmark, **options: Any) -> PublicationReport:
    """Publish as an owner does."""
    cloud, settings = contest.stack.cloud, AggregateSettings.read(os.environ)
    publisher = make_publisher(settings, s3=cloud.objects, dynamodb=cloud.dynamodb, clock=utc_now)
    return publisher.publish(benchmark, actor=Actor(id="olga", role=Role.OWNER), **options)


@pytest.fixture
def empty(api: Api, stack: StackHarness, work: Callable[[], None], owner: dict[str, str]) -> Contest:
    """A contest without results."""
    return Contest(api, stack, work, owner)


@pytest.fixture
def contest(empty: Contest) -> Contest:
    """A contest that has closed: Ada leads Bea, whose one result is better in the end."""
    empty.play(("Ada", STEADY), ("Ada", LUCKY), ("Bea", GOOD))
    empty.work()
    return empty


def test_the_public_scores_choose_and_the_hidden_ones_rank(contest: Contest) -> None:
    """Nobody wins by luck: of Ada counts what led before, though another of her results is the best of the hidden."""
    before, rule = contest.board, contest.stack.head("tiny").ranking.rule

    final = contest.reveal().body["next"]
    SCHEDULE.invoke({"benchmark": "tiny"})
    contest.work()

    head, items = contest.stack.head("tiny"), contest.stack.items("SubmissionsTable")
    assert (before, contest.board) == (PUBLIC_BOARD, FINAL_BOARD)
    assert "only the owner and the administrator of the site can read" in rule
    kept = [json.loads(each["scores"]["S"]) for each in items if each["version"]["S"] == final]
    assert sorted(scores["#public/score"] for scores in kept) == [73.5, 76.5, 79.0]
    (listed,) = contest.corrections
    moves = [(row.name, row.rank_before, row.rank_after, row.value_before, row.value_after) for row in listed.listed]
    assert (listed.final, moves) == (True, MOVES)
    is_said = "the submission with the best public scores" in head.ranking.rule
    assert (contest.is_final, head.ranking.keep, head.version, is_said) == (True, "best_public", final, True)


@pytest.mark.parametrize(
    ("keep", "counts", "before"),
    [
        ("best", "best", [("Bea", 2, 38.25), ("Ada", 1, 39.5)]),
        ("latest", "best", [("Bea", 1, 38.25), ("Ada", 2, 36.75)]),
        ("latest", None, [("Ada", 2, 36.75), ("Bea", 1, 38.25)]),
        ("mean", None, [("Ada", 2, 38.125), ("Bea", 1, 38.25)]),
    ],
)
@pytest.mark.parametrize("review", [None, {"from": "2019-12-31T00:00:00Z", "until": "final"}])
def test_public_ranks_are_of_all_results(empty: Contest, keep: str, counts: str, before: Any, review: Any) -> None:
    """Each has the rank that the public board would have given it had it not been frozen, by that board's rule."""
    ranking, final = {**EVENTS["ranking"], "keep": keep}, {"counts": counts} if counts else {}
    empty.play(("Ada", STEADY), ("Ada", LUCKY), ("Bea", GOOD), ranking=ranking, final=final, review=review)
    empty.work()
    empty.reveal()
    empty.work()

    (listed,) = empty.corrections
    assert [(row.name, row.rank_before, row.value_before) for row in listed.listed] == before


def test_two_organisers_at_once(contest: Contest, invoked: list[Any]) -> None:
    """Both get the same answer, it begins once, and a third request says that it is done."""
    stack, answers = contest.stack, [contest.reveal() for _ in range(2)]
    contest.work()
    again = contest.reveal()
    contest.work()

    assert (len({answer.text for answer in answers}), invoked) == (1, [{"benchmark": "tiny"}])
    assert (again.status, again.body["next"], again.body["version"]) == (202, None, answers[0].body["next"])
    actions = [stack.read_json(key)["action"] for key in stack.keys(stack.results_bucket, "audit/")]
    assert (len(contest.corrections), actions.count(Action.REVEAL)) == (1, 1)


def test_schedule_and_person_at_once(contest: Contest) -> None:
    """The second one goes on with what the first began."""
    contest.publish(final={"at": PAST})
    store = rescore.promoter().aggregator.benchmarks
    seen = store.current("tiny", fresh=True)
    contest.reveal()

    begun = store.reveal(seen)
    with pytest.raises(PublishConflict):
        store.reveal(seen)
    contest.work()

    assert begun.next is not None
    assert contest.stack.head("tiny").version == begun.next.version


def test_a_final_stays_closed(contest: Contest) -> None:
    """Opened again, everybody could ask for hidden scores: the owner may not."""
    contest.reveal()
    contest.work()
    tries = (make_contest(closes=FUTURE), make_contest(title="Other"))

    statuses = [publish(contest, each).status for each in tries]

    assert statuses == [PublicationStatus.REFUSED, PublicationStatus.PUBLISHED]


@pytest.mark.parametrize("benchmark", [make_benchmark(closes=PAST), make_contest(closes=None)])
def test_too_early(contest: Contest, benchmark: Benchmark) -> None:
    """Without hidden rows, or while results come in, there is none."""
    contest.stack.publish(benchmark)

    assert contest.reveal().status == 409


def test_a_row_of_an_earlier_board_is_in_the_final_as_it_was(contest: Contest) -> None:
    """Its value counts before and after, as does that of every rescore; nobody scores it."""
    query = {"player": "Old", "taken_over": "2024-05-31"}
    assert contest.api.ask(TINY, {"scores": {"score": 39.0}}, contest.owner, query=query).status == 202
    contest.work()
    before = contest.board
    contest.reveal()
    contest.work()

    assert before == [PUBLIC_BOARD[0], ("Old", 39.0), PUBLIC_BOARD[1]]
    assert contest.board == [*FINAL_BOARD, ("Old", 39.0)]
    contest.publish(truth=HIDDEN, hidden=TRUTH)
    contest.work()
    assert ("Old", 39.0) in contest.board


def test_a_correction_before_and_after(contest: Contest) -> None:
    """A correction that nobody asked for is in the final; one after it is a rescore of it, and a text keeps it."""
    contest.publish(truth=HIDDEN, hidden=TRUTH)
    contest.reveal()
    contest.work()
    turned = contest.board
    contest.publish()
    between = contest.board
    contest.ask("rescore", None)
    contest.work()
    after = contest.publish(title="Another title")

    head = contest.stack.head("tiny")
    assert turned == between == [("Bea", 38.25), ("Ada", 36.75)]
    assert (contest.board, [each.final for each in contest.corrections]) == (FINAL_BOARD, [False, True])
    assert (after.version, after.next, head.title, contest.is_final) == (head.version, None, "Another title", True)


def test_an_erasure_after(empty: Contest) -> None:
    """An erased player leaves the final and its list."""
    empty.publish(closes=None)
    headers = empty.stack.issue_token(make_player("vera", "Vera"), Scope.SUBMIT, benchmarks=("tiny",))
    empty.api.post(STEADY, headers=headers)
    empty.play(("Bea", GOOD))
    empty.reveal()
    empty.work()

    empty.api.ask("/api/me/erasure", {"confirm": "vera"}, headers)
    empty.work()

    assert empty.board == [("Bea", 48.5)]
    assert [row.name for row in empty.corrections[0].listed] == ["Bea"]


def test_what_is_in_review_is_decided_first(empty: Contest) -> None:
    """Answer and mail name what waits, and it goes on once that is accepted; no hidden score makes anything wait."""
    empty.play(("Ada", STEADY), ("Bea", LUCKY), review="score > 78")
    empty.work()
    empty.reveal()
    empty.work()
    held, waits = empty.is_final, empty.reveal().body["waits"]
    (waiting,) = {item["submission"]["S"] for item in empty.stack.items("SubmissionsTable") if "in_review" in item}
    empty.ask(f"submissions/{waiting}/acceptance", {"reason": None})
    empty.work()

    assert (held, waiting in waits, "`laurel accept`" in waits) == (False, True, True)
    assert (empty.board, empty.reveal().body["waits"]) == ([("Bea", 50.0), ("Ada", 47.25)], None)
    items = [Schema.PENDING_MAIL.read(item) for item in empty.stack.items("MailTable") if "state" in item]
    mails = [mail for mail in map(pending_mail_from_item, items) if mail.digest.kind is DigestKind.FINALS]
    topic = MailTopic("tiny", "Tiny", "https://laurel.example")
    written = {mail.text: write_plain_mail(topic, DigestKind.FINALS, [mail]).summary for mail in mails}
    assert written == {waits: "the final waits for you", "": "Final"}


def test_a_failed_result_is_named_and_blocks(contest: Contest) -> None:
    """An internal error keeps the final back, unless the owner goes on without the result."""
    final, store = contest.reveal().body["next"], contest.stack.submissions
    version = contest.stack.head("tiny").version
    (failed,) = (each for each in store.all_records("tiny", version=version) if each.scores["score"] == 76.5)
    store.put_record(failed._replace(version=final, outcome=Outcome.INTERNAL_ERROR, scores={}, evaluations=()))
    contest.work()
    held, waits = contest.is_final, contest.reveal().body["waits"]
    contest.reveal(without_failed=True)
    contest.work()

    named = (failed.submission.id in waits, "`laurel reveal tiny --without-failed`" in waits)
    assert (held, named) == (False, (True, True))
    assert contest.board == [("Ada", 47.25)]


def test_the_final_waits_for_all_that_came_in_time(contest: Contest) -> None:
    """A result that is scored after the final began is on the first board of it."""
    contest.play(("Cem", GOOD))
    contest.reveal()

    begun = [SCHEDULE.invoke({"benchmark": "tiny"}) for _ in range(2)]
    held = contest.is_final
    contest.work()

    assert (begun, held) == ([[], []], False)
    assert contest.board == [("Bea", 48.5), ("Cem", 48.5), ("Ada", 47.25)]
    assert {row.name for row in contest.corrections[0].listed} == {"Ada", "Bea", "Cem"}


def test_the_schedule_waits_for_the_time(contest: Contest, clock: Clock) -> None:
    """A board freezes, thaws, closes and begins its final at its moment, though the schedule runs every ten minutes."""
    moments = [START + timedelta(minutes=minutes) for minutes in (3, 4, 5, 6)]
    starts, ends, at, _ = (moment.isoformat() for moment in moments)
    contest.publish(final={"at": at}, review={"from": starts, "until": ends}, closes=at)
    more = Extension(moments[-1], "was ill", START, changes=1)  # given before the final was moved
    contest.stack.aggregator.benchmarks.put_bans("tiny", {}, {"ada": more})

    def sleep(seconds: float) -> None:
        clock.advance(seconds=seconds)

    begun = [(due, clock()) for due in publish_phases(contest.stack.aggregator, ["tiny"], sleep=sleep)]

    assert begun == [(["tiny"], moment) for moment in moments]


def test_finals_at_once(contest: Contest, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each begins at its time, that of a correction too, before one of them is waited for; one that fails is alone.

    What was published last holds, also for a run that waits for the moment of before.
    """
    stack, store = contest.stack, contest.stack.aggregator.benchmarks
    for name in ("other", "broken", "moved"):
        stack.publish(make_contest(id=name, final={"at": SOON}))
    contest.publish(truth=HIDDEN, hidden=TRUTH, final={"at": SOON})
    begun, stepped = dict[str, datetime](), VersionPromoter.step

    def step(promoter: VersionPromoter, benchmark: str, *, patience_seconds: float) -> bool:
        if (is_due := clock() > START) and benchmark == "broken":
            raise RuntimeError("broken")
        promoted = stepped(promoter, benchmark, patience_seconds=0)
        if store.current(benchmark, fresh=True).active_versions[-1].is_final:
            begun.setdefault(benchmark, clock())
        clock.advance(seconds=patience_seconds * is_due)
        return promoted

    def sleep(seconds: float) -> None:
        clock.advance(seconds=seconds)
        stack.publish(make_contest(id="moved", final={"at": FUTURE}))

    monkeypatch.setattr(VersionPromoter, "step", step)
    monkeypatch.setattr(dependencies, "utc_now", clock)
    monkeypatch.setattr(rescore, "publish_phases", partial(publish_phases, sleep=sleep))
    monkeypatch.setattr(rescore, "PATIENCE_SECONDS", 60)
    dependencies.promoter.cache_clear()
    with pytest.raises(ExceptionGroup, match="not all rescores"):
        SCHEDULE.invoke({})

    assert begun == dict.fromkeys(("tiny", "other"), datetime.fromisoformat(SOON))


def test_one_machine_looks_itself(contest: Contest, clock: Clock, invoked: list[Any]) -> None:
    """It begins what is due, also if that was published after its time; moved, taken away or begun, it is not due."""
    store, function = contest.stack.aggregator.benchmarks, clients.gateway().functions
    rescoring, counts = LambdaFunction(function, contest.stack.template.resources["RescoreFunction"].name), []
    for at, later in ((SOON, 299), (FUTURE, 1), (None, 0), (SOON, 0), (PAST, 0)):
        contest.publish(final={"at": at})
        clock.advance(seconds=later)
        begin_finals(store, rescoring)
        counts.append(len(invoked))
    for event in invoked:
        SCHEDULE.invoke(event)
    begin_finals(store, rescoring)

    assert (counts, len(invoked), contest.is_final) == ([0, 0, 0, 1, 2], 2, False)
    assert store.current("tiny", fresh=True).active_versions[-1].is_final


@pytest.fixture
def closed(empty: Contest) -> Contest:
    """A contest that has closed, takes late tries, and has a row."""
    empty.play(("Ada", STEADY))
    empty.work()
    empty.publish(**LATE)
    return empty


def test_a_late_try_is_scored_and_on_no_board(closed: Contest) -> None:
    """Its answer, page, lists and CSV say so; boards, ranks and the row of its player stay."""
    api = closed.api
    late = [api.post(LUCKY, query={"player": player}).body for player in ("Ada", "Bea")]
    closed.work()

    page = api.get(f"{TINY}/{late[0]['submission']}").body
    own = api("GET", TINY, query={"player": page["player"]}).body["submissions"]
    listed = api.get(TINY, headers=closed.owner).body["submissions"]
    table = api.get(TINY, headers={**closed.owner, "Accept": "text/csv"}).body.removeprefix("\ufeff")

    assert (closed.board, closed.stack.rows("tiny").submissions) == ([("Ada", 39.5)], (1,))
    assert (page["late"], page["outcome"], page["scores"], page["rank"]) == (True, "scored", {"score": 73.5}, None)
    marked = {each["submission"] for each in late if each["late"]}
    assert {each["submission"] for each in listed if each.get("late")} == marked
    assert {row["submission"] for row in csv.DictReader(io.StringIO(table)) if row["late"].lower() == "true"} == marked
    assert [each.get("late", False) for each in own] == [True, False]


@pytest.mark.parametrize("shows", [None, "hidden"])
def test_late_tries_and_the_final(closed: Contest, shows: str | None) -> None:
    """The final takes none of them; their hidden scores are stored only where `shows: hidden` says so."""
    closed.publish(submissions={"late": {"shows": shows}})
    tries = [closed.api.post(LUCKY, query={"player": "Bea"}).body["submission"]]
    closed.reveal()
    closed.work()
    tries.append(closed.api.post(LUCKY, query={"player": "Bea"}).body["submission"])
    closed.work()

    scores = [closed.api.get(f"{TINY}/{each}").body["scores"] for each in tries]
    assert (closed.is_final, closed.board) == (True, [("Ada", 47.25)])
    assert scores == [{"score": 100.0, "#public/score": 73.5} if shows else {"score": 73.5}] * 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (LATE, "submissions.late: expected closes"),
        ({"closes": PAST, "submissions": {"late": {"until": PAST}}}, "and until after it"),
        ({"closes": PAST, "submissions": {"late": {"shows": "public"}}}, "submissions.late.shows"),
    ],
)
def test_mistakes(changes: dict[str, Any], message: str) -> None:
    """Each is one sentence when the folder is checked."""
    with pytest.raises(BenchmarkError) as caught:
        make_benchmark(**changes)

    assert message in caught.value.message
