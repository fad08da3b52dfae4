"""The whole way on the local stack, as a player, an organiser and a visitor see it."""

import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.publishing import publish_benchmark
from local.stack import PARAMETERS, Stack
from scoring_core.benchmarks.loading import load_folder
from storage.submissions.models import APOLOGY
from tests.harness.waiting import wait_for

pytestmark = pytest.mark.e2e


def post(client: httpx.Client, benchmark: str, body: bytes, **query: str | None) -> dict[str, Any]:
    """Submit a result."""
    answer = client.post(
        f"/api/benchmarks/{benchmark}/submissions",
        params={name: value for name, value in query.items() if value is not None},
        content=body,
        headers={"Content-Type": "application/json"},
    )
    assert answer.status_code == 202, answer.text
    accepted: dict[str, Any] = answer.json()
    return accepted


def follow(client: httpx.Client, accepted: dict[str, Any]) -> dict[str, Any]:
    """Wait for the outcome of a submission, and give its status."""

    def probe() -> dict[str, Any] | None:
        headers = {"Authorization": f"Bearer {accepted['receipt']}"}
        status: dict[str, Any] = client.get(accepted["status_url"], headers=headers).raise_for_status().json()
        return status if status["status"] == "done" else None

    return wait_for(probe)


def row_of(client: httpx.Client, benchmark: str, player: str, *, submissions: int) -> dict[str, Any]:
    """Wait until a player's row rests on so many submissions, and give it with the board's total."""

    def probe() -> dict[str, Any] | None:
        head = client.get(f"/data/b/{benchmark}/head.json").raise_for_status().json()
        rows = head["rows"]
        if player not in rows["name"]:
            return None
        index = rows["name"].index(player)
        # Without a baseline there are no deltas.
        row = {name: column[index] for name, column in rows.items() if name != "scores" and column}
        row["scores"] = {name: column[index] for name, column in rows["scores"].items()}
        return row | {"total": head["total"]} if row["submissions"] >= submissions else None

    return wait_for(probe)


@contextmanager
def renamed(folder: Path, tmp_path: Path, name: str) -> Iterator[Path]:
    """Return a copy of a benchmark under another id, so that a test has a board of its own."""
    copy = tmp_path / name
    shutil.copytree(folder, copy)
    definition = copy / "benchmark.yaml"
    definition.write_text(definition.read_text().replace(f"id: {folder.name}", f"id: {name}", 1))
    yield copy


def fail_once(client: httpx.Client, aggregator: Aggregator, root: Path, tmp_path: Path) -> str:
    """Submit a result that cannot be scored, which is recorded as failed, and one that can; return the first."""
    with renamed(root / "benchmarks" / "aic-2025", tmp_path, "poison") as folder:
        publish_benchmark(load_folder(folder), aggregator)
    bucket = aggregator.benchmarks.bucket
    bundle = aggregator.benchmarks.current("poison", fresh=True).bundle_key
    content = bucket.get(bundle).body
    bucket.delete(bundle)
    result = b'{"question": "7", "text": "TR-V030-1519"}'

    accepted = post(client, "poison", result, player="<b>Ada</b>")
    lost = follow(client, accepted)
    bucket.overwrite(bundle, content)
    well = follow(client, post(client, "poison", result, player="Ada"))

    assert (lost["outcome"], lost["message"], well["outcome"]) == ("internal_error", APOLOGY, "scored")
    assert row_of(client, "poison", "Ada", submissions=1)["submissions"] == 1
    return str(accepted["submission"])


def test_a_poison_message_ends_as_internal_error(
    stack: Stack, client: httpx.Client, aggregator: Aggregator, root: Path, tmp_path: Path
) -> None:
    """A result that can never be scored is retried, recorded as failed and mailed to be read; the queue continues."""
    submission = fail_once(client, aggregator, root, tmp_path)

    ((name, mail),) = wait_for(lambda: list(stack.outbox.list_mails()))
    listed, shown = client.get("/outbox"), client.get(f"/outbox/{name}.html")
    assert (mail["To"], "could not be scored" in mail["Subject"]) == (PARAMETERS["AdminAddress"], True)
    assert f"/outbox/{name}.html" in listed.text
    assert f'<a href="{stack.url}/b/poison/s/{submission}">' in shown.text
    assert "&lt;b&gt;Ada&lt;/b&gt;" in shown.text
    assert client.get(f"/outbox/{name}.eml").content == stack.outbox.find(name)


@pytest.mark.parametrize("path", ["/data/index.json", "/data/b/aic-2025/boards/none/head.json", "/sdk/laurel.js"])
def test_pages_of_other_origins_may_read_with_headers_of_their_own(client: httpx.Client, path: str) -> None:
    """A page whose library adds a header asks first for files, too; a page of the site is nobody else's to read."""
    asks = {"Origin": "https://game.example", "Access-Control-Request-Method": "GET"}
    asks["Access-Control-Request-Headers"] = "cache-control,traceparent"

    answer, page = client.options(path, headers=asks), client.options("/about", headers=asks)

    assert answer.is_success
    assert answer.headers["access-control-allow-origin"] == "*"
    assert {"cache-control", "traceparent"} <= set(answer.headers["access-control-allow-headers"].split(","))
    assert "access-control-allow-origin" not in page.headers


def test_nobody_else_reads_or_runs_anything(stack: Stack) -> None:
    """The store, the socket of the sandbox and the file that names both are their owner's alone."""
    data = stack.state / "data"

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (stack.state / "stack.json", *data.iterdir())}

    assert {"laurel.db", "functions.sock"} <= modes.keys()
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(data.stat().st_mode) == 0o700


def test_the_site_is_the_only_port(stack: Stack) -> None:
    """Nothing else of the stack listens to other programs, but for the socket in its own folder."""
    sockets = {str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()}
    listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    own = [line for line in listening if f"socket:[{line[9]}]" in sockets and line[3] == "0A"]

    assert {int(line[1].partition(":")[2], 16) for line in own} == {urlsplit(stack.url).port}
