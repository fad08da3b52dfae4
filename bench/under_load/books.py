"""Checks after a load that each acknowledged result is stored, recorded once, and counted by its board."""

import asyncio
from collections import Counter
from datetime import datetime
from typing import NamedTuple

import httpx
from under_load.stack import Running
from under_load.traffic import Place, Sent, place_of, read_counts

from storage.gateway.bucket import Bucket
from storage.keys import parse_result_key


class Entry(NamedTuple):
    """A submission record: its outcome, and when it was written, in seconds since 1970."""

    submission: str
    outcome: str
    recorded: float


def read_records(stack: Running) -> list[Entry]:
    """Read the records of all submissions."""
    items = stack.engine().tables.list_items(stack.environment["SUBMISSIONS_TABLE"])
    return [
        Entry(
            item["submission"]["S"],
            item["outcome"]["S"],
            datetime.fromisoformat(item["recorded_at"]["S"]).timestamp(),
        )
        for item in items
    ]


def read_results(stack: Running) -> list[str]:
    """List the ids of the raw results that S3 keeps."""
    results = Bucket(stack.engine().objects, stack.environment["RESULTS_BUCKET"])
    keys = map(parse_result_key, results.list_keys("results/"))
    return [key.submission for key in keys if key]


def find_faults(stack: Running, sent: list[Sent]) -> list[str]:
    """Compare what was acknowledged with what is stored; return a sentence for each kind of difference.

    Args:
        stack: A stack that got these results and no others.
        sent: All results that it ever acknowledged; each is valid.
    """
    acknowledged = Counter(result.submission for result in sent)
    records = read_records(stack)
    counted = Counter(map(place_of, sent))
    faults = []
    if acknowledged != Counter(read_results(stack)):
        faults.append("the raw results are not those that were acknowledged")
    if acknowledged != Counter(record.submission for record in records):
        faults.append("not every acknowledged result has exactly one record")
    if others := Counter(record.outcome for record in records if record.outcome != "scored"):
        faults.append(f"good results became {dict(others)}")
    if counted != asyncio.run(_read_boards(stack.url, {benchmark for benchmark, _ in counted})):
        faults.append("the boards do not count exactly what was acknowledged")
    return faults


async def _read_boards(url: str, benchmarks: set[str]) -> Counter[Place]:
    counts: Counter[Place] = Counter()
    async with httpx.AsyncClient(base_url=url) as client:
        for benchmark in benchmarks:
            for player, count in (await read_counts(client, benchmark)).items():
                counts[benchmark, player] = count
    return counts
