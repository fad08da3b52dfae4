"""`laurel compare`: the scores of two submissions, what lies between them, and which is better."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.table import Table

from cli.client import SiteClient, asks_site, get
from cli.console import BenchmarkId, format_number, make_console, plain, print_wide
from cli.exit_codes import CommandError
from scoring_core.metrics.score_type import Direction
from storage.urls import benchmark_url, submission_url


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
    views = [_read(site, benchmark, submission) for submission in (first, second)]
    metrics = get(site.http, benchmark_url(benchmark))["headers"]
    parts = [{part["part"]: part["scores"] for part in view["parts"] or ()} for view in views]
    compared = {
        "benchmark": benchmark,
        "submissions": [{name: view[name] for name in ("submission", "name", "version")} for view in views],
        "scores": _compare(metrics, *(view["scores"] for view in views)),
        "parts": [
            {"part": part, "scores": _compare(metrics, *(scores.get(part, {}) for scores in parts))}
            for part in dict.fromkeys([*parts[0], *parts[1]])
        ],
    }
    site.show(compared, lambda: _print(compared))


def _read(site: SiteClient, benchmark: str, submission: str) -> dict[str, Any]:
    view = get(site.http, submission_url(benchmark, submission))
    if view["scores"] is None:
        raise CommandError(
            f"{submission}: expected a submission with scores, found {view['outcome'] or view['status']}"
        )
    return view


def _compare(
    metrics: Sequence[Mapping[str, Any]], first: Mapping[str, float], second: Mapping[str, float]
) -> list[dict[str, Any]]:
    """Return each metric that one of the two has; `better` is 1, 2 or None."""
    compared = []
    for metric in metrics:
        values = [scores.get(metric["name"]) for scores in (first, second)]
        if values == [None, None]:
            continue
        difference = None if values[0] is None or values[1] is None else values[1] - values[0]
        is_second = difference is not None and (difference > 0) == (metric["direction"] == Direction.HIGHER)
        compared.append(
            {
                "metric": metric["name"],
                "direction": metric["direction"],
                "values": values,
                "difference": difference,
                "better": (2 if is_second else 1) if difference else None,
            }
        )
    return compared


def _print(compared: Mapping[str, Any]) -> None:
    console, table = make_console(), Table("", "metric", "first", "second", "difference", "better", box=None)
    for title, view in zip(("first", "second"), compared["submissions"], strict=True):
        console.print(f"{title:6} {view['submission']} by {plain(view['name'])}, version {view['version']}")
    if len({view["version"] for view in compared["submissions"]}) > 1:
        console.print("[yellow]The two were scored under different versions.[/]")
    for part, scores in [("", compared["scores"]), *((each["part"], each["scores"]) for each in compared["parts"])]:
        for each in scores:
            difference = "–" if each["difference"] is None else f"{each['difference']:+g}"
            better = {1: "first", 2: "second", None: "–"}[each["better"]]
            values = map(format_number, each["values"])
            table.add_row(plain(part), plain(each["metric"]), *values, difference, better)
    print_wide(table)
