"""Players: how they come in, leave a benchmark or get more time, and their tokens."""

import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from cli.client import SiteClient, asks_site, get, post
from cli.console import (
    BenchmarkId,
    PlayerKindName,
    format_moment,
    make_console,
    plain,
    print_wide,
    read_text,
)
from cli.exit_codes import UsageError, choose_exit_code
from scoring_core.urls import benchmark_url

_TIME = re.compile(r"(\d{1,4})([hdw])")
_HOURS = {"h": 1, "d": 24, "w": 168}
_EXPECTED = {"--lasts": "days or weeks such as 14d or 4w", "--expires": "12h, 90d or 52w, and for a month 30d"}
_Uses = Annotated[int, typer.Option(min=1, help="How many may come by the link.")]
_Player = Annotated[str, typer.Option(help="The player's id: a-z, 0-9 and -.")]
_Lasts = Annotated[str, typer.Option(help="How long the link works, in days or weeks: 14d, 4w.", metavar="WHEN")]


@asks_site("owner")
def ban(
    site: SiteClient,
    benchmark: BenchmarkId,
    player: Annotated[str | None, typer.Argument(help="The player's id, as in the address of its page.")] = None,
    name: Annotated[str | None, typer.Option(help="A guest's name instead: it and all that look like it.")] = None,
    reason: Annotated[str | None, typer.Option(help="The reason, shown to everybody: 1-300 characters.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Lift the ban: the rows come back.")] = False,
) -> None:
    """Ban a player or a name from a benchmark, lift a ban, or list the bans."""
    if player is None and name is None:
        if reason is not None or undo:
            raise UsageError("expected a player's id, or --name")
        answer = get(site.http, f"{benchmark_url(benchmark)}/bans")
    elif player is not None and name is not None:
        raise UsageError("expected a player's id or --name, found both")
    elif undo == (reason is not None):
        raise UsageError("expected --reason, which is shown to everybody, or --undo")
    else:
        asked = {"player": player, "name": name, **({"undo": True} if undo else {"reason": reason})}
        answer = post(site.http, f"{benchmark_url(benchmark)}/ban", asked)
    site.show(answer, lambda: _print_bans(answer))


@asks_site("owner")
def extend(
    site: SiteClient,
    benchmark: BenchmarkId,
    player: Annotated[str, typer.Argument(help="The player's id, as in the address of its page.")],
    until: Annotated[str | None, typer.Option(help="When it ends, as 2026-12-23T12:00:00+01:00.")] = None,
    reason: Annotated[str | None, typer.Option(help="The reason, shown to the player: 1-300 characters.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take it back: such results are late again.")] = False,
) -> None:
    """Add time for one player after the close, or take it back."""
    asked = {"player": player, **({"undo": True} if undo else {"until": until, "reason": reason})}
    shown = post(site.http, f"{benchmark_url(benchmark)}/extension", asked)
    state = f"has time until {format_moment(shown['until'])}" if shown["until"] else "no longer has more time"
    sentence = f"{plain(player)} {state}: {plain(shown['reason'])}"
    site.show(shown, lambda: make_console().print(f"{sentence}\n[dim]Results and boards follow within seconds.[/]"))


def _print_bans(answer: Mapping[str, Any]) -> None:
    """Print the bans of a benchmark, or the one that just changed."""
    console = make_console()
    bans: list[Mapping[str, Any]] = answer.get("bans", [answer])
    for shown in bans:
        state = "no longer banned" if shown["lifted_at"] else "banned"
        subject = plain(shown["player"] or f"the name {shown['name']!r}")
        since = format_moment(shown["lifted_at"] or shown["at"])
        console.print(f"{subject} is {state} since {since}: {plain(shown['reason'])}")
    if "bans" not in answer:
        console.print("[dim]Results and boards follow within seconds.[/]")
    elif not bans:
        console.print("nobody is banned")


_ONCE = "It is shown only this once: store it where you store secrets. Commands read it from LAUREL_TOKEN."


@asks_site("owner")
def invite(
    site: SiteClient,
    benchmark: Annotated[str, typer.Argument(help="The benchmark's id.")],
    uses: _Uses = 1,
    lasts: _Lasts = "14d",
    allow: Annotated[
        list[str] | None,
        typer.Option(help="What the tokens allow: submit, host, own or work; repeatable; default: submit."),
    ] = None,
    player: Annotated[str | None, typer.Option(help="The id of a player who has lost the token.")] = None,
    note: Annotated[str, typer.Option(help="What you call the link; only owners see it.")] = "",
    mail: Annotated[
        Path | None,
        typer.Option(
            help="Mail a link to each address in a file: a list, or a class's CSV.", exists=True, dir_okay=False
        ),
    ] = None,
    revoke: Annotated[str | None, typer.Option(help="Take back the link of this id instead.", metavar="ID")] = None,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="With --revoke: also revoke the tokens of its players.")
    ] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the links and who came by them instead.")] = False,
) -> None:
    """Make, mail, list or take back links by which others join a benchmark."""
    base, wish = (
        benchmark_url(benchmark),
        {"days": _read_hours("--lasts", lasts) // 24, "allows": allow or None, "note": note},
    )
    if list_:
        listed = get(site.http, f"{base}/invitations")
        site.show(listed, lambda: _print_invitations(listed["invitations"], listed["names"]))
    elif revoke is not None:
        revoked = post(site.http, f"{base}/invitations/{revoke}/revoke", {"tokens": tokens})
        site.show(revoked, f"the link {revoked['invitation']} is revoked{', and its tokens' if tokens else ''}")
    elif mail is not None:
        if uses != 1 or player is not None:
            raise UsageError("--mail: each link is for one who is new; leave out --uses and --player")
        mailed = post(site.http, f"{base}/invite/mail", {**wish, "addresses": read_text(mail).splitlines()})
        skipped = len(mailed["skipped"])
        summary = f"{len(mailed['invitations'])} invitations are on their way; `--list` shows what becomes of them"
        notes = [f"{skipped} had an open link already, or three mails today"] if skipped else []
        notes += [plain(each["detail"]) for each in mailed["unread"]]
        site.show(mailed, "\n".join([summary, *notes]))
        raise typer.Exit(choose_exit_code(failed=bool(mailed["unread"])))
    else:
        _make(site, f"{base}/invite", {**wish, "uses": uses, "player": player})


@asks_site("player_key", "token")
def join(
    site: SiteClient,
    link: Annotated[str, typer.Argument(help="The link, or what follows `#` in it.")],
    name: Annotated[str | None, typer.Option(help="Your name; none with a token, whose player then joins.")] = None,
    accept_rules: Annotated[bool, typer.Option("--accept-rules", help="Accept the benchmark's rules.")] = False,
) -> None:
    """Join by a link, and print the token, which is shown only once.

    With the player key of a guest of this name, you take along what the guest did.
    """
    wish = {"code": link.strip().rpartition("#")[2], "accept_rules": accept_rules, "name": name}
    headers = {"Idempotency-Key": secrets.token_hex(16)}
    issued = post(site.http, "/api/invitations/join", wish, headers=headers)
    summary = f"for {plain(issued['name'])} ({issued['player']}): {_describe(issued['token'])}"
    site.show(issued, f"[bold]{issued['secret']}[/]\n{summary}\n{_ONCE}")


@asks_site("admin")
def token(
    site: SiteClient,
    player: _Player,
    name: Annotated[str | None, typer.Option(help="The name to show; default: the id.")] = None,
    kind: Annotated[
        PlayerKindName | None,
        typer.Option(help="Whether the player is a human or a model; default: as before, or human."),
    ] = None,
    email: Annotated[str | None, typer.Option(help="Address for the player's mail; default: no mail.")] = None,
    benchmark: Annotated[
        str,
        typer.Option(help="Ids of benchmarks, separated by commas; default: all benchmarks.", metavar="B,…"),
    ] = "",
    scope: Annotated[
        list[str] | None,
        typer.Option(help="What it allows: submit, host, work, own, organise or admin; repeatable; default: submit."),
    ] = None,
    expires: Annotated[
        str | None,
        typer.Option(help="Lifetime in hours, days or weeks: 12h, 90d or 52w; default: unlimited.", metavar="WHEN"),
    ] = None,
) -> None:
    """Make a token, and the player if new. The token is printed only once."""
    body = {
        "player": player,
        "name": name,
        "kind": kind,
        "email": email,
        "benchmarks": [item.strip() for item in benchmark.split(",")] if benchmark else [],
        "scopes": scope or ["submit"],
        "hours": expires and _read_hours("--expires", expires),
    }
    made = post(site.http, "/api/tokens/create", body)
    issued = made["token"]
    revoking = f"To revoke it: [bold]laurel tokens --revoke {issued['token']} --player {made['player']}[/]"
    named = f"{plain(made['name'])} ({made['player']}, {made['kind']}): {', '.join(issued['allows'])}"
    covers = ", ".join(issued["benchmarks"]) or "every benchmark"
    until = f" until {issued['ends_at'][:10]}" if issued["ends_at"] else ""
    site.show(made, f"[bold]{made['secret']}[/]\nfor {named} on {covers}{until}\n{_ONCE}\n{revoking}")


@asks_site("owner")
def tokens(
    site: SiteClient,
    revoke: Annotated[str | None, typer.Option(help="Revoke the token of this id.", metavar="ID")] = None,
    invite_members: Annotated[
        int | None, typer.Option(min=1, help="Make a link by which so many become members.", metavar="NUMBER")
    ] = None,
    lasts: _Lasts = "14d",
    take_back: Annotated[str | None, typer.Option(help="Take back the link of this id.", metavar="ID")] = None,
    player: Annotated[str | None, typer.Option(help="Another player's id, for administrators.")] = None,
) -> None:
    """List or revoke the tokens of your player and its members; invite members.

    Administrators list and revoke those of any player.
    """
    if player is not None and (take_back is not None or invite_members is not None):
        raise UsageError("--player: expected it alone, or beside --revoke")
    if revoke is not None:
        revoked = post(site.http, f"/api/tokens/{revoke}/revoke", query={"player": player})
        site.show(revoked, f"token {revoked['token']} is revoked")
    elif take_back is not None:
        ended = post(site.http, f"/api/invitations/{take_back}/revoke")
        site.show(ended, f"the link {ended['invitation']} is revoked")
    elif invite_members is not None:
        _make(site, "/api/invitations", {"uses": invite_members, "days": _read_hours("--lasts", lasts) // 24})
    else:
        listed = get(site.http, "/api/tokens", query={"player": player})
        site.show(listed, lambda: _print_tokens(listed))


def _make(site: SiteClient, path: str, wish: dict[str, Any]) -> None:
    made = post(site.http, path, wish)
    link = f"{str(site.http.base_url).rstrip('/')}{made['path']}"
    summary = f"for {made['uses']}: {_describe(made)} until {made['ends_at'][:10]}"
    advice = f"It is shown only this once; who has it can join. Its id is {made['invitation']}."
    site.show({**made, "url": link}, f"[bold]{link}[/]\n{summary}\n{advice}")


def _describe(granted: dict[str, Any]) -> str:
    return f"{', '.join(granted['allows'])} on {', '.join(granted['benchmarks']) or 'every benchmark'}"


def _print_invitations(invitations: list[dict[str, Any]], names: dict[str, str]) -> None:
    table = Table("id", "note", "mailed to", "state", "used", "allows", "until (UTC)", box=None)
    for each in invitations:
        used = " ".join([f"{len(each['used'])} of {each['uses']}", *(plain(names[player]) for player in each["used"])])
        allows = ", ".join(each["allows"])
        note, address = plain(each["note"] or "–"), plain(each["address"] or "–")
        state = each["mail"] if each["state"] == "open" and each["address"] is not None else each["state"]
        table.add_row(each["invitation"], note, address, state, used, allows, each["ends_at"][:10])
    print_wide(table)
    if not invitations:
        make_console().print("no links; `laurel invite BENCHMARK` makes one")


def _print_tokens(listed: dict[str, Any]) -> None:
    title = f"{plain(listed['name'])} {listed['player']}"
    table = Table("id", "whose", "allows", "since (UTC)", "until (UTC)", box=None, title=title)
    for each in listed["tokens"]:
        whose = plain(each["member"]) if each["member"] else "the player's own"
        this = " (this one)" if each["current"] else ""
        since, until = each["created_at"][:10], (each["ends_at"] or "–")[:10]
        table.add_row(each["token"], whose + this, _describe(each), since, until)
    print_wide(table)
    if listed["invitations"]:
        _print_invitations(listed["invitations"], {listed["player"]: listed["name"]})


def _read_hours(option: str, text: str) -> int:
    """Return a time in hours; a link lasts a day at least. Raises UsageError."""
    match = _TIME.fullmatch(text)
    hours = int(match[1]) * _HOURS[match[2]] if match else 0
    if hours < (24 if option == "--lasts" else 1):
        raise UsageError(f"{option}: expected {_EXPECTED[option]}, found {text!r}")
    return hours
