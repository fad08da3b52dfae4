"""Counts what a submission uses of AWS, and multiplies it with a table of prices.

`uv run python bench/cost.py [--write] [--json] [--players N …]`. The template's functions run in this process on moto,
with the real events, deliveries and batches of `tests/faults/simulation.py`. The bench counts each call and its units
as AWS documents them (write and read units with those of the indexes, requests of SQS with those of S3 and of the
pollers, bytes of logs), and measures the processor time of the functions. Durations in Lambda are that time at the
function's share of a vCPU, and for each call the wait that bench/costing/prices.yaml assumes.

`--write` records what was counted in bench/costing/recorded.json and writes the tables of docs/measurements.md.
tests/integration/stack/test_cost_bench.py holds the document to the record, and counts again; it compares no time.
"""

import argparse
import json
import sys

from costing.bill import Rates, dump_story, make_bill, read_recorded, read_settings, total, write_recorded
from costing.stories import CHARGES, Story, read_stories, read_template
from costing.tables import BOARDS, DOCUMENT, SIZES, write_tables

HINT = "run bench/cost.py --write"


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


def count_again() -> None:
    """Count what is quick to count, and fail if the record differs. No time is compared.

    A log line names the line of code that wrote it, so bytes of logs may differ a little.
    """
    recorded, settings = read_recorded()
    assert settings == read_settings(read_template()), f"functions have other settings: {HINT}"
    for name, story in read_stories(SIZES[:1], charges=0):
        counted = recorded[name]
        assert counted.usage.keys() == story.usage.keys(), f"{name} needs other functions: {HINT}"
        for function, usage in story.usage.items():
            before = counted.usage[function]
            assert before.counts() == usage.counts(), f"{name} makes other calls in {function}: {HINT}\n{usage}"
            assert abs(before.log_bytes - usage.log_bytes) <= before.log_bytes / 20, f"{name} logs otherwise: {HINT}"


def report(name: str, story: Story, rates: Rates) -> None:
    """Print the bill of a story."""
    bill = make_bill(story, rates)
    print(f"{name}: {total(bill):.2f} dollars a million, {total(bill, but=BOARDS):.2f} up to the record")
    for line in bill:
        print(f"    {line.function:20}{line.what:72}{line.dollars:8.2f}")


if __name__ == "__main__":
    sys.exit(main())
