"""What the routes read off a request."""

import base64
from collections.abc import Mapping

from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2

from submit.auth import Caller
from submit.dependencies import services


def lower_case(headers: Mapping[str, str]) -> dict[str, str]:
    """Give the headers with their names in lower case."""
    return {name.lower(): value for name, value in headers.items()}


def read_body(event: APIGatewayProxyEventV2) -> bytes:
    """Give the bytes of the body, empty where there is none."""
    body = event.body or ""
    # API Gateway may hand over half a character as a lone surrogate; the strict reader refuses the bytes it leaves.
    return base64.b64decode(body) if event.is_base64_encoded else body.encode("utf-8", "surrogatepass")


def identify(event: APIGatewayProxyEventV2) -> Caller:
    """Tell who calls. Raises Problem 401."""
    return services().gate.identify(lower_case(event.headers))
