"""Random stories of the model: boards that begin and end, windows, labels, marks, and workers that die."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from scoring_core.ranking.accumulators import Accumulator, FoldingRules
from scoring_core.ranking.standings import Contribution
from tests.faults.folding_stories import (
    draw_batches,
    draw_ranking,
    draw_score_type,
    draw_scores,
    fold_by,
    run,
    weave,
)
from tests.faults.interleaving import Process
from tests.faults.one_transaction import (
    MAIN,
    Broken,
    Entry,
    ItemKey,
    ModelBoard,
    ModelFolder,
    ModelPublishing,
    ModelStanding,
    ModelTable,
)

TROUBLE = 1_000
"""Calls after which all goes well."""
LOOKS = 0.1
"""Of the transactions, how many are followed by a look at all standings of the player."""


@dataclass
class ModelStory:
    """What happens: each publishing, every entry in its newest revision, and the batches that are delivered."""

    publishings: Sequence[ModelPublishing]
    entries: dict[str, Entry]
    batches: list[list[Entry]]
    current: int = 0

    @property
    def now(self) -> ModelPublishing:
        """The latest publishing."""
        return self.publishings[self.current]


def draw_model_story(chance: random.Random) -> ModelStory:
    """Draw a story."""
    score_type = draw_score_type(chance)
    parts = tuple(f"p{number}" for number in range(chance.choice((0, 0, 1, 3))))
    wanted = chance.random() < 0.3
    count = chance.choice((5, 12, 12, 30, 60))
    publishings = _draw_publishings(
        chance, lambda: FoldingRules(draw_ranking(chance, score_type.names), score_type, parts, wanted), count
    )
    entries: dict[str, Entry] = {}
    delivered: list[Entry] = []
    players = [f"P{number}" for number in range(chance.choice((1, 1, 3)))]
    labels = chance.choice(("x", "xyz"))
    for at in range(count):
        scores = draw_scores(chance, score_type.names, parts)
        player = chance.choice(players)
        kind = "model" if player == "P0" else "human"
        entry = Entry(f"s{at:03}", player, chance.choice(labels), kind, at, 1, scores)
        revisions = [entry, *_draw_marks(chance, entry)]
        entries[entry.submission] = revisions[-1]
        delivered += revisions
    return ModelStory(publishings, entries, draw_batches(chance, delivered, chance.choice(((1, 2, 6), (6, 150)))))


def _draw_publishings(
    chance: random.Random, draw_rules: Callable[[], FoldingRules], count: int
) -> list[ModelPublishing]:
    """Draw what each publishing says: rankings change, a board begins and ends, a window opens, waits are released."""
    main = ModelBoard(MAIN, draw_rules(), has_labels=chance.random() < 0.3)
    fixed = [ModelBoard("models", draw_rules(), kind="model"), ModelBoard("labels", draw_rules(), has_labels=True)]
    fixed = fixed[: chance.choice((0, 1, 2))]
    passing = ModelBoard("passing", draw_rules(), has_labels=chance.random() < 0.3)
    window = ModelBoard("window", draw_rules(), kind=chance.choice((None, "human")))
    length = chance.choice((3, 20))
    opens, begins, ends = chance.randint(1, 3), chance.randint(2, 3), chance.randint(3, 6)
    publishings: list[ModelPublishing] = []
    for number in range(1, chance.choice((1, 3, 4, 5)) + 1):
        if chance.random() < 0.3:
            main = main._replace(rules=draw_rules())
        boards = [main, *fixed, *([passing] if begins <= number < ends else ())]
        released = publishings[-1].released if publishings else 0
        if chance.random() < 0.5:
            released = max(released, chance.randint(0, count))
        publishings.append(ModelPublishing(number, boards, window if number >= opens else None, length, released))
    return publishings


def _draw_marks(chance: random.Random, entry: Entry) -> list[Entry]:
    """Draw later revisions: scored again, waiting for the owner and accepted, withdrawn and restored."""
    revisions = [entry]

    def revise(**changes: bool) -> None:
        revisions.append(revisions[-1]._replace(revision=revisions[-1].revision + 1, **changes))

    if chance.random() < 0.15:
        revise(waits=True)
        if chance.random() < 0.5:
            revise(waits=False)
    if chance.random() < 0.12:
        revise(withdrawn=True)
        for withdrawn in (False, True)[: chance.choice((0, 0, 1, 2))]:
            revise(withdrawn=withdrawn)
    return revisions[1:]


def tell_model_story(seed: int, broken: Broken = Broken.NOTHING) -> Counter[str]:
    """Run the story of a seed to its end; look at each standing on the way, and at all of them at the end."""
    chance = random.Random(seed)  # noqa: S311  # nothing here is a secret
    story = draw_model_story(chance)
    table = ModelTable(chance, limit=chance.choice((8, 25, 100)))

    def look(player: str) -> None:
        if chance.random() < LOOKS:
            _check_moment(story, table, player, f"seed {seed}")

    table.look = look
    folder = ModelFolder(table, lambda: story.now, broken)

    def move_on(gone: float) -> None:
        story.current = min(len(story.publishings) - 1, int(gone * len(story.publishings)))

    def disturb() -> Process:
        table.counts["refolds"] += 1
        return Process("refold", partial(_refold_all, table, folder))

    faults = weave(
        chance,
        story.batches,
        start=lambda name, batch: Process(name, lambda: folder.fold(batch)),
        move_on=move_on,
        disturb=disturb,
        trouble=TROUBLE,
    )
    story.current = len(story.publishings) - 1
    run(lambda: _refold_all(table, folder))
    _check_end(story, table, f"seed {seed}")
    return Counter({"stories": 1, "records": len(story.entries)}) + faults + table.counts


def _refold_all(table: ModelTable, folder: ModelFolder) -> None:
    """Fold every player again who has an anchor, as a publishing does."""
    for player in sorted({key.row for key in table.items if key.board == MAIN and "/" not in key.row}):
        folder.refold(player)


def _check_moment(story: ModelStory, table: ModelTable, player: str, what: str) -> None:
    """Check that each standing of a player that the anchor's publishing knows is the fold of what is stored now."""
    anchor = table.items[ItemKey(MAIN, player)]
    assert isinstance(anchor, ModelStanding), what
    stored = table.list_entries(player)
    rows = story.publishings[anchor.number - 1].list_rows(stored)
    for key in rows:
        standing = table.items.get(key)
        if isinstance(standing, ModelStanding) and standing.digest:
            published = story.publishings[standing.number - 1]
            board = published.list_rows(stored).get(key)
            assert board is not None, f"{what}: {key} is of no board of its publishing"
            _compare(table, key, board, published.released, what)


def _check_end(story: ModelStory, table: ModelTable, what: str) -> None:
    """Check that all that was delivered is stored, and that every board of the last publishing is its fold."""
    stored = {item.submission: item for item in table.items.values() if isinstance(item, Entry)}
    assert stored == story.entries, what
    for key, board in story.now.list_rows(stored.values()).items():
        standing = table.items.get(key)
        assert isinstance(standing, ModelStanding), f"{what}: {key} has no standing"
        assert standing.number == story.now.number, f"{what}: {key} is of publishing {standing.number}"
        _compare(table, key, board, story.now.released, what)


def _compare(table: ModelTable, key: ItemKey, board: ModelBoard, released: int, what: str) -> None:
    """Compare a standing with the definition of a fold of what is stored, to the last bit."""
    standing, rules = table.items[key], board.rules
    assert isinstance(standing, ModelStanding), what
    tries = [
        Contribution(entry.submission, part, scores)
        for entry in table.items.values()
        if isinstance(entry, Entry) and entry.counts(released) and board.has_in_row(entry, key.row)
        for part, scores in entry.scores.items()
    ]
    expected, improvements = fold_by(rules)(tries)
    accumulator: Accumulator | None = standing.read(rules, released)
    assert accumulator is not None, f"{what}: {key} was folded by other rules"
    shown = accumulator.read_standing(rules)
    assert repr(shown) == repr(expected), f"{what}: {key}"
    assert repr(accumulator.improvements.kept if shown else ()) == repr(improvements), f"{what}: {key}"
