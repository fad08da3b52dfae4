"""Writes the first rows of a board as records of Every Eval Ever, or one as the results on a model's card.

Source: docs/sources.md, "Every Eval Ever".
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from cli.boards.first_rows import Row, ShownHead
from cli.exit_codes import UsageError
from scoring_core import __version__
from scoring_core.outcome import is_taken_over
from scoring_core.urls import board_url

DATASETS: Final = "https://huggingface.co/datasets/"
SCHEMA_VERSION: Final = "0.3.0"


def list_records(
    head: ShownHead, rows: Sequence[Row], headers: Sequence[Mapping[str, Any]], *, site: str
) -> Iterator[dict[str, Any]]:
    """Yield the record of each row.

    Args:
        head: The head of the board.
        rows: Some of its rows, at least one.
        headers: The metrics of the benchmark, which have bounds.
        site: The address of the site, without a slash at the end.
    """
    answer = head.answer
    name = str(answer["id"])
    bounds = {header["name"]: (header.get("min"), header.get("max")) for header in headers}
    moment = datetime.fromisoformat(str(answer["generated_at"])).timestamp()
    for row in rows:
        shown = row["name"] if row["label"] is None else f"{row['name']} {row['label']}"
        yield {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": f"{name}/{shown}/{moment:.0f}",
            "retrieved_timestamp": f"{moment:.0f}",
            "source_metadata": {
                "source_name": str(answer["title"]),
                "source_type": "documentation" if is_taken_over(row["submission"]) else "evaluation_run",
                "source_organization_name": site.partition("//")[2],
                "source_organization_url": site,
                "evaluator_relationship": "third_party",
                "additional_details": {
                    "version": str(answer["version"]),
                    "rank": f"{row['rank']}",
                    "kind": row["kind"],
                },
            },
            "eval_library": {"name": "laurel", "version": __version__},
            "model_info": {
                "name": shown,
                "id": shown,
                "additional_details": {
                    "deployment_type": "unknown",
                    "model_availability": "unknown",
                    "verified": str(row["verified"]).lower(),
                },
            },
            "evaluation_results": [
                {
                    "evaluation_name": f"{name} {metric['label']}",
                    "source_data": {"dataset_name": name, "source_type": "url", "url": [f"{site}{board_url(name)}"]},
                    "metric_config": {
                        "lower_is_better": metric["direction"] == "lower",
                        "score_type": "continuous",
                        **_find_bounds(metric["id"], rows, *bounds.get(metric["id"], (None, None))),
                    },
                    "score_details": {"score": row["scores"][metric["id"]]},
                }
                for metric in answer["metrics"]
                if row["scores"].get(metric["id"]) is not None
            ],
        }


def list_card_results(head: ShownHead, rows: Sequence[Row], player: str, *, site: str) -> list[dict[str, Any]]:
    """Return a row as a file of `.eval_results/` of a model at Hugging Face.

    It has the primary metric, as a task of the benchmark's id. Raises UsageError if the benchmark has no link to its
    data set there, or no row of the first ones has this name and a score.
    """
    answer = head.answer
    datasets = [
        each["url"].removeprefix(DATASETS) for each in answer.get("links", ()) if each["url"].startswith(DATASETS)
    ]
    metrics = answer["metrics"]
    metric = next((each["id"] for each in metrics if each["primary"]), metrics[0]["id"])
    row = next((row for row in rows if row["name"] == player and row["scores"].get(metric) is not None), None)
    if not datasets or row is None:
        lacking = f"a link {DATASETS}… in `links`" if row else f"a name among the first {len(rows)} rows"
        raise UsageError(f"--eval-results: expected {lacking}, found {player if datasets else 'none'!r}")
    day = str(answer["generated_at"])[:10]
    source = {"url": f"{site}{board_url(str(answer['id']))}", "name": str(answer["title"])}
    dataset = {"id": datasets[0].strip("/"), "task_id": str(answer["id"])}
    return [{"dataset": dataset, "value": row["scores"][metric], "date": day, "source": source}]


def _find_bounds(metric: str, rows: Sequence[Row], least: float | None, most: float | None) -> dict[str, float]:
    """Return the bounds of a metric, its own or those of the rows."""
    shown = [score for row in rows if (score := row["scores"].get(metric)) is not None]
    return {
        "min_score": min(shown) if least is None else least,
        "max_score": max(shown) if most is None else most,
    }
