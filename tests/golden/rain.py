"""Make the data of `benchmarks/rain-tomorrow`: invented days at three invented stations, the same every time.

They are in the public domain (CC0). Run it as a program to write them again.
"""

import csv
import io
import json
import math
import random
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "rain-tomorrow"
SEED = 1126
DAYS = 30
STATIONS = {"coast": 0.6, "valley": -0.4, "ridge": 0.2}
"""Station → how much likelier rain is there, in log-odds."""
COLUMNS = ("id", "station", "pressure_hpa", "change_hpa", "humidity_percent", "cloud_eighths")


def make_days() -> list[tuple[dict[str, object], float, int]]:
    """Return each day: what its table shows, its chance of rain, and if it rained."""
    source = random.Random(SEED)  # noqa: S311  # no secret
    days = []
    for station, more in STATIONS.items():
        for number in range(1, DAYS + 1):
            change = round(source.gauss(0, 4), 1)
            pressure = round(1013 + source.gauss(0, 9) + change, 1)
            humidity = round(min(100, max(20, source.gauss(70, 15))))
            cloud = min(8, max(0, round(source.gauss(4.5, 2.5))))
            odds = more + (1013 - pressure) / 6 - change / 3 + (humidity - 70) / 12 + (cloud - 4.5) / 2
            chance = 1 / (1 + math.exp(-odds))
            values = (f"{station}-{number:02}", station, pressure, change, humidity, cloud)
            days.append((dict(zip(COLUMNS, values, strict=True)), chance, int(source.random() < chance)))
    return days


def write_csv(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return rows as CSV."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([header, *rows])
    return buffer.getvalue()


def make_files() -> dict[str, str]:
    """Return what is made: path in the benchmark's folder → content."""
    days = make_days()
    files = {
        "truth.csv": write_csv(("id", "station", "rain"), [(day["id"], day["station"], rain) for day, _, rain in days])
    }
    guesses = {
        "sample": [0.5 for _ in days],
        "weather": [round(chance, 3) for _, chance, _ in days],
        "clouds": [round((1 + int(str(day["cloud_eighths"]))) / 10, 1) for day, _, _ in days],
    }
    for name, chances in guesses.items():
        rows = [(day["id"], chance) for (day, _, _), chance in zip(days, chances, strict=True)]
        files[f"examples/{name}.csv"] = write_csv(("id", "chance"), rows)
    lines = ",\n".join(json.dumps({"id": day["id"], "chance": round(chance, 3)}) for day, chance, _ in days)
    files["examples/weather-as-json.json"] = f"[{lines}]\n"
    before, _, others = (FOLDER / "description.md").read_text().partition("```csv\n")
    table = write_csv(COLUMNS, [[*day.values()] for day, _, _ in days])
    files["description.md"] = f"{before}```csv\n{table}```{others.partition('```')[2]}"
    return files


if __name__ == "__main__":
    from tests.golden import houses

    for folder, files in ((FOLDER, make_files()), (houses.FOLDER, houses.make_files())):
        for path, content in files.items():
            (folder / path).write_text(content)
