"""Measures what one submission costs as its player's history grows, and one change as its board grows.

`uv run python bench/growth.py [--quick] [--json]`. Tables and buckets are dictionaries of this process: the processor
time is that of the product's own code; waits for AWS are not in it, but its calls are counted. Standings must be those
of the whole history, and rows those of all standings, to the last bit.

A history is measured for each `keep`, alone and with twelve parts; `--json` has the mean over all of them. A board is
measured in a steady state: changes that wait are measured on until they have been worked into the pages. The whole
bench takes some minutes and 3 GB.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence

from growing.history import Growth as HistoryGrowth
from growing.history import Shape, join, measure_histories
from growing.players import Growth as PlayersGrowth
from growing.players import Measured, measure_boards

HISTORIES = (10, 100, 1_000, 10_000)
BOARDS = (100, 1_000, 10_000, 100_000, 1_000_000)
QUICK_HISTORIES = (10, 100)
QUICK_BOARDS = (100, 600)


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--quick", action="store_true", help="only short histories and small boards: seconds")
    parser.add_argument("--histories", type=int, nargs="*", help="earlier submissions of a player")
    parser.add_argument("--boards", type=int, nargs="*", help="players on a board")
    arguments = parser.parse_args()
    sizes = QUICK_HISTORIES if arguments.quick else HISTORIES
    histories = sizes if arguments.histories is None else arguments.histories
    sizes = QUICK_BOARDS if arguments.quick else BOARDS
    boards = sizes if arguments.boards is None else arguments.boards
    by_shape = list(measure_histories(histories, runs=4 if arguments.quick else 40)) if histories else []
    measured = list(measure_boards(boards, changes=4 if arguments.quick else 500))
    if arguments.json:
        print(json.dumps(make_json(by_shape, measured)))
    else:
        print_histories(by_shape)
        print_boards(measured)
    return 0


type ByShape = Sequence[tuple[Shape, list[HistoryGrowth]]]


def make_json(by_shape: ByShape, measured: Sequence[Measured]) -> dict[str, object]:
    """Return the figures."""
    return {
        "history": _list_growths(join([growths for _, growths in by_shape])),
        "players": _list_growths(board.alone for board in measured),
    }


def _list_growths(growths: Iterable[HistoryGrowth | PlayersGrowth]) -> list[dict[str, float]]:
    return [{name: round(value, 4) for name, value in growth._asdict().items()} for growth in growths]


def print_histories(by_shape: ByShape) -> None:
    """Print what a submission costs, by the earlier submissions of its player."""
    for index, (shape, growths) in enumerate(by_shape):
        if index == 0:
            print(f"{'processor ms a submission, calls':34}" + "".join(f"{growth.n:>15,}" for growth in growths))
        cells = "".join(f"{growth.ms:9.3f}{growth.calls:6.0f}" for growth in growths)
        print(f"{shape!s:34}{cells}   × {growths[-1].ms / growths[0].ms:,.2f}")


def print_boards(measured: Sequence[Measured]) -> None:
    """Print what a change costs, by the players on its board."""
    if not measured:
        return
    print(f"\n{'processor ms, PUTs a change':34}" + "".join(f"{board.alone.n:>15,}" for board in measured))
    rows = {
        "one a publishing": [board.alone for board in measured],
        "a hundred a publishing": [board.in_hundred for board in measured],
    }
    for name, growths in rows.items():
        print(f"{name:34}" + "".join(f"{growth.ms_a_change:9.3f}{growth.puts_a_change:6.2f}" for growth in growths))
    print(f"{'building it of all standings, s':34}" + "".join(f"{board.build_seconds:15,.2f}" for board in measured))
    by_size = {board.alone.n: board for board in measured}
    if {10_000, 1_000_000} <= by_size.keys():
        small, large = by_size[10_000], by_size[1_000_000]
        alone = large.alone.ms_a_change / small.alone.ms_a_change
        in_hundred = large.in_hundred.ms_a_change / small.in_hundred.ms_a_change
        print(f"1,000,000 players ÷ 10,000: × {alone:.2f} one a publishing, × {in_hundred:.2f} a hundred a publishing")


if __name__ == "__main__":
    sys.exit(main())
