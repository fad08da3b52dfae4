"""A public export as a benchmark that is only read: its rows stand as they are, and it says where they come from."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import httpx
import yaml

from cli.client import post
from cli.progress import wait_until_done
from scoring_core.benchmarks.bundle import pack
from scoring_core.benchmarks.loading import Benchmark, load_bundle
from scoring_core.urls import benchmark_url

CONTACT: Final = "nobody@example.com"
"""Nothing is submitted, so nobody gets mail."""
_KEPT: Final = ("name", "type", "min", "max", "unit", "direction", "decimals", "label", "help")
"""Of a metric; values that the other site computed are given."""


def describe_source(manifest: Mapping[str, Any]) -> str:
    """Return the sentence that says where an export comes from."""
    return f"a copy of the rows of {manifest['site']} on {manifest['made_at'][:10]}, which takes no results"


def make_copy(folder: Path, source: str) -> Benchmark:
    """Return a benchmark with the metrics of an export. Raises BenchmarkError."""
    about = json.loads((folder / "benchmark.json").read_bytes())
    headers = [{name: each[name] for name in _KEPT if each.get(name) is not None} for each in about["headers"]]
    fields = [
        {"at": f"/{number}", **{name: each[name] for name in ("name", "type", "min", "max") if name in each}}
        for number, each in enumerate(headers)
    ]
    definition = {
        **{name: about[name] for name in ("id", "title", "summary", "tags")},
        "scorer": "fields",
        "parameters": {"fields": fields},
        "score_type": {"headers": headers},
        "ranking": {"keep": "best", "by": about["ranking"]["by"]},
        "contacts": {"owner": CONTACT},
    }
    text = f"This is {source}."
    return load_bundle(pack({"benchmark.yaml": yaml.safe_dump(definition).encode(), "description.md": text.encode()}))


def send_rows(http: httpx.Client, folder: Path, benchmark: str, source: str) -> int:
    """Take over the rows of the main board, and archive it; return how many.

    Raises ApiError.
    """
    path, taken = benchmark_url(benchmark), list[dict[str, Any]]()
    for line in (folder / "boards/main/rows.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        name = " ".join(filter(None, (row["name"].replace(" ·", " #"), row.get("label"))))
        query = {"player": name, "kind": row["kind"], "taken_over": row["submitted_at"][:10]}
        scores = {metric: value for metric, value in row["scores"].items() if value is not None}
        taken.append(post(http, f"{path}/submissions", {"scores": scores}, query=query))
    wait_until_done(http, taken)
    post(http, f"{path}/archive", {"reason": source})
    return len(taken)
