"""`laurel publish` with the rights of AWS: calls what publishes the bundles of owners."""

import json
from dataclasses import replace
from datetime import UTC, datetime

from aggregate.dependencies import make_publisher
from cli.commands.audit import find_operator
from cli.stack import find_settings
from sandbox.bubblewrap import Sandbox
from scoring_core.benchmarks.loading import Benchmark
from storage.aws.clients import dynamodb_client, s3_client
from storage.benchmarks.corrections import NO_NOTE, CorrectionNote
from storage.benchmarks.publications import PublicationReport
from storage.settings import OperatorPublishSettings


def publish_with_aws(benchmark: Benchmark, *, stack: str | None, note: CorrectionNote = NO_NOTE) -> PublicationReport:
    """Check a benchmark on this machine, publish it, and report how that ended.

    Raises LaurelError.
    """
    settings = find_settings(stack, OperatorPublishSettings)
    publisher = make_publisher(settings, s3=s3_client(), dynamodb=dynamodb_client(), clock=lambda: datetime.now(UTC))
    with Sandbox() as sandbox:
        with_sandbox = replace(publisher, sandbox=sandbox, runtimes=json.loads(settings.runtimes))
        return with_sandbox.publish(benchmark, actor=find_operator(), note=note)
