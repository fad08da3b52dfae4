"""`laurel audit`: who did what."""

from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.table import Table

from cli.client import SiteClient, asks_site, list_pages
from cli.console import make_console, plain, print_wide, read_duration
from cli.exit_codes import UsageError


@asks_site("admin")
def audit(
    site: SiteClient,
    benchmark: Annotated[str | None, typer.Option(help="Only this benchmark; default: all.")] = None,
    since: Annotated[
        str | None, typer.Option(help="5m, 12h, 7d, 2w or a date, in UTC; default: all.", metavar="WHEN")
    ] = None,
) -> None:
    """List who did what: published, rescored, withdrew, made or revoked tokens.

    Needs an administrator's token.
    """
    moment = read_since(since, datetime.now(UTC))
    query = {"benchmark": benchmark, "since": moment.isoformat() if moment else None}
    entries = list(list_pages(site.http, "/api/audit", "entries", query))
    site.show(entries, lambda: _print_entries(entries))


def read_since(text: str | None, now: datetime) -> datetime | None:
    """Read `5m`, `12h`, `7d`, `2w` or a date in UTC. Raises UsageError."""
    if text is None:
        return None
    age = read_duration(text)
    if age is not None:
        return now - age
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        expected = "expected 5m, 12h, 7d, 2w or a date such as 2026-01-31"
        raise UsageError(f"--since: {expected}, found {text!r}") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


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
