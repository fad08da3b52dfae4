"""The host that presigned addresses name is the host that the site's policy allows, in every region."""

import pytest
from httpx import URL

from local.intrinsics import REGION
from local.site.headers import read_headers
from local.template import Template, load_template
from storage.gateway.aws import AwsServices, make_session
from storage.gateway.bucket import Bucket
from tests.harness.moto.server import CREDENTIALS

REGIONS = ("us-east-1", "us-west-2", "eu-central-1", "ap-southeast-4", "il-central-1")
"""The oldest region, two of the large ones, and two that know no host but their own."""


@pytest.fixture(params=REGIONS)
def region(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The region of the stack, as Lambda tells it to a function."""
    for name, value in (CREDENTIALS | {"AWS_DEFAULT_REGION": request.param}).items():
        monkeypatch.setenv(name, value)
    return str(request.param)


@pytest.fixture(scope="module")
def defaults() -> Template:
    """The template as a deployment translates it that chooses nothing."""
    return load_template({})


def test_presigned_addresses_name_the_host_that_pages_may_send_to(region: str, defaults: Template) -> None:
    """A form and a download name the bucket's regional host, the only other host in the policy of a page."""
    # The resolver knows one region. In this policy its name occurs in the bucket's name and host alone.
    policy = read_headers(defaults).find("/")["Content-Security-Policy"].replace(REGION, region)
    bucket = Bucket(
        AwsServices(make_session()).objects, defaults.resources["ResultsBucket"].name.replace(REGION, region)
    )

    form = bucket.sign_upload("drops/b/p/u/a.json", size_bytes=1, content_type="application/json", seconds=1)
    download = bucket.sign_download("downloads/a", filename="a.json", seconds=1)

    (sources,) = (part.split()[1:] for part in policy.split(";") if part.split()[0] == "connect-src")
    assert {f"https://{URL(address).host}" for address in (form.url, download)} == set(sources) - {"'self'"}
