"""Counts what a submission uses of AWS, and multiplies it with a table of prices.

`uv run python bench/cost.py [--write] [--json] [--players N …]`. The template's functions run in this process on moto,
with the real events, deliveries and batches of `tests/faults/simulation.py`. The bench counts each call and its units
as AWS documents them (write and read units with those of the indexes, requests of SQS with those of S3 and of the
pollers, bytes of logs), and measures the processor time of the functions. Durations in Lambda are that time at the
function's share of a vCPU, and for each call the wait that bench/costing/prices.yaml assumes.

`--write` records what was counted in bench/costing/recorded.json and writes the tables of docs/measurements.md.
"""

import argparse
import json
import sys

from costing.bill import Rates, dump_story, make_bill, read_recorded, read_settings, total, write_recorded
from costing.stories import CHARGES, Story, read_stories, read_template
from costing.tables import BOARDS, DOCUMENT, SIZES, write_tables


def main() -> int:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, nargs="*", default=SIZES, help="sizes of boards")
    parser.add_argument("--charges", type=int, default=CHARGES, help="submissions of one address in a day; 0: none")
    parser.add_argument("--write", action="store_true", help="record, and write the tables of the document")
    parser.add_argument("--json", action="store_true", help="print what was counted as JSON")
    arguments = parser.parse_args()
    settings = read_settings(read_template())
    stories: dict[str, Story] = {}
    for name, story in read_stories(arguments.players, charges=arguments.charges):
        stories[name] = story
        if not arguments.json:
            report(name, story, Rates(settings))
    if arguments.json:
        json.dump({name: dump_story(story) for name, story in stories.items()}, sys.stdout, indent=1)
    if arguments.write:
        write_recorded(stories, settings)
        text = write_tables(DOCUMENT.read_text(encoding="utf-8"), *read_recorded())
        DOCUMENT.write_text(text, encoding="utf-8")
    return 0


def report(name: str, story: Story, rates: Rates) -> None:
    """Print the bill of a story."""
    bill = make_bill(story, rates)
    print(f"{name}: {total(bill):.2f} dollars a million, {total(bill, but=BOARDS):.2f} up to the record")
    for line in bill:
        print(f"    {line.function:20}{line.what:72}{line.dollars:8.2f}")


if __name__ == "__main__":
    sys.exit(main())
