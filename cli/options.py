"""Arguments and options that several commands share."""

from typing import Annotated

import typer

BenchmarkId = Annotated[str, typer.Argument(help="The benchmark's id.", metavar="BENCHMARK")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text for people.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell what would change, and change nothing.")]
Host = Annotated[
    str | None,
    typer.Option(
        "--api", envvar="LAUREL_API", help="Where the site is; without it, the one on this machine.", metavar="URL"
    ),
]
StackName = Annotated[
    str | None, typer.Option("--stack", help="The deployed stack's name; without it, the one on this machine.")
]
Token = Annotated[str | None, typer.Option(envvar="LAUREL_TOKEN", help="Who you are: `laurel_…`.")]
Receipt = Annotated[str | None, typer.Option(envvar="LAUREL_RECEIPT", help="Of a guest's submission.")]
