"""What open pages cost: by the rule that pages have, and the beat that the renderer names."""

import json
import subprocess
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from costing.bill import Rates, make_bill, total
from costing.stories import Story

from aggregate.board import choose_beat
from scripts.frontend.build_frontend import find_program
from tests.unit.heads import make_head_of

COUNTER = Path(__file__).with_name("asks.mjs")
HOUR = 3600
MONTH = 30 * 24 * HOUR
VIEWERS = 10_000
HEAD_SECONDS = 2
"""An edge of CloudFront asks S3 no more often: the `max-age` of a head."""
EDGES = 10
"""Edges at which the viewers of a board are."""
POLL = "poll, 10,000 players"
SETTLED = 600
"""Seconds after which the beat of a steady board stays as it is."""


class Watch(NamedTuple):
    """Pages that are open and visible.

    Args:
        what: In words.
        viewers: How many.
        seconds: How long.
        every: Seconds between two results of the board, None if there is none.
        players: The share of viewers whose own place is not among the first rows.
        cards: Cards in view beside the board, if it is the wide one of the front page, which asks for the index, too.
    """

    what: str
    viewers: int
    seconds: int
    every: float | None
    players: float = 0.0
    cards: int = 0


QUIET_TAB = Watch("a month, one page with an own place: nothing happens", 1, MONTH, None, 1.0)
QUIET = Watch("two hours, 10,000 viewers: nothing happens", VIEWERS, 2 * HOUR, None, 0.1)
BUSY = Watch("two hours, 10,000 viewers: 100,000 results", VIEWERS, 2 * HOUR, 0.072, 0.1)
WATCHES = (
    QUIET_TAB,
    QUIET,
    Watch("two hours, 10,000 viewers: a result every five minutes", VIEWERS, 2 * HOUR, 300.0, 0.1),
    Watch("two hours, 10,000 viewers: a result a minute", VIEWERS, 2 * HOUR, 60.0, 0.1),
    Watch("two hours, 10,000 viewers: a result every two seconds", VIEWERS, 2 * HOUR, 2.0, 0.1),
    Watch("two hours, 10,000 viewers: five results a second", VIEWERS, 2 * HOUR, 0.2, 0.1),
    BUSY,
    Watch("two hours, 10,000 viewers of the front page: nothing happens", VIEWERS, 2 * HOUR, None, cards=6),
    Watch("two hours, 10,000 viewers of the front page: a result a minute", VIEWERS, 2 * HOUR, 60.0, cards=6),
)


class Bill(NamedTuple):
    """What pages ask for and cost: seconds of the beat, requests of a page, and dollars of all of them."""

    beat: float
    asks: int
    changed: int
    places: int
    dollars: float


def bill_watches(stories: Mapping[str, Story], rates: Rates) -> dict[Watch, Bill]:
    """Return what each watch costs."""
    beats = [find_beat(watch.every) for watch in WATCHES]
    asked = [
        {"seconds": watch.seconds, "every": watch.every, "beat": beat, "cards": watch.cards}
        for watch, beat in zip(WATCHES, beats, strict=True)
    ]
    # A constant command, with numbers of this file.
    printed = subprocess.run(
        [find_program("node"), COUNTER, json.dumps(asked)], capture_output=True, text=True, check=True
    ).stdout
    return {
        watch: _bill(watch, beat, counts, stories, rates)
        for watch, beat, counts in zip(WATCHES, beats, json.loads(printed), strict=True)
    }


def find_beat(every: float | None) -> float:
    """Return the beat that the heads of a board name on which results come evenly."""
    head = make_head_of("A")
    if every is None:
        return 0.0
    step = max(every, 1.0)
    for _ in range(int(SETTLED / step)):
        came = round(step / every)
        counts = head.counts.model_copy(update={"submissions": head.counts.submissions + came})
        now = head.generated_at + timedelta(seconds=step)
        beat = choose_beat(head, counts, now=now)
        head = head.model_copy(update={"counts": counts, "generated_at": now, "beat": beat})
    return head.beat


def _bill(watch: Watch, beat: float, counts: Mapping[str, int], stories: Mapping[str, Story], rates: Rates) -> Bill:
    asks, changed, places = (counts[name] for name in ("asks", "changed", "places"))
    # A page alone at its edge makes it ask S3 each time.
    reads = min(watch.viewers * asks, EDGES * watch.seconds / HEAD_SECONDS)
    whole = total(make_bill(stories[POLL], rates))  # dollars a million, as all of these
    headers = rates.assumed["answer_header_bytes"] / 1000 * rates.gigabytes["internet"]
    unchanged = rates.prices["CloudFront requests"] + headers
    millions = watch.viewers * (changed * whole + (asks - changed) * unchanged)
    millions += reads * rates.prices["S3 reads"]
    millions += watch.viewers * watch.players * places * total(make_bill(stories["around"], rates))
    return Bill(beat, asks, changed, places, millions / 1e6)
