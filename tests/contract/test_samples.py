"""A sample of every stored shape is kept here for ever: what was written once must stay readable.

Keys may be added, and readers must do without them in what is older. Whoever takes a key away or gives it another
meaning raises the schema number and adds a sample; the old sample stays, and so does what reads it.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from scoring_core.benchmarks.definition import Definition, Unfinished
from scoring_core.benchmarks.terms import ArchiveMark
from scoring_core.errors import Output
from scoring_core.metrics.score_type import Direction
from scoring_core.outcome import Outcome
from scoring_core.ranking.order import ABSENT, Place
from scoring_core.ranking.standings import Contribution, Standing
from scoring_core.scorers.base import Evaluation
from storage.access.idempotency import IdempotencyRecord, IdempotencyStore
from storage.actors import Actor, Role
from storage.audit import Action, AuditEntry
from storage.aws.attributes import marshal
from storage.aws.s3_events import read_notices
from storage.benchmarks.store import BenchmarkStore, NextVersion, PublishedBenchmark
from storage.boards.models import (
    Baseline,
    Counts,
    Head,
    HeadPages,
    HeadParts,
    Histogram,
    Index,
    IndexEntry,
    Metric,
    PreviousHead,
    Rows,
    WithdrawalNotices,
)
from storage.boards.pages import (
    Change,
    Directory,
    PageLine,
    PageRows,
    PlacedRow,
    Row,
    decode_changes,
    decode_directory,
    decode_improvements,
    decode_page,
    encode_changes,
    encode_directory,
    encode_improvements,
    encode_page,
    read_changes,
    store_changes,
)
from storage.boards.places import decode_places, encode_places
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import BoardKey, BoardState, PlayerStanding, StandingStore
from storage.boards.withdrawal_notices import PlayerWithdrawalNotice, WithdrawalNotice
from storage.keys import ResultKey
from storage.mail.models import DigestKey, Lease, MailState, PendingMail, Recipient
from storage.mail.outbox import MailOutbox, SuppressionStore
from storage.sandbox.client import SandboxGenerations
from storage.submissions.models import PlayerKind
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import Withdrawal, WithdrawalStore
from tests.harness.factories import make_player, make_record, make_submission

SAMPLES = Path(__file__).parent / "samples"
ID = "019b7ea9-9800-7123-8456-789abcdef012"
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
BOARD = BoardKey("coin-run", "0123456789abcdef")
ANNA = make_player("anna", "Anna Ångström")
SUBMISSION = make_submission(
    id=ID, benchmark="coin-run", player=ANNA, part="level-1", receipt_sha256="ab" * 32, origin="cd" * 32
)
LABELLED = replace(SUBMISSION, label="Schritt 1200 ✓")
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
    revision=3,
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
            "ranking": {"keep": "best", "combine": "mean", "by": ["Coins", "Time"]},
            "submissions": {"anonymous": False, "max_bytes": 1000},
            "opens": "2026-01-01T00:00:00Z",
            "closes": "2026-12-31T23:59:59+02:00",
            "contacts": {"owner": "owner@example.com"},
        }
    ),
    parts=("level-1", "level-2"),
    description="# Coin Run",
    sample='{"coins": 1}',
)
PUBLISHED_ARCHIVED = PUBLISHED.model_copy(update={"archived": ArchiveMark(NOON, "season over")})
PUBLISHED_WITH_BOARDS = PUBLISHED.model_copy(
    update={
        "definition": PUBLISHED.definition.model_validate(
            PUBLISHED.definition.model_dump()
            | {
                "boards": [
                    {"id": "level-1", "title": "Level 1", "parts": ["level-1"], "metrics": ["Coins", "Time"]},
                    {
                        "id": "models",
                        "title": "Models",
                        "when": {"kind": "model"},
                        "ranking": {"by": ["Time"], "rows": "label"},
                    },
                ]
            }
        ),
        "board_since": {"level-1": 3, "models": 2},
        "board_revisions": {"main": 1, "models": 2},
    }
)
PUBLISHED_WITH_BELOW = PUBLISHED.model_copy(
    update={
        "definition": PUBLISHED.definition.model_copy(
            update={"ranking": PUBLISHED.definition.ranking.model_copy(update={"unfinished": Unfinished.BELOW})}
        )
    }
)
PUBLISHED_WITH_NEXT = PUBLISHED.model_copy(
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
    player=("anna", "guest-ben-0a1b2c3d"),
    name=("Anna Ångström", "Ben"),
    kind=(PlayerKind.HUMAN, PlayerKind.MODEL),
    verified=(True, False),
    rank=(1, 2),
    tied=(False, False),
    scores={"Coins": (50, 7), "Time": (0.1, None)},
    submissions=(3, 1),
    at=(1_767_355_200_000, 1_767_355_200_001),
    submission=(ID, ID),
)
HEAD = Head(
    id="coin-run",
    title="Coin Run",
    summary="Collect coins.",
    tags=("game",),
    description="# Coin Run",
    version=BOARD.version,
    revision=3,
    sequence=7,
    generated_at=NOON,
    opens=NOON,
    closes=None,
    total=2,
    counts=Counts(players=2, submissions=4),
    metrics=(COINS,),
    rank_rule="Of each player the best submission counts.",
    rows=ROWS,
    histogram={"Coins": Histogram(min=7, max=50, counts=(1, 1))},
    removed=(WithdrawalNotices(player="carl", at=NOON, reason="asked for"),),
)
OLD_HEAD = {"schema_number": 1}
ROWS_WITH_DELTA = ROWS.model_copy(update={"delta": (1, None)})
HEAD_WITH_RECORDS = HEAD.model_copy(
    update={
        "rows": ROWS_WITH_DELTA,
        "best_over_time": ((1_767_355_200_000, 50, "anna", ID),),
        "records": 1,
        "baseline": Baseline(date=date(2026, 1, 1)),
    }
)
ROW = Row("anna", "Anna Ångström", "human", True, "step 1/2", {"Coins": 50}, 3, ID)  # noqa: FBT003  # verified
PLACED = PlacedRow(ID, 3, {"Coins": 50})
PLACE = Place((-50, ABSENT), ID, ROW.id)
CHANGES = {ROW.id: Change(ROW, PLACE), "ben/": Change(None, PLACE)}
DIRECTORY = Directory(
    (PageLine("page.7-0123456789ab.json", 1, PLACE, PLACE, 1, 1),), ("places.7-0123456789ab.json",), ("Coins",)
)
HEAD_WITH_PARTS = HEAD.model_copy(
    update={
        "order": (("#done", Direction.HIGHER), ("Coins", Direction.HIGHER)),
        "rows": ROWS.model_copy(
            update={
                "scores": {
                    **ROWS.scores,
                    "#done": (2, None),
                    "#level-1/Coins": (20, None),
                    "#level-2/Coins": (30, None),
                }
            }
        ),
        "parts": HeadParts(total=2, noun="levels", names=("level-1", "level-2"), metrics=("Coins",)),
    }
)
HEAD_WITH_PAGES = HEAD_WITH_RECORDS.model_copy(
    update={
        "board": "steps",
        "board_title": "Steps",
        "since": 3,
        "counts": Counts(players=2, submissions=4, unranked=5),
        "order": (("Coins", Direction.HIGHER), ("Time", Direction.LOWER)),
        "row_kind": "label",
        "rows": ROWS_WITH_DELTA.model_copy(update={"label": ("step 1/2", "")}),
        "is_incomplete": True,
        "baseline": Baseline(
            date=date(2026, 1, 1),
            ranks={ROW.id: 2},
            directory="directory.6-0123456789ab.json",
            recent="recent.6-0123456789ab.json",
            total=101,
        ),
        "pages": HeadPages(
            directory="directory.7-0123456789ab.json",
            recent="recent.7-0123456789ab.json",
            improvements="improvements.7-0123456789ab.json",
            buffer=store_changes(CHANGES),
            next=PLACE.to_json(),
        ),
        "previous": PreviousHead(version="fedcba9876543210", head="/data/b/coin-run/boards/steps/head.old.json"),
    }
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
            best=50,
            leader=("Anna Ångström",),
            updated_at=NOON,
            sequence=7,
        ),
    )
)
INDEX_WITH_VERIFIED = Index(benchmarks=(INDEX.benchmarks[0].model_copy(update={"leader_verified": (True,)}),))
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
    DigestKey(Recipient.UPLOADER, "coin-run", Outcome.INVALID, "anna"), ID, BOARD.version, added_at=1_767_355_200
)
LEASE = Lease(
    state=MailState.REFUSED,
    lock_version=4,
    counted=(INTENT.key,),
    until=1_767_355_380,
    sent_at=1_767_351_600,
    crashes=1,
    reason="unverified",
)
UNCERTAIN_LEASE = replace(LEASE, state=MailState.PENDING, reason="", uncertain=True)


def sample(name: str) -> Any:
    """Read a sample."""
    return json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))


def read_bytes(name: str) -> bytes:
    """Read a sample, byte for byte, without its last line break."""
    return (SAMPLES / f"{name}.json").read_bytes().removesuffix(b"\n")


def put_item(store: Any, name: str) -> None:
    """Put a sample into a store's table, as it is."""
    store.table.client.put_item(TableName=store.table.name, Item=sample(name))


def put_object(store: Any, key: str, name: str, **headers: Any) -> None:
    """Put a sample into a store's bucket, as it is."""
    store.bucket.client.put_object(
        Bucket=store.bucket.name, Key=key, Body=(SAMPLES / f"{name}.json").read_bytes(), **headers
    )


def test_result_metadata_sample_is_read(submissions: SubmissionStore) -> None:
    """The metadata of a raw result."""
    key = ResultKey("coin-run", ID)
    put_object(submissions, str(key), "result-metadata-1", Metadata=sample("result-metadata-1"))

    assert submissions.find_submission(key) == SUBMISSION


def test_result_metadata_with_label(submissions: SubmissionStore) -> None:
    """The metadata of a raw result with a label, which is percent-encoded."""
    key = ResultKey("coin-run", ID)
    put_object(submissions, str(key), "result-metadata-1", Metadata=sample("result-metadata-with-label-1"))

    assert submissions.find_submission(key) == LABELLED


@pytest.mark.parametrize("name", ["record-with-label-1", "record-with-label-unlisted-1"])
def test_record_with_label(submissions: SubmissionStore, name: str) -> None:
    """The item of a scored submission with a label."""
    put_item(submissions, name)

    found = submissions.find_record("coin-run", submission=ID, version=BOARD.version, detailed=True)

    assert repr(found) == repr(replace(SCORED, submission=LABELLED))


@pytest.mark.parametrize("name", ["record-1", "record-unlisted-1"])
def test_record_sample_is_read(submissions: SubmissionStore, name: str) -> None:
    """The item of a scored submission, with its long output inside, in the index of players or not."""
    put_item(submissions, name)

    found = submissions.find_record("coin-run", submission=ID, version=BOARD.version, detailed=True)

    assert repr(found) == repr(SCORED)


def test_record_with_long_output(submissions: SubmissionStore) -> None:
    """The item of a failed submission, and its long output in S3."""
    put_item(submissions, "record-with-long-output-1")
    put_object(submissions, f"records/coin-run/{ID}/{BOARD.version}.json", "long-output-1")

    found = submissions.find_record("coin-run", submission=ID, version=BOARD.version, detailed=True)

    assert found == FAILED


def test_contribution_and_standing(standings: StandingStore) -> None:
    """The items of a contribution, of a withdrawn one, and of the standing that was folded from them."""
    for name in ("contribution-1", "contribution-withdrawn-1", "standing-1"):
        put_item(standings, name)
    assert standings.read_board(BOARD, ["anna"]).standings == {
        "anna": PlayerStanding(ANNA, Standing({"Coins": 50, "Time": 0.1}, ID, 1))
    }
    read = {contributed.withdrawn: contributed for contributed in standings.all_contributions(BOARD)}
    assert read[False].contribution == Contribution(ID, "level-1", {"Coins": 50, "Time": 0.1})
    assert {contributed.player.id for contributed in read.values()} == {"anna"}


@pytest.mark.parametrize("schema", [1, 2])
def test_pointer_sample_is_read(benchmarks: BenchmarkStore, schema: int) -> None:
    """The pointer to a published benchmark."""
    put_object(benchmarks, "benchmarks/coin-run/current.json", f"current-{schema}")

    assert benchmarks.current("coin-run") == PUBLISHED.model_copy(update={"schema_number": schema})


@pytest.mark.parametrize("schema", [1, 2])
def test_pointer_with_next(benchmarks: BenchmarkStore, schema: int) -> None:
    """The pointer while another version is next."""
    put_object(benchmarks, "benchmarks/coin-run/current.json", f"current-with-next-{schema}")

    assert benchmarks.current("coin-run") == PUBLISHED_WITH_NEXT.model_copy(update={"schema_number": schema})


def test_archived_pointer(benchmarks: BenchmarkStore) -> None:
    """The pointer of an archived benchmark."""
    put_object(benchmarks, "benchmarks/coin-run/current.json", "current-archived-2")

    assert benchmarks.current("coin-run") == PUBLISHED_ARCHIVED


def test_pointer_with_boards(benchmarks: BenchmarkStore) -> None:
    """The pointer of a benchmark with two boards more, of which one has a row for each label."""
    put_object(benchmarks, "benchmarks/coin-run/current.json", "current-with-boards-2")

    assert benchmarks.current("coin-run") == PUBLISHED_WITH_BOARDS


def test_snapshots_sample_is_read(snapshots: SnapshotStore) -> None:
    """Head and index as the browser reads them; a head of schema 1 has no order, so its board is made again."""
    put_object(snapshots, "data/b/coin-run/head.json", "head-1")
    put_object(snapshots, "data/index.json", "index-1")

    head, index = snapshots.read_head("coin-run"), snapshots.read_index()

    assert head is not None
    assert head.value == HEAD.model_copy(update=OLD_HEAD)
    assert head.value.order == ()
    assert index is not None
    assert index.value == INDEX.model_copy(update={"schema_number": 1})


def test_snapshots_with_records(snapshots: SnapshotStore) -> None:
    """A head since it tells records and deltas."""
    put_object(snapshots, "data/b/coin-run/head.json", "head-with-records-1")

    head = snapshots.read_head("coin-run")

    assert head is not None
    assert head.value == HEAD_WITH_RECORDS.model_copy(update=OLD_HEAD)


def test_board_with_pages(snapshots: SnapshotStore) -> None:
    """A head that names pages, and each object that it names."""
    put_object(snapshots, "data/b/coin-run/head.json", "head-with-pages-2")

    head = snapshots.read_head("coin-run")

    assert head is not None
    assert head.value == HEAD_WITH_PAGES
    assert read_changes(head.value.pages.buffer) == CHANGES
    assert decode_directory(read_bytes("board-directory-2")) == DIRECTORY
    assert decode_page(read_bytes("board-page-2")) == PageRows.of([ROW], ("Coins",), has_labels=True)
    assert decode_places(read_bytes("board-places-2"), ("Coins",)) == {ROW.id: PLACED}
    assert decode_changes(read_bytes("board-recent-2")) == CHANGES
    assert decode_improvements(read_bytes("board-improvements-2")) == HEAD_WITH_RECORDS.best_over_time


def test_board_objects_are_written_as_the_samples_show() -> None:
    """What a head names is written, byte for byte, as its samples."""
    assert encode_directory(DIRECTORY) == read_bytes("board-directory-2")
    assert encode_page(PageRows.of([ROW], ("Coins",), has_labels=True)) == read_bytes("board-page-2")
    assert encode_places({ROW.id: PLACED}, ("Coins",)) == read_bytes("board-places-2")
    assert encode_changes(CHANGES) == read_bytes("board-recent-2")
    assert encode_improvements(HEAD_WITH_RECORDS.best_over_time) == read_bytes("board-improvements-2")


def test_head_with_parts(snapshots: SnapshotStore) -> None:
    """A head since its rows say what of the parts is done."""
    put_object(snapshots, "data/b/coin-run/head.json", "head-with-parts-2")

    head = snapshots.read_head("coin-run")

    assert head is not None
    assert head.value == HEAD_WITH_PARTS


def test_pointer_with_unfinished_below(benchmarks: BenchmarkStore) -> None:
    """A pointer has it beside the definition, in which earlier releases reject a key that they do not know."""
    put_object(benchmarks, "benchmarks/coin-run/current.json", "current-with-below-2")

    assert benchmarks.current("coin-run") == PUBLISHED_WITH_BELOW
    assert "unfinished" not in sample("current-with-below-2")["definition"]["ranking"]


def test_index_with_verified(snapshots: SnapshotStore) -> None:
    """The index since it says which leaders are verified."""
    put_object(snapshots, "data/index.json", "index-with-verified-1")

    index = snapshots.read_index()

    assert index is not None
    assert index.value == INDEX_WITH_VERIFIED.model_copy(update={"schema_number": 1})


def test_standing_with_records(standings: StandingStore) -> None:
    """The item of a standing since it tells the player's records."""
    put_item(standings, "standing-with-records-1")

    assert standings.read_board(BOARD, None).standings == {
        "anna": PlayerStanding(ANNA, Standing({"Coins": 50, "Time": 0.1}, ID, 1), ((ID, 50),))
    }


def test_idempotency_key_sample_is_read(access: IdempotencyStore) -> None:
    """The item of an idempotency key."""
    put_item(access, "idempotency-key-1")
    other = IdempotencyRecord("019b7ea9-9800-7123-8456-789abcdef013", "ef" * 32, "02" * 16)

    assert access.acquire("key-1", scope="anna", record=other, now=NOON) == CLAIM


def test_sandbox_generation_sample_is_read(access: IdempotencyStore) -> None:
    """The item of a sandbox tenant's generation."""
    put_item(access, "sandbox-generation-1")

    assert SandboxGenerations(access.table).read(BOARD.version) == 4


def test_notice_sample_with_throttles_is_read() -> None:
    """The message of a result that was tried twice, had no room seven times, and no answer three times."""
    (notice,) = read_notices(json.dumps(sample("s3-event-with-throttles-1")))

    assert (notice.tries, notice.throttles, notice.unanswered) == (2, 7, 3)


def test_withdrawal_sample_is_read(submissions: SubmissionStore) -> None:
    """The item of a withdrawal."""
    put_item(submissions, "withdrawal-1")

    assert WithdrawalStore(submissions.table).find("coin-run", submission=ID) == WITHDRAWAL


def test_contribution_with_its_removal(standings: StandingStore) -> None:
    """The items of a withdrawn contribution and of the standing that tells of it, since there are removals."""
    put_item(standings, "standing-with-removals-1")
    before = standings.read_board(BOARD, None)
    put_item(standings, "contribution-with-removal-1")

    (contributed,) = standings.all_contributions(BOARD)
    assert before == BoardState({}, (PlayerWithdrawalNotice(ANNA, REMOVAL),), 3)
    assert (contributed.withdrawn, contributed.notice) == (True, REMOVAL)


def test_audit_line_sample_is_read() -> None:
    """A line of the audit trail."""
    assert AuditEntry.model_validate(sample("audit-line-1")) == AUDIT_LINE


def test_mail_intent_sample_is_read(mail: MailOutbox) -> None:
    """The item of an intent that waits."""
    put_item(mail, "mail-intent-1")

    assert mail.list_pending(INTENT.digest) == [INTENT]
    assert list(mail.find_due(NOON)) == [INTENT.digest]


def test_mail_lease_sample_is_read(mail: MailOutbox) -> None:
    """The item of a thread's lease."""
    put_item(mail, "mail-lease-1")

    assert mail.find_lease(INTENT.digest) == LEASE


def test_uncertain_mail_lease_sample_is_read(mail: MailOutbox) -> None:
    """The lease of a deferred mail that SES may have accepted; a lease without that attribute is certain."""
    put_item(mail, "mail-lease-uncertain-1")

    assert mail.find_lease(INTENT.digest) == UNCERTAIN_LEASE
    assert LEASE.uncertain is False


def test_mail_suppression_sample_is_read(mail: MailOutbox) -> None:
    """The item of a suppressed address."""
    put_item(mail, "mail-suppression-1")

    assert SuppressionStore(mail.table).find_reason("anna@example.com") == "bounce: Permanent, General"


WRITTEN: dict[str, Callable[[], Any]] = {
    "result-metadata-1": SUBMISSION.to_metadata,
    "result-metadata-with-label-1": LABELLED.to_metadata,
    "record-with-label-unlisted-1": lambda: marshal(
        replace(SCORED, submission=LABELLED).to_item(long_output=SCORED.long_output())
    ),
    "record-unlisted-1": lambda: marshal(SCORED.to_item(long_output=SCORED.long_output())),
    "record-with-long-output-1": lambda: marshal(FAILED.to_item(long_output=None)),
    "long-output-1": lambda: json.loads(FAILED.long_output()),
    "current-2": lambda: json.loads(PUBLISHED.model_dump_json()),
    "current-with-boards-2": lambda: json.loads(PUBLISHED_WITH_BOARDS.model_dump_json()),
    "current-with-next-2": lambda: json.loads(PUBLISHED_WITH_NEXT.model_dump_json()),
    "current-archived-2": lambda: json.loads(PUBLISHED_ARCHIVED.model_dump_json()),
    "current-with-below-2": lambda: json.loads(PUBLISHED_WITH_BELOW.model_dump_json()),
    "head-with-parts-2": lambda: json.loads(HEAD_WITH_PARTS.model_dump_json()),
    "head-with-pages-2": lambda: json.loads(HEAD_WITH_PAGES.model_dump_json()),
    "audit-line-1": lambda: json.loads(AUDIT_LINE.model_dump_json()),
    "mail-intent-1": lambda: marshal(INTENT.to_item(MailState.PENDING)),
    "mail-lease-1": lambda: marshal(LEASE.to_item(INTENT.digest)),
    "mail-lease-uncertain-1": lambda: marshal(UNCERTAIN_LEASE.to_item(INTENT.digest)),
    "index-with-verified-2": lambda: json.loads(INDEX_WITH_VERIFIED.model_dump_json()),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_still_written_so(name: str) -> None:
    """All that the sample shows is written today, with the same value; keys may have been added."""
    assert without_additions(WRITTEN[name](), like=sample(name)) == sample(name)


def without_additions(value: Any, *, like: Any) -> Any:
    """Leave out the keys of objects that the other value does not have, at any depth."""
    if isinstance(value, dict) and isinstance(like, dict):
        return {key: without_additions(value[key], like=like[key]) for key in like if key in value}
    if isinstance(value, list) and isinstance(like, list) and len(value) == len(like):
        return [without_additions(one, like=other) for one, other in zip(value, like, strict=True)]
    return value


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.json")), ids=lambda path: path.stem)
def test_every_sample_names_its_schema(path: Path) -> None:
    """Every shape carries the integer by which a reader can tell it from a later one."""
    content = json.loads(path.read_text(encoding="utf-8"))

    number = path.stem.rpartition("-")[2]

    assert content["schema"] in ({"N": number}, int(number), number)
