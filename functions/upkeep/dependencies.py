"""What the handler of this room works with, built once from the environment of its function."""

import os
import time
from functools import cache
from typing import NamedTuple

from storage.aws.bucket import Bucket
from storage.aws.clients import dynamodb_client, s3_client
from storage.aws.table import Table
from storage.benchmarks.store import BenchmarkStore
from storage.boards.entries import BoardEntryStore
from storage.boards.reading import BoardReader, SiteFiles
from storage.boards.standings import StandingStore
from storage.ids import Clock, utc_now
from storage.mail.outbox import MailOutbox
from storage.settings import UpkeepSettings
from upkeep.canary import Canary, post_result
from upkeep.comparison import BoardComparison
from upkeep.orphans import OrphanSweeper


class UpkeepDependencies(NamedTuple):
    """What the handler of the schedules works with."""

    benchmarks: BenchmarkStore
    orphans: OrphanSweeper
    comparison: BoardComparison
    canary: Canary
    outbox: MailOutbox
    clock: Clock


@cache
def upkeep_dependencies() -> UpkeepDependencies:
    """Return what the handler of the schedules works with."""
    settings = UpkeepSettings.read(os.environ)
    site, dynamodb = Bucket(s3_client(), settings.site_bucket), dynamodb_client()
    reader, boards = BoardReader(SiteFiles(site)), Table(dynamodb, settings.boards_table)
    benchmarks = BenchmarkStore(Bucket(s3_client(), settings.results_bucket), clock=utc_now)
    mail = Table(dynamodb, settings.mail_table)
    return UpkeepDependencies(
        benchmarks=benchmarks,
        orphans=OrphanSweeper(site, utc_now),
        comparison=BoardComparison(reader, StandingStore(boards), BoardEntryStore(boards), time.sleep),
        canary=Canary(settings.canary_url, post_result, time.sleep),
        outbox=MailOutbox(mail),
        clock=utc_now,
    )
