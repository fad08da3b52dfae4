"""The built site on the local stack, boards of every size in its bucket, and a browser."""

import fcntl
import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from local.layout import ROOT
from local.stack import LocalStack, Stack
from scoring_core.benchmarks.loading import load_folder
from scripts.frontend.build_frontend import FRONTEND, build_site, find_browser
from storage.access.players import Account, PlayerStore
from storage.access.tokens import Scope, Token, TokenStore, token_id_of
from storage.aws.bucket import Bucket
from storage.aws.table import Table
from storage.boards.snapshots import SnapshotStore
from storage.submissions.models import PlayerKind
from tests.harness.factories import make_player
from tests.harness.local_stack import publish
from tests.web.boards import Shelf, make_board, make_hostile_board, make_other_board
from tests.web.visits import LEVELS, MILLION, visit

OPEN = ExitStack()
"""The stack and the browser that all tests of this folder in a process share, closed after the last of them."""

type MakeToken = Callable[..., str]
HERON = make_player("heron", "Heron Large", PlayerKind.MODEL)
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
# Two processes beside each page draw what drops down from an address bar, and one waits for a page that comes next.
# The last list counts, so what Playwright turns off is here too.
FEATURES_OFF = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "SpareRendererForSitePerProcess",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
)
# Only the page under test may send requests.
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    f"--disable-features={','.join(FEATURES_OFF)}",
)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Close the shared stack after the last test of this folder, because other tests check the running processes."""
    if nextitem is None or not nextitem.path.is_relative_to(Path(__file__).parent):
        OPEN.close()


@pytest.fixture(scope="session")
def dist() -> Path:
    """The built site, which one process builds while the others wait."""
    with (FRONTEND / "package.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        build_site()
    return FRONTEND / "dist"


@pytest.fixture(scope="session")
def stack(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Stack:
    """A running stack with two benchmarks that accept results."""
    lines: list[str] = []
    running = OPEN.enter_context(LocalStack(port=0, log=lines.append, state=tmp_path_factory.mktemp("web")))
    for name in ("aic-2025", "coin-run"):
        publish(running, load_folder(ROOT / "benchmarks" / name))
    return running


@pytest.fixture(scope="session")
def shelf(stack: Stack) -> Shelf:
    """The renderer of boards, with boards of every size."""
    shelf = Shelf(SnapshotStore(Bucket(stack.cloud.s3, stack.settings.site_bucket)))
    for name, players in (("none", 0), ("one", 1), ("thirty", 30), ("hundred", 100), ("more", 101), ("big", 10_000)):
        shelf.put(make_board(name, players=players))
    shelf.put_corrected(make_hostile_board("hostile"))
    shelf.put(make_board("many", players=300))
    for level in LEVELS:
        shelf.put(make_other_board("many", f"level-{level}", f"Level {level}", players=40 * level))
    million = make_board("million", players=100)
    shelf.put_first_rows(million.model_copy(update={"title": "A million players"}), total=MILLION)
    return shelf


@pytest.fixture(scope="session")
def make_token(stack: Stack) -> MakeToken:
    """A function that makes a token of Heron's with the given properties."""
    table = stack.template.resources["AccessTable"].name
    PlayerStore(Table(stack.cloud.dynamodb, table)).put(Account(HERON, None, LONG_AGO))
    tokens, numbers = TokenStore(Table(stack.cloud.dynamodb, table)), itertools.count()

    def make(
        *,
        benchmarks: tuple[str, ...] = ("aic-2025",),
        ends_at: datetime | None = None,
        scope: Scope = Scope.SUBMIT,
    ) -> str:
        secret = f"laurel_heron-{next(numbers)}"
        token = Token(
            id=token_id_of(secret),
            player=HERON.id,
            scopes=frozenset({scope}),
            benchmarks=benchmarks,
            created_at=LONG_AGO,
            ends_at=ends_at,
        )
        tokens.put(secret, token)
        return secret

    return make


@pytest.fixture(scope="session")
def token(make_token: MakeToken) -> str:
    """A token of Heron's for submissions."""
    return make_token()


@pytest.fixture(scope="session")
def browser() -> Browser:
    """Debian's Chromium."""
    program = find_browser()
    if program is None:
        pytest.skip("chromium is missing: run scripts/install-chromium")
    playwright = OPEN.enter_context(sync_playwright())
    running = playwright.chromium.launch(executable_path=program, args=list(CHROMIUM_FLAGS))
    OPEN.callback(running.close)
    return running


@pytest.fixture
def messages() -> Iterator[list[str]]:
    """The messages of the console. A test removes those it expects; any other is a failure."""
    messages: list[str] = []
    yield messages
    assert messages == []


@pytest.fixture
def open_page(browser: Browser, stack: Stack, shelf: Shelf, messages: list[str]) -> Iterator[Callable[..., Page]]:
    """A function that opens a page of the site; its other arguments are those of a visit."""
    with ExitStack() as visits:

        def open_page(path: str, *, url: str = stack.url, **options: Any) -> Page:
            return visits.enter_context(visit(browser, url + path, messages=messages, **options))

        yield open_page
