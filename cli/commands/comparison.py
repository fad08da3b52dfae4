"""`laurel compare`: the scores of two submissions, what lies between them, and which is better."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.table import Table

from cli.client import SiteClient, asks_site, get
from cli.console import BenchmarkId, make_console, plain, print_wide
from cli.exit_codes import CommandError
from scoring_core.metrics.score_type import Direction
from scoring_core.metrics.spelling import show_number
from scoring_core.urls import benchmark_url, submission_url


@asks_site("token")
def compare(
    site: SiteClient,
    benchmark: BenchmarkId,
    first: Annotated[str, typer.Argument(help="The id of a submission.", metavar="FIRST")],
    second: Annotated[str, typer.Argument(help="The id of another one.", metavar="SECOND")],
) -> None:
    """Compare the scores of two submissions, in all and part by part.

    Differences are the second minus the first; the better one follows from the direction of the metric.
    """
    views = [get(site.http, submission_url(benchmark, submission)) for submission in (first, second)]
    for view in views:
        if view["scores"] is None:
            outcome = view["outcome"] or view["status"]
            raise CommandError(f"{view['submission']}: expected a submission with scores, found {outcome}")
    both = [{None: view["scores"], **{each["part"]: each["scores"] for each in view["parts"] or ()}} for view in views]
    metrics = get(site.http, benchmark_url(benchmark))["headers"]
    scores = [
        _compare(part, metric, [each.get(part, {}).get(metric["name"]) for each in both])
        for part in dict.fromkeys([*both[0], *both[1]])
        for metric in metrics
    ]
    submissions = [{name: view[name] for name in ("submission", "name", "version")} for view in views]
    compared = {"benchmark": benchmark, "submissions": submissions, "scores": scores}
    site.show(compared, lambda: _print(compared))


def _compare(part: str | None, metric: Mapping[str, Any], values: Sequence[float | None]) -> dict[str, Any]:
    """Return the values of a metric; `better` is 1, 2 or, if neither is, null."""
    first, second = values
    difference = None if first is None or second is None else second - first
    better = None
    if difference:
        better = 2 if (difference > 0) == (metric["direction"] == Direction.HIGHER) else 1
    named = {"part": part, "metric": metric["name"], "direction": metric["direction"]}
    return {**named, "values": values, "difference": difference, "better": better}


def _print(compared: Mapping[str, Any]) -> None:
    table = Table("part", "metric", "first", "second", "difference", "better", box=None)
    for view in compared["submissions"]:
        make_console().print(f"{view['submission']} by {plain(view['name'])}, version {view['version']}")
    for each in compared["scores"]:
        difference = ("+" if (each["difference"] or 0) > 0 else "") + show_number(each["difference"])
        better = {1: "first", 2: "second", None: "–"}[each["better"]]
        values = map(show_number, each["values"])
        table.add_row(plain(each["part"] or "–"), plain(each["metric"]), *values, difference, better)
    print_wide(table)
