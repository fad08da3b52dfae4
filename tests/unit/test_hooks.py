"""Addresses of hooks that are read or rejected, and the messages that are written for each kind."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from notify.content import Field, Link, MailContent, Section
from notify.hook_messages import MAX_DISCORD_LENGTH, MAX_SLACK_LENGTH, write_message
from scoring_core.benchmarks.hooks import MAX_HOOKS, HookKind, read_hook
from scoring_core.benchmarks.loading import load_folder
from scoring_core.errors import BenchmarkError
from scoring_core.outcome import Outcome
from storage.mail.models import DigestKey, DigestKind
from tests.harness.hook_server import DISCORD, HOOKS, SECRETS, SERVER, SLACK
from tests.unit.conftest import WriteFolder
from tests.unit.test_benchmark_faults import changed

KEY = "#whsec_" + "a" * 32
DIGEST = DigestKey(DigestKind.EVALUATIONS, "coins", Outcome.EVALUATOR_ERROR)
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
HOSTILE = "@everyone <!channel> <@U1> **[x](https://evil.example)** `\\` & \u202e\x1b[31m"
REFUSED = [
    *(f"https://{host}/hook{KEY}" for host in (
        "localhost", "10.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "127.0.0.0x1", "[::1]", "[::ffff:127.0.0.1]",
        "a.localhost", "laurel.local", "db.internal", "router.lan", "1.0.0.127.in-addr.arpa", "x.onion", "example",
        "example.org.", ".example.org", "a..example.org", "example.org:8443", "example.org:0", "example.org:4433",
        "me@example.org", "me:you@example.org", "example.org\\@evil.example", "EXAMPLE.org", "ex\u00e4mple.org",
        "example.org%2f", "example.org%00", f"{'a' * 64}.org", "exam\tple.org",
    )),
    f"http://example.org/hook{KEY}",
    f"HTTPS://example.org/hook{KEY}",
    f"//example.org/hook{KEY}",
    f"https://example.org{KEY}",
    f"https://example.org/a b{KEY}",
    f"https://example.org/\r\nHost: evil.example{KEY}",
    f"https://example.org/hook{KEY}\n",
    f" https://example.org/hook{KEY}",
    "https://example.org/hook",
    "https://example.org/hook#whsec_short",
    "https://example.org/hook#whsec_" + "a" * 31,
    "https://example.org/hook#whsec_" + "a" * 200,
    f"https://example.org/{'a' * 500}{KEY}",
    DISCORD.replace("discord.com", "discord.com.evil.example"),
    DISCORD.replace("https://discord.com", "https://discord.com@evil.example"),
    DISCORD + "/../../../users/@me",
    DISCORD + "?thread_id=1&wait=true",
    "https://discord.com/api/webhooks/1/short",
    SLACK.replace("hooks.slack.com", "slack.com"),
    SLACK.replace("/services/", "/workflows/"),
    "javascript:alert(1)", "file:///etc/passwd", "", "#", "owner@example.com",
]  # fmt: skip


def write(kind: HookKind, title: str = "Coins", *, sections: int = 1) -> Any:
    """Return the message about a mail with that title."""
    links = (Link("Open the submission", "https://laurel.example.org/b/coins/s/1"), Link("Raw", "https://x.example"))
    section = Section("Submission 1", (Field("Player", "Eve"),), (Field("stdout", "secret"),), links)
    rest = Section("And 5 more", links=links)
    paragraphs = (f"The evaluation of {title} failed.", "Fix it.")
    content = MailContent(title, "it failed", paragraphs, (*[section] * sections, rest), "a footer")
    return json.loads(write_message(kind, DIGEST, content, date=NOON))


@pytest.mark.parametrize(
    "address",
    [*HOOKS, f"https://example.org:443/hook{KEY}", f"https://example.org/{KEY}", f"{DISCORD}?thread_id=123456"],
)
def test_address_is_read(address: str) -> None:
    """The host is a name, the target has no secret for signatures, and the id nothing of either."""
    hook = read_hook(address)

    assert hook is not None
    assert f"https://{hook.host}{hook.target}" == address.partition("#")[0].replace(":443", "")
    assert bool(hook.secret) == ("#" in address) == (hook.kind is HookKind.SERVER)
    assert hook.id not in address


@pytest.mark.hostile
@pytest.mark.parametrize("address", REFUSED)
def test_what_leads_inside_or_is_no_hook_is_refused(address: str) -> None:
    """Private hosts, users, other ports and schemes, lines, and names that only look like those of a service."""
    assert read_hook(address) is None


@pytest.mark.parametrize(
    "hooks",
    [["https://10.0.0.1/secret" + KEY], [SERVER, 5], SERVER, {"discord": DISCORD}, [DISCORD] * (MAX_HOOKS + 1), None],
)
def test_fault_of_hooks_repeats_none(game: dict[str, Any], write_folder: WriteFolder, hooks: Any) -> None:
    """The owner reads what was expected, in one line without an address."""
    folder = write_folder(changed(game, "contacts.hooks", hooks))

    with pytest.raises(BenchmarkError, match=r"contacts\.hooks: (the address|expected a list)") as raised:
        load_folder(folder)

    assert not any(part in str(raised.value) for part in ("secret", "whsec_aa", "whsec_cc", "d" * 10, "\n"))


def test_hooks_are_shown_by_no_text_of_the_model(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """They are stored with the definition; what prints it has none."""
    definition = load_folder(write_folder(changed(game, "contacts.hooks", HOOKS))).definition

    assert definition.model_dump(mode="json")["contacts"]["hooks"] == HOOKS
    assert "whsec" not in repr(definition)
    assert not any(secret in repr(read_hook(address)) for address in HOOKS for secret in (*SECRETS, "secret"))


@pytest.mark.hostile
def test_title_mentions_nobody_on_discord() -> None:
    """Every sign of markup is escaped, and no mention is parsed."""
    message = write(HookKind.DISCORD, HOSTILE)

    assert message["allowed_mentions"] == {"parse": []}
    assert r"\@everyone \<!channel\> \<\@U1\> \*\*\[x\]\(https\://evil.example\)\*\* \`\\\`" in message["content"]
    assert message["content"].endswith("\nSubmission 1: <https://laurel.example.org/b/coins/s/1>")
    assert "\x1b" not in message["content"]


@pytest.mark.hostile
def test_title_mentions_nobody_on_slack() -> None:
    """What has a title is plain text and escaped; what has markup are ids and addresses of the site."""
    message = write(HookKind.SLACK, HOSTILE)
    plain, links = (block["text"] for block in message["blocks"])

    assert (plain["type"], links["type"], links["verbatim"]) == ("plain_text", "mrkdwn", True)
    assert links["text"] == "<https://laurel.example.org/b/coins/s/1|Submission 1>"
    for text in (plain["text"], message["text"]):
        assert "@everyone &lt;!channel&gt; &lt;@U1&gt;" in text
        assert not set("<>\x1b\u202e") & set(text)


@pytest.mark.parametrize("sections", [0, 1, 20])
@pytest.mark.parametrize("title", ["Coins", "*" * 100, "&" * 100, "\U0001f3c6" * 100])
def test_messages_fit(title: str, sections: int) -> None:
    """Each service takes so many characters; the last lines go first."""
    content = write(HookKind.DISCORD, title, sections=sections)["content"]
    blocks = [block["text"]["text"] for block in write(HookKind.SLACK, title, sections=sections)["blocks"]]

    assert len(content.encode("utf-16-le")) // 2 <= MAX_DISCORD_LENGTH
    assert len(blocks) == 1 + bool(sections)
    assert all(0 < len(block.encode("utf-16-le")) // 2 <= MAX_SLACK_LENGTH for block in blocks)


def test_server_gets_text_and_links() -> None:
    """As Standard Webhooks recommends: a type, a moment and the data."""
    assert write(HookKind.SERVER) == {
        "type": "laurel.evaluations",
        "timestamp": "2026-01-02T12:00:00+00:00",
        "data": {
            "benchmark": "coins",
            "text": ["Laurel · Coins", "It failed", "The evaluation of Coins failed.", "Fix it."],
            "links": [{"label": "Submission 1", "url": "https://laurel.example.org/b/coins/s/1"}],
        },
    }
