"""`laurel audit`: who did what."""

from datetime import datetime
from typing import Annotated, Any

import typer
from rich.table import Table

from cli.client import SiteClient, asks_site, list_pages
from cli.console import make_console, plain, print_wide


@asks_site("admin")
def audit(
    site: SiteClient,
    benchmark: Annotated[str | None, typer.Option(help="Only this benchmark; default: all.")] = None,
    since: Annotated[
        datetime | None, typer.Option(help="A day as 2026-01-31, in UTC; default: all.", formats=["%Y-%m-%d"])
    ] = None,
) -> None:
    """List who did what: published, rescored, withdrew, made or revoked tokens.

    Needs an administrator's token.
    """
    query = {"benchmark": benchmark, "since": f"{since:%F}T00:00:00Z" if since else None}
    entries = list(list_pages(site.http, "/api/audit", "entries", query))
    site.show(entries, lambda: _print_entries(entries))


def _print_entries(entries: list[dict[str, Any]]) -> None:
    table = Table("at (UTC)", "who", "role", "did", "benchmark", "to", "detail", box=None)
    for entry in entries:
        detail = ", ".join(f"{name}: {value}" for name, value in entry["detail"].items())
        actor, moment = entry["actor"], entry["at"][:19].replace("T", " ")
        texts = [
            actor["id"],
            actor["role"],
            *(entry[name] or "–" for name in ("action", "benchmark", "subject")),
            detail,
        ]
        table.add_row(moment, *map(plain, texts))
    if entries:
        print_wide(table)
    else:
        make_console().print("no entries")
