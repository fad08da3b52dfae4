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
from storage.boards.snapshots import SnapshotStore
from storage.gateway.bucket import Bucket
from storage.gateway.table import Table
from storage.players.players import Account, PlayerStore
from storage.players.tokens import Scope, Token, TokenStore, token_id_of
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


AT_EACH_CHANGE = frozenset(
    {
        # a board
        "test_index_finds_a_board_and_links_to_it",
        "test_keyboard_sorts_by_a_column",
        "test_three_players_are_compared_with_the_keyboard",
        "test_hostile_names_are_shown_as_text",
        "test_unknown_board_is_not_found",
        "test_a_guest_who_leads_is_marked_as_one[Heron]",
        "test_correction_is_linked_and_listed",
        "test_board_of_a_crowd_is_read_through_the_api",
        "test_tabs_show_the_boards_of_a_benchmark",
        "test_today_moves_on_and_leads_to_yesterday",
        "test_wall_turns_through_the_boards",
        # what changes by itself
        "test_result_appears_on_the_open_board",
        "test_rows_say_how_they_moved_since_the_last_visit",
        "test_board_is_stale_while_the_server_is_down",
        "test_unwatched_page_asks_less_and_less",
        # handing in
        "test_file_is_submitted_and_followed_to_its_score",
        "test_details_are_shown_with_the_receipt_only",
        "test_unknown_token_opens_nothing_and_is_kept_nowhere",
        "test_wrong_file_is_answered_in_its_box",
        "test_rank_comes_after_the_scores",
        "test_form_keeps_what_was_entered_after_every_failure",
        "test_batch_is_uploaded_and_followed_to_its_report",
        "test_folder_is_a_batch_that_the_token_in_memory_opens",
        "test_player_key_opens_and_withdraws_without_the_receipt",
        # people
        "test_owner_without_a_shell",
        "test_owner_decides_what_waits_and_takes_it_back",
        "test_page_says_who_was_passed",
        "test_from_a_link_to_a_team",
        "test_guest_takes_along_what_it_did[True]",
        "test_guest_takes_its_data_along_and_leaves",
        # pages of others
        "test_game_of_another_origin_shows_its_score",
        "test_only_the_page_for_frames_is_framed",
        "test_coin_run_is_scored_as_the_page_counts",
        # how pages are
        "test_app_takes_a_served_page_over",
        "test_pages_need_no_script",
        "test_the_visitors_language_is_used_and_a_choice_is_kept",
        "test_back_leads_to_the_same_place",
        "test_axe_finds_no_violation_on_any_page[/-360-dark]",
        "test_axe_finds_no_violation_on_any_page[/b/hostile-360-dark]",
        "test_axe_finds_no_violation_on_any_page[/b/aic-2025/submit-360-dark]",
        "test_axe_finds_no_violation_in_any_state[done-360-dark]",
    }
)
"""The tests with a browser that `make test` runs, one or two of each promise; `make long` runs all others."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a browser and is not named as long."""
    for item in items:
        names = {item.name, item.name.partition("[")[0]}
        if item.path.parent == Path(__file__).parent and "browser" in item.fixturenames and not names & AT_EACH_CHANGE:  # type: ignore[attr-defined]
            item.add_marker(pytest.mark.long)


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
    shelf = Shelf(SnapshotStore(Bucket(stack.cloud.objects, stack.settings.site_bucket)))
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
    """A function that makes a token of Heron's with the given properties; who organises has no benchmark yet."""
    table = stack.template.resources["AccessTable"].name
    access = Table(stack.cloud.tables, table)
    players = PlayerStore(access)
    access.transact(players.plan(Account(HERON, None, LONG_AGO)))
    tokens, numbers = TokenStore(access), itertools.count()

    def make(
        *,
        benchmarks: tuple[str, ...] = ("aic-2025",),
        ends_at: datetime | None = None,
        scope: Scope = Scope.SUBMIT,
    ) -> str:
        number, player = next(numbers), HERON
        secret = f"laurel_heron-{number}"
        if scope is Scope.ORGANISE:
            player = make_player(f"organiser-{number}", f"Organiser {number}")
            access.transact(players.plan(Account(player, None, LONG_AGO)))
        token = Token(
            id=token_id_of(secret),
            player=player.id,
            scopes=frozenset({scope}),
            benchmarks=benchmarks,
            created_at=LONG_AGO,
            ends_at=ends_at,
        )
        access.transact([tokens.plan(secret, token)])
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
