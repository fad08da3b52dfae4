"""The page of the API, which is written from its OpenAPI document when the site is built."""

import json

from api.app import app
from api.openapi import describe_api
from scripts.frontend.build_kit import make_guide, make_page, write_api


def test_page_of_the_api_has_every_call_and_every_schema() -> None:
    """Each call has its answers, each schema its fields, and the errors are explained once."""
    document = describe_api(app)

    page = json.loads(make_page(make_guide("\n\n".join(write_api(document)))))

    calls = [f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods]
    for heading in (*calls, *document["components"]["schemas"]):
        assert f"<h3><code>{heading}</code></h3>" in page["html"], heading
    assert "<code>benchmark</code> (string, path, required)" in page["html"]
    assert "<code>player</code> (string or null) The player's id; null if a name is banned." in page["html"]
    assert page["html"].count("A token is missing, unknown, revoked or expired.") == 1
    assert page["title"] == "API"
