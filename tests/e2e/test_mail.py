"""Mail on the local stack: from a POST to a file in the outbox that a person can read."""

from email.message import EmailMessage
from pathlib import Path

import httpx
import pytest

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.publishing import publish_benchmark
from local.stack import PARAMETERS, Stack
from scoring_core.benchmarks.loading import load_folder
from scoring_core.outcome import Outcome
from storage.gateway.bucket import Bucket
from storage.gateway.table import Table
from tests.e2e.test_from_post_to_board import wait_for
from tests.harness.factories import make_guest, make_record, make_submission
from tests.harness.stack import NamingStore

pytestmark = pytest.mark.e2e

ID = "019b7ea9-9800-7123-8456-789abcdef012"


def find_mail(stack: Stack, word: str) -> tuple[str, EmailMessage]:
    """Wait for a mail whose subject holds a word."""
    return wait_for(
        lambda: next(((name, one) for name, one in stack.outbox.list_mails() if word in str(one["Subject"])), None)
    )


def test_fault_is_mailed_to_the_outbox(stack: Stack, aggregator: Aggregator, client: httpx.Client, root: Path) -> None:
    """A recorded fault is mailed to owner and administrator, and the outbox shows the mail with its links."""
    publish_benchmark(load_folder(root / "benchmarks" / "aic-2025"), aggregator)
    records, access = (
        Table(stack.cloud.tables, stack.template.resources[name].name) for name in ("SubmissionsTable", "AccessTable")
    )
    store = NamingStore(records, Bucket(stack.cloud.objects, stack.settings.results_bucket), access)
    submission = make_submission(id=ID, benchmark="aic-2025", player=make_guest("<b>Ada</b>", player_id="guest-<b>"))
    record = make_record(
        submission=submission,
        version="0" * 16,
        outcome=Outcome.INTERNAL_ERROR,
        signature="",
        recorded_at="2026-01-02T12:00:00+00:00",
        message="without success",
    )

    store.put_record(record)

    name, mail = find_mail(stack, "could not be scored")
    listed, shown = client.get("/outbox"), client.get(f"/outbox/{name}.html")
    assert mail["To"] == PARAMETERS["AdminAddress"]
    assert f"/outbox/{name}.html" in listed.text
    assert f'<a href="{stack.url}/b/aic-2025/s/{ID}">' in shown.text
    assert "&lt;b&gt;Ada&lt;/b&gt;" in shown.text
    assert "without success" in shown.text
    assert client.get(f"/outbox/{name}.eml").content == stack.outbox.find(name)
    for answer in (listed, shown):
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert "script-src" not in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/outbox/999999.html", "/outbox/../stack.json", "/outbox/000001.exe"])
def test_outbox_shows_only_mails(client: httpx.Client, path: str) -> None:
    """The outbox shows mails and nothing else."""
    assert client.get(path).status_code == httpx.codes.NOT_FOUND
