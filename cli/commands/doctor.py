"""`laurel doctor`: what is installed, reachable and configured, and what to do about the rest."""

import platform
from collections.abc import Iterator
from enum import StrEnum
from http import HTTPStatus
from importlib.util import find_spec
from typing import NamedTuple

import typer

from cli.client import connect, get, list_benchmarks, read_problem
from cli.console import AsJson, Host, Token, plain, show
from cli.exit_codes import FAILED
from cli.installation import find_source, write_install
from cli.sites import find_site
from sandbox.support import explain_missing_sandbox
from scoring_core import __version__
from scoring_core.errors import LaurelError
from scoring_core.urls import benchmark_url


class Condition(StrEnum):
    """How something is: `missing` is needed by some commands only."""

    OK = "ok"
    MISSING = "missing"
    BROKEN = "broken"


class Diagnosis(NamedTuple):
    """What was looked at, how it is, and what to do about it."""

    name: str
    condition: Condition
    text: str


_MARKS = {Condition.OK: "[green]✓[/]", Condition.MISSING: "[yellow]–[/]", Condition.BROKEN: "[red]✗[/]"}


def doctor(token: Token = None, host: Host = None, json: AsJson = False) -> None:
    """Show what is installed, reachable and configured, and what to do.

    Exit code 1: something that every command needs is broken.
    """
    findings = [*check_installation(), *check_site(host, token)]
    lines = [f"{_MARKS[finding.condition]} {finding.name}: {plain(finding.text)}" for finding in findings]
    show([finding._asdict() for finding in findings], "\n".join(lines), json=json)
    if any(finding.condition is Condition.BROKEN for finding in findings):
        raise typer.Exit(FAILED)


def check_installation() -> Iterator[Diagnosis]:
    """Look at the package, its extras and the sandbox of scripts."""
    source = find_source()
    installed = f", from {source}" if source else ""
    yield Diagnosis("laurel", Condition.OK, f"{__version__} with Python {platform.python_version()}{installed}")
    purpose = "scoring on this machine with numpy, pandas or scipy"
    if find_spec("numpy"):
        yield Diagnosis("science", Condition.OK, f"installed, for {purpose}")
    else:
        yield Diagnosis("science", Condition.MISSING, f"for {purpose}: `{write_install()}`")
    yield check_sandbox()


def check_sandbox() -> Diagnosis:
    """Look whether evaluation scripts can be run on this machine."""
    purpose = "for benchmarks with a script: `laurel score`, `laurel check`, and the stack of `laurel local`"
    missing = explain_missing_sandbox()
    if missing:
        return Diagnosis("sandbox", Condition.MISSING, f"{missing}; {purpose}")
    return Diagnosis("sandbox", Condition.OK, f"bubblewrap works, {purpose}")


def check_site(host: str | None, token: str | None) -> Iterator[Diagnosis]:
    """Look which site commands speak to, and whether it takes the token."""
    try:
        site = find_site(host)
        with connect(host, token=token) as client:
            served = str(get(client, "/api/health").get("version", "something else"))
            benchmarks = list_benchmarks(client)
            difference = "" if served == __version__ else f"; it runs {served}, and this command is {__version__}"
            yield Diagnosis(
                "site", Condition.OK, f"{site.url} ({site.source}), {len(benchmarks)} benchmarks{difference}"
            )
            if token is None:
                yield Diagnosis(
                    "token", Condition.MISSING, "without LAUREL_TOKEN you are a guest; the administrator makes a token"
                )
            elif benchmarks:
                answer = client.get(f"{benchmark_url(benchmarks[0])}/batches")
                if answer.status_code == HTTPStatus.UNAUTHORIZED:
                    yield Diagnosis(
                        "token", Condition.BROKEN, f"{read_problem(answer)['detail']}; set LAUREL_TOKEN to another one"
                    )
                else:
                    yield Diagnosis("token", Condition.OK, "the site accepts LAUREL_TOKEN")
    except LaurelError as error:
        yield Diagnosis("site", Condition.BROKEN, str(error))
