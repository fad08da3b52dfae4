"""What this machine adds to a shipped benchmark: the address of the game, and the time of a final."""

from datetime import UTC, datetime

from local.__main__ import link_game, set_final
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


def test_shipped_contest_has_its_final_two_weeks_after_it_is_published() -> None:
    """A file has no time that would be past some day: `houses` closes, and has its final, when it is told."""
    moment = datetime(2026, 12, 22, 11, tzinfo=UTC)

    contest = set_final(load_folder(BENCHMARKS / "houses"), moment)

    assert contest.definition.final is not None
    assert (contest.definition.closes, contest.definition.final.at) == (moment, moment)
