"""The built site behind the local stack, boards of every size in its bucket, and a browser that looks at them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from aggregate.services import make_board_service
from cli.commands.benchmarks import publish_benchmark
from local.stack import ROOT, Stack, run_stack
from scoring_core.benchmarks.loading import load_folder
from scripts.frontend.build_frontend import FRONTEND, build_site, find_browser
from storage.access.players import Account, PlayerStore
from storage.access.tokens import Scope, Token, TokenStore, token_id_of
from storage.boards.snapshots import SnapshotStore
from storage.submissions.models import Player, PlayerKind
from tests.web.boards import Shelf, make_board, make_hostile_board
from tests.web.visits import visit

OPEN = ExitStack()
"""The stack and the browser that all tests of this folder share: closed behind the last of them, not of all tests."""

type MakeToken = Callable[..., str]
HERON = Player("heron", "Heron Large", PlayerKind.MODEL, verified=True)
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
# Nothing but the page under test may speak to anybody.
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Close what is shared behind the last test of this folder: other tests look at the processes that there are."""
    if nextitem is None or not nextitem.path.is_relative_to(Path(__file__).parent):
        OPEN.close()


@pytest.fixture(scope="session")
def dist() -> Path:
    """The built site."""
    build_site()
    return FRONTEND / "dist"


@pytest.fixture(scope="session")
def stack(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Stack:
    """A running stack with one benchmark that takes results."""
    lines: list[str] = []
    running = OPEN.enter_context(run_stack(port=0, log=lines.append, state=tmp_path_factory.mktemp("web")))
    workshop = make_board_service(
        running.settings, s3=running.cloud.s3, dynamodb=running.cloud.dynamodb, clock=lambda: datetime.now(UTC)
    )
    publish_benchmark(load_folder(ROOT / "benchmarks" / "aic-2025"), workshop)
    return running


@pytest.fixture(scope="session")
def shelf(stack: Stack) -> Shelf:
    """Where tests put boards, with those of every size on it."""
    shelf = Shelf(SnapshotStore(s3=stack.cloud.s3, bucket=stack.settings.site_bucket))
    for name, players in (("none", 0), ("one", 1), ("thirty", 30), ("big", 10_000)):
        shelf.put(make_board(name, players=players))
    shelf.put(make_hostile_board("hostile"))
    return shelf


@pytest.fixture(scope="session")
def make_token(stack: Stack) -> MakeToken:
    """Gives a function that makes a token of Heron's; its arguments are those of a token."""
    table = stack.template.resources["AccessTable"].name
    PlayerStore(dynamodb=stack.cloud.dynamodb, table=table).put(Account(HERON, None, LONG_AGO))
    tokens = TokenStore(dynamodb=stack.cloud.dynamodb, table=table)

    def make(*, benchmarks: tuple[str, ...] = ("aic-2025",), ends_at: datetime | None = None) -> str:
        secret = f"laurel_heron-{len(tokens.list_all())}"
        token = Token(
            id=token_id_of(secret),
            player=HERON.id,
            scopes=frozenset({Scope.SUBMIT}),
            benchmarks=benchmarks,
            created_at=LONG_AGO,
            ends_at=ends_at,
        )
        tokens.put(secret, token)
        return secret

    return make


@pytest.fixture(scope="session")
def token(make_token: MakeToken) -> str:
    """A token with which Heron hands in."""
    return make_token()


@pytest.fixture(scope="session")
def browser() -> Browser:
    """Debian's Chromium."""
    program = find_browser()
    if program is None:
        pytest.skip("chromium is missing: scripts/install-chromium brings it")
    playwright = OPEN.enter_context(sync_playwright())
    running = playwright.chromium.launch(executable_path=program, args=list(CHROMIUM_FLAGS))
    OPEN.callback(running.close)
    return running


@pytest.fixture
def messages() -> Iterator[list[str]]:
    """What the console said. A test that expects something takes it out; whatever is left is a failure."""
    said: list[str] = []
    yield said
    assert said == []


@pytest.fixture
def open_page(browser: Browser, stack: Stack, shelf: Shelf, messages: list[str]) -> Iterator[Callable[..., Page]]:
    """Gives a function that opens a page of the site; further arguments are those of a visit."""
    with ExitStack() as visits:

        def open_page(path: str, *, url: str = stack.url, **options: Any) -> Page:
            return visits.enter_context(visit(browser, url + path, messages=messages, **options))

        yield open_page
