"""Rules of uploads: what the results bucket takes from pages, and which queue each of its prefixes is told to."""

from typing import Final

from local.template import Template
from tests.architecture.wishes import unmet

NOTICES: Final = {"results/": "EvaluateQueue", "drops/": "DropQueue"}
"""Prefix of the results bucket → the queue that is told what comes under it."""


def check_uploads(template: Template) -> list[str]:
    """Pages may send forms to the results bucket and nothing else; each prefix is told to its own queue."""
    bucket = template.resources["ResultsBucket"].properties
    cors = bucket.get("CorsConfiguration", {}).get("CorsRules", [])
    told = {
        one["Filter"]["S3Key"]["Rules"][0]["Value"]: template.logical_id_of(one["Queue"])
        for one in bucket["NotificationConfiguration"]["QueueConfigurations"]
    }
    wishes = {
        "pages of any origin may POST, and nothing else": [one["AllowedMethods"] for one in cors] == [["POST"]]
        and cors[0]["AllowedOrigins"] == ["*"],
        f"what comes is told to {NOTICES}, found {told}": told == NOTICES,
    }
    return unmet("ResultsBucket", wishes)
