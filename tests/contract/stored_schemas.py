"""Every form that is kept or sent: how it is written and read by the code of today, and where it lies meanwhile."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

from local.template import Template
from notify.messages import read_message, write_message
from scoring_core.benchmarks.definition import Keep, Ranking
from scoring_core.benchmarks.owner_changes import ArchiveMark
from scoring_core.benchmarks.terms import DailyLimits
from scoring_core.metrics.score_type import ScoreType
from scoring_core.output import Output
from scoring_core.ranking.accumulators import FoldingRules
from storage.actors import Actor, Role
from storage.audit import AuditTrail
from storage.batches.reports import BatchReportStore
from storage.benchmarks.archives import ArchiveStore
from storage.benchmarks.corrections import CorrectionNoteStore
from storage.benchmarks.operations import OperationStore
from storage.benchmarks.owners import OwnerStore
from storage.benchmarks.progress import Progress, ProgressStore, Reached
from storage.benchmarks.publications import PublicationId, PublicationRequest, PublicationStore
from storage.benchmarks.store import BenchmarkStore, publish_number
from storage.boards.entries import BoardEntry, BoardEntryStore, make_entry_write
from storage.boards.folding import StandingFolder
from storage.boards.rendering.lease import BoardLease
from storage.boards.rendering.stalls import StallStore
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import StandingStore
from storage.flags import FlagStore, sweep_flag
from storage.gateway.bucket import Bucket
from storage.gateway.errors import Conflict, NotFound
from storage.gateway.queue import Queue
from storage.gateway.s3_events import read_notices
from storage.gateway.schema import Schema
from storage.gateway.table import RisingNumbers, Table
from storage.keys import ReportedKey, ResultKey
from storage.mail.outbox import MailOutbox, SuppressionStore
from storage.players.bans import Ban, BanStore
from storage.players.invitations import Invitation, InvitationStore, holder_of_player
from storage.players.players import Account, GuestNameStore, NameOwners, PlayerStore
from storage.players.quotas import QuotaStore, quotas_of
from storage.players.secret_lists import SecretLists
from storage.players.tokens import Scope, Session, SessionStore, Token, TokenStore
from storage.submissions.decisions import ReviewStore, WithdrawalStore
from storage.submissions.idempotency import IdempotencyStore, RunTicketStore
from storage.submissions.labels import LabelStore
from storage.submissions.queues import EvaluateQueue
from storage.submissions.store import SubmissionStore
from storage.submissions.work import WorkStore
from tests.contract.stored_values import (
    ANNA,
    AUDIT_LINE,
    BOARD,
    CLAIM,
    FAILED,
    HEAD,
    ID,
    INTENT,
    NOON,
    OPERATION,
    PUBLICATION_REPORT,
    PUBLISHED,
    REMOVAL,
    REPORT,
    REPORTED,
    SCORED,
    SUBMISSION,
    WITHDRAWAL,
)
from tests.harness.factories import GUEST_SECRET, name_guest
from tests.harness.plain_boards import PlainBoard, make_version
from tests.harness.raw_cloud import RawCloud
from upkeep.orphans import UnnamedObjects

KEY = ResultKey("coin-run", ID)
LONG = FAILED._replace(output=Output(stdout="out" * 6_000, stderr="Traceback …", ended="exited with code 1"))
TOKEN = Token(
    id="0123456789ab",
    player="anna",
    scopes=frozenset({Scope.SUBMIT, Scope.OWN}),
    benchmarks=("coin-run",),
    created_at=NOON,
    ends_at=NOON + timedelta(days=1),
    revoked_at=NOON + timedelta(hours=1),
    member="Bo",
    invitation="abababababab",
    rules_accepted_at=NOON,
)
INVITATION = Invitation(
    sha256="ab" * 32,
    holder=holder_of_player("anna"),
    maker="anna",
    scopes=frozenset({Scope.SUBMIT}),
    benchmarks=("coin-run",),
    player="anna",
    is_member=True,
    max_uses=2,
    note="Class 7b",
    made_at=NOON,
    ends_at=NOON + timedelta(days=14),
    used=("anna",),
    revoked_at=NOON + timedelta(hours=2),
    address="ada@example.org",
)
OLGA = Actor(id="olga", role=Role.OWNER)
ADA = name_guest("Ada", owner="of the name")
BAN = Ban(subject=name_guest("Ada").id, name="", reason="cheats", at=NOON)
PUBLICATION = PublicationId("coin-run", "anna", ID)
PUBLICATION_REQUEST = PublicationRequest(**PUBLICATION._asdict(), role=Role.OWNER, replaces=0)
UNNAMED = UnnamedObjects(names={"page.7-0123456789ab.json": NOON})
COLUMNS = [{"name": "Coins", "type": "int"}, {"name": "Time", "type": "float", "direction": "lower"}]
RULES = FoldingRules(
    Ranking(keep=Keep.SUM, by=("Coins",)), ScoreType.model_validate({"headers": COLUMNS}), parts=("level-1",)
)
_SORT_KEYS = {
    "AccessTable": "key",
    "BoardsTable": "item",
    "MailTable": "item",
    "SubmissionsTable": "submission_version",
}


@dataclass
class Shelf:
    """The stores of a cloud, and what lies in them raw."""

    cloud: RawCloud
    template: Template

    def name_of(self, logical_id: str) -> str:
        """Return the name of a bucket, queue or table."""
        return self.template.resources[logical_id].name

    def url_of(self, queue: str) -> str:
        """Return the URL of a queue."""
        return self.cloud.sqs.get_queue_url(QueueName=self.name_of(queue))["QueueUrl"]

    def over_table[Store](self, store: Callable[..., Store], table: str, **options: Any) -> Store:
        """Make a store of a table."""
        return store(table=Table(self.cloud.dynamodb, self.name_of(table)), **options)

    def access[Store](self, store: Callable[..., Store], **options: Any) -> Store:
        """Make a store of the table of accounts, tokens, quotas and the like."""
        return self.over_table(store, "AccessTable", **options)

    def over_bucket[Store](self, store: Callable[..., Store], bucket: str, **options: Any) -> Store:
        """Make a store of a bucket."""
        return store(bucket=Bucket(self.cloud.objects, self.name_of(bucket)), **options)

    @cached_property
    def submissions(self) -> SubmissionStore:
        """Raw results and records."""
        return self.over_bucket(
            SubmissionStore,
            "ResultsBucket",
            table=Table(self.cloud.dynamodb, self.name_of("SubmissionsTable")),
        )

    @cached_property
    def standings(self) -> StandingStore:
        """Contributions and standings."""
        return self.over_table(StandingStore, "BoardsTable")

    @cached_property
    def mail(self) -> MailOutbox:
        """Intents and leases."""
        return self.over_table(MailOutbox, "MailTable")

    @property
    def benchmarks(self) -> BenchmarkStore:
        """Pointers, none of them cached."""
        return self.over_bucket(BenchmarkStore, "ResultsBucket", clock=lambda: NOON, numbers=self.access(RisingNumbers))

    @cached_property
    def snapshots(self) -> SnapshotStore:
        """What the browser reads."""
        return self.over_bucket(SnapshotStore, "SiteBucket")

    @cached_property
    def reports(self) -> BatchReportStore:
        """Reports of drops."""
        return self.over_bucket(BatchReportStore, "ResultsBucket")

    @cached_property
    def trail(self) -> AuditTrail:
        """The audit trail."""
        return self.over_bucket(AuditTrail, "ResultsBucket", clock=lambda: NOON, randomness=bytes)


class Place(NamedTuple):
    """Where something lies.

    Args:
        of: Logical id of the table, bucket or queue.
        beginning: Of the sort key, or of the object's key.
        is_metadata: Whether it is what travels with the object.
    """

    of: str
    beginning: str = ""
    is_metadata: bool = False

    def look(self, shelf: Shelf) -> Any:
        """Return what lies there, as JSON; a message is taken."""
        if self.of.endswith("Table"):
            (found,) = self._items(shelf)
            return found
        if self.of.endswith("Queue"):
            return json.loads(self._receive(shelf)["Body"])
        found = shelf.cloud.s3.get_object(Bucket=shelf.name_of(self.of), Key=self._key(shelf))
        return found["Metadata"] if self.is_metadata else json.loads(found["Body"].read())

    def put(self, shelf: Shelf, content: Any) -> None:
        """Put something in the place of what lies there."""
        if self.of.endswith("Table"):
            shelf.cloud.dynamodb.put_item(TableName=shelf.name_of(self.of), Item=content)
        elif self.of.endswith("Queue"):
            shelf.cloud.sqs.send_message(QueueUrl=shelf.url_of(self.of), MessageBody=json.dumps(content))
        else:
            body, metadata = (b"{}", content) if self.is_metadata else (json.dumps(content).encode(), {})
            shelf.cloud.s3.put_object(Bucket=shelf.name_of(self.of), Key=self._key(shelf), Body=body, Metadata=metadata)

    def _items(self, shelf: Shelf) -> list[Any]:
        tables: Any = shelf.cloud.dynamodb
        items = tables.scan(TableName=shelf.name_of(self.of))["Items"]
        return [one for one in items if one[_SORT_KEYS[self.of]]["S"].startswith(self.beginning)]

    def _key(self, shelf: Shelf) -> str:
        listed = shelf.cloud.s3.list_objects_v2(Bucket=shelf.name_of(self.of), Prefix=self.beginning)["Contents"]
        (key,) = (one["Key"] for one in listed if one["Key"].endswith(".json") or self.is_metadata)
        return key

    def _receive(self, shelf: Shelf) -> Any:
        url = shelf.url_of(self.of)
        messages = shelf.cloud.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
        (message,) = (one for one in messages if "s3:TestEvent" not in one["Body"])
        shelf.cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return message


class Stored(NamedTuple):
    """A form.

    Args:
        place: Where it lies.
        write: Writes one with today's code.
        read: Reads it with today's code.
        is_added: Whether no writing changes what another one has written.
    """

    place: Place
    write: Callable[[Shelf], object]
    read: Callable[[Shelf], object]
    is_added: bool = False


def _write_standing(shelf: Shelf) -> None:
    entry = BoardEntry(ANNA, ID, 2, {"level-1": {"Coins": 50, "Time": 0.1}}, notice=REMOVAL)
    StandingFolder(BoardEntryStore(shelf.standings.table)).fold(
        make_version(PlainBoard(BOARD, RULES, 3), publish_number=3), [entry]
    )


def _write_entry(shelf: Shelf) -> None:
    scores = {"level-1": {"Coins": 50, "Time": 0.1}}
    entry = BoardEntry(ANNA, ID, 2, scores, withdrawn=True, notice=REMOVAL, label="step 12")
    shelf.standings.table.transact([make_entry_write(BOARD, entry, replacing=None)])


def _write_token(shelf: Shelf) -> None:
    tokens = shelf.access(TokenStore)
    tokens.table.transact([tokens.plan("laurel_secret", TOKEN)])


def _write_account(shelf: Shelf) -> None:
    players = shelf.access(PlayerStore)
    players.table.transact(players.plan(Account(ANNA, "anna@example.com", NOON)))


def _operations(shelf: Shelf) -> OperationStore:
    return OperationStore(shelf.trail.bucket)


def _put_operation(shelf: Shelf) -> None:
    try:
        _operations(shelf).put(OPERATION)
    except Conflict:  # no two have one id
        _operations(shelf).find(ID)


def _progress(shelf: Shelf) -> ProgressStore:
    return ProgressStore(shelf.standings.table)


def _write_lease(shelf: Shelf) -> None:
    shelf.mail.add(INTENT)
    claim = shelf.mail.lease(INTENT.digest, now=NOON)
    if claim is not None:
        shelf.mail.refuse(claim, reason="unverified")


def _write_head(shelf: Shelf) -> None:
    shelf.snapshots.write_head(HEAD, replacing=shelf.snapshots.read_head("coin-run", "steps", version=HEAD.version))


def _write_pointer(shelf: Shelf) -> None:
    store = shelf.benchmarks
    try:
        before = store._read_pointer("coin-run")
    except NotFound:
        before = None
    store._write_pointer(PUBLISHED, replacing=before)


def _read_record(shelf: Shelf) -> object:
    return shelf.submissions.find_record("coin-run", submission=ID, version=BOARD.version, detailed=True)


def _lease(shelf: Shelf) -> BoardLease:
    return BoardLease(shelf.standings.table, str(BOARD), "batch-1", lambda: NOON)


def _work(shelf: Shelf) -> WorkStore:
    return WorkStore(shelf.standings.table, shelf.trail.bucket)


def _notes(shelf: Shelf) -> CorrectionNoteStore:
    return shelf.access(CorrectionNoteStore, clock=lambda: NOON)


def _list_hash(shelf: Shelf) -> None:
    lists = shelf.access(SecretLists)
    lists.table.transact(
        [lists.plan_add("tokens#anna", frozenset({"ab" * 32}), limit=1, find_ended=lambda hashes: hashes)]
    )


def _site(shelf: Shelf) -> Bucket:
    return Bucket(shelf.cloud.objects, shelf.name_of("SiteBucket"))


def _claim(shelf: Shelf) -> object:
    return shelf.access(IdempotencyStore).acquire("key-1", scope="anna", record=CLAIM, now=NOON)


def _spend(shelf: Shelf) -> object:
    tickets = shelf.access(RunTicketStore)
    return tickets.spend(bytes(range(12)).hex(), submission=ID, expires_at=NOON)


def _announce(shelf: Shelf) -> None:
    Queue(shelf.cloud.messages, shelf.url_of("MailQueue")).send(write_message(INTENT.digest))


def _give_notice(shelf: Shelf) -> None:
    list(EvaluateQueue(Queue(shelf.cloud.messages, shelf.url_of("EvaluateQueue")), "laurel-results").send([KEY]))


WAITING = ReportedKey("coin-run", ID, "0123456789abcdef")

STORED: Mapping[Schema, Stored] = {
    Schema.RESULT: Stored(
        Place("ResultsBucket", "results/", is_metadata=True),
        lambda shelf: shelf.submissions.put_result(SUBMISSION, b"{}"),
        lambda shelf: shelf.submissions.get_result(KEY),
        is_added=True,
    ),
    Schema.RECORD: Stored(Place("SubmissionsTable"), lambda shelf: shelf.submissions.put_record(SCORED), _read_record),
    Schema.LONG_OUTPUT: Stored(
        Place("ResultsBucket", "records/"),
        lambda shelf: shelf.submissions.put_record(LONG),
        _read_record,
        is_added=True,
    ),
    Schema.WITHDRAWAL: Stored(
        Place("SubmissionsTable"),
        lambda shelf: shelf.over_table(WithdrawalStore, "SubmissionsTable").put(WITHDRAWAL),
        lambda shelf: shelf.over_table(WithdrawalStore, "SubmissionsTable").find("coin-run", submission=ID),
    ),
    Schema.ACCEPTANCE: Stored(
        Place("SubmissionsTable"),
        lambda shelf: shelf.over_table(ReviewStore, "SubmissionsTable").accept(
            "coin-run", submission=ID, actor=OLGA, at=NOON, statement={"reason": "seen it"}
        ),
        lambda shelf: shelf.over_table(ReviewStore, "SubmissionsTable").find_accepted("coin-run", [ID]),
    ),
    Schema.STANDING: Stored(
        Place("BoardsTable", "player#"), _write_standing, lambda shelf: shelf.standings.read_board(BOARD, None)
    ),
    Schema.BOARD_ENTRY: Stored(
        Place("BoardsTable", "entry#"),
        _write_entry,
        lambda shelf: list(shelf.over_table(BoardEntryStore, "BoardsTable").list_all(BOARD)),
    ),
    Schema.PROGRESS: Stored(
        Place("BoardsTable", "windows"),
        lambda shelf: _progress(shelf).put(
            Reached.CLOSED_WINDOWS, BOARD, Progress(7, "2026-03-02T00:00:00.000000 daily-2026-03-01")
        ),
        lambda shelf: _progress(shelf).read(Reached.CLOSED_WINDOWS, BOARD),
    ),
    Schema.BOARD_LEASE: Stored(
        Place("BoardsTable", "lease"),
        lambda shelf: _lease(shelf).take(),
        lambda shelf: _lease(shelf).find(),
    ),
    Schema.WORD: Stored(
        Place("BoardsTable", "word#"),
        lambda shelf: _lease(shelf).leave_word(["anna", "bob"], nonce="00ff"),
        lambda shelf: _lease(shelf).find_words(),
        is_added=True,
    ),
    Schema.STALL: Stored(
        Place("BoardsTable", "coin-run@0123456789abcdef/humans~7"),
        lambda shelf: shelf.over_table(StallStore, "BoardsTable").note(
            BOARD._replace(board="humans", since=7), first=ID, reason="ValueError: math domain error", now=NOON
        ),
        lambda shelf: shelf.over_table(StallStore, "BoardsTable").list_all(),
    ),
    Schema.WORK: Stored(
        Place("BoardsTable", "0123456789abcdef#"),
        lambda shelf: _work(shelf).wait(WAITING, NOON),
        lambda shelf: _work(shelf).find(WAITING),
    ),
    Schema.RUNNER_OUTCOME: Stored(
        Place("ResultsBucket", "outcomes/"),
        lambda shelf: _work(shelf).put_outcome(WAITING, REPORTED),
        lambda shelf: _work(shelf).find_outcome(WAITING),
        is_added=True,
    ),
    Schema.IDEMPOTENCY_RECORD: Stored(Place("AccessTable", "idempotency#"), _claim, _claim),
    Schema.QUOTA: Stored(
        Place("AccessTable", "quota#"),
        lambda shelf: shelf.access(QuotaStore).charge(
            SUBMISSION._replace(origin=None), DailyLimits(1, 1), shared=DailyLimits(1, 1)
        ),
        lambda shelf: shelf.access(QuotaStore)._read(quotas_of(SUBMISSION)[0]),
    ),
    Schema.LABELS: Stored(
        Place("AccessTable", "labels#"),
        lambda shelf: shelf.access(LabelStore).admit("coin-run", "anna", ["step 1200"]),
        lambda shelf: shelf.access(LabelStore)._read("coin-run", "anna"),
    ),
    Schema.RUN_TICKET: Stored(Place("AccessTable", "ticket#"), _spend, _spend),
    Schema.TOKEN: Stored(
        Place("AccessTable", "token#"),
        _write_token,
        lambda shelf: shelf.access(TokenStore).find("laurel_secret"),
    ),
    Schema.INVITATION: Stored(
        Place("AccessTable", "invitation#"),
        lambda shelf: shelf.access(InvitationStore).put(INVITATION),
        lambda shelf: shelf.access(InvitationStore).list_of(INVITATION.holder),
    ),
    Schema.LISTED: Stored(
        Place("AccessTable", "listed#"),
        _list_hash,
        lambda shelf: shelf.access(SecretLists).read("tokens#anna"),
    ),
    Schema.SESSION: Stored(
        Place("AccessTable", "session#"),
        lambda shelf: shelf.access(SessionStore).put("secret", Session(token_sha256="ab" * 32, ends_at=NOON)),
        lambda shelf: shelf.access(SessionStore).find("secret"),
    ),
    Schema.PLAYER: Stored(
        Place("AccessTable", "player#"),
        _write_account,
        lambda shelf: shelf.access(PlayerStore).find("anna"),
    ),
    Schema.NAME: Stored(
        Place("AccessTable", "name#"),
        _write_account,
        lambda shelf: shelf.access(PlayerStore).find_namesake(ANNA.name),
    ),
    Schema.GUEST_NAME: Stored(
        Place("AccessTable", "guest#"),
        lambda shelf: shelf.access(GuestNameStore).show(ADA, NameOwners()),
        lambda shelf: shelf.access(GuestNameStore).read(ADA),
    ),
    Schema.GUEST_SECRET: Stored(
        Place("AccessTable", "guest#secret"),
        lambda shelf: shelf.access(GuestNameStore).keep_secrets(GUEST_SECRET),
        lambda shelf: shelf.access(GuestNameStore).keep_secrets(b"another"),
    ),
    Schema.BANS: Stored(
        Place("AccessTable", "bans#"),
        lambda shelf: shelf.access(BanStore).put("coin-run", BAN),
        lambda shelf: shelf.access(BanStore).read("coin-run"),
    ),
    Schema.ARCHIVE: Stored(
        Place("AccessTable", "archive#"),
        lambda shelf: shelf.access(ArchiveStore).put("coin-run", ArchiveMark(NOON, "season over")),
        lambda shelf: shelf.access(ArchiveStore).find("coin-run"),
    ),
    Schema.FLAG: Stored(
        Place("AccessTable", "sweep#"),
        lambda shelf: shelf.access(FlagStore).set(sweep_flag(KEY), now=NOON, keep=timedelta(days=1)),
        lambda shelf: shelf.access(FlagStore).is_set(sweep_flag(KEY), now=NOON),
    ),
    Schema.CORRECTION_NOTE: Stored(
        Place("AccessTable", "rescore#"),
        lambda shelf: _notes(shelf).put("coin-run", version=BOARD.version, reason="Wrong."),
        lambda shelf: _notes(shelf).find("coin-run", version=BOARD.version),
    ),
    Schema.NUMBER: Stored(
        Place("AccessTable", "publish#"),
        lambda shelf: shelf.access(RisingNumbers).raise_to(publish_number("coin-run"), 1),
        lambda shelf: shelf.access(RisingNumbers).read(publish_number("coin-run")),
    ),
    Schema.PUBLICATION: Stored(
        Place("ResultsBucket", "publications/"),
        lambda shelf: shelf.over_bucket(PublicationStore, "ResultsBucket").put_report(PUBLICATION, PUBLICATION_REPORT),
        lambda shelf: shelf.over_bucket(PublicationStore, "ResultsBucket").find_report(PUBLICATION),
    ),
    Schema.PUBLICATION_REQUEST: Stored(
        Place("ResultsBucket", "incoming/"),
        lambda shelf: shelf.over_bucket(PublicationStore, "ResultsBucket").put_request(PUBLICATION_REQUEST),
        lambda shelf: list(shelf.over_bucket(PublicationStore, "ResultsBucket").list_requests(until=datetime.now(UTC))),
        is_added=True,
    ),
    Schema.OWNER: Stored(
        Place("AccessTable", "owner#"),
        lambda shelf: shelf.access(OwnerStore).claim("coin-run", player="anna"),
        lambda shelf: shelf.access(OwnerStore).find("coin-run"),
    ),
    Schema.PENDING_MAIL: Stored(
        Place("MailTable", "intent#"),
        lambda shelf: shelf.mail.add(INTENT),
        lambda shelf: shelf.mail.list_pending(INTENT.digest),
    ),
    Schema.LEASE: Stored(Place("MailTable", "lease"), _write_lease, lambda shelf: shelf.mail.find_lease(INTENT.digest)),
    Schema.SUPPRESSION: Stored(
        Place("MailTable", "suppression"),
        lambda shelf: shelf.over_table(SuppressionStore, "MailTable").suppress(
            "anna@example.com", reason="bounce: Permanent", now=NOON
        ),
        lambda shelf: shelf.over_table(SuppressionStore, "MailTable").find_reason("anna@example.com"),
    ),
    Schema.POINTER: Stored(
        Place("ResultsBucket", "benchmarks/"),
        _write_pointer,
        lambda shelf: shelf.benchmarks.current("coin-run"),
    ),
    Schema.SNAPSHOT: Stored(
        Place("SiteBucket", "data/b/"),
        _write_head,
        lambda shelf: shelf.snapshots.read_head("coin-run", "steps", version=HEAD.version).value,
    ),
    Schema.UNNAMED: Stored(
        Place("SiteBucket", "data/b/coin-run/unnamed.json"),
        lambda shelf: _site(shelf).overwrite("data/b/coin-run/unnamed.json", UNNAMED.to_body()),
        lambda shelf: _site(shelf).find_model("data/b/coin-run/unnamed.json", UnnamedObjects).value,
        is_added=True,
    ),
    Schema.BATCH_REPORT: Stored(
        Place("ResultsBucket", "reports/"),
        lambda shelf: shelf.reports.put(REPORT),
        lambda shelf: shelf.reports.find("coin-run", "anna", ID),
    ),
    Schema.OPERATION: Stored(
        Place("ResultsBucket", "operations/"),
        _put_operation,
        lambda shelf: _operations(shelf).find(ID),
    ),
    Schema.AUDIT_ENTRY: Stored(
        Place("ResultsBucket", "audit/"),
        lambda shelf: shelf.trail.add(
            AUDIT_LINE.actor, AUDIT_LINE.action, benchmark="coin-run", subject=ID, detail=AUDIT_LINE.detail
        ),
        lambda shelf: list(shelf.trail.list_page(length=1000).entries),
        is_added=True,
    ),
    Schema.S3_EVENT: Stored(
        Place("EvaluateQueue"),
        _give_notice,
        lambda shelf: read_notices(json.dumps(Place("EvaluateQueue").look(shelf))),
        is_added=True,
    ),
    Schema.MAIL_MESSAGE: Stored(
        Place("MailQueue"),
        _announce,
        lambda shelf: read_message(json.dumps(Place("MailQueue").look(shelf))),
        is_added=True,
    ),
}
