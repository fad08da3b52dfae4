"""Rules of uploads: what pages may send, which queue each prefix notifies, and what expires."""

from typing import Final

from api.batches.routes import KEEP_UPLOADS
from local.template import Template
from tests.architecture.expectations import list_violations

NOTICES: Final = {"results/": "EvaluateQueue", "outcomes/": "EvaluateQueue", "drops/": "DropQueue"}
"""Prefix of the results bucket → the queue that is notified of its objects."""

EXPIRING: Final = {
    "aws/lambda/": 90,
    "downloads/": 1,
    "drops/": KEEP_UPLOADS.days,
    "incoming/": 1,
    "operations/": 30,
    "outcomes/": 30,
    "publications/": 30,
}
"""Prefix of the results bucket → the days after which its objects expire; all others are kept."""


def check_uploads(template: Template) -> list[str]:
    """Pages may post to the results bucket, and read what is signed; each prefix notifies its queue."""
    bucket = template.resources["ResultsBucket"].properties
    cors = bucket.get("CorsConfiguration", {}).get("CorsRules", [])
    notified = {
        notice["Filter"]["S3Key"]["Rules"][0]["Value"]: template.logical_id_of(notice["Queue"])
        for notice in bucket["NotificationConfiguration"]["QueueConfigurations"]
    }
    expectations = {
        "pages of any origin may GET and POST, and nothing else": [rule["AllowedMethods"] for rule in cors]
        == [["GET", "POST"]]
        and cors[0]["AllowedOrigins"] == ["*"],
        f"the notified queues are {NOTICES}, found {notified}": notified == NOTICES,
    }
    return list_violations("ResultsBucket", expectations)


def check_expiry(template: Template) -> list[str]:
    """Temporary objects expire, and nothing else does."""
    rules = template.resources["ResultsBucket"].properties["LifecycleConfiguration"]["Rules"]
    days = {rule.get("Prefix", ""): rule["ExpirationInDays"] for rule in rules if "ExpirationInDays" in rule}
    expectations = {
        f"days until objects expire are {EXPIRING}, found {days}": days == EXPIRING,
        "every lifecycle rule is enabled": all(rule.get("Status") == "Enabled" for rule in rules),
        "delete markers go with the last version": any(rule.get("ExpiredObjectDeleteMarker") for rule in rules),
    }
    return list_violations("ResultsBucket", expectations)
