"""Many players at once: sends POSTs, and watches the boards until they count every result.

A result is on the board when a reader of the site first sees it counted in the player's row. Boards that lack something
are read every 0.2 s, so times may be that much too long. The n-th result of a player is there once the row counts n.
"""

import asyncio
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

import httpx
from under_load.stack import Job

POLL_SECONDS = 0.2
PATIENCE_SECONDS = 60
REPEAT_EACH = 10
MAX_TRIES = 10


type Place = tuple[str, str]
"""A benchmark and a player: a row of a board."""


@dataclass
class Sent:
    """An acknowledged result; times in seconds since 1970."""

    job: Job
    submission: str
    started: float
    answered: float
    shown: float = 0.0


@dataclass
class Load:
    """The results of many POSTs.

    Args:
        sent: Acknowledged results.
        started: Start of the first POST.
        failed: Answer other than 202 → how often; each was retried with the same key.
        repeated: Number of POSTs that were sent twice and named the same submission both times.
    """

    started: float = field(default_factory=time.time)
    sent: list[Sent] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)
    repeated: int = 0

    @property
    def accepting_seconds(self) -> float:
        """From the first POST to the last answer."""
        return max(result.answered for result in self.sent) - self.started

    @property
    def seconds(self) -> float:
        """From the first POST until the boards counted everything."""
        return max(result.shown for result in self.sent) - self.started


async def submit_jobs(url: str, jobs: list[Job], *, concurrency: int, pace: float | None = None) -> Load:
    """Submit results, and watch the boards until all of them are counted.

    Args:
        url: URL of the site.
        jobs: The results.
        concurrency: Limit of POSTs under way at once.
        pace: POSTs started a second; None: each as soon as another one is answered. With a pace, a POST is timed from
            its turn, even if it started late.

    Raises:
        ExceptionGroup: Of a TimeoutError if the boards do not count everything; of an AssertionError if a POST was not
            acknowledged in ten tries, or a repeat became another submission.
    """
    limits = httpx.Limits(max_connections=concurrency + 1)
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=limits) as client:
        load, free = Load(), asyncio.Semaphore(concurrency)
        async with asyncio.TaskGroup() as group:
            group.create_task(_watch(client, load, total=len(jobs)))
            for number, job in enumerate(jobs):
                turn = load.started + number / pace if pace else 0.0
                await asyncio.sleep(max(0.0, turn - time.time()))
                await free.acquire()
                started = turn or time.time()
                posting = group.create_task(_post(client, job, load, started=started, twice=number % REPEAT_EACH == 0))
                posting.add_done_callback(lambda _: free.release())
    return load


async def _post(client: httpx.AsyncClient, job: Job, load: Load, *, started: float, twice: bool) -> None:
    submission = await _post_until_accepted(client, job, load)
    load.sent.append(Sent(job, submission, started, time.time()))
    if twice:
        assert await _post_until_accepted(client, job, load) == submission, "a repeat became another submission"
        load.repeated += 1


async def _post_until_accepted(client: httpx.AsyncClient, job: Job, load: Load) -> str:
    """POST with a key until it is acknowledged; return the id of the submission."""
    url = f"/api/benchmarks/{job.benchmark}/submissions"
    headers = {
        "Authorization": f"Bearer {job.token}",
        "Content-Type": "application/json",
        "Idempotency-Key": job.key,
    }
    for _ in range(MAX_TRIES):
        try:
            answer = await client.post(
                url, params={"part": job.part} if job.part else {}, headers=headers, content=job.body
            )
        except httpx.TransportError as error:
            load.failed[type(error).__name__] += 1
            continue
        if answer.status_code == httpx.codes.ACCEPTED:
            return str(answer.json()["submission"])
        load.failed[f"{answer.status_code}: {answer.text[:200]}"] += 1
        await asyncio.sleep(1)
    raise AssertionError(f"not acknowledged in {MAX_TRIES} tries: {dict(load.failed)}")


async def _watch(client: httpx.AsyncClient, load: Load, *, total: int) -> None:
    """Read the boards that lack results until they show all, and note the times."""
    shown: defaultdict[Place, list[float]] = defaultdict(list)
    count, moved = 0, time.time()
    while count < total:
        await asyncio.sleep(POLL_SECONDS)
        acknowledged = Counter(place_of(result) for result in load.sent)
        lacking = {
            benchmark for (benchmark, player), due in acknowledged.items() if len(shown[benchmark, player]) < due
        }
        for benchmark in sorted(lacking):
            counts, moment = await read_counts(client, benchmark), time.time()
            for place in [place for place in acknowledged if place[0] == benchmark]:
                seen = min(counts.get(place[1], 0), acknowledged[place])
                shown[place] += [moment] * (seen - len(shown[place]))
        before, count = count, sum(map(len, shown.values()))
        moved = time.time() if count > before or not lacking else moved
        if time.time() - moved > PATIENCE_SECONDS:
            raise TimeoutError(f"the boards count {count} of {total} results and no more")
    for result in sorted(load.sent, key=lambda result: result.submission):
        result.shown = shown[place_of(result)].pop(0)


def place_of(result: Sent) -> Place:
    """Return the row of the board that counts a result."""
    return result.job.benchmark, result.job.player


async def read_counts(client: httpx.AsyncClient, benchmark: str) -> dict[str, int]:
    """Return how many submissions of each player a board counts, read as by a visitor."""
    folder = f"/data/b/{benchmark}/"
    head = await _read(client, f"{folder}head.json")
    counts = dict(zip(head["rows"]["player"], head["rows"]["submissions"], strict=True))
    if pages := head["pages"]:
        directory = await _read(client, folder + pages["directory"])
        for name, *_ in directory["pages"]:
            rows = (await _read(client, folder + name))["rows"]
            counts |= dict(zip(rows["player"], rows["submissions"], strict=True))
        recent = (await _read(client, folder + pages["recent"]))["changes"] if pages["recent"] else {}
        for player, change in {**recent, **pages["buffer"]}.items():
            counts[player] = change["row"]["submissions"] if change["row"] else 0
    return counts


async def _read(client: httpx.AsyncClient, url: str) -> Any:
    answer = await client.get(url)
    return answer.raise_for_status().json()
