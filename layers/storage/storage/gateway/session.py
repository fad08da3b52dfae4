"""The session of botocore, with the settings of each service's client."""

import logging
from typing import Any

from botocore.config import Config
from botocore.session import Session

_CONFIG = Config(
    connect_timeout=3,
    read_timeout=20,
    retries={"mode": "standard", "total_max_attempts": 4},
    max_pool_connections=20,
)
_CONFIGS = {
    # Presigned URLs must name the bucket's own regional host: the site's pages may send to no other. botocore names it
    # only if both are asked for: the style in every other region, the endpoint in us-east-1.
    "s3": _CONFIG.merge(
        Config(signature_version="s3v4", s3={"addressing_style": "virtual", "us_east_1_regional_endpoint": "regional"})
    ),
    # A mail whose answer is lost may have been sent: the next copy must say so, and one that botocore sends does not.
    "sesv2": _CONFIG.merge(Config(retries={"total_max_attempts": 1})),
    # A script may run for 120 s; a retry in that time would run it twice.
    "lambda": Config(connect_timeout=3, read_timeout=175, retries={"total_max_attempts": 1}),
}


class AwsSession(Session):
    """Makes clients with the settings of their service."""

    def create_client(self, service_name: str, *arguments: Any, **options: Any) -> Any:
        """Return the client of a service."""
        return super().create_client(
            service_name, *arguments, **{"config": _CONFIGS.get(service_name, _CONFIG), **options}
        )


def make_session() -> AwsSession:
    """Return a session of this process."""
    # Lambda sets a function's log level on every logger. At DEBUG these two log items, and headers with credentials.
    for name in ("botocore", "urllib3"):
        logging.getLogger(name).setLevel(logging.INFO)
    return AwsSession()
