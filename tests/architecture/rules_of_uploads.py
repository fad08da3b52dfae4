"""Rules of uploads: what the results bucket takes from pages, which queue each prefix is told to, and what expires."""

from typing import Final

from local.template import Template
from submit.services.batches import KEEP_DROPS
from tests.architecture.wishes import unmet

NOTICES: Final = {"results/": "EvaluateQueue", "drops/": "DropQueue"}
"""Prefix of the results bucket → the queue that is told what comes under it."""

EXPIRING: Final = {"aws/lambda/": 90, "downloads/": 1, "drops/": KEEP_DROPS.days}
"""Prefix of the results bucket → the days after which what lies there expires; everything else is kept."""


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


def check_expiry(template: Template) -> list[str]:
    """What serves for a time only expires, and nothing else does."""
    rules = template.resources["ResultsBucket"].properties["LifecycleConfiguration"]["Rules"]
    found = {rule.get("Prefix", ""): rule["ExpirationInDays"] for rule in rules if "ExpirationInDays" in rule}
    wishes = {
        f"days until objects expire are {EXPIRING}, found {found}": found == EXPIRING,
        "every lifecycle rule is enabled": all(rule.get("Status") == "Enabled" for rule in rules),
        "delete markers go with the last version": any(rule.get("ExpiredObjectDeleteMarker") for rule in rules),
    }
    return unmet("ResultsBucket", wishes)
