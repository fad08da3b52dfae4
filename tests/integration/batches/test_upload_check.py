"""The upload of a deployment's smoke test: what a browser could not do fails it."""

import httpx
import pytest

from scripts.deployment.smoke_test import SmokeTestFailed, check_upload

SITE = "https://site.example.org"
BUCKET = "https://results.s3.eu-central-1.amazonaws.com"
TICKETS = f"POST {SITE}/api/benchmarks/tiny/uploads"
TICKET = httpx.Response(201, json={"upload": "u", "url": f"{BUCKET}/", "fields": {"key": "drops/u"}})
GOOD: dict[str, httpx.Response] = {
    f"GET {SITE}/": httpx.Response(200, headers={"Content-Security-Policy": f"connect-src 'self' {BUCKET}; x y"}),
    f"POST {SITE}/api/benchmarks/closed/uploads": httpx.Response(403, text="closed"),
    TICKETS: TICKET,
    f"OPTIONS {BUCKET}/": httpx.Response(200, headers={"Access-Control-Allow-Origin": "*"}),
    f"POST {BUCKET}/": httpx.Response(204),
}


def upload(changes: dict[str, httpx.Response], *, endpoint: str | None = None) -> str:
    """Run the check against these answers."""
    answers = GOOD | changes
    with httpx.Client(
        transport=httpx.MockTransport(lambda request: answers[f"{request.method} {request.url}"])
    ) as client:
        return check_upload(client, site=SITE, token="t", benchmarks=["closed", "tiny"], endpoint=endpoint)


def test_upload_that_a_browser_could_make_passes() -> None:
    """The first benchmark that is open gives a ticket, whose host the page and the bucket allow."""
    assert upload({}) == f"{BUCKET}/"


def test_emulator_answers_in_place_of_the_bucket() -> None:
    """The policy of a page names no emulator, so its address is allowed only where it is passed."""
    other = {f"GET {SITE}/": httpx.Response(200, headers={"Content-Security-Policy": "connect-src 'self'"})}

    assert upload(other, endpoint=BUCKET) == f"{BUCKET}/"
    with pytest.raises(SmokeTestFailed):
        upload(other, endpoint="https://127.0.0.1:4566")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {
                TICKETS: httpx.Response(
                    201, json={"upload": "u", "url": "https://results.s3.amazonaws.com/", "fields": {}}
                )
            },
            "uploads go to https://results.s3.amazonaws.com/",
        ),
        ({f"GET {SITE}/": httpx.Response(200)}, "its policy allows requests to []"),
        ({TICKETS: httpx.Response(429, text="enough")}, "closed: 403 closed; tiny: 429 enough"),
        ({f"OPTIONS {BUCKET}/": httpx.Response(403)}, "the preflight gave 403"),
        ({f"POST {BUCKET}/": httpx.Response(307)}, "found 307"),
        ({f"POST {BUCKET}/": httpx.Response(403, text="AccessDenied")}, "found 403: AccessDenied"),
    ],
)
def test_upload_that_a_browser_could_not_make_fails(changes: dict[str, httpx.Response], message: str) -> None:
    """Another host, a bucket without CORS rules, a redirect and a refusal each fail the deployment."""
    with pytest.raises(SmokeTestFailed) as caught:
        upload(changes)

    assert message in str(caught.value)
