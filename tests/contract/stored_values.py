"""One value of everything that is stored or sent, each with all that it can have."""

from datetime import UTC, datetime
from pathlib import Path

from scoring_core.outcome import Outcome
from scoring_core.output import Output
from scoring_core.ranking.standings import ABSENT, Place
from scoring_core.scorers.base import Evaluation
from storage.actors import Actor, Role
from storage.audit import AuditEntry
from storage.batches.reports import BatchReport
from storage.benchmarks.operations import Operation
from storage.benchmarks.publications import PublicationReport
from storage.benchmarks.store import PublishedBenchmark
from storage.boards import pages
from storage.boards.models import Head, Index
from storage.boards.standings import BoardKey, WithdrawalNotice
from storage.gateway.models import StoredModel
from storage.mail.models import DigestKey, DigestKind, PendingMail
from storage.submissions.decisions import Withdrawal
from storage.submissions.idempotency import IdempotencyRecord
from storage.submissions.work import RunnerOutcome
from tests.harness.factories import make_player, make_record, make_submission

SAMPLES = Path(__file__).parent / "samples"
ID = "019b7ea9-9800-7123-8456-789abcdef012"
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
BOARD = BoardKey("coin-run", "0123456789abcdef")
ANNA = make_player("anna", "Anna Ångström")


def read_sample[Model: StoredModel](model: type[Model]) -> Model:
    """Return the sample of the number that is written today, as its model reads it."""
    return model.model_validate_json((SAMPLES / f"{model.kind.name.lower()}-{model.kind.number}.json").read_bytes())


SUBMISSION = make_submission(
    id=ID,
    benchmark="coin-run",
    player=ANNA,
    part="level-1",
    receipt_sha256="ab" * 32,
    origin="cd" * 32,
    label="Schritt 1200 ✓",
)
SCORED = make_record(
    submission=SUBMISSION,
    version=BOARD.version,
    outcome=Outcome.SCORED,
    signature="benchmark:coin-run|version:0123456789abcdef|scorer:script",
    recorded_at="2026-01-02T12:00:01.500000+00:00",
    scores={"Coins": 50, "Time": 0.1},
    evaluations=(Evaluation({"Coins": 50, "Time": 0.1}, {"hits": [1, None, "x"]}, "level-1"),),
)
FAILED = make_record(
    submission=SUBMISSION,
    version=BOARD.version,
    outcome=Outcome.EVALUATOR_ERROR,
    signature="benchmark:coin-run|version:0123456789abcdef|scorer:script",
    recorded_at="2026-01-02T12:00:01.500000+00:00",
    message="the evaluation script exited with code 1",
    pointer="",
    output=Output(stdout="out", stderr="Traceback …", ended="exited with code 1"),
    revision=2,
)
ROW = pages.Row("anna", "Anna Ångström", "human", True, "step 1/2", {"Coins": 50}, 3, ID)  # noqa: FBT003  # verified
PLACES = {ROW.id: [ID, 3, 50]}
PLACE = Place((-50, ABSENT), ID, ROW.id)
CHANGES = {ROW.id: pages.Change(ROW, PLACE), "ben/": pages.Change(None, PLACE)}
DIRECTORY = pages.Directory(
    (pages.PageLine("page.7-0123456789ab.json", 1, PLACE, PLACE, 1, 1),), ("places.7-0123456789ab.json",), ("Coins",)
)
IMPROVEMENTS = ((1_767_355_200_000, 50, "anna", ID),)
PUBLISHED = read_sample(PublishedBenchmark)
HEAD = read_sample(Head)
INDEX = Index.model_validate_json((SAMPLES / "index-1.json").read_bytes())
OPERATION = read_sample(Operation)
REPORT = read_sample(BatchReport)
PUBLICATION_REPORT = read_sample(PublicationReport)
AUDIT_LINE = read_sample(AuditEntry)
REPORTED = read_sample(RunnerOutcome)
WITHDRAWAL = Withdrawal("coin-run", ID, "played twice", NOON, Actor(id="anna", role=Role.PLAYER))
REMOVAL = WithdrawalNotice(NOON, ID, "played twice")
CLAIM = IdempotencyRecord(submission=ID, request_sha256="ab" * 32, nonce="01" * 16)
INTENT = PendingMail(
    DigestKey(DigestKind.RESULTS, "coin-run", Outcome.INVALID, "anna"), ID, BOARD.version, added_at=1_767_355_200
)
