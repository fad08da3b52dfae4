"""The board of Coin Run leads to the game that this machine serves."""

from local.__main__ import link_game
from local.layout import BENCHMARKS
from scoring_core.benchmarks.loading import load_folder


def test_board_of_the_shipped_game_leads_to_it() -> None:
    """The link is the only change."""
    shipped = load_folder(BENCHMARKS / "coin-run")
    (link,) = (linked := link_game(shipped, "http://localhost:8124").definition).links

    assert (link.label, link.url, linked.model_copy(update={"links": ()})) == (
        "Play",
        "http://localhost:8124",
        shipped.definition,
    )
