"""Counts what a stack costs in which nothing happens: its schedules, pollers and alarms.

`uv run python bench/idle.py`. The benchmarks of the repository are published in a cloud on moto, with a result on each
board. Then each schedule comes as often as in a month of 30 days: each function is invoked a few times for it, and what
that used is multiplied. Every invocation is counted as a cold start, which is the most that it can cost. Lambda asks a
queue with an event source 15 times a minute.
"""

import json
import sys
from collections import Counter
from datetime import timedelta
from functools import partial
from unittest.mock import patch
from urllib.parse import urlsplit

from costing.bill import Rates, make_bill, read_settings
from costing.moto_cloud import open_moto
from costing.stories import Site, Story, opened, read_template

from local.layout import ROOT
from local.schedules import list_schedules
from local.template import Template
from scoring_core.benchmarks.loading import load_folder
from storage.gateway import clients  # noqa: F401  # the functions make their clients of it
from tests.faults.simulation import SimulationFactory
from tests.faults.steps import Publish
from upkeep.canary import CanaryAnswer

MONTH_SECONDS = 30 * 24 * 3600
POLLS_A_MINUTE = 15
ALARM_DOLLARS = 0.10
FREE_ALARMS = 10
REPEATS = 3
CANARY = "upkeep.dependencies.post_result"


def main() -> int:
    """Count and print."""
    template = read_template()
    rates = Rates(read_settings(template))
    lines = [*count_pollers(template, rates), *count_schedules(template, rates)]
    for name, dollars in lines:
        print(f"{name:60}{dollars:8.3f}")
    print(f"{'in all, a month':60}{sum(dollars for _, dollars in lines):8.3f}")
    alarms = len(template.resources_of("AWS::CloudWatch::Alarm"))
    print(
        f"{f'{alarms} alarms, with AdminAddress, {FREE_ALARMS} free':60}{(alarms - FREE_ALARMS) * ALARM_DOLLARS:8.3f}"
    )
    return 0


def post(site: Site, url: str) -> CanaryAnswer:
    """Answer the canary by the API of a site, so that its hourly request is counted, too."""
    answer = site.simulation.api("POST", urlsplit(url).path, body=b"-", headers={"Content-Type": "application/json"})
    return CanaryAnswer(answer.status, json.dumps(answer.body).encode())


def count_pollers(template: Template, rates: Rates) -> list[tuple[str, float]]:
    """Return what Lambda's requests to queues cost that are empty."""
    lines = []
    for mapping in template.resources_of("AWS::Lambda::EventSourceMapping").values():
        if ":sqs:" in mapping["EventSourceArn"]:
            queue = template.logical_id_of(mapping["EventSourceArn"])
            kind = "SQS FIFO requests" if "FifoQueue" in template.resources[queue].properties else "SQS requests"
            requests = POLLS_A_MINUTE * MONTH_SECONDS / 60
            lines.append((f"poller of {queue}", requests * rates.prices[kind] / 1e6))
    return lines


def count_schedules(template: Template, rates: Rates) -> list[tuple[str, float]]:
    """Return what the schedules cost that have nothing to do."""
    lines: Counter[str] = Counter()
    with opened(SimulationFactory(template, open_moto), template) as site, patch(CANARY, partial(post, site)):
        for folder in sorted((ROOT / "benchmarks").iterdir()):
            Publish(load_folder(folder)).act(site.simulation)
        site.submit(0)
        site.deliver()
        for schedule in list_schedules(template):
            for repeat in range(REPEATS + 1):
                site.simulation.clock.advance(seconds=timedelta(hours=7).seconds)
                site.simulation.restart()
                site.simulation.invoke(schedule.function, json.loads(schedule.input))
                if repeat == 0:
                    site.meter.take()  # the first may have work to do
            story = Story(REPEATS, site.meter.take())
            times = MONTH_SECONDS / schedule.seconds
            # Any function is initialised for as long as submit.
            seconds = rates.assumed["init_milliseconds"]["SubmitFunction"] / 1000
            init = rates.memory[schedule.function] / 1024 * seconds * rates.prices["Lambda GB-seconds"]
            dollars = sum(line.dollars for line in make_bill(story, rates)) + init
            lines[f"{schedule.function}, every {schedule.seconds // 60} minutes"] += times * dollars / 1e6
    return list(lines.items())


if __name__ == "__main__":
    sys.exit(main())
