"""Invitations by mail: each address gets a link of its own, once, and little is kept of it."""

import json
from copy import replace
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from api.players.invitations import routes
from api.players.invitations.addresses import read_addresses
from cli.exit_codes import FAILED, UsageError
from handlers.http.problems import Problem
from storage.gateway.errors import Busy
from storage.mail.outbox import MailOutbox
from storage.players.invitations import InvitationStore, holder_of_benchmark
from storage.players.tokens import Scope
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player
from tests.harness.ses_events import make_bounce
from tests.harness.stack import Answer, Api, StackHarness, failing, make_benchmark
from tests.integration.mail.test_notify import Post, text_of
from tests.integration.players.test_invitations import problem

FORTY = [f"student{number}@example.org" for number in range(40)]
HOSTILE = (
    "ada@example.org\nBcc: all@example.org",
    '"a b"@example.org',
    "ada@example.org>",
    "ada@localhost",
    "ada@-example.org",
    "ada..l@example.org",
    "ada@example.org\x00",
    "ada@exämple.org",
    "аda@example.org",
    f"{'a' * 65}@example.org",
    f"a@{'b' * 250}.org",
    "ada@example.org <bo@example.org\x00>",
    "@example.org",
)
"""Lines that are no address."""


@pytest.fixture
def post(stack: StackHarness) -> Post:
    """The mail of a stack with a sender."""
    return Post(stack)


def report_bounce(post: Post, address: str) -> None:
    """Let SES report that an address does not exist."""
    body = json.dumps({"detail": make_bounce(address, configuration_set="any")["Detail"]})
    post.stack.cloud.sqs.send_message(QueueUrl=post.url, MessageBody=body)


def mail(api: Api, owner: dict[str, str], *lines: str, **wish: Any) -> Answer:
    """Invite addresses by mail."""
    return api.ask("/api/benchmarks/tiny/invite/mail", {"addresses": lines, **wish}, owner)


def list_states(api: Api, owner: dict[str, str]) -> dict[str | None, tuple[str, str, int]]:
    """Return address → state, mail, and how many came."""
    listed = api.get("/api/benchmarks/tiny/invitations", headers=owner).body["invitations"]
    return {each["address"]: (each["state"], each["mail"], len(each["used"])) for each in listed}


def code_of(message: EmailMessage) -> str:
    """Return the code of the link in a mail."""
    return text_of(message).partition("/join#")[2].split()[0]


def test_forty_addresses_are_forty_links(api: Api, stack: StackHarness, owner: dict[str, str], post: Post) -> None:
    """Each address gets one mail with a link of its own; the list shows waiting, sent, used."""
    answer = mail(api, owner, *FORTY, note="Class 7b", days=7)
    waiting = list_states(api, owner)
    post.flush()
    messages = {str(message["To"]): message for message in post.sent()}
    sent = list_states(api, owner)
    first, second = (code_of(messages[address]) for address in FORTY[:2])
    api.ask("/api/invitations/open", {"code": first})
    issued = api.ask("/api/invitations/join", {"code": first, "name": "Ada"})

    assert (answer.status, len(answer.body["invitations"]), answer.body["skipped"]) == (201, 40, [])
    assert "join_" not in answer.text
    assert set(messages) == set(FORTY)
    assert len(post.sent()) == 40
    assert len({code_of(message) for message in messages.values()}) == 40
    assert waiting[FORTY[0]] == ("open", "waiting", 0)
    assert set(sent.values()) == {("open", "sent", 0)}
    assert issued.status == 201
    assert list_states(api, owner)[FORTY[0]] == ("used_up", "sent", 1)
    assert second not in str([*stack.items("MailTable"), *stack.items("AccessTable")])


def test_what_the_mail_says(api: Api, owner: dict[str, str], post: Post) -> None:
    """The mail names who invites to what, the link and its end, and no other address."""
    mail(api, owner, "ada@example.org", "bo@example.org", allows=["submit", "own"])
    mail(api, owner, "gpu@example.org", allows=["work"])
    post.flush()

    message, runners = (
        next(message for message in post.sent() if message["To"] == address)
        for address in ("ada@example.org", "gpu@example.org")
    )

    assert message["Subject"] == "Tiny: you are invited"
    for expected in ("Olga invites you to Tiny: Two questions.", "/join#join_", "once, until 20", "/b/tiny"):
        assert expected in text_of(message)
    assert "submit results and run the benchmark as an owner" in text_of(message)
    assert "with which you may score its results on your own machine" in text_of(runners)
    assert "bo@example.org" not in str(message)


def test_a_repeat_mails_nobody_twice(api: Api, owner: dict[str, str], post: Post) -> None:
    """An address with an open link by mail gets no other one, whatever its case; a new one does."""
    mail(api, owner, "ada@example.org")
    again = mail(api, owner, "ADA@example.org", "", "  bo@example.org  ")
    post.flush()
    later = mail(api, owner, "ada@example.org", "bo@example.org")
    post.flush()

    assert [each["address"] for each in again.body["invitations"]] == ["bo@example.org"]
    assert again.body["skipped"] == ["ADA@example.org"]
    assert (later.body["invitations"], len(post.sent())) == ([], 2)


def test_a_death_between_link_and_mail(
    api: Api, owner: dict[str, str], post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the links are stored and the mails are not, a repeat mails links that work, once."""

    def die(*_: Any) -> bool:
        raise Busy("throttled")

    with monkeypatch.context() as patched:
        patched.setattr(MailOutbox, "add", die)
        died = mail(api, owner, "ada@example.org")
    again = mail(api, owner, "ada@example.org")
    post.flush()

    assert (died.status, again.status) == (503, 201)
    (message,) = post.sent()
    assert api.ask("/api/invitations/join", {"code": code_of(message), "name": "Ada"}).status == 201


def test_nothing_is_stored_if_the_links_cannot_be(
    api: Api, stack: StackHarness, owner: dict[str, str], post: Post
) -> None:
    """All links are one transaction."""
    with failing(stack.cloud.dynamodb, "TransactWriteItems"):
        failed = mail(api, owner, *FORTY)
    post.flush()

    assert failed.status in {500, 503}
    assert (list_states(api, owner), post.sent()) == ({}, [])


@pytest.mark.hostile
@pytest.mark.parametrize("line", HOSTILE)
def test_a_wrong_line_is_named_and_nothing_is_sent(line: str) -> None:
    """A line that is no address is named by its number, whatever it tries."""
    with pytest.raises(Problem) as caught:
        read_addresses([line])

    assert caught.value.status == 422
    assert ": expected an address such as" in caught.value.detail


@pytest.mark.hostile
def test_wrong_lines_over_http(api: Api, owner: dict[str, str], post: Post) -> None:
    """Nothing is mailed of a list of wrong lines, of none, of too many, or of what is no text; each is named once."""
    wrong = mail(api, owner, "bo", "", "ada at example.org")
    answers = [mail(api, owner), mail(api, owner, *(f"a{number}@example.org" for number in range(91)))]
    answers += [mail(api, owner, 1), mail(api, owner, *([""] * 1001)), mail(api, owner, "a@example.org", uses=2)]  # type: ignore[arg-type]
    post.flush()

    assert problem(wrong) == (422, "invalid-addresses")
    assert [fault["pointer"] for fault in wrong.body["errors"]] == ["/addresses"]
    assert [wrong.body["detail"].count(f"line {number}:") for number in (1, 2, 3)] == [1, 0, 1]
    assert [answer.status for answer in answers] == [422] * 5
    assert (list_states(api, owner), post.sent()) == ({}, [])


LISTS = {
    "Moodle": (
        '"First name","Last name","Email address",Groups\n'
        'Ada,Lovelace,ada@example.org,"7b; chess"\nBo,Li,bo@example.org,\n'
    ),
    "Moodle in German": (
        "\ufeffVorname;Nachname;E-Mail-Adresse;Letzter Zugriff\r\n"
        "Ada;Lovelace;ada@example.org;gestern, 8 Uhr\r\nBo;Li;bo@example.org;nie\r\n"
    ),
    "Canvas": 'Student,ID,SIS Login ID,Section\n"Lovelace, Ada",17,ada@example.org,7b\n"Li, Bo",18,bo@example.org,7b\n',
    "a spreadsheet": "Ada Lovelace\tada@example.org\nBo Li\tbo@example.org\n",
    "Outlook": "'Ada Lovelace' <ada@example.org>; \"Li, Bo\" <bo@example.org>;",
    "Outlook without quotes": "Lovelace, Ada <ada@example.org>; Li, Bo <bo@example.org>",
    "names with commas between": "Ada Lovelace <ada@example.org>, Bo Li <bo@example.org>",
    "a phone": "\u200bAda\u00a0Lovelace ada@example.org\u2060\nBo Li \u202f bo@example.org\u00a0",
    "two of a line": "ada@example.org, bo@example.org",
    "a parent beside": "Name,Parent,Email\nAda,p@example.com,ada@example.org\nBo,q@example.com,bo@example.org",
    "Canvas with points": (
        "Student,ID,SIS User ID,SIS Login ID,Section,HW\n    Points Possible,,,,,10\n"
        'Ada Lovelace,17,s17,ada@example.org,7b,9\nBo Li,18,s18,bo@example.org,7b,9\n"Student, Test",19,,0af,7b,\n'
    ),
    "Classroom": (
        "Last Name,First Name,Email Address,Quiz\nDate,,,2026-01-01\nPoints,,,100\n"
        "Lovelace,Ada,ada@example.org,90\nLi,Bo,bo@example.org,\n"
    ),
    "Vietnamese": "Họ tên,Địa chỉ thư điện tử\nAda Lovelace,ada@example.org\nBo Li,bo@example.org\n",
    "quotes and blanks": ' "ada@example.org" \n\n,,\n<bo@example.org>\n',
}
"""A class of two, as programs export it."""


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_list_of_a_class_is_read_as_it_is_exported(text: str) -> None:
    """Headers are skipped, each address is there once, and nothing else is asked of the owner."""
    addresses = read_addresses(text.split("\n"))

    assert [each.address.lower() for each in addresses.listed] == ["ada@example.org", "bo@example.org"]
    assert addresses.unread == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (LISTS["Moodle"], ["Ada Lovelace", "Bo Li"]),
        (LISTS["Canvas"], ["Lovelace, Ada", "Li, Bo"]),
        (LISTS["a parent beside"], ["Ada", "Bo"]),
        (f"sep=;\n{LISTS['a parent beside']}".replace(",", ";"), ["Ada", "Bo"]),
        (LISTS["Outlook"], ["Ada Lovelace", "Li, Bo"]),
        (LISTS["Outlook without quotes"], ["Lovelace, Ada", "Li, Bo"]),
        (LISTS["names with commas between"], ["Ada Lovelace", "Bo Li"]),
        (LISTS["a phone"], ["Ada Lovelace", "Bo Li"]),
        (LISTS["two of a line"], ["", ""]),
    ],
)
def test_name_beside_an_address_is_read(text: str, names: list[str]) -> None:
    """In front of it, or around it."""
    assert [each.name for each in read_addresses(text.split("\n")).listed] == names


@pytest.mark.parametrize(
    "header",
    [
        "No.,Email,Name,Student ID,Username",
        "ID,E-Mail-Adresse,Vollständiger Name,Matrikelnummer,Benutzername",
        "STT,Địa chỉ thư điện tử,Họ và tên,MSSV,Người dùng tên",
        "Nr,Adresse de courriel,Nom,Numéro d'identification,Nom d'utilisateur",
        "No,Dirección de correo,Nombre,Número de ID,Nombre de usuario",
        "编号,电子邮箱,姓名,学号,用户名",
        "ID,SIS Login ID,Student,SIS User ID,Parent name",
    ],
)
def test_columns_are_found_by_their_headings(header: str) -> None:
    """Wherever they are, and not those that are called nearly so."""
    listed = read_addresses([header, "1,ada@example.org,Ada,0017,al17"]).listed

    assert listed == [("ada@example.org", "Ada", "0017")]


def test_bad_line_costs_the_others_nothing(api: Api, owner: dict[str, str], post: Post) -> None:
    """It is named once, the others are mailed, and names are notes of links."""
    lines = [
        "Name;E-Mail",
        "Ada;ada@example.org",
        "Bo;bo@@example.org",
        "Zoë;",
        "Ivy\u202e;ivy@example.org",
        "ada@example.org",
    ]

    answer = mail(api, owner, *lines)
    post.flush()

    notes = [(each["address"], each["note"]) for each in answer.body["invitations"]]
    assert (answer.status, notes) == (201, [("ada@example.org", "Ada"), ("ivy@example.org", "")])
    assert [each["line"] for each in answer.body["unread"]] == [3, 4]
    assert sorted(str(message["To"]) for message in post.sent()) == ["ada@example.org", "ivy@example.org"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_command_mails_the_lines_of_a_file(
    api: Api, owner: dict[str, str], post: Post, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, encoding: str
) -> None:
    """One that a spreadsheet wrote, too; a repeat says who has a link, and a link for one has no uses."""
    connect_commands(api, monkeypatch)
    file, token = tmp_path / "class.txt", owner["Authorization"].removeprefix("Bearer ")
    text = "Name;Email\r\nAda;ada@example.org\r\nBo;bo@example.org\r\nZoë;\r\n\r\n"
    file.write_bytes(text.encode(encoding))

    first, again = (laurel("invite", "tiny", "--mail", str(file), "--note", "7b", token=token) for _ in range(2))
    wrong = laurel("invite", "tiny", "--mail", str(file), "--uses", "2", token=token)
    post.flush()
    listed = laurel("invite", "tiny", "--list", token=token)

    assert (first.exit_code, again.exit_code) == (FAILED, FAILED), first.output  # a line is to be corrected
    assert isinstance(wrong.exception, UsageError)
    assert first.stdout.startswith("2 invitations are on their way")
    assert "2 had an open link already" in again.stdout
    assert first.stdout.count("line 4: expected an address such as ada@example.org, found the string 'Zoë;'") == 1
    assert sorted(str(mail["To"]) for mail in post.sent()) == ["ada@example.org", "bo@example.org"]
    assert [listed.stdout.count(text) for text in (" Ada ", " Bo ", " sent ")] == [1, 1, 2]


@pytest.mark.hostile
def test_mails_have_a_limit_a_day(api: Api, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """All of a request is mailed or, over the limit of the day, nothing."""
    monkeypatch.setattr(routes, "MAILS_PER_DAY", 42)
    mail(api, owner, *FORTY)

    over = mail(api, owner, "a@example.org", "b@example.org", "c@example.org")
    within = mail(api, owner, "a@example.org", "b@example.org")

    assert problem(over) == (429, "quota-exhausted")
    assert "the owners of a benchmark may mail 42 invitations a day" in over.body["detail"]
    assert within.status == 201
    assert len(list_states(api, owner)) == 42


def test_one_address_gets_few_mails_whoever_asks(api: Api, stack: StackHarness, owner: dict[str, str]) -> None:
    """Its owner takes links back and mails others, by another benchmark, dot, tag and domain: three a day arrive."""
    stack.publish(make_benchmark(id="twin"))
    admin = stack.issue_token(make_player("admin", "Admin"), Scope.ADMIN)
    mailed = []
    for number in range(6):
        name = ("tiny", "twin")[number % 2]
        address = ("Vic@gmail.com", f"v.ic+{number}@googlemail.com")[number // 3]
        answer = api.ask(f"/api/benchmarks/{name}/invite/mail", {"addresses": [address]}, admin)
        mailed += answer.body["invitations"]
        for made in answer.body["invitations"]:
            path = f"/api/benchmarks/{name}/invitations/{made['invitation']}/revoke"
            assert api.ask(path, {}, admin).status == 200

    assert (len(mailed), answer.body["skipped"]) == (3, ["v.ic+5@googlemail.com"])
    other = api.ask("/api/benchmarks/tiny/invite/mail", {"addresses": ["vica@gmail.com"]}, owner)
    assert len(other.body["invitations"]) == 1


def test_a_bounce_is_shown(api: Api, owner: dict[str, str], post: Post) -> None:
    """The list shows whose mail bounced; a repeat does not try again."""
    mail(api, owner, "Ada@example.org", "bo@example.org")
    post.flush()
    report_bounce(post, "ada@example.org")
    post.flush()

    states = list_states(api, owner)
    again = mail(api, owner, "ada@example.org")

    assert (states["Ada@example.org"][1], states["bo@example.org"][1]) == ("bounced", "sent")
    assert again.body["skipped"] == ["ada@example.org"]


@pytest.mark.parametrize("is_over", [False, True])
def test_a_link_that_ended_is_not_mailed(
    api: Api, stack: StackHarness, owner: dict[str, str], post: Post, *, is_over: bool
) -> None:
    """One that is taken back, or whose time is over, before its mail leaves; neither address nor code is kept."""
    invitation = mail(api, owner, "ada@example.org").body["invitations"][0]["invitation"]
    invitations = InvitationStore(stack.access)
    (made,) = invitations.list_of(holder_of_benchmark("tiny"))
    if is_over:
        invitations.change(replace(made, ends_at=made.made_at))
    else:
        api.ask(f"/api/benchmarks/tiny/invitations/{invitation}/revoke", {}, owner)
    post.flush()

    stored = str([*stack.items("MailTable"), *([] if is_over else stack.items("AccessTable"))])
    assert (post.sent(), "join_" in stored) == ([], False)
    assert "ada@example" not in stored


def test_an_erasure_deletes_the_address(api: Api, stack: StackHarness, owner: dict[str, str], post: Post) -> None:
    """A player who came by a mailed link reads the address in the export; an erasure leaves none of it."""
    mail(api, owner, "ada@example.org", "bo@example.org")
    post.flush()
    code = next(code_of(message) for message in post.sent() if message["To"] == "ada@example.org")
    issued = api.ask("/api/invitations/join", {"code": code, "name": "Ada"}).body
    token = {"Authorization": f"Bearer {issued['secret']}"}
    exported = api.get("/api/me/export", headers=token).body
    erased = api.ask("/api/me/erasure", {"confirm": issued["player"]}, token)

    stored = str([item for table in ("MailTable", "AccessTable") for item in stack.items(table)])
    assert (exported["invited_at"], erased.status) == (["ada@example.org"], 200)
    assert ("ada@example" in stored, "bo@example" in stored) == (False, True)
