"""The mails that a player asked for: what happens at a benchmark, and the question whether the address wants them.

They name no other player, so nobody who is banned, withdrawn, private or erased is in them.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from notify.content import Field, Link, MailContent, Section
from notify.templates import MAX_DETAILED, MailTopic
from storage.mail.models import PendingMail
from storage.mail.wishes import CONFIRMED_WITHIN, TOPICS, Wish, WishTopic
from storage.urls import board_url, mail_url, page_url

_ORDER: Final = (WishTopic.CLOSING, WishTopic.REVIEWED, WishTopic.BEATEN, WishTopic.ANNOUNCED)


class _News(NamedTuple):
    summary: str
    section: Section


def is_current(mail: PendingMail, wish: Wish, *, closes: datetime | None, now: datetime) -> bool:
    """Return whether a player still wants a mail, and it is still true."""
    topic = WishTopic(mail.version)
    is_closing = closes is not None and mail.submission == closes.isoformat() and now < closes
    return wish.wants(topic) and (topic is not WishTopic.CLOSING or is_closing)


def write_news_mail(topic: MailTopic, wish: Wish, mails: Sequence[PendingMail]) -> MailContent:
    """Write the mail about what happened; there is at least one pending mail."""
    news = [each for kind in _ORDER for each in _describe(topic, kind, [m for m in mails if m.version == kind])]
    more = f", and {len(news) - 1} more" if len(news) > 1 else ""
    links = (
        Link("Open the board", topic.site + board_url(topic.benchmark)),
        Link("Change what you are mailed", f"{topic.site}/tokens"),
        Link("Unsubscribe", topic.site + mail_url(wish.benchmark, wish.player, wish.code)),
    )
    return MailContent(
        title=topic.title,
        summary=news[0].summary + more,
        paragraphs=(f"This is what you asked to be mailed about {topic.title}.",),
        sections=(*(each.section for each in news[:MAX_DETAILED]), Section("More", links=links)),
        footer="You get this mail because you asked for it and confirmed this address. There is at most one mail a "
        "day about a benchmark. Unsubscribing ends all mail of this kind about it, and deletes the address.",
    )


def write_confirmation_mail(topic: MailTopic, wish: Wish) -> MailContent:
    """Write the mail that asks an address to confirm a wish.

    Nothing in it is of the person who entered the address.
    """
    days = CONFIRMED_WITHIN.days
    asked = "; ".join(TOPICS[kind] for kind in WishTopic if kind in wish.topics)
    link = Link("Open the page to confirm", topic.site + mail_url(wish.benchmark, wish.player, wish.code))
    return MailContent(
        title=topic.title,
        summary="confirm your address",
        paragraphs=(
            f"A player of {topic.title} asked that this address be mailed about it.",
            "If that was you, open the link and confirm. Nothing is sent before you do.",
        ),
        sections=(Section("What is asked for", (Field("Mail comes", asked),), links=(link,)),),
        footer=f"You get this mail because somebody entered your address. If it was not you, ignore it: the address "
        f"is deleted {days} days later.",
    )


def _describe(topic: MailTopic, kind: WishTopic, mails: Sequence[PendingMail]) -> list[_News]:
    if not mails:
        return []
    match kind:
        case WishTopic.BEATEN:  # of several days: from the first rank to the last
            before, (_, after, total) = json.loads(mails[0].text)[0], json.loads(mails[-1].text)
            ranks = Field("Your rank", f"{before} → {after} of {total}")
            return [_News(f"others passed you: you are at rank {after}", Section("Others passed you", (ranks,)))]
        case WishTopic.CLOSING:
            closes = f"{datetime.fromisoformat(mails[-1].submission):%Y-%m-%d %H:%M} UTC"
            advice = Field("Last results", f"until {closes}")
            return [_News(f"it closes on {closes}", Section("The benchmark closes soon", (advice,)))]
        case WishTopic.REVIEWED:
            return [_describe_review(topic, mail) for mail in mails]
        case WishTopic.ANNOUNCED:
            texts = [Section("The owner writes", quotes=(Field("To all players", mail.text),)) for mail in mails]
            return [_News("news from the owner", section) for section in texts]


def _describe_review(topic: MailTopic, mail: PendingMail) -> _News:
    decided = json.loads(mail.text)
    is_accepted = decided["decision"] == "accept"
    decision = "accepted: it counts as any other" if is_accepted else "withdrawn: it counts on no board"
    fields = [Field("Decision", decision), *([Field("Reason", decided["reason"])] if decided["reason"] else [])]
    link = Link("Open the submission", topic.site + page_url(topic.benchmark, decided["submission"]))
    section = Section(f"Your submission {decided['submission']}", tuple(fields), links=(link,))
    return _News(f"your submission was {'accepted' if is_accepted else 'withdrawn'}", section)
