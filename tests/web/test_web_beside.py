"""The table of a board and what is beside it, at any width, in any language, with a clock that goes on."""

from collections.abc import Callable
from datetime import timedelta
from itertools import cycle, islice

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from scoring_core.metrics.score_type import Direction
from storage.boards.models import Metric
from tests.web.boards import METRICS, START, Shelf, make_board, make_rows

pytestmark = pytest.mark.e2e

WIDTHS = (360, 390, 480, 540, 599, 768, 1080, 1180, 1280, 1536, 1920)
AFTER = timedelta(minutes=44)
"""The thirty rows are of the first thirty minutes."""
LONG_NAMES = ("Bundesjugendorchester Nord", "Nguyễn Phương Thảo Nguyên", "Ｗ" * 40, "Rubber Ducks", "Tabs")
MORE = tuple(
    Metric(id=name, label=name, unit="s", direction=Direction.LOWER, decimals=2, help=None, primary=False)
    for name in ("Zwischenzeit", "Unterbrechungen")
)
MEASURE = """() => {
  const box = selector => document.querySelector(selector).getBoundingClientRect();
  const area = document.querySelector('.ranking');
  const [frame, table, side] = [box('.ranking'), box('.ranking table'), box('.side')];
  return {
    isBeside: side.left >= frame.right,
    spill: Math.max(0, table.right - frame.right),
    overlap: Math.min(table.right, side.right) - Math.max(table.left, side.left) > 0
      && Math.min(table.bottom, side.bottom) - Math.max(table.top, side.top) > 0,
    overflow: getComputedStyle(area).overflowX,
    page: document.documentElement.scrollWidth - innerWidth,
    cropped: [...document.querySelectorAll('.ends')].some(
      ends => ends.getBoundingClientRect().right > ends.parentElement.getBoundingClientRect().right),
    pastName: [...document.querySelectorAll('.ranking .player-cell')].some(cell => [...cell.children].some(
      each => each.getBoundingClientRect().right > cell.getBoundingClientRect().right + 1)),
    columns: [...document.querySelectorAll('.ranking thead th')].filter(cell => cell.offsetWidth > 0).length,
  };
}"""


@pytest.mark.parametrize(
    ("metrics", "language"), [(METRICS[:1], "en"), (METRICS[:2], "vi"), ((*METRICS[:2], *MORE), "de")]
)
def test_table_is_never_drawn_over_what_is_beside_it(
    open_page: Callable[..., Page], shelf: Shelf, metrics: tuple[Metric, ...], language: str
) -> None:
    """With long names and results of some minutes ago, the table is seen whole beside the panel, or above it."""
    rows = make_rows(30)
    scores = {metric.id: tuple(5404.25 - 311 * index for index in range(30)) for metric in metrics}
    named = rows.model_copy(update={"name": tuple(islice(cycle(LONG_NAMES), 30)), "scores": scores})
    name = f"beside-{len(metrics)}"
    shelf.put(make_board(name, players=30, rows=named).model_copy(update={"metrics": metrics}))

    def prepare(context: BrowserContext) -> None:
        context.clock.install(time=START + AFTER)
        context.add_init_script(f"localStorage.setItem('language', '{language}')")

    page = open_page(f"/b/{name}", prepare=prepare)
    expect(page.locator(".side .side-card").first).to_be_visible()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        seen = page.evaluate(MEASURE)

        assert seen["overflow"] != "visible", width
        assert not seen["overlap"], width
        assert not seen["cropped"], width
        assert not seen["pastName"], width
        assert seen["page"] <= 0, width
        assert seen["spill"] == 0 or not seen["isBeside"], width


@pytest.mark.parametrize(
    "name", ["محمد عبد الرحمن بن عبد الله العمراني الطويل", "Bundesjugendorchester Nordwest und Umgebung"]
)
def test_long_name_loses_its_end_in_any_script(open_page: Callable[..., Page], shelf: Shelf, name: str) -> None:
    """The first letter is seen, on the right of a name that is read from there."""
    shelf.put(make_board("ends", players=1, rows=make_rows(1).model_copy(update={"name": (name,)})))

    page = open_page("/b/ends", width=360)

    seen = page.locator(".ranking .player-cell a").evaluate(
        """link => {
          const range = document.createRange();
          const text = document.createTreeWalker(link, NodeFilter.SHOW_TEXT).nextNode();
          range.setStart(text, 0); range.setEnd(text, 1);
          const [letter, box] = [range.getBoundingClientRect(), link.getBoundingClientRect()];
          return [link.scrollWidth > link.clientWidth, letter.left >= box.left - 1 && letter.right <= box.right + 1];
        }"""
    )
    assert seen == [True, True]
