"""Prints at the end of a run how many seconds each suite took: a suite is a folder of `tests`."""

import os
import time
from collections import Counter
from collections.abc import Iterator

import pytest

WALL: Counter[str] = Counter()
PROCESSOR: Counter[str] = Counter()
"""Suite → seconds, of this process and the processes that it waited for; xdist's workers send theirs when they end."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Count what importing the tests takes."""
    started = _read_clocks()
    result = yield
    _count("(collection)", started)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Count a test together with its fixtures."""
    started = _read_clocks()
    result = yield
    _count(item.nodeid.split("/")[1], started)
    return result


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the seconds of a worker to the process that prints them."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["suite_seconds"] = (dict(WALL), dict(PROCESSOR))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """Add the seconds of a worker that ended; one that crashed sent none."""
    wall, processor = getattr(node, "workeroutput", {}).get("suite_seconds", ({}, {}))
    WALL.update(wall)
    PROCESSOR.update(processor)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the seconds of each suite where several ran."""
    if len(WALL) > 2:  # the collection and one suite
        terminalreporter.section("seconds of each suite: wall, processor")
        for suite, seconds in [*WALL.most_common(), ("all", WALL.total())]:
            processor = PROCESSOR[suite] if suite in PROCESSOR else PROCESSOR.total()
            terminalreporter.write_line(f"{suite:14}{seconds:8.0f}{processor:8.0f}")


def _read_clocks() -> tuple[float, float]:
    times = os.times()
    return time.monotonic(), times.user + times.system + times.children_user + times.children_system


def _count(suite: str, started: tuple[float, float]) -> None:
    wall, processor = _read_clocks()
    WALL[suite] += wall - started[0]
    PROCESSOR[suite] += processor - started[1]
