"""Mail that players ask for: off until asked for and confirmed, ended by one click, once a day, naming nobody else."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, Final

import pytest

from cli.exit_codes import UsageError
from notify import send
from storage.access.tokens import Scope
from storage.audit import Action
from storage.aws.errors import Busy
from storage.aws.table import Table
from storage.ids import utc_now
from storage.mail import outbox
from storage.mail.models import PendingMail
from storage.mail.outbox import MailOutbox
from storage.mail.wishes import Wish, WishStore, WishTopic
from submit.me.schemas import Erased
from submit.wishes.news import PlayerNews
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player
from tests.harness.stack import GOOD, Answer, Api, InProcess, StackHarness, make_benchmark
from tests.integration.test_mailed_invitations import HOSTILE, Post, problem, read_text
from upkeep import dependencies, schedule

UPKEEP: Final = InProcess(schedule.lambda_handler, "UpkeepFunction")
FAIR: Final = {"question": "1", "text": "TR-V017-4945"}
REVIEW: Final = {"review": "score > 70"}
PATH: Final = "/api/me/mail/tiny"
TO: Final = "ada@example.org"
ALL: Final = tuple(WishTopic)
ONE_CLICK: Final = b"List-Unsubscribe=One-Click"
CONFIRM: Final = b"confirm=yes"
ASKED: Final[list[str]] = []


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Upkeep reads the stack of the test."""
    dependencies.upkeep_dependencies.cache_clear()
    yield
    dependencies.upkeep_dependencies.cache_clear()


@pytest.fixture
def post(stack: StackHarness) -> Post:
    """The mail of a stack."""
    return Post(stack)


@pytest.fixture
def ada(stack: StackHarness, tiny: Any) -> dict[str, str]:
    """The headers of a verified player."""
    return stack.issue_token(make_player("ada", "Ada"), Scope.SUBMIT)


def wishes(stack: StackHarness) -> WishStore:
    """The wishes of a stack."""
    return WishStore(Table(stack.cloud.dynamodb, stack.template.resources["MailTable"].name))


def ask(api: Api, headers: dict[str, str], *topics: str, address: str | None = TO) -> Answer:
    """Ask for mail about the benchmark."""
    return api.ask(PATH, {"topics": topics, "address": address}, headers)


def subscribe(stack: StackHarness, *topics: WishTopic, player: str = "ada", address: str = TO) -> Wish:
    """Store a wish that was confirmed, of each topic if none is said."""
    now = utc_now()
    wish = Wish(
        benchmark="tiny", player=player, address=address, topics=frozenset(topics or ALL),
        code=f"code-of-{player}", asked_at=now, confirmed_at=now,
    )  # fmt: skip
    wishes(stack).put(wish, before=None)
    return wish


def link_of(text: str) -> str:
    """Return the path of the link in a mail that confirms or ends it."""
    match = re.search(r"/api/mail/\S+", text)
    assert match is not None
    return match[0]


def texts(post: Post) -> list[tuple[str, str]]:
    """Send what is due; return recipient and text of all mails so far."""
    post.flush()
    return [(str(message["To"]), read_text(message)) for message in post.sent()]


def test_nothing_is_sent_until_the_address_confirms(api: Api, ada: dict[str, str], post: Post) -> None:
    """An address gets one mail with a link; a GET of it changes nothing, the form's POST confirms."""
    asked = ask(api, ada, "beaten", "closing")
    ((to, text),) = texts(post)
    link = link_of(text)
    page, before = api.get(link), api.get("/api/me/mail", headers=ada).body["benchmarks"]
    confirmed = api("POST", link, body=CONFIRM)
    after = api.get("/api/me/mail", headers=ada).body["benchmarks"]

    assert (asked.status, asked.body["confirmed"], to) == (200, False, TO)
    assert "Ada" not in text
    assert 'value="yes"' in page.body
    assert "pass you" in page.body
    assert [(each["benchmark"], each["topics"], each["confirmed"]) for each in before] == [
        ("tiny", ["beaten", "closing"], False)
    ]
    assert "Confirmed" in confirmed.body
    assert [each["confirmed"] for each in after] == [True]
    assert len(texts(post)) == 1


def test_unconfirmed_wish_gets_no_news(api: Api, ada: dict[str, str], owner: dict[str, str], post: Post) -> None:
    """Whatever happens before, the address has the question alone."""
    ask(api, ada, *ALL)
    announced = api.ask("/api/benchmarks/tiny/announcements", {"text": "Hello"}, owner)

    assert announced.body["players"] == 0
    assert len(texts(post)) == 1


def test_another_address_must_confirm_again(api: Api, ada: dict[str, str], stack: StackHarness, post: Post) -> None:
    """A changed address gets nothing before it confirms; changed topics of the same address need no mail."""
    subscribe(stack, WishTopic.BEATEN)

    same = ask(api, ada, "closing", address=None)
    other = ask(api, ada, "closing", address="eve@example.org")

    assert (same.body["confirmed"], same.body["topics"], same.body["address"]) == (True, ["closing"], TO)
    assert other.body["confirmed"] is False
    assert [to for to, _ in texts(post)] == ["eve@example.org"]
    assert "<h1>No mail</h1>" in api("POST", "/api/mail/tiny/ada/code-of-ada", body=CONFIRM).body


@pytest.mark.parametrize("line", HOSTILE)
def test_what_is_no_address_is_rejected(api: Api, ada: dict[str, str], stack: StackHarness, line: str) -> None:
    """Nothing is stored of a line that is no address."""
    assert ask(api, ada, "beaten", address=line).status == 422 or line.strip() == "ada@example.org"
    stored = wishes(stack).find("tiny", "ada")
    assert stored is None or stored.address == "ada@example.org"


def test_strangers_are_not_flooded(api: Api, ada: dict[str, str], stack: StackHarness, post: Post) -> None:
    """An address is asked three times a day, by all players together; a player enters ten."""
    bo = stack.issue_token(make_player("bo", "Bo"), Scope.SUBMIT)
    for_one = [ask(api, each, "beaten").status for each in (ada, bo, ada, bo)]
    for_many = [ask(api, ada, "beaten", address=f"x{number}@example.org").status for number in range(9)]

    assert for_one == [200, 200, 200, 429]
    assert for_many == [200] * 8 + [429]
    assert len({to for to, _ in texts(post)}) <= 2  # what was replaced is not sent


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ({}, (401, "token-needed")),
        ({"member": "Di"}, (403, "not-the-player")),
        ({"benchmarks": ("other",)}, (403, "not-covered")),
    ],
)
def test_only_the_players_own_token_asks(
    api: Api,
    tiny: Any,
    stack: StackHarness,
    token: dict[str, Any],
    expected: tuple[int, str],
) -> None:
    """Neither a guest nor a member, nor a token of another benchmark, decides about a player's mail."""
    headers = stack.issue_token(make_player("cy", "Cy"), Scope.SUBMIT, **token) if token else {}

    assert problem(ask(api, headers, "beaten")) == expected


def test_one_click_ends_the_mail(
    api: Api, ada: dict[str, str], owner: dict[str, str], stack: StackHarness, post: Post
) -> None:
    """RFC 8058: a POST to the header's address needs no token and deletes the address; a repeat changes nothing."""
    subscribe(stack)
    api.ask("/api/benchmarks/tiny/announcements", {"text": "One"}, owner)
    texts(post)
    (message,) = post.sent()
    url = str(message["List-Unsubscribe"]).strip("<>")
    path = url[url.index("/api/") :]
    page = api.get(path)
    still = wishes(stack).find("tiny", "ada")
    answers = [api("POST", path, body=ONE_CLICK), api("POST", path, body=ONE_CLICK)]

    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert path == link_of(read_text(message))
    assert "Unsubscribe</button>" in page.body
    assert still is not None
    assert [(answer.status, "No mail" in answer.body) for answer in answers] == [(200, True)] * 2
    assert wishes(stack).find("tiny", "ada") is None
    assert api.get("/api/me/mail", headers=ada).body["benchmarks"] == []


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize("code", ["code-of-bo", "x", "é", "%00", "code-of-ada/.."])
def test_wrong_code_does_nothing(api: Api, stack: StackHarness, code: str) -> None:
    """Without the code nobody ends another's mail, or learns whether there is any."""
    subscribe(stack)

    answers = [api("POST", f"/api/mail/{benchmark}/{player}/{code}", body=ONE_CLICK) for benchmark, player in
               (("tiny", "ada"), ("tiny", "nobody"), ("none", "ada"), ("tiny", "A" * 2000))]  # fmt: skip

    assert len({answer.body if isinstance(answer.body, str) else answer.status for answer in answers}) == 1
    assert wishes(stack).find("tiny", "ada") is not None


def test_player_who_was_passed_is_mailed_once_a_day(
    api: Api, ada: dict[str, str], stack: StackHarness, post: Post, work: Callable[[], None]
) -> None:
    """The rank of a day is compared with that of the day before; the mail names no other player."""
    subscribe(stack, WishTopic.BEATEN)
    bo = stack.issue_token(make_player("bo", "Bobby Tables"), Scope.SUBMIT)
    subscribe(stack, WishTopic.BEATEN, player="bo", address="bo@example.org")
    api.post(FAIR, headers=ada)
    work()
    UPKEEP.invoke({"compare": True})
    quiet = texts(post)
    api.post(GOOD, headers=bo)
    work()
    UPKEEP.invoke({"compare": True})
    UPKEEP.invoke({"compare": True})
    sent = texts(post)

    assert quiet == []
    assert [to for to, _ in sent] == [TO]
    assert "Others passed you: you are at rank 2" in sent[0][1]
    assert "Your rank: 1 → 2 of 2" in sent[0][1]
    assert "Bobby" not in sent[0][1]


def test_broken_wish_keeps_no_other_back(
    api: Api, ada: dict[str, str], stack: StackHarness, post: Post, work: Callable[[], None]
) -> None:
    """The day of one player fails alone, whichever comes first; the run fails at its end, which is an alarm."""
    subscribe(stack, WishTopic.BEATEN)
    bo = stack.issue_token(make_player("aaa", "Bo"), Scope.SUBMIT)
    api.post(FAIR, headers=ada)
    work()
    UPKEEP.invoke({"compare": True})
    api.post(GOOD, headers=bo)
    work()
    wishes(stack).note_rank(subscribe(stack, WishTopic.BEATEN, player="aaa", address="bo@example.org"), "[")

    with pytest.raises(ExceptionGroup, match="not everything"):
        UPKEEP.invoke({"compare": True})

    assert [to for to, _ in texts(post)] == [TO]


def test_own_withdrawal_is_no_defeat(
    api: Api, ada: dict[str, str], stack: StackHarness, post: Post, work: Callable[[], None]
) -> None:
    """Whose row is worse than the day before was passed by nobody."""
    subscribe(stack, WishTopic.BEATEN)
    bo = stack.issue_token(make_player("bo", "Bo"), Scope.SUBMIT)
    api.post({"question": "1", "text": "TR-V017-4900"}, headers=ada)
    best = api.post(GOOD, headers=ada).body["submission"]
    api.post(FAIR, headers=bo)
    work()
    UPKEEP.invoke({"compare": True})
    api.ask(f"/api/benchmarks/tiny/submissions/{best}/withdrawal", {"reason": "a mistake"}, ada)
    work()
    UPKEEP.invoke({"compare": True})

    assert texts(post) == []


@pytest.mark.usefixtures("ada")
def test_second_mail_of_a_benchmark_waits_a_day(
    api: Api,
    owner: dict[str, str],
    post: Post,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What comes after the first mail is in one mail a day later, each text once."""
    subscribe(post.stack)
    for text in ("One", "Two", "Two", "Three"):
        assert api.ask("/api/benchmarks/tiny/announcements", {"text": text}, owner).status == 202
        post.flush()
    first = texts(post)
    monkeypatch.setattr(outbox, "NEWS_INTERVAL", timedelta(0))
    second = texts(post)[1:]

    assert [text.count("One") for _, text in first] == [1]
    assert [[text.count(word) for word in ("One", "Two", "Three")] for _, text in second] == [[0, 1, 1]]


def test_word_to_very_many_leaves_in_parts(
    api: Api, owner: dict[str, str], post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of the schedule queues no more than it sends, so none ends before it sends any; all get the word once."""
    monkeypatch.setattr(send, "MAX_DUE", 2)
    names = [f"player-{number}" for number in range(5)]
    for name in names:
        post.stack.issue_token(make_player(name, name), Scope.SUBMIT)
        subscribe(post.stack, player=name, address=f"{name}@example.org")
    assert api.ask("/api/benchmarks/tiny/announcements", {"text": "Hello"}, owner).body["players"] == 5

    counts = [len(texts(post)) for _ in range(4)]

    assert counts == [2, 4, 5, 5]
    assert len({to for to, _ in texts(post)}) == 5


class BusyOutbox(MailOutbox):
    """Takes the mails of some players alone, and notes whose it was asked to take."""

    def add(self, mail: PendingMail) -> bool:
        """Add a mail, or fail."""
        ASKED.append(str(mail.digest.player))
        if mail.digest.player in {"bo", "di"}:
            raise Busy("throttled")
        return super().add(mail)


def test_word_to_very_many_goes_on_where_it_ended(stack: StackHarness, post: Post) -> None:
    """A repeat looks at none who has it, so that it comes to the last; all get it once."""
    for name in ("ada", "bo", "cy", "di"):
        stack.issue_token(make_player(name, name), Scope.SUBMIT)
        subscribe(stack, player=name, address=f"{name}@example.org")
    store = wishes(stack)
    ASKED.clear()
    with pytest.raises(Busy):
        PlayerNews(store, BusyOutbox(store.table), utc_now).announce("tiny", "s", "Hello")
    first = sorted(ASKED)
    ASKED.clear()
    with pytest.raises(Busy):
        PlayerNews(store, BusyOutbox(store.table), utc_now).announce("tiny", "s", "Hello")

    assert (first, sorted(ASKED)) == (["ada", "bo", "cy", "di"], ["bo", "di"])
    assert PlayerNews(store, MailOutbox(store.table), utc_now).announce("tiny", "s", "Hello") == 4


def test_decision_of_a_review_is_mailed(
    api: Api, ada: dict[str, str], owner: dict[str, str], post: Post, work: Callable[[], None]
) -> None:
    """The player of the submission is mailed, once, with the owner's reason; nobody else is."""
    post.stack.publish(make_benchmark(**REVIEW))
    post.stack.issue_token(make_player("bo", "Bo"), Scope.SUBMIT)
    subscribe(post.stack, WishTopic.REVIEWED)
    subscribe(post.stack, player="bo", address="bo@example.org")
    submission = api.post(GOOD, headers=ada).body["submission"]
    work()
    decision = {"decision": "accept", "reason": "a <b>fine</b> run"}
    for _ in range(2):
        assert api.ask(f"/api/benchmarks/tiny/reviews/{submission}", decision, owner).status == 200
    sent = texts(post)

    assert [to for to, _ in sent] == [TO]
    assert "Your submission was accepted" in sent[0][1]
    assert "Reason: a <b>fine</b> run" in sent[0][1]
    html = post.sent()[0].get_body(("html",))
    assert html is not None
    assert "&lt;b&gt;fine" in html.get_content()


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize(("hours", "count"), [(-1, 0), (1, 1), (47, 1), (49, 0)])
def test_closing_is_mailed_before_it_closes(stack: StackHarness, post: Post, hours: int, count: int) -> None:
    """A benchmark that closes within two days is mailed once, so that a mail that waits a day comes before."""
    closes = (utc_now() + timedelta(hours=hours)).replace(microsecond=0)
    stack.publish(make_benchmark(closes=closes.isoformat()))
    subscribe(stack, WishTopic.CLOSING)
    for _ in range(2):
        UPKEEP.invoke({"compare": True})

    assert [f"closes on {closes:%Y-%m-%d %H:%M} UTC" in text for _, text in texts(post)] == [True] * count


def test_topics_that_were_not_asked_for_are_not_mailed(
    api: Api, ada: dict[str, str], owner: dict[str, str], stack: StackHarness, post: Post
) -> None:
    """A topic that is taken back while its mail waits is not sent either."""
    subscribe(stack, WishTopic.ANNOUNCED)
    api.ask("/api/benchmarks/tiny/announcements", {"text": "Hello"}, owner)
    ask(api, ada, "closing", address=None)

    assert texts(post) == []


@pytest.mark.parametrize("act", ["ban", "archive"])
def test_nobody_is_asked_for_them_either(
    api: Api, ada: dict[str, str], owner: dict[str, str], post: Post, *, work: Callable[[], None], act: str
) -> None:
    """An address gets no question of a player who is banned meanwhile, or about an archive."""
    ask(api, ada, "beaten")
    body = {"reason": "spam", **({"player": "ada"} if act == "ban" else {})}
    assert api.ask(f"/api/benchmarks/tiny/{act}", body, owner).status == 200
    work()

    assert texts(post) == []


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize("act", ["ban", "archive"])
def test_banned_players_and_archives_are_not_mailed(
    api: Api,
    owner: dict[str, str],
    post: Post,
    work: Callable[[], None],
    act: str,
) -> None:
    """Mail that waits about a benchmark that bans the player, or is archived, is not sent."""
    subscribe(post.stack)
    api.ask("/api/benchmarks/tiny/announcements", {"text": "Hello"}, owner)
    body = {"reason": "spam", **({"player": "ada"} if act == "ban" else {})}
    assert api.ask(f"/api/benchmarks/tiny/{act}", body, owner).status == 200
    work()

    assert texts(post) == []


def test_erased_player_keeps_no_address(
    api: Api, ada: dict[str, str], owner: dict[str, str], stack: StackHarness, post: Post
) -> None:
    """An erasure deletes wishes and addresses, and what waits is not sent; the export names them before."""
    subscribe(stack)
    api.ask("/api/benchmarks/tiny/announcements", {"text": "Hello"}, owner)
    exported = api.get("/api/me/export", headers=ada).body["mailed_at"]
    erased = api.ask("/api/me/erasure", {"confirm": "ada"}, ada)

    assert exported == {"tiny": TO}
    assert Erased.model_validate(erased.body).player == "ada"
    assert TO not in json.dumps(stack.items("MailTable"))
    assert texts(post) == []


def test_announcement_is_the_owners_alone(
    api: Api, ada: dict[str, str], owner: dict[str, str], stack: StackHarness
) -> None:
    """Others are rejected, blank and long texts too, and a sixth of a day; the trail has each."""
    path = "/api/benchmarks/tiny/announcements"
    rejected = [api.ask(path, {"text": "Hello"}, ada).status]
    rejected += [api.ask(path, {"text": text}, owner).status for text in (" \n", "x" * 2001, 5)]
    statuses = [api.ask(path, {"text": f"Number {number}"}, owner).status for number in range(6)]

    assert rejected == [403, 422, 422, 422]
    assert statuses == [202] * 5 + [429]
    assert [entry.action for entry in stack.trail.list_entries()].count(Action.ANNOUNCE) == 5


def test_commands_ask_for_mail_and_announce(
    api: Api, ada: dict[str, str], owner: dict[str, str], post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A player asks, reads what is asked for and ends it; an owner writes."""
    connect_commands(api, monkeypatch)
    player, organiser = (each["Authorization"].removeprefix("Bearer ") for each in (ada, owner))
    asked = laurel("mail", "tiny", "--to", TO, "--about", "beaten", "--about", "announced", token=player)
    api("POST", link_of(texts(post)[0][1]), body=CONFIRM)
    shown = laurel("mail", token=player)
    announced = laurel("announce", "tiny", "Hello all", token=organiser)
    off = laurel("mail", "tiny", "--off", token=player)

    assert "announced, beaten to ada@example.org; press the button" in asked.stdout
    assert shown.stdout.strip() == "tiny announced, beaten to ada@example.org"
    assert "on its way to 1 player" in announced.stdout
    assert off.stdout.strip() == "tiny no mail"
    assert isinstance(laurel("mail", "tiny", token=player).exception, UsageError)
