"""The suite sees: a leak that is put into each surface on purpose turns it red.

A leak is what is so in the second world only, as if its secret had decided it.
"""

from collections.abc import Callable, Mapping
from copy import replace
from datetime import timedelta
from itertools import groupby
from typing import Any, Final

import pytest

from aggregate.rendering import Rendering
from api.boards import routes as boards
from evaluate import evaluator
from handlers.http import outcomes
from handlers.http.problems import not_found
from notify import sender
from storage.boards.snapshots import SnapshotStore
from submit import submissions
from tests.faults.simulation import SimulationFactory
from tests.leaks.requests import ROUTES, Seen, find_differences
from tests.leaks.world import EVENTS, open_world

FEW: Final = 4 * len(ROUTES)
"""Requests, of which each route gets four."""


def turn_ties(view: Any) -> Any:
    """Turn the order of rows of the same score."""
    ties = [[*tied] for _, tied in groupby(view.rows, lambda row: row.scores)]
    return view.model_copy(update={"rows": [row for tied in ties for row in tied[::-1]]})


def write_more(store: SnapshotStore, head: Any, **given: Any) -> Any:
    """Write another file beside a head."""
    store.bucket.overwrite("data/b/tiny/1.json", b"{}", content_type="application/json")
    return _write_head(store, head, **given)


def read_again(*given: Any) -> Any:
    """Find a board twice."""
    _find(*given)
    return _find(*given)


def find_nothing(_: str) -> Any:
    """Answer that there is nothing."""
    raise not_found("no")


_write_head, _find, _info = SnapshotStore.write_head, boards._find, evaluator.logger.info
SHAPE: Final = "<rect width='9' height='9'/></svg>"
CHANGED: Final[Mapping[str, tuple[Any, str, Callable[[Any], Any]]]] = {
    "count": (boards, "find_rows", lambda view: view.model_copy(update={"matches": 7})),
    "order of ties": (boards, "find_rows", turn_ties),
    "size": (boards, "write_board_page", lambda page: page + " "),
    "preview": (boards, "write_story", lambda page: page.replace("</title>", ".</title>")),
    "table": (boards, "write_csv", lambda text: text.replace("\n", "\r\n", 1)),
    "badge": (boards, "draw_badge", lambda svg: svg.replace("</svg>", SHAPE)),
    "picture": (boards, "draw_story", lambda svg: svg.replace("</svg>", SHAPE)),
    "feed": (boards, "write_feed", lambda text: text + "\n"),
    "ETag": (boards, "make_etag", lambda tag: tag.upper()),
    "Retry-After": (submissions, "quota_problem", lambda problem: replace(problem, headers={"Retry-After": "1"})),
    "mail": (sender, "write_mail", lambda mail: mail._replace(footer=f"{mail.footer} ")),
    "file": (Rendering, "_make_head", lambda head: head.model_copy(update={"summary": "One."})),
    "time": (
        Rendering,
        "_make_head",
        lambda head: head.model_copy(update={"generated_at": head.generated_at + timedelta(seconds=1)}),
    ),
}
"""Surface → a function of the product, and what is made of its answer."""
REPLACED: Final[Mapping[str, tuple[Any, str, Any]]] = {
    "header": (boards, "HEAD_CACHE", "public, max-age=3"),
    "status": (boards, "find_published", find_nothing),
    "waiting": (outcomes, "POLL_SECONDS", 0.2),
    "calls": (boards, "_find", read_again),
    "log": (evaluator.logger, "info", lambda message, **given: _info(f"{message} ", **given)),
    "listing": (SnapshotStore, "write_head", write_more),
}
"""Surface → a function or value of the product, and what stands in its place."""


@pytest.fixture(scope="module")
def told(simulations: SimulationFactory) -> Seen:
    """What everybody saw in the world without a leak."""
    with open_world(simulations, EVENTS) as world:
        return world.tell(FEW)


@pytest.mark.parametrize("surface", [*CHANGED, *REPLACED])
def test_a_leak_turns_the_suite_red(simulations: SimulationFactory, told: Seen, surface: str) -> None:
    """On whatever surface it is, and on that alone."""
    with pytest.MonkeyPatch.context() as patch:
        if surface in REPLACED:
            patch.setattr(*REPLACED[surface])
        else:
            owner, name, change = CHANGED[surface]
            tell = getattr(owner, name)
            patch.setattr(owner, name, lambda *given, **named: change(tell(*given, **named)))
        with open_world(simulations, EVENTS) as world:
            leaked = world.tell(FEW)

    assert find_differences(told, leaked) != {}


def test_without_a_leak_it_is_green(simulations: SimulationFactory, told: Seen) -> None:
    """The same world, told again, is the same: nothing else turns the suite red."""
    with open_world(simulations, EVENTS) as world:
        assert find_differences(told, world.tell(FEW)) == {}
