"""`laurel publish` with the rights of AWS: writes the bundle and the pointer, then updates the board."""

from datetime import UTC, datetime
from pathlib import Path

from aggregate.dependencies import make_aggregator
from aggregate.versions.publishing import PublishReport, publish_salted
from aggregate.versions.salting import add_salt
from cli.commands.audit import describe_publishing, find_operator, open_trail
from cli.commands.scoring import check_folder
from cli.salts import keep_salt
from cli.stack import find_settings
from scoring_core.benchmarks.loading import load_folder
from scoring_core.errors import BenchmarkError
from storage.audit import Action
from storage.aws.clients import dynamodb_client, s3_client
from storage.aws.table import Table
from storage.benchmarks.corrections import NO_NOTE, CorrectionNote, CorrectionNoteStore
from storage.benchmarks.store import PublishConflict
from storage.settings import AggregateSettings


def publish_folder(folder: Path, *, stack: str | None, note: CorrectionNote = NO_NOTE) -> PublishReport:
    """Check and publish a benchmark's folder. Raises LaurelError.

    The note is shown if its results are scored again. A folder without a salt gets the one that is published with it.
    """
    if not check_folder(folder).passed:
        raise BenchmarkError(f"{folder}: its examples are not scored as expected; see `laurel check {folder}`")
    settings = find_settings(stack, AggregateSettings)
    boards = make_aggregator(settings, s3=s3_client(), dynamodb=dynamodb_client(), clock=lambda: datetime.now(UTC))
    benchmark = load_folder(folder)
    name, salted = benchmark.definition.id, add_salt(benchmark, boards.benchmarks)
    trail = open_trail(stack)
    entry = trail.add(find_operator(), Action.PUBLISH, benchmark=name, subject=salted.benchmark.version)
    try:
        report, salted = publish_salted(salted, benchmark, boards)
    except PublishConflict as error:
        now = describe_publishing(boards.benchmarks.current(name, fresh=True), trail, own=entry)
        raise PublishConflict(
            f"{name}: somebody published it at the same time, and this folder was not published. "
            f"Published now: {now}. If yours is to replace that, publish it again."
        ) from error
    if benchmark.needs_salt and salted.benchmark.salt:
        keep_salt(folder, salted.benchmark.salt)
    if report.next is not None:
        notes = CorrectionNoteStore(Table(dynamodb_client(), settings.access_table), lambda: datetime.now(UTC))
        notes.put(name, version=report.next, note=note)
    return report
