"""The guard of the local AWS and sandbox lets through what the stack's key has signed, and nothing else."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from boto3.session import Session
from botocore.auth import S3SigV4QueryAuth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials as BotoCredentials
from botocore.exceptions import ClientError
from werkzeug.test import Client, create_environ, run_wsgi_app
from werkzeug.wrappers import Request, Response

from local.aws import Cloud, start_cloud
from local.intrinsics import REGION
from local.template import Template
from local.uploads.signatures import MAX_BODY_BYTES, Credentials, SignedOnly

CREDENTIALS = Credentials("local", "secret")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def running(template: Template) -> Iterator[Cloud]:
    """AWS as the local stack starts it."""
    cloud = start_cloud(template, sender="laurel@example.org")
    yield cloud
    cloud.stop()


def make_client(cloud: Cloud, service: str, *, secret: str | None = None) -> Any:
    """Make a client with the stack's own key, or with another one."""
    return Session(region_name=REGION).client(
        service,  # type: ignore[call-overload]
        endpoint_url=cloud.endpoint,
        aws_access_key_id=cloud.credentials.access_key,
        aws_secret_access_key=secret or cloud.credentials.secret_key,
        config=Config(account_id_endpoint_mode="disabled", signature_version="s3v4" if service == "s3" else None),
    )


CALLS: dict[str, Callable[[Any], Any]] = {
    "s3": lambda client: client.list_objects_v2(Bucket=client.list_buckets()["Buckets"][0]["Name"], Prefix="a b/ü+&="),
    "dynamodb": lambda client: client.list_tables(),
    "dynamodbstreams": lambda client: client.list_streams(),
    "sqs": lambda client: client.list_queues(),
    "sesv2": lambda client: client.get_email_identity(EmailIdentity="laurel@example.org"),
}


@pytest.mark.parametrize("service", CALLS)
def test_signed_call_is_answered(service: str, running: Cloud) -> None:
    """Clients with the stack's key are served."""
    assert CALLS[service](make_client(running, service))["ResponseMetadata"]["HTTPStatusCode"] == 200


@pytest.mark.parametrize("service", CALLS)
def test_call_with_another_key_is_refused(service: str, running: Cloud) -> None:
    """A client that guesses the secret gets nothing."""
    with pytest.raises(ClientError) as caught:
        CALLS[service](make_client(running, service, secret="local"))

    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403


def test_objects_with_odd_keys_and_metadata_are_stored(running: Cloud, template: Template) -> None:
    """Keys and metadata that must be escaped are signed as they are sent."""
    bucket, key = template.resources["SiteBucket"].name, "a b/ü+&=%20~(1)'.json"
    client = make_client(running, "s3")

    client.put_object(Bucket=bucket, Key=key, Body=b"1", Metadata={"some_name": "a  b"})

    assert client.get_object(Bucket=bucket, Key=key)["Metadata"] == {"some_name": "a  b"}


@pytest.mark.parametrize("path", ["/", "/moto-api/", "/moto-api/data.json", "/moto-api/reset", "//moto-api/data.json"])
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_page_of_any_origin_gets_nothing(method: str, path: str, running: Cloud) -> None:
    """An unsigned request is refused, and its page may not read the answer."""
    answer = httpx.request(method, f"{running.endpoint}{path}", headers={"Origin": "https://evil.example"})

    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.lower().startswith("access-control-")]


def test_moto_s_own_interface_is_closed_to_all(running: Cloud) -> None:
    """Even a signed request does not reach what resets everything."""
    url = f"{running.endpoint}/moto-api/data.json"
    request = AWSRequest("GET", url)
    SigV4Auth(BotoCredentials("local", running.credentials.secret_key), "s3", REGION).add_auth(request)

    assert httpx.get(url, headers=dict(request.headers)).status_code == 403


@pytest.mark.parametrize(("seconds", "status"), [(-1000, 403), (-800, 200), (0, 200), (59, 200), (60, 403)])
def test_signed_address_ends(seconds: int, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A presigned address holds from when it was signed, or a little before, for as long as it says."""
    request = AWSRequest("GET", "http://localhost/bucket/one.json")
    monkeypatch.setattr("botocore.auth.get_current_datetime", lambda: NOON.replace(tzinfo=None))
    S3SigV4QueryAuth(BotoCredentials("local", "secret"), "s3", REGION, expires=60).add_auth(request)
    application = Request.application(lambda _: Response("through"))
    guard = Client(SignedOnly(application, CREDENTIALS, now=lambda: NOON + timedelta(seconds=seconds)))

    target = request.url.removeprefix("http://localhost")

    assert guard.get(target, environ_overrides={"REQUEST_URI": target}).status_code == status


def test_signed_address_opens_one_object(running: Cloud, template: Template) -> None:
    """A presigned address opens one object; changed in any part it opens nothing."""
    bucket = template.resources["SiteBucket"].name
    running.s3.put_object(Bucket=bucket, Key="one.json", Body=b"1")
    running.s3.put_object(Bucket=bucket, Key="two.json", Body=b"2")
    parameters = {"Bucket": bucket, "Key": "one.json", "ResponseContentType": "text/plain"}
    address = make_client(running, "s3").generate_presigned_url("get_object", Params=parameters, ExpiresIn=60)

    found = httpx.get(address, headers={"Origin": "https://evil.example"})

    assert (found.status_code, found.content) == (200, b"1")
    assert "Access-Control-Allow-Origin" not in found.headers
    for before, after in (
        ("one.json", "two.json"),
        ("text%2Fplain", "text%2Fhtml"),
        ("Expires=60", "Expires=6000"),
        ("X-Amz-Signature=", "X-Amz-Signature=0"),
        ("X-Amz-Expires", "X-Amz-Expired"),
    ):
        assert before in address
        assert httpx.get(address.replace(before, after)).status_code == 403
    assert httpx.get(f"{address}&versionId=null").status_code == 403
    assert httpx.delete(address).status_code == 403


type Sign = Callable[..., dict[str, Any]]


@pytest.fixture
def guard() -> Client:
    """A client of a guarded application that answers `through` to what reaches it."""
    application = Request.application(lambda request: Response(f"through {len(request.data)}"))
    return Client(SignedOnly(application, CREDENTIALS, now=lambda: NOON))


@pytest.fixture
def sign(monkeypatch: pytest.MonkeyPatch) -> Sign:
    """Signs a POST as botocore does for Lambda, so much later than noon."""

    def signed(body: bytes = b"{}", *, later: timedelta = timedelta()) -> dict[str, Any]:
        monkeypatch.setattr("botocore.auth.get_current_datetime", lambda: (NOON + later).replace(tzinfo=None))
        headers = {"Host": "localhost", "X-Amz-Tenant-Id": "one"}
        request = AWSRequest("POST", "http://localhost/functions/a%3Ab/invocations?b=2&a=1", headers, data=body)
        SigV4Auth(BotoCredentials(CREDENTIALS.access_key, CREDENTIALS.secret_key), "lambda", REGION).add_auth(request)
        environ = create_environ("/functions/a%3Ab/invocations?b=2&a=1", method="POST", headers=dict(request.headers))
        environ["REQUEST_URI"] = "/functions/a%3Ab/invocations?b=2&a=1"
        return {**environ, "wsgi.input": create_environ(data=body)["wsgi.input"], "CONTENT_LENGTH": str(len(body))}

    return signed


def test_signed_invocation_reaches_the_function(guard: Client, sign: Sign) -> None:
    """What is signed goes through, with its body."""
    answer = run_wsgi_app(guard.application, sign(b'{"a": 1}'))

    assert (answer[1], b"".join(answer[0])) == ("200 OK", b"through 8")


@pytest.mark.parametrize(
    "change",
    [
        {"HTTP_AUTHORIZATION": ""},
        {"HTTP_AUTHORIZATION": "Bearer laurel_x"},
        {"HTTP_AUTHORIZATION": "AWS4-HMAC-SHA256 Credential=local"},
        {"HTTP_X_AMZ_TENANT_ID": "two"},
        {"HTTP_X_AMZ_DATE": "20260301T120001Z"},
        {"HTTP_X_AMZ_DATE": "noon"},
        {"HTTP_X_AMZ_ADDED": "1"},
        {"HTTP_HOST": "evil.example"},
        {"REQUEST_METHOD": "PUT"},
        {"REQUEST_URI": "/functions/a%3Ac/invocations?b=2&a=1"},
        {"REQUEST_URI": "/functions/a%3Ab/invocations?b=2&a=2"},
        {"CONTENT_LENGTH": "1"},
        {"CONTENT_LENGTH": str(MAX_BODY_BYTES + 1)},
        {"CONTENT_LENGTH": "x"},
    ],
)
def test_changed_invocation_is_refused(change: dict[str, str], guard: Client, sign: Sign) -> None:
    """A request that differs from what was signed reaches nothing."""
    status = run_wsgi_app(guard.application, sign() | change)[1]

    assert status.startswith(("400 ", "403 ", "413 "))


@pytest.mark.parametrize("minutes", [-16, 16])
def test_signature_of_another_time_is_refused(minutes: int, guard: Client, sign: Sign) -> None:
    """A signature in headers holds for the moment."""
    assert run_wsgi_app(guard.application, sign(later=timedelta(minutes=minutes)))[1] == "403 FORBIDDEN"


def test_two_stacks_do_not_share_a_key(template: Template) -> None:
    """Each start makes a key of its own."""
    first = start_cloud(template, sender="laurel@example.org")
    first.stop()
    second = start_cloud(template, sender="laurel@example.org")
    second.stop()

    assert first.credentials != second.credentials
    assert first.credentials.secret_key not in repr(first)
