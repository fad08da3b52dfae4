"""Runs a story in which calls go wrong, and tells what is lost or doubled in the end."""

from collections.abc import Mapping
from typing import NamedTuple

from storage.access.tokens import hash_secret
from storage.keys import ResultKey
from tests.faults.books import Books, keep_books
from tests.faults.fuse import Call, Fault, Fuse
from tests.faults.sandbox import answer_invocation
from tests.faults.steps import Step, tell
from tests.faults.world import Maker, NeverQuiet, World

ANSWERS = {"Invoke": answer_invocation}


class Run(NamedTuple):
    """A story that happened: what is left, the calls that were made, and faults that need no other run to be seen."""

    books: Books
    calls: list[Call]
    faults: list[str]


def run_story(maker: Maker, story: tuple[Step, ...], plan: Mapping[int, Fault] | None = None, *, seed: int = 0) -> Run:
    """Let a story happen in a world of its own.

    Args:
        maker: Makes the world.
        story: The steps.
        plan: Which calls go wrong, and how.
        seed: Of ids, receipts and nonces.

    Raises:
        NeverQuiet: It does not come to rest.
    """
    fuse = Fuse(plan or {}, ANSWERS)
    with maker.world(fuse, seed=seed) as world:
        tell(world, story)
        return close(world)


def close(world: World) -> Run:
    """Close the books of a world in which all has happened."""
    return Run(keep_books(world), list(world.fuse.calls), find_unkept_promises(world))


def judge(maker: Maker, story: tuple[Step, ...], clean: Run, plan: Mapping[int, Fault], *, seed: int = 1) -> list[str]:
    """Tell in which ways a run with these faults ends otherwise than the clean one; nothing where it does not."""
    try:
        run = run_story(maker, story, plan, seed=seed)
    except (NeverQuiet, AssertionError) as error:
        return [f"{_tell(plan, clean)}: {type(error).__name__}: {error}"]
    found = [*run.books.differences(clean.books), *run.faults]
    found += [f"mail lost or uncalled for: {one}" for one in run.books.lost_mails(clean.books)]
    repeats = len(run.books.doubled_mails())
    if repeats > count_excused(run.calls, plan):
        found.append(f"{repeats} mails repeated")
    if run.books.twice_told() > clean.books.twice_told() + repeats * max(1, _largest(clean)):
        found.append("told again in another mail")
    return [f"{_tell(plan, clean)}: {one}" for one in found]


def count_excused(calls: list[Call], plan: Mapping[int, Fault]) -> int:
    """Count the faults that may repeat a mail: those between SES and the note that it was sent."""
    sent = {call.number for call in calls if call.operation == "SendEmail"}
    excused = 0
    for number, fault in plan.items():
        match fault:
            case Fault.CRASH_AFTER | Fault.UNANSWERED | Fault.REPEATED if number in sent:
                excused += 1
            case Fault.CRASH_BEFORE | Fault.UNREACHED if number - 1 in sent:
                excused += 1
            case _:
                continue
    return excused


def find_unkept_promises(world: World) -> list[str]:
    """Give every 202 whose result is not kept, or whose receipt does not open it."""
    broken = []
    for submission, receipt in world.acknowledged.values():
        kept = next((one for one in world.results() if one.submission == submission), None)
        if kept is None:
            broken.append("acknowledged and not kept")
        elif world.read_metadata(ResultKey(*kept))["receipt"] != hash_secret(receipt):
            broken.append("the receipt does not open its submission")
    return broken


def _largest(run: Run) -> int:
    return max((len(mail.told) for mail in run.books.mails), default=1)


def _tell(plan: Mapping[int, Fault], clean: Run) -> str:
    calls = dict(enumerate(clean.calls))
    return ", ".join(f"{fault} of [{calls.get(number, number)}]" for number, fault in sorted(plan.items()))
