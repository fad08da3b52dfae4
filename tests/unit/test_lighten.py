"""What the light packages of functions keep of botocore's data."""

from scripts.lighten import find_services
from tests.harness.stack import ROOT


def test_each_service_that_functions_ask_is_kept() -> None:
    """A service is found by the call that makes its client, with its name in it."""
    services = find_services([ROOT / "layers" / "storage", ROOT / "functions"])

    assert services == {"dynamodb", "lambda", "s3", "sesv2", "sqs"}
