"""What an owner publishes is bounded: each file, each text, each list."""

import random
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from scoring_core.benchmarks.definition import Definition
from scoring_core.benchmarks.loading import load_folder
from scoring_core.benchmarks.owner_limits import MAX_EXAMPLES
from scoring_core.scorers import SCORERS, find_scorer
from tests.unit.test_benchmark_faults import EVENT_DECAY, fault

type WriteFolder = Callable[..., Path]


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        ("description.md", 64_000),
        ("examples/sample.json", 16_000),
        ("examples/expected.yaml", 256_000),
        ("examples/any.bin", 20_000_000),
    ],
)
def test_file_is_refused_above_its_limit(
    game: dict[str, Any], write_folder: WriteFolder, path: str, limit: int
) -> None:
    """The message names the file, its size and the limit; one byte less is taken."""
    folder = write_folder(game, {path: b'["' + b"x" * (limit - 3) + b'"]'})

    assert fault(folder) == f"coin-run/{path}: expected at most {limit} bytes, found {limit + 1}"

    (folder / path).write_bytes(b'["' + b"x" * (limit - 4) + b'"]')
    assert load_folder(folder).definition.id == "coin-run"


def test_description_is_refused_if_it_makes_a_long_page(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """A few marks of a table are thousands of cells, which every page would draw."""
    table = b"|a" * 200 + b"|\n" + b"|-" * 200 + b"|\n" + b"|\n" * 500

    assert re.fullmatch(
        r"coin-run/description.md: expected at most 128000 bytes as HTML, found \d{6}",
        fault(write_folder(game, {"description.md": table})),
    )


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        (
            "evaluate.py",
            b"#" * 1_048_577,
            "coin-run/evaluate.py: expected at most 1048576 bytes, found 1048577",
        ),
        (
            "truth.bin",
            bytes(67_108_865),
            "coin-run/truth.bin: expected at most 67108864 bytes beside a script, found 67108865",
        ),
        (
            "truth.bin",
            random.Random(1).randbytes(3_500_000),  # noqa: S311  # what no gzip makes smaller
            "coin-run/evaluate.py and truth.bin: .* 1048576 .*, expected at most 6000000 bytes, found 606[0-9]{4}",
        ),
    ],
    ids=["script", "ground truth", "together"],
)
def test_script_and_ground_truth_fit_the_sandbox(
    game: dict[str, Any], write_folder: WriteFolder, path: str, content: bytes, message: str
) -> None:
    """What could not be run is refused before it is published, on one machine as in the cloud."""
    folder = write_folder(game | {"ground_truth": "truth.bin"}, {"truth.bin": b"1", path: content})

    assert re.fullmatch(message, fault(folder))

    (folder / path).write_bytes(content[:1_000_000])
    assert load_folder(folder).definition.id == "coin-run"


def test_what_an_own_runner_has_need_not_fit_the_platform(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """Its script and its truth are in no message to a sandbox of the platform."""
    truth = random.Random(1).randbytes(3_500_000)  # noqa: S311  # what no gzip makes smaller
    folder = write_folder(game | {"ground_truth": "truth.bin", "runs_on": "own"}, {"truth.bin": truth})

    assert load_folder(folder).definition.runs_own


def test_definition_is_not_parsed_above_its_limit(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """A reader of YAML is slow: what is too long is not read at all."""
    text = yaml.safe_dump(game)
    comment = "#" * (128_000 - len(text.encode()))

    assert fault(write_folder(text + comment + "#")) == (
        "coin-run/benchmark.yaml: expected at most 128000 bytes, found 128001"
    )


def test_largest_definition_fits(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """Every list and every text as long as the model allows is within the limit of the file."""
    names = [f"{index:x>64}" for index in range(40)]
    header = {"type": "float", "unit": "u" * 16, "label": "l" * 64, "help": "h" * 300, "expression": "1" + " " * 499}
    game |= {
        "title": "t" * 100,
        "summary": "s" * 300,
        "tags": [f"{index:x>32}" for index in range(10)],
        "parts": [f"{index:x>64}" for index in range(1000)],
        "score_type": {"headers": [{"name": name, **header} for name in names]},
        "ranking": {"by": names},
    }
    del game["score_type"]["headers"][0]["expression"]

    assert len(load_folder(write_folder(game)).definition.parts) == 1000


@pytest.mark.parametrize(
    ("sample", "shown"),
    [
        (b"alert(1)", "expecting value at line 1, column 1"),
        (b"", "expected JSON, found nothing"),
        (b"[1]\nfetch()", "extra data at line 2, column 1"),
    ],
)
def test_sample_is_json(game: dict[str, Any], write_folder: WriteFolder, sample: bytes, shown: str) -> None:
    """A sample is shown as code to copy: one that is no JSON is refused, with its place."""
    message = fault(write_folder(game, {"examples/sample.json": sample}))

    assert message.startswith("coin-run/examples/sample.json: players see it as the body to send: expected JSON")
    assert message.endswith(shown)
    assert message.count("\n") == 0


@pytest.mark.parametrize(
    ("path", "text", "shown"),
    [
        ("title", "two\r\nlines", "U+000D"),
        ("title", "\x1b[31mred", "U+001B"),
        ("title", "turned \u202e", "U+202E (RIGHT-TO-LEFT OVERRIDE)"),
        ("title", "of a text processor\u00ad", "U+00AD (SOFT HYPHEN)"),
        ("title", "newer than Python's table \U0003fffd", "U+3FFFD"),
        ("summary", "two\nlines", "U+000A; in YAML `>-` omits the last line break"),
        ("tags", ["plain", "\u2066isolated"], "U+2066 (LEFT-TO-RIGHT ISOLATE)"),
        ("contacts.owner", "a\u202eb@example.com", "U+202E (RIGHT-TO-LEFT OVERRIDE)"),
        *(
            (f"score_type.headers.{key}", "a\u2028b", "U+2028 (LINE SEPARATOR)")
            for key in ("name", "unit", "label", "help")
        ),
    ],
)
def test_one_line_texts(
    game: dict[str, Any], write_folder: WriteFolder, path: str, text: str | list[str], shown: str
) -> None:
    """Whatever text of a definition is shown: no control, no line break, nothing that is not seen."""
    *steps, last = path.split(".")
    inner: Any = game
    for step in steps:
        inner = inner[step]
    if isinstance(inner, list):
        inner.append({"name": "Extra", "type": "int", last: text})
    else:
        inner[last] = text

    message = fault(write_folder(game))

    assert message.startswith("coin-run/benchmark.yaml: ")
    assert path.rpartition(".")[2] in message
    assert message.endswith(f"expected one line without control, invisible or unassigned characters, found {shown}")
    assert message.count("\n") == 0


@pytest.mark.parametrize(
    "text", ["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\U0001f468\u200d\U0001f469", "50 % of \u00e9"]
)
def test_every_script_and_emoji(game: dict[str, Any], write_folder: WriteFolder, text: str) -> None:
    """The joiners that Persian and emoji need are no harm."""
    assert load_folder(write_folder(game | {"title": text})).definition.title == text


def test_too_many_examples(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """Each example is run by `check`: there is an end to them."""
    folder = write_folder(game, {f"examples/{index}.json": b"{}" for index in range(MAX_EXAMPLES + 1)})

    assert fault(folder) == "coin-run/examples: expected at most 200 files, found 201"


def test_many_columns_of_a_ground_truth(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """The columns of a CSV file are counted before they are compared with each other."""
    folder = write_folder(game | EVENT_DECAY, {"truth.csv": ",".join(map(str, range(10_000))).encode()})

    assert fault(folder) == "coin-run/truth.csv: ground truth, line 1: expected at most 64 columns, found 10000"


def test_long_cell_is_not_quoted_in_full(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """An error in a ground truth is one short sentence, however long the cell is."""
    folder = write_folder(game | EVENT_DECAY, {"truth.csv": b"id," + b"x" * 100_000})

    assert len(fault(folder)) < 1100


def test_every_value_of_a_definition_is_bounded() -> None:
    """Each text, list and number of the model has an end of its own; a new key without one is found here."""
    unbounded = {path for path, leaf in _leaves(Definition.model_json_schema()) if not _is_bounded(leaf)}

    assert unbounded == {
        "scorer",  # one of the table
        "time_zone",  # one of the package tzdata
        "parameters",  # those of the scorer: below
        "score_type.headers[].min",  # a finite number
        "score_type.headers[].max",
        "ranking.by[]",  # names of headers
        "ranking.by",  # each once
        "boards",  # MAX_BOARDS, which find_board_faults names
        "boards[].metrics[]",  # names of headers
        "boards[].ranking.by[]",
        "boards[].ranking.by",
    }


def test_every_parameter_is_bounded() -> None:
    """The parameters of each scorer hold numbers, and no text, list or mapping without an end."""
    unbounded = {
        f"{name}.{path}"
        for name in SCORERS
        for path, leaf in _leaves(find_scorer(name).parameters.model_json_schema())
        if leaf["type"] not in {"number", "integer"} and not _is_bounded(leaf)
    }

    assert unbounded == set()


def _is_bounded(leaf: Mapping[str, Any]) -> bool:
    """Return whether the schema of a value sets an end to it."""
    ends = {
        "string": {"maxLength", "pattern", "enum", "const", "format"},
        "array": {"maxItems"},
        "object": {"maxProperties"},
        "integer": {"maximum"},
        "number": {"maximum"},
        "boolean": {"type"},
    }
    return not ends.get(leaf["type"], set()).isdisjoint(leaf)


def _leaves(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Return each value of a model with its schema: references are followed, members come with their owner."""
    definitions = schema.get("$defs", {})

    def walk(inner: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        if "$ref" in inner:
            yield from walk(definitions[inner["$ref"].rpartition("/")[2]], path)
        elif "anyOf" in inner:
            for branch in inner["anyOf"]:
                if branch.get("type") != "null":
                    yield from walk(branch, path)
        elif "properties" in inner:
            for name, member in inner["properties"].items():
                yield from walk(member, f"{path}.{name}" if path else name)
        else:
            for key, ending in (("items", "[]"), ("propertyNames", ".NAME"), ("additionalProperties", ".VALUE")):
                if isinstance(inner.get(key), dict):
                    yield from walk(inner[key], path + ending)
            yield path, inner

    yield from walk(schema, "")


def wide_questions(columns: int) -> dict[str, Any]:
    """Make a definition with so many columns."""
    computed = [{"name": f"column {n:03}", "type": "float", "expression": "score / 3"} for n in range(columns - 1)]
    headers = [{"name": "score", "type": "float"}, *computed]
    return {**EVENT_DECAY, "score_type": {"headers": headers}}


MANY_EVENT_DECAY = "id,type,scene_id,video_id,points\n" + "".join(
    f'q{number:04},TR,L03,V017,"100,120"\n' for number in range(1000)
)


def test_scores_of_all_parts_must_fit_a_record(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """A benchmark whose result of all parts could never be recorded is refused."""
    folder = write_folder(game | wide_questions(40), {"truth.csv": MANY_EVENT_DECAY.encode()})

    message = fault(folder)

    assert message.startswith("coin-run/benchmark.yaml: score_type.headers: expected metrics whose scores for all 1000")
    assert "found 40 that may take" in message


def test_a_thousand_parts_of_a_few_columns_are_taken(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """What fits a record is published."""
    folder = write_folder(game | wide_questions(4), {"truth.csv": MANY_EVENT_DECAY.encode()})

    assert load_folder(folder).parts[999] == "q0999"
