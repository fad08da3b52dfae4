"""`laurel submissions`: all submissions of a benchmark with their scores, and their raw results."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urljoin

import httpx
import typer

from cli.client import ApiError, SiteClient, asks_site, make_error, post
from cli.console import BenchmarkId, plain
from cli.exit_codes import UsageError
from scoring_core.urls import benchmark_url

DOWNLOAD_SECONDS: Final = 600.0


@asks_site("owner")
def submissions(
    site: SiteClient,
    benchmark: BenchmarkId,
    csv: Annotated[bool, typer.Option("--csv", help="Print a row for each submission as CSV.")] = False,
    folder: Annotated[
        Path | None,
        typer.Option("--zip", help="Write ZIPs of rows and raw results into this new folder.", metavar="FOLDER"),
    ] = None,
) -> None:
    """Download all submissions, with scores or raw results; needs an owner's token.

    They are in order of time, and those of erased players are left out.
    """
    if csv == (folder is not None) or (csv and site.as_json):
        raise UsageError("expected --csv, or --zip FOLDER with or without --json")
    if folder is None:
        _print_csv(_download(site.http, benchmark, "csv"))
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"--zip: expected a new or empty folder, found {folder}")
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for number, content in enumerate(_download(site.http, benchmark, "zip"), start=1):
        file = folder / f"{benchmark}-{number:04}.zip"
        file.write_bytes(content)
        files.append(str(file))
    site.show({"files": files}, f"{len(files)} file{'' if len(files) == 1 else 's'} in {plain(str(folder))}")


def _download(client: httpx.Client, benchmark: str, content: Literal["csv", "zip"]) -> Iterator[bytes]:
    """Yield one file after another. Raises ApiError."""
    path, after = f"{benchmark_url(benchmark)}/downloads", ""
    while after is not None:
        written = post(client, path, {"content": content, "after": after})
        # Not with `client`: the address is signed, and S3 must not see the token.
        file = httpx.get(urljoin(str(client.base_url), written["url"]), timeout=DOWNLOAD_SECONDS)
        if not file.is_success:
            raise make_error(file, "the download from the store")
        yield file.content
        after = written["next"]


def _print_csv(files: Iterator[bytes]) -> None:
    """Print files as one. Raises ApiError if their columns differ."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="")  # CSV ends its lines with CR LF everywhere
    header = ""
    for file in files:
        first, end, rows = file.decode("utf-8-sig").partition("\r\n")
        if not header:
            header = first
            sys.stdout.write(first + end)
        elif first != header:
            raise ApiError("the metrics of the benchmark changed meanwhile; run the command again")
        sys.stdout.write(rows)
