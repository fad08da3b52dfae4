"""Long names in the rows of a board."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.web.boards import Shelf, make_board, make_rows

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(
    "name", ["محمد عبد الرحمن بن عبد الله العمراني الطويل", "Bundesjugendorchester Nordwest und Umgebung"]
)
def test_long_name_is_whole_in_any_script(open_page: Callable[..., Page], shelf: Shelf, name: str) -> None:
    """Nothing of it is cut off, and its first letter is seen, on the right of a name that is read from there."""
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
    assert seen == [False, True]
