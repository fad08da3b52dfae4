"""Two boards of one benchmark never show different versions, at whatever call a promotion stops."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from aggregate.benchmarks.promoter import VersionPromoter
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.models import Head
from storage.gateway.errors import Busy
from tests.harness.stack import GOOD, Api, StackHarness, failing, make_benchmark
from tests.integration.benchmarks.test_rescore import (  # noqa: F401  # fixtures
    BEA,
    CORRECTED,
    ask,
    drain,
    pollers,
    promoter,
)

HUMANS = {"id": "humans", "title": "Humans", "when": {"kind": "human"}}
MODELS = {"id": "models", "title": "Models", "when": {"kind": "model"}}
LATEST = {"id": "latest", "title": "Latest", "ranking": {"by": ["score"], "keep": "latest"}}


@pytest.fixture
def corrected(stack: StackHarness, api: Api, drain: Callable[[], None]) -> PublishedBenchmark:  # noqa: F811
    """A benchmark with three boards and results, published again with another truth, and one board for another."""
    stack.publish(make_benchmark(boards=[HUMANS, MODELS]))
    api.post(GOOD, query={"player": "Ada"})
    api.post(BEA, query={"player": "Bea"})
    api.post(BEA, query={"player": "tern", "kind": "model"})
    drain()
    return stack.publish(make_benchmark(truth=CORRECTED, boards=[HUMANS, LATEST]))


def find_head(stack: StackHarness, board: str, *, version: str | None = None) -> Head | None:
    """Read a head."""
    stored = stack.aggregator.snapshots.read_head("tiny", board, version=version)
    return stored and stored.value


def resolve(stack: StackHarness) -> dict[str, Head | None]:
    """Return what a reader shows of each board: the head of the main one's version, or nothing."""
    main = find_head(stack, "main")
    assert main is not None
    others = ("humans", "models", "latest")
    return {"main": main} | {board: find_head(stack, board, version=main.version) for board in others}


def list_heads(stack: StackHarness, board: str) -> list[str]:
    """Return the versions of a board that have a head."""
    prefix = f"data/b/tiny/boards/{board}/"
    keys = stack.keys(stack.site_bucket, prefix)
    return [key.removeprefix(prefix).removesuffix("/head.json") for key in keys if key.endswith("/head.json")]


@contextlib.contextmanager
def after_each_call(stack: StackHarness, check: Callable[[], None]) -> Iterator[list[str]]:
    """Check after each call of the promoter that may have changed a file; gives their names."""
    calls: list[str] = []

    def look(model: Any, **_: Any) -> None:
        if model.name in {"PutObject", "DeleteObject", "DeleteObjects"}:
            calls.append(model.name)
            check()

    stack.cloud.s3.meta.events.register("after-call.s3", look)
    try:
        yield calls
    finally:
        stack.cloud.s3.meta.events.unregister("after-call.s3", look)


def check_one_version(stack: StackHarness, before: str) -> None:
    """Check that all boards show one version, and those that both versions have are always shown."""
    shown = resolve(stack)
    main = shown["main"]
    assert main is not None
    assert {head.version for head in shown.values() if head is not None} == {main.version}
    assert shown["humans"] is not None
    if main.version == before:
        assert shown["models"] is not None
        assert shown["latest"] is None
        assert shown["humans"].rows.name == ("Ada", "Bea")
    else:
        assert shown["latest"] is not None
        assert shown["humans"].rows.name == ("Bea", "Ada")


def test_boards_show_one_version_after_each_call(
    stack: StackHarness,
    promoter: VersionPromoter,  # noqa: F811
    corrected: PublishedBenchmark,
) -> None:
    """Whatever call was the last one, a reader sees every board under the version of the main one."""
    ask(promoter, corrected)

    with after_each_call(stack, lambda: check_one_version(stack, corrected.version)) as calls:
        assert promoter.step("tiny", patience_seconds=5)

    assert len(calls) > 10
    shown = resolve(stack)
    assert shown["models"] is None
    assert list_heads(stack, "humans") == [shown["humans"].version]  # type: ignore[union-attr]
    assert not stack.keys(stack.site_bucket, "data/b/tiny/boards/models/")


@pytest.mark.parametrize(
    "crash",
    [
        ("PutObject", "boards/humans/"),
        ("PutObject", "boards/latest/"),
        ("PutObject", "tiny/head.json"),
        ("PutObject", "boards.json"),
        ("PutObject", "index.json"),
        ("DeleteObjects", "boards/humans/"),
        ("DeleteObjects", "boards/models/"),
        ("PutItem", "begun"),
    ],
)
def test_promotion_goes_on_after_a_crash(
    stack: StackHarness,
    promoter: VersionPromoter,  # noqa: F811
    corrected: PublishedBenchmark,
    crash: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where a call fails the boards still show one version, and the next calls of the schedule finish."""
    operation, about = crash
    monkeypatch.setattr("local.event_sources.MAX_STREAM_BACKOFF_SECONDS", 0.0)
    ask(promoter, corrected)
    client = stack.cloud.dynamodb if operation == "PutItem" else stack.cloud.s3
    with failing(client, operation, about=about) as refused, contextlib.suppress(Busy):
        promoter.step("tiny", patience_seconds=5)
    check_one_version(stack, corrected.version)

    with after_each_call(stack, lambda: check_one_version(stack, corrected.version)):
        for _ in range(2):
            promoter.step("tiny", patience_seconds=5)

    assert refused
    assert corrected.next is not None
    shown = resolve(stack)
    versions = {board: head and head.version for board, head in shown.items()}
    following = corrected.next.version
    assert versions == {"main": following, "humans": following, "latest": following, "models": None}
    assert list_heads(stack, "humans") == [following], "the heads of other versions are gone"
    assert not stack.keys(stack.site_bucket, "data/b/tiny/boards/models/")


def test_results_meanwhile_keep_the_version(
    stack: StackHarness,
    promoter: VersionPromoter,  # noqa: F811
    corrected: PublishedBenchmark,
    api: Api,
    drain: Callable[[], None],  # noqa: F811
) -> None:
    """A result that is delivered while the boards switch neither switches one nor takes one back."""
    ask(promoter, corrected)
    with failing(stack.cloud.s3, "PutObject", about="tiny/head.json"), contextlib.suppress(Busy):
        promoter.step("tiny", patience_seconds=5)
    assert corrected.next is not None
    assert stack.aggregator.benchmarks.current("tiny", fresh=True).version == corrected.next.version

    with after_each_call(stack, lambda: check_one_version(stack, corrected.version)):
        api.post(GOOD, query={"player": "Cem"})
        drain()
    humans = find_head(stack, "humans", version=corrected.next.version)
    assert humans is not None
    assert (humans.total, list_heads(stack, "humans")) == (3, sorted([corrected.version, humans.version]))

    promoter.step("tiny", patience_seconds=5)
    shown = resolve(stack)
    assert [head and head.total for head in shown.values()] == [4, 3, None, 4]


def test_quoted_address_leads_to_the_board_of_today(
    stack: StackHarness,
    promoter: VersionPromoter,  # noqa: F811
    corrected: PublishedBenchmark,
    api: Api,
) -> None:
    """Whatever version an address names, or none, it leads to the head that is there today; other names do not."""
    folder = "/data/b/tiny/boards/humans"

    def ask_for(path: str) -> tuple[int, str | None, str | None]:
        answer = api.get(f"/api{path}")
        return answer.status, answer.headers.get("location"), answer.headers.get("cache-control")

    assert corrected.next is not None
    before = ask_for(f"{folder}/head.json")
    early = ask_for(f"{folder}/{corrected.next.version}/head.json")
    ask(promoter, corrected)
    assert promoter.step("tiny", patience_seconds=5)
    today = f"{folder}/{corrected.next.version}/head.json"

    assert before == early == (302, f"{folder}/{corrected.version}/head.json", "public, max-age=2")
    assert ask_for(f"{folder}/head.json")[:2] == (302, today)
    assert ask_for(f"{folder}/{corrected.version}/head.json")[:2] == (302, today)
    missing = (today, f"{folder}/{corrected.version}/page.1-012345678901.json", "/data/b/tiny/boards/models/head.json")
    assert [ask_for(path)[0] for path in missing] == [404, 404, 404]
