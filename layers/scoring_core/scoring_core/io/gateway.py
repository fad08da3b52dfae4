"""What API Gateway answers itself, before or instead of the function: never problem+json, and never with Retry-After.

Clients must go by the status, because AWS documents neither headers nor bodies.

Sources: API Gateway Developer Guide, "Quotas for configuring and running an HTTP API"; AWS Lambda Developer Guide,
"Lambda quotas"; answers that users of both have published.
"""

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import NamedTuple

MAX_EVENT_BYTES = 6_291_456
"""Of the event that Lambda passes to the function: body, headers and path as JSON. Source: Lambda's own error."""


class GatewayAnswer(NamedTuple):
    """An answer of API Gateway: its message, when it is given, and what a client does then."""

    message: str
    cause: str
    advice: str

    @property
    def body(self) -> str:
        """The JSON that is sent."""
        return f'{{"message":"{self.message}"}}'


GATEWAY_ANSWERS: Mapping[int, GatewayAnswer] = MappingProxyType(
    {
        HTTPStatus.NOT_FOUND: GatewayAnswer(
            "Not Found",
            "the method is none of GET, HEAD and POST, or nothing follows `/api/`",
            "fix the request",
        ),
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE: GatewayAnswer(
            "Request Too Long",
            "the request is longer than 6 MB as JSON, quotes escaped; above 10 MB the answer is text",
            "send the file by `laurel drop`, on the benchmark's page or through `/uploads`",
        ),
        HTTPStatus.TOO_MANY_REQUESTS: GatewayAnswer(
            "Too Many Requests",
            "all clients together send more requests a second than the site accepts: 30 results and 20 other requests "
            "in a small account, more in a larger one",
            "wait a second, then twice as long after each further 429, and send the request again",
        ),
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: GatewayAnswer(
            "Request Header Fields Too Large",
            "address and headers are longer than 10,240 bytes together",
            "fix the request",
        ),
        HTTPStatus.INTERNAL_SERVER_ERROR: GatewayAnswer(
            "Internal Server Error",
            "the function failed or ran out of time",
            "send the request again with the same `Idempotency-Key`: the result may be stored",
        ),
        HTTPStatus.SERVICE_UNAVAILABLE: GatewayAnswer(
            "Service Unavailable",
            "too many functions run at this moment, or there was no answer for 30 seconds",
            "wait a second, then send the request again with the same `Idempotency-Key`: the result may be stored",
        ),
    }
)
"""Status → the answer. 404, 413, 429, 500 and 503 are given by the function too, as problem+json."""
