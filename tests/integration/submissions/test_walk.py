"""The way of one result, from POST to `head.json`, is short, and CONTRIBUTING describes it."""

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from types import FrameType
from typing import Any

import pytest

from aggregate import stream
from evaluate import queue
from tests.harness.stack import ROOT, Api, InProcess, StackHarness, make_benchmark, make_message

MAX_HOPS, MAX_STEPS, MAX_MODULES = 40, 25, 75
ROOMS = ("functions", "layers")
PRIVATE = re.compile(r"^(functions|layers/\w+)/")
WRITES = re.compile(r"results/|'submission_version'|(?<!'key': \{'S': )'player#|'entry#|/head\.json")
"""The writes that carry a result on: itself, its record, standing and board entry, and the head; not a new name."""
NAMED, WRITTEN = ("Item", "TransactItems", "Key"), {"Item", "TransactItems", "Body"}


class Walk:
    """Sees which functions of the product are called, and which of them are at work at a write.

    A hop is such a function, with its file; a step is the hop by which the way comes from one module into another.
    """

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.hops: list[tuple[str, str]] = []
        self.steps: list[tuple[str, str]] = []
        self.arrived = False

    def record(self, frame: FrameType, event: str, _: Any) -> None:
        """Look at one call: `sys.setprofile` calls this."""
        if not self.arrived and event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # no module, no class
            self.modules |= {path for path, _ in _list_ours(frame)[:1]}
            if frame.f_code.co_qualname == "Hooked._call":
                request = frame.f_locals["given"]
                place = str([request.get(name) for name in NAMED]) if WRITTEN & set(request) else ""
                if WRITES.search(place):
                    hops = _list_ours(frame, whole=True)[::-1]
                    steps = [hop for before, hop in pairwise([("", ""), *hops]) if before[0] != hop[0]]
                    self.hops += [hop for hop in hops if hop not in self.hops]
                    self.steps += [step for step in steps if step not in self.steps]
                    self.arrived = "/head.json'" in place

    def follow(self, act: Callable[[], Any]) -> None:
        """Do something and record it."""
        sys.setprofile(self.record)
        try:
            act()
        finally:
            sys.setprofile(None)


def _list_ours(frame: FrameType, *, whole: bool = False) -> list[tuple[str, str]]:
    """Return (file, function) of a frame, or of the `whole` stack, the innermost first, if they are the product's."""
    frames = list(_walk_back(frame)) if whole else [frame]
    files = [(each.f_code.co_filename.removeprefix(f"{ROOT}/"), each.f_code.co_qualname) for each in frames]
    return [(PRIVATE.sub("", file), name) for file, name in files if file.startswith(ROOMS)]


def _walk_back(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


@pytest.fixture
def walk(api: Api, stack: StackHarness) -> Walk:
    """A result on its way: submitted, scored, and shown on its board."""
    stack.publish(make_benchmark())
    poller, walk = stack.stream_poller(stream.lambda_handler), Walk()

    def deliver() -> None:
        while poller.poll():
            pass

    walk.follow(lambda: api.post(query={"player": "Ada"}))
    messages = {"Records": [make_message(key) for key in stack.results()]}
    walk.follow(lambda: InProcess(queue.lambda_handler, "EvaluateFunction").invoke(messages))
    walk.follow(deliver)
    return walk


def test_way_of_a_result_is_short(walk: Walk) -> None:
    """A newcomer follows it in one sitting."""
    assert len(walk.hops) <= MAX_HOPS, walk.hops
    assert len(walk.steps) <= MAX_STEPS, walk.steps
    assert len(walk.modules) <= MAX_MODULES, sorted(walk.modules)


def test_contributing_describes_the_way_of_a_result(walk: Walk) -> None:
    """Each step is a row of "Follow one result", in order."""
    section = (ROOT / "CONTRIBUTING.md").read_text().partition("## Follow one result")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", section, flags=re.MULTILINE)

    assert rows == [(file, name.replace(".<locals>", "")) for file, name in walk.steps]
