"""The collector is kept still while results are scored, and only then."""

import gc

import pytest

from scoring_core.scorers.squad_v2.scoring import pause_collector


def test_the_collector_rests_inside_and_works_after() -> None:
    """Inside a pause it is off, also in nested pauses; afterwards it is on again."""
    with pause_collector():
        with pause_collector():
            assert not gc.isenabled()
        assert not gc.isenabled()

    assert gc.isenabled()


def test_the_collector_works_again_after_an_error() -> None:
    """An error inside lets it work again, too."""
    with pytest.raises(ValueError, match="inside"), pause_collector():
        raise ValueError("inside")

    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    """A collector that was off before stays off."""
    gc.disable()
    try:
        with pause_collector():
            pass
        was_enabled = gc.isenabled()
    finally:
        gc.enable()

    assert not was_enabled
