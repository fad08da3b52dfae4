"""After a switch of versions nothing that an owner or player reads is older, in whatever process they read it."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import pytest

from aggregate.benchmarks.promoter import VersionPromoter
from api.dependencies import services
from storage.boards.snapshots import HEAD_CACHE
from storage.players.tokens import Scope
from tests.harness.engine import look_inside
from tests.harness.factories import make_player
from tests.harness.stack import GOOD, Api, StackHarness, make_benchmark
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
REVIEW = "score < 75"
TINY = "/api/benchmarks/tiny"
READERS = {
    "benchmark": TINY,
    "benchmarks": "/api/benchmarks",
    "submission": f"{TINY}/submissions/{{submission}}",
    "player": f"{TINY}/players/ada",
    "neighbours": f"{TINY}/players/ada/around",
    "player everywhere": "/api/players/ada",
    "own data": "/api/me/export",
    "boards": f"{TINY}/boards",
    "rows": f"{TINY}/rows",
    "CSV": f"{TINY}/rows.csv",
    "badge": f"{TINY}/rows.svg",
    "page": "/api/data/b/tiny/p/ada",
    "page of a submission": "/api/data/b/tiny/s/{submission}",
    "picture": f"{TINY}/rows.png",
    "feed": f"{TINY}/rows.atom",
    "place of a file": "/api/data/b/tiny/boards/humans/head.json",
    "history": f"{TINY}/submissions?player=ada",
    "errors": f"{TINY}/submissions?outcome=failed",
    "reviews": f"{TINY}/submissions?in_review=true",
    "submissions": f"{TINY}/submissions",
    "download": f"{TINY}/downloads",
    "tool": "/api/mcp",
}
POSTED: dict[str, Any] = {
    "download": {},
    "tool": {"jsonrpc": "2.0", "id": 1, "method": "tools/call"},
}


@pytest.fixture
def read(api: Api, stack: StackHarness, drain: Callable[[], None]) -> Callable[[str], object]:  # noqa: F811
    """What reads a benchmark: Bea waits for the owner before the correction, and leads after it."""
    stack.publish(make_benchmark(review=REVIEW, boards=[HUMANS]))
    owner = stack.issue_token(make_player("olga", "Olga"), Scope.OWN, benchmarks=("tiny",))
    ada = stack.issue_token(make_player("ada", "Ada"), Scope.SUBMIT, benchmarks=("tiny",))
    submission = api.post(GOOD, headers=ada).body["submission"]
    api.post(BEA, query={"player": "Bea"})
    api.post({"question": "9"}, query={"player": "Cy"})
    drain()

    def answer(reader: str) -> object:
        path = READERS[reader].replace("{submission}", submission)
        headers = ada if reader == "own data" else owner
        if reader not in POSTED:
            address, _, query = path.partition("?")
            found = api("GET", address, query=dict(parse_qsl(query)), headers=headers)
            assert found.headers.get("cache-control", "no-store") in {HEAD_CACHE, "no-store"}
            return found.status, found.body, found.headers.get("location")
        body = {**POSTED[reader]}
        if reader == "tool":
            arguments = {"benchmark": "tiny", "submission": submission}
            body["params"] = {"name": "read_submission", "arguments": arguments}
        posted = api.ask(path, body, headers)
        return look_inside().download(posted.body["url"]).body if reader == "download" else posted.body

    return answer


@pytest.mark.parametrize("reader", READERS)
def test_nothing_that_is_read_is_older_than_the_switch(
    reader: str,
    read: Callable[[str], object],
    stack: StackHarness,
    promoter: VersionPromoter,  # noqa: F811
) -> None:
    """A process that has read before answers as one does that has just begun."""
    before = read(reader)
    corrected = stack.publish(make_benchmark(truth=CORRECTED, title="Right", review=REVIEW, boards=[HUMANS, MODELS]))
    ask(promoter, corrected)
    assert promoter.step("tiny", patience_seconds=5)

    after = read(reader)

    services.cache_clear()
    assert after == read(reader)
    assert after != before
