"""Reads back what API Gateway made of the rates: no document says that it takes them as the template has them."""  # noqa: INP001 — scripts are no package

from collections.abc import Mapping
from typing import Any, Final

from scripts.deployment.smoke_test import SmokeTestFailed

OTHERS: Final = ("GET /api/{proxy+}", "HEAD /api/{proxy+}", "POST /api/{proxy+}")
"""The routes that take no results, and have a rate of their own."""


def check_stage(gateway: Any, api: str, parameters: Mapping[str, str]) -> None:
    """Compare the stage of the API with the parameters of the stack.

    Args:
        gateway: A client of `apigatewayv2`.
        api: The API's id.
        parameters: Of the stack, as it is deployed.

    Raises:
        SmokeTestFailed: A rate is missing, or another one.
    """
    stage = gateway.get_stage(ApiId=api, StageName="$default")
    reads = (parameters["ReadRate"], parameters["ReadRate"])
    expected = {"every other route": (parameters["ApiRate"], parameters["ApiBurst"]), **dict.fromkeys(OTHERS, reads)}
    settings = {"every other route": stage.get("DefaultRouteSettings", {}), **stage.get("RouteSettings", {})}
    for route in expected.keys() | settings.keys():
        actual = tuple(settings.get(route, {}).get(f"Throttling{limit}Limit") for limit in ("Rate", "Burst"))
        wanted = tuple(float(number) for number in expected.get(route, ()))
        if tuple(number and float(number) for number in actual) != wanted:
            raise SmokeTestFailed(
                f"{route}: expected {wanted or 'no rates'} as rate and burst, API Gateway has {actual}; see "
                "RouteSettings in template.yaml, then deploy again"
            )
