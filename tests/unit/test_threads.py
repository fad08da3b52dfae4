"""Calls at the same time: results in order, and nothing left undone by an error."""

from threading import Barrier, get_ident

import pytest

from storage.gateway.clients import ENGINE_VARIABLE, MAX_THREADS, run_at_once


def test_results_come_in_order() -> None:
    """More items than threads are all acted on, and the results are in the order of the items."""
    assert run_at_once(lambda number: number * 2, range(3 * MAX_THREADS)) == list(range(0, 6 * MAX_THREADS, 2))


def test_items_are_acted_on_at_the_same_time() -> None:
    """As many as there are threads wait for each other."""
    barrier = Barrier(MAX_THREADS, timeout=30)

    run_at_once(lambda _: barrier.wait(), range(MAX_THREADS))

    assert not barrier.broken


def test_sole_item_needs_no_thread() -> None:
    """One item is acted on by the caller's own thread; none is no call."""
    assert run_at_once(lambda _: get_ident(), [1]) == [get_ident()]
    assert run_at_once(lambda _: pytest.fail("called"), []) == []


def test_engine_needs_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file answers one call after another, so the caller's own thread acts on every item."""
    monkeypatch.setenv(ENGINE_VARIABLE, "laurel.db")

    assert run_at_once(lambda number: (number, get_ident()), range(3)) == [(n, get_ident()) for n in range(3)]


@pytest.mark.parametrize("engine", ["", "laurel.db"])
def test_error_is_raised_when_all_are_done(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one of them raises is raised after the others have ended, with threads and without."""
    monkeypatch.setenv(ENGINE_VARIABLE, engine)
    done: list[int] = []

    def act(number: int) -> None:
        if number == 0:
            raise ValueError("the first")
        done.append(number)

    with pytest.raises(ValueError, match="the first"):
        run_at_once(act, range(5))

    assert sorted(done) == [1, 2, 3, 4]
