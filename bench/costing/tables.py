"""The tables of docs/measurements.md, made of the recorded stories."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from costing.bill import Line, Rates, Settings, make_bill, total
from costing.stories import Story
from costing.watching import bill_watches

ORDER = (
    "edge",
    "upload",
    "DropFunction",
    "SubmitFunction",
    "queue",
    "EvaluateFunction",
    "ScriptFunction",
    "SandboxFunction",
)
"""The order of the data; others follow."""
BOARDS = ("AggregateFunction", "NotifyFunction", "SendFunction")
"""What comes after the submission record."""
NAMES = {"edge": "the way in", "queue": "queues"}
STEPS_FROM = 2
"""A beat of so many seconds changes nothing: pages have it by themselves."""
SIZES = (10, 100, 10_000)
DOCUMENT = Path(__file__).parents[2] / "docs" / "measurements.md"
START, END = "<!-- {name}: written by bench/cost.py -->", "<!-- end of {name} -->"


def write_tables(text: str, stories: Mapping[str, Story], settings: Settings) -> str:
    """Return the document with its tables written again."""
    rates = Rates(settings)
    tables = {
        "what a submission costs": table_of_submission(stories, rates),
        "what boards cost": table_of_boards(stories, rates),
        "what else costs": table_of_additions(stories, rates),
        "what open pages cost": table_of_pages(stories, rates),
    }
    for name, table in tables.items():
        start, end = START.format(name=name), END.format(name=name)
        before, _, rest = text.partition(start)
        _, _, after = rest.partition(end)
        text = f"{before}{start}\n{table}\n{end}{after}"
    return text


def table_of_submission(stories: Mapping[str, Story], rates: Rates, *, players: int = 10_000) -> str:
    """Return the table of one submission, call by call."""
    alone, busy = (make_bill(stories[f"{name}, {players:,} players"], rates) for name in ("alone", "busy"))
    rows = ["| | for each submission | alone | busy |", "|---|---|---:|---:|"]
    functions = sorted({line.function for line in alone + busy}, key=_place)
    for function in functions:
        if function in BOARDS and _sum_up(alone, busy) not in rows:
            rows.append(_sum_up(alone, busy))
        rows += _rows(function, alone, busy)
    rows.append(f"| **in all** | | **{total(alone):.2f}** | **{total(busy):.2f}** |")
    return "\n".join(rows)


def _sum_up(alone: Iterable[Line], busy: Iterable[Line]) -> str:
    first, second = total(alone, but=BOARDS), total(busy, but=BOARDS)
    return f"| **up to the submission record** | | **{first:.2f}** | **{second:.2f}** |"


def table_of_boards(stories: Mapping[str, Story], rates: Rates) -> str:
    """Return what a submission costs by the number of players on its board."""
    sizes = [size for size in SIZES if f"busy, {size:,} players" in stories]
    rows = [f"| players on the board | {' | '.join(f'{size:,}' for size in sizes)} |", f"|---|{'---:|' * len(sizes)}"]
    for name in ("alone", "busy"):
        dollars = [total(make_bill(stories[f"{name}, {size:,} players"], rates)) for size in sizes]
        rows.append(f"| {name} | {' | '.join(f'{each:.2f}' for each in dollars)} |")
    return "\n".join(rows)


def table_of_additions(stories: Mapping[str, Story], rates: Rates) -> str:
    """Return what else a submission or a request costs, a million of each."""
    bills = {name: make_bill(story, rates) for name, story in stories.items()}
    base = total(bills["alone, 10 players"], but=BOARDS)

    def more(name: str) -> float:
        """Return what a story costs more than a plain submission, up to the record."""
        return total(bills[name], but=BOARDS) - base

    def further(name: str) -> float:
        """Return what a further board costs."""
        return total(bills[f"{name}, a further board"]) - total(bills[f"{name}, 10 players"])

    writes = stories["shared address"].usage["SubmitFunction"].units["DynamoDB write units"]
    each = writes / stories["shared address"].submissions
    second = rates.prices["Lambda GB-seconds"]
    start = {
        name: rates.memory[name] / 1024 * milliseconds / 1000 * second
        for name, milliseconds in rates.assumed["init_milliseconds"].items()
    }
    gigabytes = rates.memory["SandboxFunction"] / 1024
    rows = [
        ("an `Idempotency-Key`", "a write", more("key")),
        ("a token instead of a guest's name", "reads of the token and the player", more("token")),
        (
            f"a submission of an address that makes {stories['shared address'].submissions:,} a day",
            f"{each:.2f} write units of the quota instead of 1",
            (each - 1) * rates.prices["DynamoDB write units"],
        ),
        ("each further board of 10 players, alone", "standing, head", further("alone")),
        ("each further board of 10 players, busy", "standing, a share of a head", further("busy")),
        ("an invalid result", "one more index, no board", more("invalid")),
        ("a submission record of `iqa`", "its units", more("iqa") - more("token")),
        (f"a script of {rates.assumed['script_seconds']} s", "sandbox, evaluate waiting, queue", more("script")),
        (
            "a new sandbox environment",
            f"{gigabytes:.2f} GB; a version needs as many as it runs scripts at once, a strict run one",
            gigabytes * rates.prices["Lambda new tenant GB"],
        ),
        ("a cold start of submit", "its initialisation", start["SubmitFunction"]),
        ("a cold start of evaluate", "its initialisation", start["EvaluateFunction"]),
        ("an entry of a batch of 100", "all, up to its record", total(bills["batch entry"], but=BOARDS)),
        ("a status request", "all", total(bills["status"])),
        ("a view of a board of 10 players", "all", total(bills["view"])),
        ("a request for a player's own place", "all", total(bills["around"])),
        (
            "a result that the owner's runner scores, alone",
            "all, on a board of one player",
            total(bills["runner scores"]),
        ),
        ("each 20 s for which it scores one", "the lease", total(bills["runner renews"])),
        ("a request of a runner for which nothing waits", "all", total(bills["runner asks"])),
    ]
    lines = [f"| {what} | {how} | {dollars:.2f} |" for what, how, dollars in rows]
    return "\n".join(["| | | dollars |", "|---|---|---:|", *lines])


def table_of_pages(stories: Mapping[str, Story], rates: Rates) -> str:
    """Return what open pages cost, in dollars, not dollars a million."""
    rows = [
        "| open and visible, for | requests of a page: heads | of them new | own place | dollars |",
        "|---|---:|---:|---:|---:|",
    ]
    for watch, bill in bill_watches(stories, rates).items():
        named = f", so its head names {bill.beat:.0f} s" if bill.beat > STEPS_FROM else ""
        rows.append(
            f"| {watch.what}{named} | {bill.asks:,} | {bill.changed:,} | {bill.places:,} | {bill.dollars:.2f} |"
        )
    return "\n".join(rows)


def _name(function: str) -> str:
    return NAMES.get(function, function.removesuffix("Function").lower())


def _place(function: str) -> tuple[bool, int]:
    return function in BOARDS, (ORDER + BOARDS).index(function) if function in ORDER + BOARDS else len(ORDER)


def _rows(function: str, alone: Iterable[Line], busy: Iterable[Line]) -> list[str]:
    """Return a row for each service that a function uses."""
    bills = [{line.what.split()[0]: line for line in lines if line.function == function} for lines in (alone, busy)]
    rows, title = [], _name(function)
    for service in {**bills[0], **bills[1]}:
        lines = [bill.get(service, Line(function, "–", 0.0)) for bill in bills]
        what = lines[0].what if lines[0].what == lines[1].what else f"{lines[0].what}; busy {lines[1].what}"
        rows.append(f"| {title} | {what} | {lines[0].dollars:.2f} | {lines[1].dollars:.2f} |")
        title = ""
    return rows
