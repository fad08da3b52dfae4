"""Adds the mail about what happened, for players who asked for it."""

import json
from dataclasses import dataclass

from storage.aws.threads import run_at_once
from storage.ids import Clock
from storage.mail.outbox import MailOutbox
from storage.mail.wishes import WishStore, WishTopic, plan_news
from storage.submissions.models import Submission


@dataclass(frozen=True, slots=True)
class PlayerNews:
    """Adds pending mails about news."""

    wishes: WishStore
    outbox: MailOutbox
    clock: Clock

    def add_decision(self, submission: Submission, decision: str, reason: str) -> None:
        """Add what the owner decided about a submission; a repeat adds nothing."""
        player = submission.player
        wish = self.wishes.find(submission.benchmark, player.id) if player.verified else None
        if wish is not None and wish.wants(WishTopic.REVIEWED):
            text = json.dumps({"submission": submission.id, "decision": decision, "reason": reason})
            subject = f"{submission.id}-{decision}"
            self.outbox.add(plan_news(wish, WishTopic.REVIEWED, subject, now=self.clock(), text=text))

    def announce(self, benchmark: str, subject: str, text: str) -> int:
        """Add what the owner writes, once for each subject; return how many asked for it.

        A request has no time for very many: a repeat goes on where it ended.
        """
        topic, now = WishTopic.ANNOUNCED, self.clock()
        asked = [wish for wish in self.wishes.list_of(benchmark) if wish.wants(topic)]
        mails = [plan_news(wish, topic, subject, now=now, text=text) for wish in asked]
        added = self.outbox.find_states(mails)
        run_at_once(self.outbox.add, [mail for mail in mails if mail.digest not in added])
        return len(mails)
