"""Rows that the owner marks as baselines: in the head wherever they are, and nothing else of the board changes."""

from typing import Any

from storage.benchmarks.store import PublishedBenchmark
from storage.boards.standings import BoardKey
from tests.harness.factories import make_guest_record, make_withdrawal
from tests.harness.stack import COINS, Api, StackHarness, make_benchmark

FAR = "guest-p119"


def fill(stack: StackHarness, published: PublishedBenchmark, players: int) -> None:
    """Let guests score, each less than the one before."""
    records = [
        make_guest_record(published, f"P{number:03}", {"Coins": 1000 - number, "Time": 1.0}, number=number)
        for number in range(players)
    ]
    stack.aggregator.update(BoardKey(published.id, published.version), records)


def mark(stack: StackHarness, *baselines: str, **changes: Any) -> PublishedBenchmark:
    """Publish the definition with these baselines."""
    return stack.publish(make_benchmark(COINS, baselines=list(baselines), **changes))


def marked(stack: StackHarness) -> list[tuple[str, float | None]]:
    """Return the names of the baselines of the board, each with its value of what is ranked first."""
    return [(each.name, each.scores.get("Coins")) for each in stack.head().baselines]


def test_marking_changes_nothing_but_marks(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """Version, signature, rows and ranks stay; head, served page and CSV have the mark, until it is taken away."""
    fill(stack, published, 3)
    before, csv = stack.head(), api("GET", "/api/benchmarks/coins/rows.csv").body

    after = mark(stack, "guest-p001", "guest-p001", "nobody")

    assert (after.version, after.next) == (published.version, None)
    assert (stack.head().rows, stack.head().since, marked(stack)) == (before.rows, before.since, [("P001", 999)])
    lines = api("GET", "/api/benchmarks/coins/rows.csv").body.splitlines()
    assert [line.split(",")[6] for line in lines] == ["baseline", "false", "true", "false"]
    page = stack.cloud.s3.get_object(Bucket=stack.site_bucket, Key="data/b/coins/index.html")["Body"].read().decode()
    table = page.partition("<tbody>")[2].partition("</tbody>")[0]
    assert (table.count(" (baseline)"), "P001 (guest)</bdi> (baseline)<" in table) == (1, True)

    mark(stack)

    assert (marked(stack), api("GET", "/api/benchmarks/coins/rows.csv").body) == ([], csv)


def test_a_baseline_below_the_first_rows_is_in_the_head(stack: StackHarness, published: PublishedBenchmark) -> None:
    """It is read with each rendering, so its value follows."""
    fill(stack, published, 120)

    mark(stack, FAR, "guest-p000")

    assert FAR not in stack.head().rows.player
    assert marked(stack) == [("P119", 881), ("P000", 1000)]
    record = make_guest_record(published, "P119", {"Coins": 890, "Time": 1.0}, number=200)
    stack.aggregator.update(BoardKey(published.id, published.version), [record])
    assert marked(stack)[0] == ("P119", 890)


def test_a_banned_or_withdrawn_baseline_is_in_no_head(stack: StackHarness, published: PublishedBenchmark) -> None:
    """What no board shows is no baseline either."""
    fill(stack, published, 120)
    mark(stack, FAR, "guest-p118")
    record = make_guest_record(published, "P118", {"Coins": 882, "Time": 1.0}, number=118)

    stack.withdrawals.put(make_withdrawal(record))
    stack.aggregator.update(BoardKey(published.id, published.version), [record])
    withdrawn = marked(stack)
    stack.aggregator.benchmarks.put_bans(published.id, {FAR: "Two accounts."})
    stack.aggregator.render_all(BoardKey(published.id, published.version))

    assert (withdrawn, marked(stack)) == ([("P119", 881)], [])
