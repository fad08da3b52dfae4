"""What a deployment does beside `sam deploy`: the site in its bucket, what CloudFront forgets, the smoke test."""

import json
import secrets
import stat
from collections import Counter
from collections.abc import Callable, Iterator
from copy import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from boto3.session import Session
from moto import mock_aws

from local.admin_token import keep_admin_token
from local.intrinsics import REGION
from local.layout import ROOT
from local.site.files import HASHED_CACHE
from local.site.headers import read_headers
from local.template import load_template
from scripts.artifacts import Architecture
from scripts.deployment.deploy import (
    DeploymentStopped,
    make_sam_command,
    merge_parameters,
    protect_tables,
    read_parameters,
    sync_site,
)
from scripts.deployment.smoke_test import SmokeTestFailed, run_smoke_test
from scripts.deployment.stacks import StackState, read_stack
from scripts.deployment.sync_site import SiteBucket, invalidate, read_site
from storage.actors import Actor, Role
from storage.audit import Action
from storage.boards.snapshots import HEAD_CACHE
from storage.players.tokens import Scope, TokenStore
from tests.harness.clock import Clock
from tests.harness.stack import StackHarness, watching

SITE = "https://site.example.org"
API = "https://bare.example.org"
HEADERS = read_headers(load_template({}))
type Answers = dict[str, httpx.Response]


@pytest.fixture(autouse=True)
def account() -> Iterator[None]:
    """An account of moto, for what a deployment asks besides the stores."""
    with mock_aws():
        yield


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A built site."""
    for name in ("index.html", "favicon.svg", "site.webmanifest", "assets/index-abc.js"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"content of {name}")
    return tmp_path


@pytest.fixture
def bucket(stack: StackHarness) -> SiteBucket:
    """The site bucket of the template, with a snapshot in it."""
    stack.cloud.s3.put_object(Bucket=stack.site_bucket, Key="data/index.json", Body=b"{}")
    return SiteBucket(stack.cloud.s3, stack.site_bucket)


def test_files_get_the_headers_that_the_local_server_gives(built: Path, bucket: SiteBucket) -> None:
    """Files with a hash in their name are cached forever, all others revalidated; each has its content type."""
    bucket.apply(bucket.compare(read_site(built)))

    heads = {one.key: bucket.s3.head_object(Bucket=bucket.bucket, Key=one.key) for one in read_site(built)}

    assert {key: (head["ContentType"], head["CacheControl"]) for key, head in heads.items()} == {
        "assets/index-abc.js": ("text/javascript; charset=utf-8", HASHED_CACHE),
        "favicon.svg": ("image/svg+xml", "no-cache"),
        "index.html": ("text/html; charset=utf-8", "no-cache"),
        "site.webmanifest": ("application/manifest+json", "no-cache"),
    }


def test_the_page_comes_last(built: Path, bucket: SiteBucket) -> None:
    """No visitor gets a page that names assets which are not there yet."""
    with watching(bucket.s3, "PutObject") as puts:
        bucket.apply(bucket.compare(read_site(built)))

    assert [one["Key"] for one in puts][:1] == ["assets/index-abc.js"]
    assert [one["Key"] for one in puts][-1:] == ["index.html"]


def test_what_the_site_lost_goes(built: Path, bucket: SiteBucket, stack: StackHarness) -> None:
    """A file that is no longer built is deleted; assets stay for pages that are open, and snapshots are not ours."""
    bucket.apply(bucket.compare(read_site(built)))
    (built / "favicon.svg").unlink()
    (built / "assets/index-abc.js").rename(built / "assets/index-def.js")

    change = bucket.compare(read_site(built))
    bucket.apply(change)

    assert stack.keys(stack.site_bucket, "") == [
        "assets/index-abc.js",
        "assets/index-def.js",
        "data/index.json",
        "index.html",
        "site.webmanifest",
    ]
    assert change.stale_paths == ["/favicon.svg"]


def test_a_site_that_is_not_built_is_not_synchronised(tmp_path: Path) -> None:
    """An empty folder is an error, and never an empty site."""
    with pytest.raises(FileNotFoundError, match="make frontend"):
        read_site(tmp_path)


def test_an_invalidation_asked_for_twice_is_one(built: Path, bucket: SiteBucket) -> None:
    """A deployment that died after the invalidation asks for the same one again."""
    change = bucket.compare(read_site(built))
    with mock_aws():
        cloudfront = Session(region_name=REGION).client("cloudfront")
        with watching(cloudfront, "CreateInvalidation") as asked:
            distribution = _make_distribution(cloudfront)
            invalidate(cloudfront, distribution, change)
            invalidate(cloudfront, distribution, change)

    first, second = [one["InvalidationBatch"] for one in asked]
    assert first == second
    assert first["Paths"]["Items"] == ["/favicon.svg", "/index.html", "/site.webmanifest"]


def test_a_stack_that_is_not_there() -> None:
    """A stack that was never deployed is distinguished from one that cannot be read."""
    with mock_aws():
        assert read_stack(Session(region_name=REGION).client("cloudformation"), "laurel-prod") is None


@pytest.fixture
def deployed(stack: StackHarness) -> StackState:
    """A stack that says of itself what the template's outputs say."""
    outputs = {name: {"Value": str(value)} for name, value in stack.template.outputs.items()}
    body = {"Resources": {"Any": {"Type": "AWS::SQS::Queue"}}, "Outputs": outputs}
    cloudformation = Session(region_name=REGION).client("cloudformation")
    cloudformation.create_stack(StackName="laurel-dev", TemplateBody=json.dumps(body))
    found = read_stack(cloudformation, "laurel-dev")
    assert found is not None
    return found


def test_a_stack_tells_where_everything_is(deployed: StackState, stack: StackHarness) -> None:
    """What a deployment needs to know are outputs of the template."""
    assert deployed.outputs["SiteBucketName"] == stack.site_bucket
    assert deployed.outputs["SiteUrl"].startswith("https://")
    assert deployed.outputs["DistributionId"] == stack.template.resources["SiteDistribution"].name


def test_a_dry_run_changes_nothing(deployed: StackState, built: Path, stack: StackHarness) -> None:
    """What would be done is said, and neither bucket is touched."""
    session: Any = SimpleNamespace(client={"s3": stack.cloud.s3}.get)
    sync_site(session, deployed, built, dry_run=True)

    assert stack.keys(stack.site_bucket, "") == []
    assert stack.keys(stack.results_bucket, "") == []


def test_administrators_token_is_kept_replaced_and_renewed(
    stack: StackHarness, clock: Clock, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """One file has it, for this user alone: it stays until its end, or until it is replaced, which revokes it."""
    file, tokens = tmp_path / "new" / "prod.token", TokenStore(stack.access)
    ada, trail = Actor(id="ada", role=Role.OPERATOR), replace(stack.trail, clock=clock, randomness=secrets.token_bytes)
    keep = partial(keep_admin_token, file, stack.access, trail, ada, lasts=timedelta(days=90))

    first, again, second = keep(), keep(), keep(replace=True)
    clock.advance(days=91)
    third = keep()

    assert first == again != second != third == file.read_text().strip()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    kept = [tokens.find(secret) for secret in (first, second, third)]
    assert [each and (each.player, each.scopes, each.holds_at(clock())) for each in kept] == [
        ("operator", {Scope.ADMIN}, holds) for holds in (False, False, True)
    ]
    acts = Counter(entry.action for entry in trail.list_page(length=9).entries)
    assert acts == {Action.CREATE_TOKEN: 3, Action.REVOKE_TOKEN: 1}
    assert not any(secret in "".join(capfd.readouterr()) for secret in (first, second, third))


@pytest.mark.parametrize(
    ("stage", "parameters", "expected"),
    [
        ("prod", [], "sam deploy --config-env default"),
        ("dev", ["A=b"], "sam deploy --config-env dev --parameter-overrides Stage=dev A=b"),
    ],
)
def test_parameters_that_are_not_named_stay(stage: str, parameters: list[str], expected: str) -> None:
    """Without parameters SAM keeps those of the last deployment; with some, the stage is passed again."""
    assert " ".join(make_sam_command(stage, parameters, architecture=Architecture.ARM64)) == expected


def test_what_was_typed_wins_over_what_was_chosen() -> None:
    """A parameter that somebody names is passed once, with the value that was typed."""
    passed = merge_parameters(
        {"ShareConcurrency": "20", "SandboxZone": "eu-central-1a"}, ["ShareConcurrency=4", "SiteUrl=b=c"]
    )

    assert passed == ["SandboxZone=eu-central-1a", "ShareConcurrency=4", "SiteUrl=b=c"]


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ("AdminAddress", "AdminAddress: expected NAME=VALUE"),
        ("AdminAdress=you@example.org", "AdminAdress: no such parameter; did you mean 'AdminAddress'?"),
        ("Stage=prod", "Stage: expected STAGE=… beside PARAMETERS, which also chooses the stack"),
        ("AdminAddress=a@example.org", "AdminAddress: named twice"),
        ("ApiRate=٣", "ApiRate: expected a whole number from 1, found '٣'"),
        ("ReadRate=0", "ReadRate: expected a whole number from 1, found '0'"),
        ("ScriptConcurrency=1001", "ScriptConcurrency: expected a whole number from 2 to 1000, found '1001'"),
        ("SubmitBenchmark=No Such", "SubmitBenchmark: expected a benchmark, or BENCHMARK.QUESTION, found 'No Such'"),
        ("OriginSecret=short!", "OriginSecret: expected 32 letters and digits or more"),
    ],
)
def test_mistyped_parameter_is_refused(parameter: str, message: str) -> None:
    """SAM drops a name that the template does not have in silence: a typing error is named before anything is built."""
    with pytest.raises(DeploymentStopped) as stopped:
        read_parameters(["SandboxConcurrency=4", "AdminAddress=b@example.org", parameter])

    assert str(stopped.value).startswith(message)


def test_parameters_of_the_template_are_accepted() -> None:
    """A value may be empty, and may have an equals sign in it."""
    assert read_parameters(["AdminAddress=", "SiteUrl=a=b"]) == {"AdminAddress": "", "SiteUrl": "a=b"}


def test_tables_are_protected_once(
    deployed: StackState, stack: StackHarness, capsys: pytest.CaptureFixture[str]
) -> None:
    """All tables of the template are protected; a dry run and a second deployment change nothing."""
    dynamodb = Session(region_name=REGION).client("dynamodb")
    tables = [value for name, value in deployed.outputs.items() if name.endswith("TableName")]
    for table in tables:
        (properties,) = (form for form in stack.template.resources.values() if form.name == table)
        keys = {name: properties.properties[name] for name in ("AttributeDefinitions", "KeySchema", "BillingMode")}
        keys["AttributeDefinitions"] = keys["AttributeDefinitions"][: len(keys["KeySchema"])]
        dynamodb.create_table(TableName=table, **keys)

    protect_tables(dynamodb, tables, dry_run=True)
    before = _list_protected(dynamodb, tables)
    protect_tables(dynamodb, tables, dry_run=False)
    capsys.readouterr()
    protect_tables(dynamodb, tables, dry_run=False)

    assert before == []
    assert _list_protected(dynamodb, tables) == tables
    assert len(tables) == len(stack.template.resources_of("AWS::DynamoDB::Table"))
    assert not capsys.readouterr().out


def test_a_build_that_sam_does_not_find_is_named() -> None:
    """A build for another architecture is named, and so is the configuration, which SAM would look for beside it."""
    command = make_sam_command("dev", [], architecture=Architecture.X86_64)

    assert command[:4] == ["sam", "deploy", "--config-env", "dev"]
    assert command[4::2] == ["--config-file", "--template"]
    assert [Path(path).relative_to(ROOT).as_posix() for path in command[5::2]] == [
        "samconfig.toml",
        ".aws-sam/x86_64/build/template.yaml",
    ]


def test_a_sound_stack_passes() -> None:
    """Site, API, boards, assets and the refusal of the bare host are all asked for."""
    asked = _smoke(_answers())

    assert len(asked) == 12
    assert asked[-1] == f"{SITE}/assets/index-abc.js"


@pytest.mark.parametrize(
    ("url", "answer", "told"),
    [
        (f"{SITE}/api/health", httpx.Response(503), "expected 200, found 503"),
        (f"{SITE}/data/b/tiny/head.json", httpx.Response(403), "expected 200, found 403"),
        (f"{API}/api/health", httpx.Response(200), "expected 403, found 200"),
        (f"{SITE}/", httpx.Response(200), "found None"),
        (f"{SITE}/b/none", httpx.Response(404, headers={"Cache-Control": "max-age=10"}), "expected 'no-store'"),
        (
            f"{SITE}/about",
            httpx.Response(200, headers={**HEADERS.find("/about"), "Cache-Control": "no-cache"}),
            "loads a script",
        ),
        (
            f"{SITE}/assets/index-abc.js",
            httpx.Response(200, headers={"Cache-Control": "no-cache"}),
            "Cache-Control: expected 'public, max-age=31536000, immutable', found 'no-cache'",
        ),
    ],
)
def test_what_is_wrong_is_told(url: str, answer: httpx.Response, told: str) -> None:
    """An answer that is not as it must be fails the deployment, and its address is named."""
    with pytest.raises(SmokeTestFailed) as caught:
        _smoke({**_answers(), url: answer})

    assert str(caught.value).startswith(f"{url}: ")
    assert told in str(caught.value)


def test_what_comes_late_is_waited_for() -> None:
    """A stack that is not known everywhere yet is asked again."""
    answers = {**_answers(), f"{SITE}/api/health": httpx.Response(503)}

    def recover(_: float) -> None:
        answers.update(_answers())

    asked = _smoke(answers, patience_seconds=60, sleep=recover)

    assert f"{SITE}/api/health" in asked


def test_snapshots_are_asked_for_as_by_another_page() -> None:
    """CloudFront says that any page may read them only to a page of another origin, so the test asks as one."""
    silent = {name: value for name, value in HEADERS.find("/data/").items() if not name.startswith("Access-Control-")}

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.startswith("/data/") and "Origin" not in request.headers:
            return httpx.Response(200, headers=silent)
        return _answers()[str(request.url)]

    with httpx.Client(transport=httpx.MockTransport(answer)) as client:
        asked = run_smoke_test(
            client, site=SITE, api=API, benchmarks=["tiny"], headers=HEADERS, patience_seconds=0, sleep=print
        )

    assert f"{SITE}/data/index.json" in asked


def _list_protected(dynamodb: Any, tables: list[str]) -> list[str]:
    described = [dynamodb.describe_table(TableName=table)["Table"] for table in tables]
    return [table["TableName"] for table in described if table.get("DeletionProtectionEnabled")]


def _smoke(answers: Answers, *, patience_seconds: float = 0, sleep: Callable[[float], None] = print) -> list[str]:
    transport = httpx.MockTransport(lambda request: answers[str(request.url)])
    with httpx.Client(transport=transport) as client:
        return run_smoke_test(
            client,
            site=SITE,
            api=API,
            benchmarks=["tiny"],
            headers=HEADERS,
            patience_seconds=patience_seconds,
            sleep=sleep,
        )


def _answers() -> Answers:
    page = '<script type="module" src="/assets/index-abc.js"></script>'
    pages = {**HEADERS.find("/"), "Cache-Control": "no-cache", "Content-Security-Policy": "of the stack's own"}
    return {
        f"{SITE}/": httpx.Response(200, headers={**pages, "Cache-Control": HEAD_CACHE}, text="<h1>Boards</h1>"),
        f"{SITE}/about": httpx.Response(200, headers=pages, text=page),
        f"{SITE}/api/docs": httpx.Response(200, headers=pages, text=page),
        f"{SITE}/api/health": httpx.Response(200, headers={**HEADERS.find("/api/health"), "Cache-Control": "no-store"}),
        f"{SITE}/data/index.json": httpx.Response(200, headers=HEADERS.find("/data/")),
        f"{SITE}/data/b/tiny/head.json": httpx.Response(200, headers=HEADERS.find("/data/")),
        f"{SITE}/data/b/none/boards/none/head.json": httpx.Response(404, headers={"Cache-Control": "no-store"}),
        f"{SITE}/b/none": httpx.Response(404, headers={"Cache-Control": "no-store"}),
        f"{SITE}/sdk/laurel.js": httpx.Response(200, headers=HEADERS.find("/sdk/laurel.js")),
        f"{SITE}/embed/b/none": httpx.Response(200, headers=HEADERS.find("/embed/b/none")),
        f"{API}/api/health": httpx.Response(403),
        f"{SITE}/assets/index-abc.js": httpx.Response(200, headers={"Cache-Control": HASHED_CACHE}),
    }


def _make_distribution(cloudfront: Any) -> str:
    config = {
        "CallerReference": "test",
        "Origins": {"Quantity": 1, "Items": [{"Id": "site", "DomainName": "site.s3.amazonaws.com"}]},
        "DefaultCacheBehavior": {"TargetOriginId": "site", "ViewerProtocolPolicy": "https-only"},
        "Comment": "",
        "Enabled": True,
    }
    name: str = cloudfront.create_distribution(DistributionConfig=config)["Distribution"]["Id"]
    return name
