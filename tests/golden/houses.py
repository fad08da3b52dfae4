"""Make the data of `benchmarks/houses`: invented houses and their prices, the same every time.

They are in the public domain (CC0). Run `rain` as a program to write them again.
"""

import json
import random
from pathlib import Path

from tests.golden.rain import write_csv

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "houses"
SEED, SOLD, HOUSES = 1222, 160, 400
COLUMNS = ("id", "area_m2", "rooms", "built", "station_km", "garden", "price")


def make_houses() -> list[tuple[str, int, int, int, float, int, float]]:
    """Return the row of each house, with its price in thousands."""
    source = random.Random(SEED)  # noqa: S311  # no secret
    houses = []
    for number in range(1, HOUSES + 1):
        area, built = source.randrange(45, 210), source.randrange(1890, 2025)
        rooms, distance = max(1, round(area / 28 + source.gauss(0, 0.8))), round(source.expovariate(0.4), 1)
        garden = int(source.random() < 0.3 + distance / 20)
        worth = 40 + 2.6 * area + 9 * rooms + (built - 1890) ** 1.5 / 18 + 25 * garden - 70 * distance / (2 + distance)
        price = round(worth * source.lognormvariate(0, 0.08), 1)
        houses.append((f"h{number:03}", area, rooms, built, distance, garden, price))
    return houses


def make_files() -> dict[str, str]:
    """Return what is made: path in the benchmark's folder → content."""
    houses = make_houses()
    asked = houses[SOLD:]
    halves = random.Random(SEED).sample(["Public", "Private"] * (len(asked) // 2), len(asked))  # noqa: S311
    solution = [(row[0], row[-1], half) for row, half in zip(asked, halves, strict=True)]
    columns = {"id": [row[0] for row in asked], "price": [round(90 + 3 * row[1]) for row in asked]}
    before, _, others = (FOLDER / "description.md").read_text().partition("```csv\n")
    table = write_csv(COLUMNS, [row if row in houses[:SOLD] else (*row[:-1], "") for row in houses])
    return {
        "solution.csv": write_csv(("id", "price", "Usage"), solution),
        "description.md": f"{before}```csv\n{table}```{others.partition('```')[2]}",
        "examples/areas.json": json.dumps(columns) + "\n",
        "examples/sample.csv": write_csv(("id", "price"), [(row[0], 300) for row in asked]),
        "examples/short.csv": write_csv(("id", "price"), [(row[0], 300) for row in asked[1:]]),
    }
