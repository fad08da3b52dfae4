"""Tables on both sides of the gateway: what conditions, changes and queries mean, and what is refused."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from local.template import Template
from storage.gateway import conditions
from storage.gateway.errors import Conflict, Refused, StoreError
from storage.gateway.schema import Schema, marshal
from storage.gateway.table import MAX_WRITES, Table, Tables, Write
from tests.contract.sides import ACCESS, BOARDS, MAIL, SUBMISSIONS, Boto, open_engine, open_moto
from tests.harness.moto.tables import MotoTables
from tests.harness.raw_cloud import RawCloud

FREE = conditions.Absent("item")
KB = 1024


def make_put(number: int, condition: conditions.ItemCondition = FREE) -> conditions.Put:
    """Return the put of one of a hundred items."""
    return conditions.Put(marshal({"thread": f"t{number % 3}", "item": f"{number:03}", "n": number}), condition)


def test_hundred_items_are_written_with_one_stream_record_each(template: Template) -> None:
    """Of the largest transaction the stream has each item once, in order; a write that changes nothing has none."""
    with open_engine(template) as engine:
        engine.tables.transact(MAIL, [make_put(number) for number in range(MAX_WRITES)])
        engine.tables.put(MAIL, make_put(1, conditions.Absent("none")))

        records = engine.streams.read(MAIL, after=None, length=1000)
    assert [record["dynamodb"]["Keys"]["item"]["S"] for record in records] == [f"{n:03}" for n in range(MAX_WRITES)]
    assert {record["eventName"] for record in records} == {"INSERT"}


def test_failed_condition_undoes_all(cloud: RawCloud) -> None:
    """If the condition of the last item does not hold, nothing is written, and the error has what is stored."""
    last = make_put(MAX_WRITES - 1)
    cloud.tables.put(MAIL, last)

    with pytest.raises(Conflict) as caught:
        cloud.tables.transact(MAIL, [make_put(number) for number in range(MAX_WRITES)])

    assert caught.value.items == [*[{}] * (MAX_WRITES - 1), last.item]
    assert len(cloud.dynamodb.scan(TableName=MAIL)["Items"]) == 1


KEY = {"board": "b", "item": "i"}
REFUSED: Mapping[str, tuple[str, list[dict[str, Any]]]] = {
    "an item above 400 KB": (BOARDS, [{**KEY, "text": "x" * 400 * KB}]),
    "an empty partition key": (BOARDS, [{**KEY, "board": ""}]),
    "an empty sort key": (BOARDS, [{**KEY, "item": ""}]),
    "no sort key": (BOARDS, [{"board": "b"}]),
    "a partition key above 2 KB": (ACCESS, [{"key": "x" * (2 * KB + 1)}]),
    "a sort key above 1 KB": (BOARDS, [{**KEY, "item": "x" * (KB + 1)}]),
    "101 items at once": (BOARDS, [{**KEY, "item": str(number)} for number in range(101)]),
    "an item twice at once": (BOARDS, [KEY, KEY]),
}
BY_AWS: Mapping[str, tuple[str, list[dict[str, Any]]]] = {
    "a number of 39 digits": (BOARDS, [{**KEY, "n": 10**38}]),
    "an empty set": (BOARDS, [{**KEY, "s": frozenset[str]()}]),
    "4 MB at once": (BOARDS, [{**KEY, "item": str(number), "text": "x" * 390 * KB} for number in range(11)]),
    "an index's key above 2 KB": (
        SUBMISSIONS,
        [{"benchmark": "b", "submission_version": "1", "benchmark_player": "x" * (2 * KB + 1)}],
    ),
}
"""What moto, which is laxer, may accept."""


def write_all(tables: Tables, table: str, items: list[dict[str, Any]]) -> None:
    """Write items, whatever is stored."""
    Table(tables, table).transact([Write(Schema.FLAG, item, conditions.Absent("none")) for item in items])


@pytest.mark.parametrize("what", REFUSED)
def test_refused(cloud: RawCloud, what: str) -> None:
    """What DynamoDB refuses is refused, and nothing is written."""
    with pytest.raises(Refused):
        write_all(cloud.tables, *REFUSED[what])

    assert cloud.tables.get(BOARDS, KEY) is None


@pytest.mark.parametrize("what", BY_AWS)
def test_refused_by_the_engine(template: Template, what: str) -> None:
    """What DynamoDB refuses by its documents alone is refused."""
    with open_engine(template) as engine, pytest.raises(Refused):
        write_all(engine.tables, *BY_AWS[what])


@pytest.fixture
def sides(clients: Boto, template: Template) -> Iterator[tuple[Tables, Tables]]:
    """Both sides of the gateway."""
    with open_moto(clients, template), open_engine(template) as engine:
        yield MotoTables(clients[2]), engine.tables


SORTS = ("a", "ab", "b", "ba", "ä")
NUMBERS = st.integers(-2, 2)
TEXTS = st.sampled_from(("", "a", "ab", "b", "ä", "\U0001f600"))
SETS = st.frozensets(st.sampled_from("xyz"), min_size=1)
COMPARISONS = (conditions.Equals, conditions.Below, conditions.AtMost, conditions.Above, conditions.AtLeast)
ITEMS = st.fixed_dictionaries({}, optional={"n": NUMBERS, "m": NUMBERS, "text": TEXTS, "set": SETS, "copy": SETS})
HAS_SET = conditions.Contains("set", "x") | conditions.Contains("set", "y") | conditions.Contains("set", "z")
"""Without it moto fails where DynamoDB says no."""
LEAVES = st.one_of(
    st.builds(conditions.Absent, st.sampled_from(("item", "n", "set"))),
    st.builds(lambda kind, value: kind("n", value), st.sampled_from(COMPARISONS), NUMBERS),
    st.builds(lambda kind, value: kind("text", value), st.sampled_from(COMPARISONS), TEXTS),
    st.builds(
        lambda kind, size: HAS_SET & kind("set", size),
        st.sampled_from((conditions.SizeIs, conditions.SizeBelow, conditions.SizeAtLeast)),
        st.integers(0, 3),
    ),
    st.builds(
        lambda kind, member: kind("set", member),
        st.sampled_from((conditions.Contains, conditions.Lacks)),
        st.sampled_from("xyz"),
    ),
)
CONDITIONS: st.SearchStrategy[conditions.ItemCondition] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.builds(lambda a, b: a & b, inner, inner), st.builds(lambda a, b: a | b, inner, inner)),
    max_leaves=4,
)
CHANGES = st.builds(
    conditions.ItemChange,
    set=st.fixed_dictionaries({}, optional={"text": TEXTS, "m": NUMBERS}),
    remove=st.sets(st.just("gone")),
    add=st.fixed_dictionaries({"n": NUMBERS}, optional={"set": SETS}),
    take_out=st.fixed_dictionaries({}, optional={"copy": SETS}),
)
SPANS = st.one_of(
    st.none(),
    st.builds(lambda text: conditions.Prefix("item", text), st.sampled_from(SORTS)),
    st.builds(
        lambda ends: conditions.Between("item", *sorted(ends)),
        st.tuples(st.sampled_from(SORTS), st.sampled_from(SORTS)),
    ),
    st.builds(
        lambda kind, text: kind("item", text),
        st.sampled_from((conditions.AtLeast, conditions.Below)),
        st.sampled_from(SORTS),
    ),
)


class BothSides(RuleBasedStateMachine):
    """The same calls on moto and on the engine."""

    def __init__(self, sides: tuple[Tables, Tables]) -> None:
        super().__init__()
        self.sides = sides
        for side in sides:
            for sort in SORTS:
                side.delete(BOARDS, {"board": "b", "item": sort}, None)

    def both(self, operation: str, *asked: Any) -> None:
        """Ask both sides, and compare their answers, and then what they hold."""
        answers = [self._ask(side, operation, *asked) for side in self.sides]
        assert answers[0] == answers[1], (operation, asked)
        held = [
            _ordered(side.get_many(BOARDS, [{"board": "b", "item": sort} for sort in SORTS])) for side in self.sides
        ]
        assert held[0] == held[1], (operation, asked)

    def _ask(self, side: Tables, operation: str, *asked: Any) -> Any:
        try:
            # What an update answers is not compared: moto leaves out what it sets to the same.
            getattr(side, operation)(BOARDS, *asked)
        except StoreError as error:
            items = [] if operation == "delete" else getattr(error, "items", [])  # not asked for by a deletion
            return type(error), [_plain(item) for item in items]
        return None

    @rule(sort=st.sampled_from(SORTS), attributes=ITEMS, condition=CONDITIONS)
    def put(self, sort: str, attributes: dict[str, Any], condition: conditions.ItemCondition) -> None:
        """Put an item."""
        self.both("put", conditions.Put(marshal({"board": "b", "item": sort, **attributes}), condition))

    @rule(sort=st.sampled_from(SORTS), change=CHANGES, condition=CONDITIONS)
    def update(self, sort: str, change: conditions.ItemChange, condition: conditions.ItemCondition) -> None:
        """Change an item."""
        self.both("update", conditions.Update({"board": "b", "item": sort}, change, condition))

    @rule(sort=st.sampled_from(SORTS), ids=SETS)
    def turn(self, sort: str, ids: frozenset[str]) -> None:
        """Copy a set that exists, and replace it, as quotas do."""
        change = conditions.ItemChange(set={"copy": conditions.CopyOf("set"), "set": ids})
        self.both("update", conditions.Update({"board": "b", "item": sort}, change, HAS_SET))

    @rule(sort=st.sampled_from(SORTS), condition=CONDITIONS)
    def delete(self, sort: str, condition: conditions.ItemCondition) -> None:
        """Delete an item."""
        self.both("delete", {"board": "b", "item": sort}, condition)

    @rule(
        sorts=st.lists(st.sampled_from(SORTS), min_size=1, max_size=3, unique=True),
        attributes=ITEMS,
        condition=CONDITIONS,
    )
    def transact(self, sorts: list[str], attributes: dict[str, Any], condition: conditions.ItemCondition) -> None:
        """Put items at once."""
        puts = [conditions.Put(marshal({"board": "b", "item": sort, **attributes}), condition) for sort in sorts]
        self.both("transact", puts)

    @rule(
        sort=SPANS,
        keep=st.none() | LEAVES.filter(lambda leaf: getattr(leaf, "attribute", "") != "item"),
        is_down=st.booleans(),
        length=st.sampled_from((None, 1, 2)),
        attributes=st.sampled_from(((), ("item", "n"))),
    )
    def query(self, **asked: Any) -> None:
        """Read a partition."""
        query = conditions.Query(key=("board", "b"), **asked)
        read = [[item for page in side.query(BOARDS, query) for item in page] for side in self.sides]
        assert [_plain(item) for item in read[0]] == [_plain(item) for item in read[1]], query


def _ordered(items: Iterable[Mapping[str, Any]]) -> list[Any]:
    return sorted(map(_plain, items), key=repr)


def _plain(item: Mapping[str, Any]) -> Any:
    return {name: sorted(value["SS"]) if "SS" in value else value for name, value in sorted(item.items())}


def test_both_sides_do_the_same(sides: tuple[Tables, Tables]) -> None:
    """Whatever is asked of tables, both sides answer the same, and hold the same afterwards."""
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        lambda: BothSides(sides),
        settings=settings(
            max_examples=8, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
