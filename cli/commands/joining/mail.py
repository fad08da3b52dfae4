"""`laurel mail` and `laurel announce`: what a player is mailed about a benchmark, and what an owner writes to all."""

import sys
from enum import StrEnum
from typing import Annotated, Any

import typer

from cli.client import SiteClient, asks_site, get, post
from cli.console import BenchmarkId, plain
from cli.exit_codes import UsageError
from storage.urls import benchmark_url


class About(StrEnum):
    """What a player may be mailed about."""

    BEATEN = "beaten"
    REVIEWED = "reviewed"
    CLOSING = "closing"
    ANNOUNCED = "announced"


@asks_site("token")
def mail(
    site: SiteClient,
    benchmark: Annotated[str | None, typer.Argument(help="The benchmark's id; default: show all.")] = None,
    about: Annotated[list[About] | None, typer.Option(help="What to be mailed about; repeatable.")] = None,
    to: Annotated[str | None, typer.Option(help="The address; default: as before.", metavar="ADDRESS")] = None,
    off: Annotated[bool, typer.Option("--off", help="No mail; the address is deleted.")] = False,
) -> None:
    """Show or change what you are mailed about a benchmark; needs your own token."""
    if benchmark is None:
        listed = get(site.http, "/api/me/mail")
        lines = [f"[bold]{each['benchmark']}[/] {_describe(each)}" for each in listed["benchmarks"]]
        site.show(listed, "\n".join(lines) or "no benchmark shows you yet")
        return
    if off == bool(about):
        raise UsageError("expected --about, once for each thing, or --off")
    changed = post(site.http, f"/api/me/mail/{benchmark}", {"topics": about or [], "address": to})
    site.show(changed, f"[bold]{changed['benchmark']}[/] {_describe(changed)}")


@asks_site("token")
def announce(
    site: SiteClient,
    benchmark: BenchmarkId,
    text: Annotated[str, typer.Argument(help="What to write, or - for standard input.")],
) -> None:
    """Write to the players of a benchmark who asked for that; needs an owner's token."""
    text = sys.stdin.read() if text == "-" else text
    announced = post(site.http, f"{benchmark_url(benchmark)}/announcements", {"text": text})
    count = announced["players"]
    site.show(announced, f"on its way to {count} player{'' if count == 1 else 's'}, within a day")


def _describe(wish: dict[str, Any]) -> str:
    if not wish["topics"]:
        return "no mail"
    waits = "" if wish["confirmed"] else "; press the button of the mail that comes within minutes"
    return f"{', '.join(wish['topics'])} to {plain(wish['address'])}{waits}"
