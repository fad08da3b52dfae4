"""Hooks: what they get of the owner's mail, where a message may go, and what becomes of one that fails."""

import base64
import hashlib
import hmac
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from ssl import SSLSocket
from typing import Any

import pytest

from notify import dependencies, send, stream
from scoring_core.benchmarks.hooks import Hook, read_hook
from scoring_core.outcome import Outcome
from storage.aws.errors import Busy
from storage.aws.ses import MailRefused, MailUncertain
from storage.benchmarks.store import PublishedBenchmark
from storage.mail.hooks import HookClient, HookGone
from tests.harness.clock import Clock
from tests.harness.hook_server import DISCORD, HOOKS, HOST, SECRETS, SERVER, SLACK, HookServer, serving_hooks
from tests.harness.stack import COINS, StackHarness, make_benchmark
from tests.integration.test_notify import CoinsPost, change_sender

HOSTS = ["discord.com", HOST, "hooks.slack.com"]


def find_hook(address: str) -> Hook:
    """Read an address that is right."""
    hook = read_hook(address)
    assert hook is not None
    return hook


@pytest.fixture
def server() -> Iterator[HookServer]:
    """A server for the hooks of a test."""
    with serving_hooks() as server:
        yield server


@pytest.fixture
def published(stack: StackHarness) -> PublishedBenchmark:
    """A benchmark with three hooks."""
    return stack.publish(make_benchmark(COINS, contacts={"owner": "owner@example.com", "hooks": HOOKS}))


@pytest.fixture
def post(
    stack: StackHarness,
    published: PublishedBenchmark,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    server: HookServer,
) -> CoinsPost:
    """The post, whose hooks are all at the server."""
    monkeypatch.setenv("RETRY_BASE_SECONDS", "0")
    monkeypatch.setattr(dependencies, "utc_now", clock)
    for built in (stream.stream_dependencies, send.send_dependencies):
        built.cache_clear()
    change_sender(monkeypatch, hooks=server.client)
    return CoinsPost(stack, published, clock)


def work_off(post: CoinsPost) -> None:
    """Handle what waits, and what that made wait."""
    post.work()
    post.work()


def test_hooks_get_what_the_owner_is_mailed(
    post: CoinsPost, server: HookServer, log: Callable[[], list[dict[str, Any]]]
) -> None:
    """Each once, with a link and no word of a player or a script; nothing that leaves or is stored has an address."""
    record = post.make_failure(Outcome.EVALUATOR_ERROR, verified=False)
    post.hand_in(record)
    work_off(post)
    post.deliver(record)
    work_off(post)

    assert sorted(server.hosts) == HOSTS
    assert [mail["To"] for mail in post.sent()] == ["owner@example.com"]
    for request in server.requests:
        text = json.dumps(json.loads(request.body), ensure_ascii=False)
        assert f"https://laurel.example.org/b/coins/s/{record.submission.id}" in text
        assert "the evaluation failed" in text.lower()
        assert not [word for word in ("Ada", "the reason", "half a score", "Traceback") if word in text]
    kept = [json.dumps(log()), *(mail.as_string() for mail in post.sent()), str(post.stack.items("MailTable"))]
    kept += [
        post.stack.cloud.s3.get_object(Bucket=post.stack.site_bucket, Key=key)["Body"].read().decode()
        for key in post.stack.keys(post.stack.site_bucket, "")
    ]
    assert not [secret for secret in SECRETS if any(secret in text for text in kept)]


def test_reviews_go_to_hooks_without_scores(stack: StackHarness, server: HookServer, post: CoinsPost) -> None:
    """What waits for a look is linked: nobody but the owner sees its scores."""
    record = replace(
        post.make_failure(Outcome.SCORED, verified=False), scores={"Coins": 4321, "Time": 1.0}, in_review=True
    )
    post.hand_in(record)

    work_off(post)

    assert sorted(server.hosts) == HOSTS
    assert all(record.submission.id.encode() in request.body for request in server.requests)
    assert not any(b"4321" in request.body for request in server.requests)


def test_hook_that_fails_is_retried_alone(post: CoinsPost, server: HookServer) -> None:
    """Each hour, so that no queue is busy and no alarm of the operator rings with it; nothing else is repeated."""
    server.answers["discord.com"] = b"HTTP/1.1 500 Oh\r\n\r\n"
    post.hand_in(post.make_failure(Outcome.EVALUATOR_ERROR, verified=False))
    for _ in range(3):
        work_off(post)
    before = sorted(server.hosts)
    del server.answers["discord.com"]
    post.clock.advance(hours=1)

    post.flush()

    assert before == HOSTS
    assert len(post.sent()) == 1
    assert server.hosts[3:] == ["discord.com"]
    assert b"may have received this" in server.requests[-1].body
    assert set(post.states()) == {("sent", None)}


@pytest.mark.parametrize("status", [404, 410])
def test_hook_that_is_gone_gets_no_more(post: CoinsPost, server: HookServer, status: int) -> None:
    """As an address that bounced; the reason is on record, and the mail goes on."""
    server.answers["discord.com"] = f"HTTP/1.1 {status} Gone\r\n\r\n".encode()
    for number in (1, 2):
        post.hand_in(post.make_failure(Outcome.EVALUATOR_ERROR, number=number, verified=False))
        work_off(post)
        post.clock.advance(hours=2)
        post.flush()
        post.work()

    assert server.hosts.count("discord.com") == 1
    assert (server.hosts.count(HOST), len(post.sent())) == (2, 2)
    assert ("refused", f"the address is suppressed: the hook answered {status}") in post.states()


def test_hooks_need_no_sender(post: CoinsPost, server: HookServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stack that sends no mail has hooks all the same; a hook that is no longer named gets nothing."""
    change_sender(monkeypatch, sender_address="", hooks=server.client)
    post.hand_in(post.make_failure(Outcome.EVALUATOR_ERROR, verified=False))
    post.work()
    post.stack.publish(make_benchmark(COINS, contacts={"owner": "owner@example.com", "hooks": HOOKS[:1]}))
    change_sender(monkeypatch, hooks=server.client)
    post.clock.advance(minutes=1)

    post.work()

    assert (server.hosts, post.sent()) == (["discord.com"], [])
    assert [reason for _, reason in post.states()].count("no address is known of the owner") == len(HOOKS) - 1


@pytest.mark.parametrize("address", HOOKS)
def test_message_names_its_host(server: HookServer, address: str) -> None:
    """By its name, which the certificate must have, whatever address it is at; only a server's has a signature."""
    hook, body = find_hook(address), b'{"a": 1}'

    replace(server.client, clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)).send(hook, body, message_id="m1")

    (request,) = server.requests
    assert (request.target, request.body, request.headers["host"]) == (hook.target, body, hook.host)
    assert ("webhook-signature" in request.headers) == (address is SERVER)
    if address is SERVER:
        signed = base64.b64decode("c" * 32)
        expected = base64.b64encode(hmac.digest(signed, b"m1.1767225600." + body, hashlib.sha256)).decode()
        assert request.headers["webhook-signature"] == f"v1,{expected}"
        assert "#" not in request.target


def test_signature_is_that_of_standard_webhooks() -> None:
    """As the example of the specification says, which its libraries test."""
    hook = find_hook(f"https://{HOST}/#whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    client = HookClient(clock=lambda: datetime.fromtimestamp(1614265330, UTC))

    request = client._make_request(hook, b'{"test": 2432232314}', "msg_p5jXN8AQM9LWM0D4loKWxJek")

    assert b"webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=\r\n" in request


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1/\r\n\r\n", MailRefused),
        (b"HTTP/1.1 307 Again\r\nLocation: http://169.254.169.254/\r\n\r\n", MailRefused),
        (b"HTTP/1.1 401 No\r\n\r\n", MailRefused),
        (b"HTTP/1.1 404 No\r\n\r\n", HookGone),
        (b"HTTP/1.1 429 Later\r\nRetry-After: 9999999\r\n\r\n", Busy),
        (b"HTTP/1.1 503 Later\r\n\r\n", MailUncertain),
        (b"HTTP/1.1 100 Continue\r\n\r\n", MailRefused),
        (b"HTTP/1.1 2000 Fine\r\n\r\n", MailUncertain),
        (b"HTTP/9 200 OK\r\n\r\n", MailUncertain),
        (b"x" * 100_000, MailUncertain),
        (b"", MailUncertain),
    ],
)
def test_answers_that_take_no_message(server: HookServer, answer: bytes, error: type[Exception]) -> None:
    """No redirect is followed, nothing but the first line is read, and no error has the secret."""
    server.answers["discord.com"] = answer

    with pytest.raises(error) as raised:
        server.client.send(find_hook(DISCORD), b"{}", message_id="m1")

    assert type(raised.value) is error
    assert server.connections == 1
    assert not [secret for secret in SECRETS if secret in f"{raised.value!r} {raised.value.__cause__!r}"]


@pytest.mark.hostile
@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"], ["0.0.0.0"],  # noqa: S104
        ["10.1.2.3"], ["172.16.0.1"], ["192.168.1.1"], ["169.254.169.254"],
        ["100.64.0.1"], ["198.18.0.1"], ["224.0.0.1"], ["255.255.255.255"], ["::1"], ["::ffff:127.0.0.1"],
        ["64:ff9b::a9fe:a9fe"], ["64:ff9b::7f00:1"], ["fe80::1"], ["fd00:ec2::254"], ["2001:db8::1"],
        ["1.1.1.1", "127.0.0.1"], ["127.0.0.1", "1.1.1.1"], [],
    ],
)  # fmt: skip
def test_name_that_leads_inside_is_refused(
    server: HookServer, addresses: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No connection is made where one of the addresses is not of the internet."""
    tried: list[Any] = []
    monkeypatch.setattr(socket, "create_connection", lambda *arguments, **_: tried.append(arguments))
    client = HookClient(resolve=lambda _: addresses, port=server.client.port, trust=server.client.trust)

    with pytest.raises(MailRefused, match="not on the internet"):
        client.send(find_hook(SERVER), b"{}", message_id="m1")

    assert not tried


@pytest.mark.hostile
def test_name_is_resolved_once(server: HookServer) -> None:
    """The connection goes to the address that was looked at: a second answer is never asked for."""
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])

    replace(server.client, resolve=lambda _: next(answers)).send(find_hook(SLACK), b"{}", message_id="m1")

    assert server.hosts == ["hooks.slack.com"]
    assert next(answers) == ["10.0.0.1"]


@pytest.mark.hostile
@pytest.mark.parametrize("trusts_server", [True, False])
def test_another_certificate_gets_nothing(server: HookServer, *, trusts_server: bool) -> None:
    """Neither one for another name, nor one that nobody trusts."""
    host = "other.example.org" if trusts_server else HOST
    client = server.client if trusts_server else replace(server.client, trust=HookClient().trust)

    with pytest.raises(Busy, match="SSLCertVerificationError"):
        client.send(find_hook(SERVER.replace(HOST, host)), b"{}", message_id="m1")

    assert server.requests == []


def _drip(connection: SSLSocket) -> None:
    with suppress(OSError):
        for _ in range(200):
            connection.sendall(b"x")
            threading.Event().wait(0.01)


@pytest.mark.hostile
@pytest.mark.parametrize("respond", [_drip, lambda connection: connection.recv(1)], ids=["drip", "silence"])
def test_hook_that_takes_its_time_is_left(server: HookServer, respond: Callable[[SSLSocket], None]) -> None:
    """However it keeps the connection alive, all of it ends at one moment."""
    server.answers["discord.com"] = respond

    with pytest.raises(MailUncertain, match="TimeoutError"):
        replace(server.client, deadline_seconds=0.5).send(find_hook(DISCORD), b"{}", message_id="m1")


@pytest.mark.hostile
def test_resolver_that_takes_its_time_is_left(server: HookServer) -> None:
    """Nothing was sent, so no second message may be one too many."""
    released = threading.Event()
    client = replace(server.client, resolve=lambda _: released.wait() and [], deadline_seconds=0.1)

    with pytest.raises(Busy) as raised:
        client.send(find_hook(DISCORD), b"{}", message_id="m1")
    released.set()

    assert type(raised.value) is Busy
