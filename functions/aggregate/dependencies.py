"""What the handlers of this room work with, each built once from the environment of its function."""

import json
import os
import secrets
import time
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.corrections import CorrectionPublisher
from aggregate.benchmarks.keeper import BoardKeeper
from aggregate.benchmarks.promoter import VersionPromoter
from aggregate.checking import BoardOperator
from aggregate.rebuilder import Rebuilder
from aggregate.renderer import BoardRenderer
from aggregate.restorer import BoardRestorer
from storage.benchmarks.archives import ArchiveStore
from storage.benchmarks.board_lists import BoardListStore
from storage.benchmarks.corrections import CorrectionNoteStore, CorrectionStore
from storage.benchmarks.operations import OperationStore
from storage.benchmarks.owners import OwnerStore
from storage.benchmarks.progress import ProgressStore
from storage.benchmarks.rescores import Rescoring
from storage.benchmarks.store import BenchmarkStore
from storage.boards.entries import BoardEntryStore, RecordedEntries
from storage.boards.folding import StandingFolder
from storage.boards.reading import BoardReader
from storage.boards.rendering.stalls import StallStore
from storage.boards.site.store import ServedPages
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import StandingStore
from storage.discarded import DiscardedBatches
from storage.flags import FlagStore
from storage.gateway import clients
from storage.gateway.bucket import Bucket, Objects
from storage.gateway.queue import Messages, Queue
from storage.gateway.table import RisingNumbers, Table, Tables
from storage.keys import Clock, utc_now
from storage.mail.outbox import MailOutbox
from storage.players.bans import BanStore
from storage.players.players import GuestNameStore, PlayerStore
from storage.players.quotas import QuotaStore
from storage.settings import AggregateSettings, PublishSettings, RescoreSettings
from storage.submissions.decisions import ReviewStore, WithdrawalStore
from storage.submissions.index import ResultIndex
from storage.submissions.queues import EvaluateQueue
from storage.submissions.store import SubmissionStore
from storage.submissions.work import WorkStore

if TYPE_CHECKING:
    from aggregate.benchmarks.moving import BenchmarkMoves
    from aggregate.benchmarks.publishing import BenchmarkPublisher, BundlePublisher


class StreamDependencies(NamedTuple):
    """What the handler of the stream works with."""

    aggregator: Aggregator
    quotas: QuotaStore


@cache
def stream_dependencies() -> StreamDependencies:
    """Return what the handler of the stream works with."""
    settings = AggregateSettings.read(os.environ)
    return StreamDependencies(
        make_aggregator(settings, s3=clients.gateway().objects, dynamodb=clients.gateway().tables, clock=utc_now),
        QuotaStore(Table(clients.gateway().tables, settings.access_table)),
    )


@cache
def discarded_batches() -> DiscardedBatches:
    """Return the batches that Lambda discarded for readers of the stream."""
    return DiscardedBatches(Bucket(clients.gateway().objects, AggregateSettings.read(os.environ).results_bucket))


@cache
def promoter() -> VersionPromoter:
    """Return what the handler of the rescore schedule works with."""
    settings = RescoreSettings.read(os.environ)
    aws = clients.gateway()
    return make_promoter(settings, s3=aws.objects, dynamodb=aws.tables, sqs=aws.messages, clock=utc_now)


@cache
def operator() -> BoardOperator:
    """Return what does the operations on boards that administrators started."""
    results = Bucket(clients.gateway().objects, RescoreSettings.read(os.environ).results_bucket)
    return BoardOperator(Rebuilder(promoter().aggregator), OperationStore(results), utc_now, time.sleep)


@cache
def bundle_publisher() -> "BundlePublisher":
    """Return what the handler that publishes bundles works with."""
    # The other handlers start without what scores.
    from aggregate.benchmarks.publishing import BundlePublisher  # noqa: PLC0415
    from storage.benchmarks.publications import PublicationStore  # noqa: PLC0415
    from storage.sandbox.client import LambdaSandbox  # noqa: PLC0415

    settings = PublishSettings.read(os.environ)
    access = Table(clients.gateway().tables, settings.access_table)
    numbers, runtimes = RisingNumbers(access), json.loads(settings.runtimes)
    publisher = replace(
        make_publisher(settings, s3=clients.gateway().objects, dynamodb=clients.gateway().tables, clock=utc_now),
        sandbox=LambdaSandbox(clients.gateway().functions, settings.sandbox_function, numbers, runtimes, slot="check"),
        runtimes=runtimes,
        unsupported=json.loads(settings.unsupported_scorers),
    )
    results = Bucket(clients.gateway().objects, settings.results_bucket)
    return BundlePublisher(PublicationStore(results), publisher, OwnerStore(access))


@cache
def moves() -> "BenchmarkMoves":
    """Return what moves benchmarks out and in."""
    from aggregate.benchmarks.moving import BenchmarkMoves  # noqa: PLC0415  # as above
    from storage.benchmarks.moves import MoveStore  # noqa: PLC0415

    publisher = bundle_publisher()
    aggregator, access = publisher.publisher.aggregator, publisher.owners.table
    submissions, results = aggregator.submissions.table, aggregator.submissions.bucket
    site, players, guests = aggregator.snapshots.bucket, PlayerStore(access), GuestNameStore(access)
    stored = MoveStore(submissions, access, results, site, players, guests)
    return BenchmarkMoves(aggregator, stored, ArchiveStore(access), OperationStore(results), publisher.publications)


def make_publisher(settings: AggregateSettings, *, s3: Objects, dynamodb: Tables, clock: Clock) -> "BenchmarkPublisher":
    """Build a publisher which runs no examples."""
    from aggregate.benchmarks.publishing import BenchmarkPublisher  # noqa: PLC0415
    from storage.audit import AuditTrail  # noqa: PLC0415

    return BenchmarkPublisher(
        make_aggregator(settings, s3=s3, dynamodb=dynamodb, clock=clock),
        CorrectionNoteStore(Table(dynamodb, settings.access_table), clock),
        AuditTrail(Bucket(s3, settings.results_bucket), clock=clock, randomness=secrets.token_bytes),
    )


def make_aggregator(settings: AggregateSettings, *, s3: Objects, dynamodb: Tables, clock: Clock) -> Aggregator:
    """Build an aggregator, for the handlers or the command line."""
    results, site = Bucket(s3, settings.results_bucket), Bucket(s3, settings.site_bucket)
    records, boards = Table(dynamodb, settings.submissions_table), Table(dynamodb, settings.boards_table)
    access = Table(dynamodb, settings.access_table)
    benchmarks = BenchmarkStore(results, clock=clock, numbers=RisingNumbers(access))
    submissions, standings = SubmissionStore(records, results), StandingStore(boards)
    snapshots, progress, reviews = SnapshotStore(site), ProgressStore(boards), ReviewStore(records)
    reader = BoardReader(snapshots)
    renderer = BoardRenderer(
        benchmarks=benchmarks,
        standings=standings,
        snapshots=snapshots,
        clock=clock,
        pages=ServedPages(site, settings.site_url.rstrip("/")),
        corrections=CorrectionStore(site),
        progress=progress,
        reviews=reviews,
    )
    return Aggregator(
        benchmarks=benchmarks,
        standings=standings,
        submissions=submissions,
        entries=RecordedEntries(submissions, WithdrawalStore(records), reviews, PlayerStore(access).name_records),
        folder=StandingFolder(BoardEntryStore(boards)),
        snapshots=snapshots,
        reader=reader,
        lists=BoardListStore(site),
        progress=progress,
        renderer=renderer,
        stalls=StallStore(boards),
    )


def make_promoter(
    settings: RescoreSettings, *, s3: Objects, dynamodb: Tables, sqs: Messages, clock: Clock
) -> VersionPromoter:
    """Build a version promoter, for the handler or the command line."""
    aggregator = make_aggregator(settings, s3=s3, dynamodb=dynamodb, clock=clock)
    bucket = settings.results_bucket
    rescoring = Rescoring(
        results=ResultIndex(Table(dynamodb, settings.submissions_table), Bucket(s3, bucket)),
        submissions=aggregator.submissions,
        evaluate_queue=EvaluateQueue(Queue(sqs, settings.evaluate_queue_url), bucket=bucket),
        flags=FlagStore(Table(dynamodb, settings.access_table)),
        withdrawals=aggregator.entries.withdrawals,
        reviews=aggregator.entries.reviews,
        clock=clock,
    )
    access = Table(dynamodb, settings.access_table)
    outbox = MailOutbox(Table(dynamodb, settings.mail_table))
    keeper = BoardKeeper(aggregator, corrections=CorrectionPublisher(aggregator, outbox))
    return VersionPromoter(
        rescoring,
        aggregator,
        keeper,
        BanStore(access),
        ArchiveStore(access),
        CorrectionNoteStore(access, clock),
        BoardRestorer(aggregator),
        OwnerStore(access),
        WorkStore(Table(dynamodb, settings.boards_table), Bucket(s3, bucket)),
        outbox,
    )
