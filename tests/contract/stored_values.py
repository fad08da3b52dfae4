"""One value of everything that is stored or sent, each with all that it can have."""

from datetime import UTC, datetime, timedelta

from scoring_core.benchmarks.definition import Definition, Keep, RowKind
from scoring_core.benchmarks.terms import ArchiveMark
from scoring_core.errors import Output
from scoring_core.metrics.score_type import Direction
from scoring_core.outcome import Outcome
from scoring_core.ranking.standings import ABSENT, Place
from scoring_core.scorers.base import Evaluation
from storage.actors import Actor, Role
from storage.audit import Action, AuditEntry
from storage.benchmarks.corrections import ChangedRow
from storage.benchmarks.operations import Operation, OperationRequest, OperationResult
from storage.benchmarks.store import NextVersion, PublishedBenchmark
from storage.boards import pages
from storage.boards.models import (
    Counts,
    Head,
    HeadImprovements,
    HeadLink,
    HeadPages,
    HeadParts,
    HeadRanking,
    Index,
    IndexEntry,
    IndexRow,
    Metric,
    Rows,
    WithdrawalNotices,
)
from storage.boards.standings import BoardKey, WithdrawalNotice
from storage.mail.models import DigestKey, DigestKind, PendingMail
from storage.submissions.decisions import Withdrawal
from storage.submissions.idempotency import IdempotencyRecord
from storage.submissions.models import PlayerKind
from tests.harness.factories import make_player, make_record, make_submission

ID = "019b7ea9-9800-7123-8456-789abcdef012"
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
BOARD = BoardKey("coin-run", "0123456789abcdef")
ANNA = make_player("anna", "Anna Ångström")
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
PUBLISHED = PublishedBenchmark(
    publish_number=3,
    version=BOARD.version,
    bundle_sha256="a" * 64,
    published_at=NOON,
    definition=Definition.model_validate(
        {
            "id": "coin-run",
            "title": "Coin Run",
            "summary": "Collect coins.",
            "tags": ["game"],
            "scorer": "script",
            "parameters": {"timeout_seconds": 10},
            "ground_truth": "truth.json",
            "score_type": {
                "headers": [
                    {"name": "Coins", "type": "int", "min": 0, "max": 100, "label": "Coins", "help": "What you carry."},
                    {"name": "Time", "type": "float", "min": 0.5, "direction": "lower", "unit": "s", "decimals": 2},
                    {"name": "Pace", "type": "float", "expression": "Coins / Time"},
                ]
            },
            "parts": ["level-1", "level-2"],
            "ranking": {"keep": "best", "combine": "mean", "by": ["Coins", "Time"], "unfinished": "below"},
            "submissions": {"anonymous": False, "max_bytes": 1000},
            "opens": "2026-01-01T00:00:00Z",
            "closes": "2026-12-31T23:59:59+02:00",
            "contacts": {"owner": "owner@example.com"},
            "boards": [
                {"id": "level-1", "title": "Level 1", "parts": ["level-1"], "metrics": ["Coins", "Time"]},
                {
                    "id": "models",
                    "title": "Models",
                    "when": {"kind": "model"},
                    "ranking": {"by": ["Time"], "rows": "label"},
                },
            ],
        }
    ),
    board_since={"level-1": 3, "models": 2},
    board_publish_numbers={"main": 1, "models": 2},
    archived=ArchiveMark(NOON, "season over"),
    bans={"guest-7d03f1b86c5e294a90d2": "cheats"},
    parts=("level-1", "level-2"),
    description="<h3>Coin Run</h3>",
    sample='{"coins": 1}',
)
PUBLISHED = PUBLISHED.model_copy(
    update={
        "next": NextVersion(
            version="fedcba9876543210",
            bundle_sha256="b" * 64,
            published_at=NOON + timedelta(days=1),
            definition=PUBLISHED.definition,
            parts=PUBLISHED.parts,
            description=PUBLISHED.description,
            sample=PUBLISHED.sample,
        )
    }
)
COINS = Metric(
    id="Coins",
    label="Coins",
    unit=None,
    direction=Direction.HIGHER,
    decimals=None,
    help="What you carry.",
    primary=True,
)
ROWS = Rows(
    player=("anna", "guest-b2f9c1046ad73e85d01c"),
    name=("Anna Ångström", "Ben"),
    kind=(PlayerKind.HUMAN, PlayerKind.MODEL),
    verified=(True, False),
    rank=(1, 2),
    tied=(False, False),
    scores={
        "Coins": (50, 7),
        "Time": (0.1, None),
        "#done": (2, None),
        "#level-1/Coins": (20, None),
        "#level-2/Coins": (30, None),
    },
    submissions=(3, 1),
    at=(1_767_355_200_000, 1_767_355_200_001),
    submission=(ID, ID),
    label=("step 1/2", ""),
)
ROW = pages.Row("anna", "Anna Ångström", "human", True, "step 1/2", {"Coins": 50}, 3, ID)  # noqa: FBT003  # verified
PLACED = pages.PlacedRow(ID, 3, {"Coins": 50})
PLACE = Place((-50, ABSENT), ID, ROW.id)
CHANGES = {ROW.id: pages.Change(ROW, PLACE), "ben/": pages.Change(None, PLACE)}
DIRECTORY = pages.Directory(
    (pages.PageLine("page.7-0123456789ab.json", 1, PLACE, PLACE, 1, 1),), ("places.7-0123456789ab.json",), ("Coins",)
)
PAGE = pages.PageRows.of([ROW], ("Coins",), has_labels=True)
IMPROVEMENTS = ((1_767_355_200_000, 50, "anna", ID),)
HEAD = Head(
    id="coin-run",
    board="steps",
    board_title="Steps",
    title="Coin Run",
    summary="Collect coins.",
    tags=("game",),
    links=(HeadLink(label="Play", url="https://example.com/play"),),
    description="<h3>Coin Run</h3>",
    version=BOARD.version,
    since=3,
    publish_number=3,
    sequence=7,
    generated_at=NOON,
    opens=NOON,
    closes=None,
    total=2,
    counts=Counts(players=2, submissions=4, unranked=5),
    metrics=(COINS,),
    ranking=HeadRanking(
        rule="Of each player the best submission counts.",
        keep=Keep.BEST,
        order=(("#done", Direction.HIGHER), ("Coins", Direction.HIGHER), ("Time", Direction.LOWER)),
        rows=RowKind.LABEL,
    ),
    rows=ROWS,
    parts=HeadParts(total=2, noun="levels", names=("level-1", "level-2"), metrics=("Coins",)),
    pages=HeadPages(
        directory="directory.7-0123456789ab.json",
        recent="recent.7-0123456789ab.json",
        improvements="improvements.7-0123456789ab.json",
        buffer={row_id: change.to_json() for row_id, change in CHANGES.items()},
        next=PLACE.to_json(),
        end=7,
    ),
    improvements=HeadImprovements(steps=IMPROVEMENTS, total=1),
    is_incomplete=True,
    notices=(WithdrawalNotices(player="carl", at=NOON, reason="asked for"),),
)
INDEX = Index(
    benchmarks=(
        IndexEntry(
            id="coin-run",
            title="Coin Run",
            summary="Collect coins.",
            tags=("game",),
            state="open",
            opens=NOON,
            closes=None,
            players=2,
            submissions=4,
            primary=COINS,
            top=(
                IndexRow(player="anna", name="Anna Ångström", kind=PlayerKind.HUMAN, verified=True, rank=1, value=50),
            ),
            taken_at=NOON,
            updated_at=NOON,
            sequence=7,
        ),
    )
)
OPERATION = Operation(
    id=ID,
    request=OperationRequest(operation="rebuild", benchmark="coin-run"),
    status="done",
    result=OperationResult(
        version="0123456789abcdef",
        rows=1,
        column="Coins",
        changed=1,
        changes=(
            ChangedRow(player="anna", name="Anna", rank_before=None, rank_after=1, value_before=None, value_after=5.5),
        ),
    ),
)
AUDIT_LINE = AuditEntry(
    at=NOON,
    actor=Actor(id="anna", role=Role.OWNER),
    action=Action.WITHDRAW,
    benchmark="coin-run",
    subject=ID,
    detail={"reason": "played twice"},
)
WITHDRAWAL = Withdrawal("coin-run", ID, "played twice", NOON, Actor(id="anna", role=Role.PLAYER))
REMOVAL = WithdrawalNotice(NOON, ID, "played twice")
CLAIM = IdempotencyRecord(submission=ID, request_sha256="ab" * 32, nonce="01" * 16)
INTENT = PendingMail(
    DigestKey(DigestKind.RESULTS, "coin-run", Outcome.INVALID, "anna"), ID, BOARD.version, added_at=1_767_355_200
)
