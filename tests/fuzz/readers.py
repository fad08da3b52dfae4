"""The readers of what players and owners send, and the input that is made to keep each of them busy."""

import base64
import contextlib
import gzip
import io
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import httpx

from api.reasons import ReasonRequest
from cli.boards.old_rows import read_rows
from cli.client import ApiError
from cli.commands.boards import show_first
from handlers.http.auth import _shared_address
from handlers.http.bodies import read_model
from handlers.http.problems import Problem
from handlers.http.requests import check_headers, check_result, read_cursor, read_wait
from handlers.http.uploads import UploadRequest
from scoring_core.benchmarks import bundle
from scoring_core.benchmarks.definition import Definition
from scoring_core.benchmarks.loading import load_bundle
from scoring_core.benchmarks.terms import read_seconds
from scoring_core.benchmarks.validation import validate
from scoring_core.errors import LaurelError
from scoring_core.io import strict_json
from scoring_core.io.markdown import render_markdown
from scoring_core.io.safe_zip import MAX_DIRECTORY_BYTES
from scoring_core.io.strict_yaml import read_yaml
from scoring_core.io.tables import read_table
from scoring_core.io.text import show_harmless
from scoring_core.metrics.expressions import ExpressionError, translate
from scoring_core.scorers.base import ScorerInputs
from scoring_core.scorers.event_decay import scoring as event_decay
from scoring_core.scorers.event_decay.ground_truth import read_questions as read_events
from scoring_core.scorers.fields import FieldsParameters
from scoring_core.scorers.fields.scoring import FieldsScorer
from scoring_core.scorers.full_duplex import FullDuplexParameters
from scoring_core.scorers.full_duplex import scoring as full_duplex
from scoring_core.scorers.iqa_fusion import scoring as iqa_fusion
from scoring_core.scorers.iqa_fusion.ground_truth import read_truth
from scoring_core.scorers.iqa_fusion.scoring import measure_agreement
from scoring_core.scorers.iqa_fusion.submission import classify_query
from scoring_core.scorers.script.run import ScriptEnd, ScriptEnded, cut_text, read_answer
from scoring_core.scorers.script.scoring import read_end
from scoring_core.scorers.squad_v2 import scoring as squad_v2
from scoring_core.scorers.squad_v2.ground_truth import normalise, read_questions
from scoring_core.scorers.table import TableParameters
from scoring_core.scorers.table import scoring as table
from storage.gateway.s3_events import InvalidMessage, read_notices
from storage.keys import is_submission_id, parse_batch_key, parse_result_key
from storage.players.names import check_name, check_reason, find_skeleton
from submit.batch_import.entries import Rules, read_file, show_name
from submit.batch_import.readers import read_archive as read_drop
from submit.batch_import.readers import read_lines
from submit.dres.service import _read_login
from submit.http import find_act
from submit.runs import TicketSigner
from submit.uploads import make_safe
from tests.fuzz.growth import MOST_BYTES
from tests.fuzz.shapes import (
    ARCHIVES,
    CSV,
    JSON,
    MARKDOWN,
    NAMES,
    TABLES,
    YAML,
    Make,
    archive,
    dump,
    repeat,
    shuffled,
    text,
)
from tests.fuzz.test_heads import HEAD, ROWS
from tests.harness.factories import name_guest

RULES = Rules(max_bytes=20_000_000)
PARTS = Rules(max_bytes=20_000_000, parts=("level-1", "level-2"))
DESERVED = (LaurelError, Problem, InvalidMessage, ExpressionError)
"""What hostile input gets; whatever else is raised fails the test."""

SQUAD_HEAD, SQUAD_TAIL = '{"data":[{"paragraphs":[{"qas":[', "]}]}]}"
SQUAD_TRUTH = dump({"data": [{"paragraphs": [{"qas": [{"id": "q", "answers": [{"text": "the the river river"}]}]}]}]})
EVENT_TRUTH = b"id,type,scene_id,video_id,points,answer\n1,TR,,V1,1-2,\n2,QA,L1,V1,1-2,a b\n3,KIS,,V-1,1-2,\n"
squad = squad_v2.prepare(ScorerInputs(squad_v2.SquadParameters(), SQUAD_TRUTH))
letters = iqa_fusion.prepare(ScorerInputs(iqa_fusion.IqaFusionParameters(), b'{"q": {"answer": "A"}}'))
events = event_decay.prepare(ScorerInputs(event_decay.EventDecayParameters(), EVENT_TRUTH))
claims = FieldsScorer(
    FieldsParameters.model_validate(
        {"fields": [{"name": "x", "at": "/a/0/b"}, {"name": "y", "at": "/y", "type": "int"}], "metrics": {"z": "x / y"}}
    )
)
duplex = full_duplex.prepare(ScorerInputs(FullDuplexParameters()))


class Reader(NamedTuple):
    """A reader and what it is made to read.

    Args:
        read: Reads, and may raise what is deserved.
        shapes: Name → what makes hostile input.
        most: The largest input, where the reader or what feeds it takes no more.
    """

    read: Callable[[Any], object]
    shapes: Mapping[str, Callable[[int], Any]]
    most: int = MOST_BYTES


def drain(read: Callable[..., Iterator[object]], *arguments: object) -> Callable[[bytes], object]:
    """Read a file to its end."""
    return lambda data: sum(1 for _ in read(io.BytesIO(data), *arguments))


def show_board(content: bytes) -> None:
    """Show the board of a site that answers this."""
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=content))
    quiet = contextlib.redirect_stdout(io.StringIO())
    with httpx.Client(base_url="http://localhost", transport=transport) as client, contextlib.suppress(ApiError), quiet:
        show_first(client, "coins", "main", 20, records=False, card=None, as_json=False)


def head_of(size: int, **columns: object) -> bytes:
    """Write a head of one player whose name, or other member, is long."""
    return dump({**HEAD, **{key: value for key, value in columns.items() if key in HEAD}, "rows": {**ROWS, **columns}})


def answer_of(unit: bytes) -> Callable[[int], dict[str, object]]:
    """Make answers of the runner whose output is this, again and again."""

    def make(size: int) -> dict[str, object]:
        output = base64.b64encode(gzip.compress(unit * (size // len(unit)))).decode()
        return {
            "ended": "exited",
            "code": 0,
            "signal": None,
            "stdout": output,
            "stderr": "",
            "stderr_dropped_bytes": 0,
            "seconds": 0.1,
            "peak_memory_bytes": 1,
            "spent": False,
        }

    return make


def printed(unit: bytes, *, code: int = 0) -> Callable[[int], ScriptEnd]:
    """Make the end of a run that printed this again and again."""
    return lambda size: ScriptEnd(ScriptEnded.EXITED, exit_code=code, stdout=unit * (size // len(unit)))


def wrap(
    around: Callable[[Any], object], shapes: Mapping[str, Callable[[int], Any]]
) -> dict[str, Callable[[int], Any]]:
    """Put shapes into something else."""
    return {f"{name}, inside": (lambda size, make=make: around(make(size))) for name, make in shapes.items()}


def array_of(rest: bytes) -> bytes:
    """Begin an array of numpy whose header is as long as may be."""
    header = b"{'descr': '|u1', 'fortran_order': False, " + rest
    return b"\x93NUMPY\x01\x00" + min(len(header), 10_000).to_bytes(2, "little") + header


def whole(size: int) -> list[float]:
    """Make whole numbers that rise."""
    return [*map(float, range(size // 8))]


def squad_pair(golds: Callable[[int], list[str]], answer: Callable[[int], str]) -> Callable[[int], tuple[bytes, bytes]]:
    """Make a ground truth of one question with these golds, and a result that answers it, half of the size each."""

    def make(size: int) -> tuple[bytes, bytes]:
        question = {"id": "q", "answers": [{"text": gold} for gold in golds(size // 2)]}
        truth = dump({"data": [{"paragraphs": [{"qas": [question]}]}]})
        return truth, dump({"q": answer(size // 2)})

    return make


def iqa_pair(quality: Callable[[int], list[float]], mos: Callable[[int], list[float]]) -> Callable[[int], Any]:
    """Make qualities and opinion scores."""
    return lambda size: {"quality": quality(size), "mos": mos(size), "max_evaluations": 10}


def one_body(unit: str, *, head: str = "", tail: str = "", joint: str = "", question: str = "1") -> Make:
    """Make results of `event_decay` whose text is this."""
    inner = repeat(unit, head=head, tail=tail, joint=joint)
    return lambda size: dump({"question": question, "text": inner(size).decode()})


def item(**members: Callable[[int], object]) -> Make:
    """Make results of `iqa_fusion` of one item."""
    return lambda size: dump({"items": [{"id": "q"} | {name: make(size) for name, make in members.items()}]})


LONG_TEXTS: dict[str, Callable[[int], str]] = {
    **NAMES,
    "words": text("ab "),
    "articles": text("a the "),
    "one article": text("the", ending=" "),
    "separators": text("\x1e"),
    "separators and articles": text("\x1ethe \x1e a"),
    "controls": text("\x01 a"),
}


def table_scorer(truth: bytes, *metrics: str, **parameters: object) -> Callable[[bytes], object]:
    """Return the scorer of these metrics."""
    return table.prepare(ScorerInputs(TableParameters(metrics=metrics, **parameters), truth))  # type: ignore[arg-type]  # short


def score_itself(content: bytes) -> None:
    """Score a table against itself, by what sorts and what counts pairs."""
    table_scorer(content, "spearman", "accuracy", "quadratic_kappa", "exact_match", "map@10")(content)


LABELS = b"id,target\nq,a\nr,b\n"
READERS: dict[str, Reader] = {
    "strict JSON": Reader(strict_json.loads, JSON),
    "a body": Reader(lambda body: check_result(body, "json", max_bytes=2_500_000), JSON),
    "a body of CSV": Reader(lambda body: check_result(body, "csv", max_bytes=2_500_000), CSV),
    "a body of an array": Reader(
        lambda body: check_result(body, "npy", max_bytes=2_500_000),
        {
            "a shape": lambda size: array_of(b"'shape': (" + b"1," * (size // 2)),
            "spaces": lambda size: array_of(b" " * size),
        },
    ),
    "a body of a ZIP": Reader(lambda body: check_result(body, "zip", max_bytes=2_500_000), ARCHIVES),
    "strict YAML": Reader(lambda content: read_yaml(content, "a.yaml"), YAML, most=1 << 17),
    "a definition": Reader(
        lambda content: validate(Definition, read_yaml(content, "a.yaml"), file="a.yaml"),
        {
            **YAML,
            "parts": repeat("p%d", head="parts: [", tail="]", joint=","),
            "headers": repeat("{name: h%d, type: int}", head="score_type: {headers: [", tail="]}", joint=","),
            "tags": repeat("t", head="tags: [", tail="]", joint=","),
            "an owner": repeat("a@", head="contacts: {owner: ", tail="}"),
            "an id": repeat("a", head="id: "),
        },
        most=1 << 17,
    ),
    "an earlier board": Reader(
        partial(read_rows, metrics={}, primary="score", renamed={}, number=None, date=""),
        {"tags in a cell": repeat("a<i>", head="<html><table><tr><td>", tail="</td></tr><tr></tr></table>")},
    ),
    "a bundle": Reader(bundle.unpack, ARCHIVES),
    "a bundle's benchmark": Reader(
        load_bundle, wrap(lambda content: bundle.pack({"benchmark.yaml": content}), YAML), most=1 << 15
    ),
    "a drop of lines": Reader(
        drain(read_lines, RULES),
        {
            **JSON,
            "lines": repeat('{"a":1}\n'),
            "blank lines": repeat("\n"),
            "carriage returns": repeat("\r"),
        },
    ),
    "a drop of lines with parts": Reader(
        drain(read_lines, PARTS),
        {
            "results": repeat('{"part":"level-1","result":{}}\n'),
            "one result": repeat("[]", head='{"part":"level-1","result":[', tail="]}", joint=","),
            "space": repeat(" ", head='{"part":', tail='"level-1","result":[]}'),
            "another part": repeat("p", head='{"part":"', tail='","result":[]}'),
            "an escaped key": repeat("\\u0061", head='{"', tail='":0}'),
        },
    ),
    "a line too long": Reader(
        drain(read_lines, Rules(max_bytes=100)), {"one": repeat("a"), "many": repeat("a" * 200 + "\n")}
    ),
    "a drop of one": Reader(lambda content: read_file("a.json", content, RULES), JSON),
    "a drop of a ZIP": Reader(drain(read_drop, RULES), ARCHIVES),
    "a drop of a ZIP with parts": Reader(
        drain(read_drop, PARTS), {**ARCHIVES, "folders": archive("level-1/" * 20 + "%d.json")}
    ),
    "a ZIP with a large table of contents": Reader(
        drain(read_drop, RULES), {"extras": ARCHIVES["extra fields"]}, most=2 * MAX_DIRECTORY_BYTES
    ),
    "a name of an entry": Reader(show_name, NAMES),
    "a table": Reader(read_table, {**JSON, **CSV, **TABLES}),
    "table: truth and result": Reader(score_itself, TABLES),
    "table: ids": Reader(table_scorer(b"id,target\nq,1\nr,2\n", "rmse", "pearson"), {**JSON, **TABLES}),
    "table: labels": Reader(table_scorer(LABELS, "f1_macro"), {**JSON, **TABLES}),
    "table: labels of two classes": Reader(table_scorer(LABELS, "f1", positive="a"), TABLES),
    "table: lists": Reader(table_scorer(LABELS, "ndcg@10"), TABLES),
    "event_decay: truth": Reader(read_events, CSV),
    "event_decay: result": Reader(
        events,
        {
            **JSON,
            "values": one_body("1", head="TR-V1-", joint=","),
            "hyphens": one_body("-", head="TR"),
            "one long value": one_body("1", head="TR-V1-"),
            "an answer": one_body("a the ", head="QA-", tail="-V1-1", question="2"),
            "an answer of marks": one_body("\u0301\u0327", head="QA-", tail="-V1-1", question="2"),
            "answers": repeat(
                '{"mediaItemName":"V1","start":1}', head='{"question":1,"answers":[', tail="]}", joint=","
            ),
            "spans": repeat(
                '{"mediaItemName":"V-1","start":1,"end":"2"}', head='{"question":3,"answers":[', tail="]}", joint=","
            ),
            "sets": repeat('{"taskName":"1","answers":[]}', head='{"answerSets":[', tail="]}", joint=","),
            "a name": repeat("7", head='{"question":"', tail='","text":"TR-V1-1"}'),
        },
    ),
    "event_decay: many questions": Reader(
        lambda pair: event_decay.prepare(ScorerInputs(event_decay.EventDecayParameters(), pair[0]))(pair[1]),
        {
            "each answered": lambda size: (
                CSV["rows"](size // 2),
                dump({"answerSets": [{"taskName": f"q{n}", "answers": []} for n in range(size // 40)]}),
            ),
            "each event answered": lambda size: (
                CSV["points"](size // 2),
                dump({"text": "TR-V1-" + ",".join(["1"] * (size // 4))}),
            ),
        },
    ),
    "full_duplex": Reader(
        duplex,
        {
            **JSON,
            **ARCHIVES,
            "folders that fold": archive("_ " * 50 + "/cn/Pause_Handling/%d_all.json"),
            "the files again and again": archive("x%d/cn/Pause_Handling/Pause_Handling_all.json"),
            "another category": repeat('"c%d":{}', head='{"cn":{', tail="}}", joint=","),
        },
    ),
    "iqa_fusion: truth": Reader(
        read_truth,
        {
            **JSON,
            "opinions": repeat('"i%d":{"mos":1}', head="{", tail="}", joint=","),
            "a long id": repeat("~/", head='{"', tail='":{}}'),
        },
    ),
    "iqa_fusion: result": Reader(
        letters,
        {
            **JSON,
            **wrap(lambda answer: dump({"items": [{"id": "q", "final_answer": answer}]}), LONG_TEXTS),
            "an answer behind spaces": item(final_answer=text(" ", ending="!")),
            "an answer behind a bracket": item(final_answer=lambda size: "(" + " " * size + "!"),
            "spaces behind a letter": item(final_answer=lambda size: "a" + " " * size + "!"),
            "a level": item(quality_level=text(" ", ending="!")),
            "tools": item(tool_scores=lambda size: [1.5] * (size // 4)),
            "items": repeat('{"id":"i%d","query":"rate"}', head='{"items":[', tail=',{"id":"q"}]}', joint=","),
            "an item twice": repeat('{"id":"i%d"}', head='{"items":[', tail=',{"id":"i0"}]}', joint=","),
        },
    ),
    "iqa_fusion: query": Reader(
        classify_query,
        {
            **LONG_TEXTS,
            "choose from nothing": lambda size: "choose" + " " * size + "x",
            "what quality": lambda size: "what is the " + "a" * (size // 2) + " " * (size // 2),
            "what spaces": lambda size: "what" + " " * (size // 2) + "is" + " " * (size // 2),
            "options": text("A) "),
        },
    ),
    "iqa_fusion: agreement": Reader(
        lambda given: measure_agreement(**given),
        {
            "no order": iqa_pair(shuffled, lambda size: shuffled(size)[::-1]),
            "ties": iqa_pair(lambda size: [1.0, 2.0] * (size // 16), lambda size: [1.0, 1.0, 2.0, 2.0] * (size // 32)),
            "one differs": iqa_pair(lambda size: [1.0] * (size // 8) + [2.0], lambda size: [2.0] + [1.0] * (size // 8)),
            "in order": iqa_pair(whole, whole),
        },
        most=1 << 19,
    ),
    "squad_v2: truth": Reader(
        read_questions,
        {
            **JSON,
            "questions": repeat('{"id":"q%d","answers":[{"text":"a b"}]}', head=SQUAD_HEAD, tail=SQUAD_TAIL, joint=","),
            "one question again and again": repeat(
                '{"id":"q","answers":[]}', head=SQUAD_HEAD, tail=SQUAD_TAIL, joint=","
            ),
            "golds of nothing": repeat(
                '{"text":"the"}', head=SQUAD_HEAD + '{"id":"q","answers":[', tail="]}" + SQUAD_TAIL, joint=","
            ),
            "a fault at the end": repeat(
                '{"id":"q%d","answers":[]}', head=SQUAD_HEAD, tail=",{}" + SQUAD_TAIL, joint=","
            ),
        },
    ),
    "squad_v2: result": Reader(
        squad,
        {
            **JSON,
            **wrap(lambda answer: dump({"q": answer}), LONG_TEXTS),
            "unknown ids": repeat('"u%d":""', head='{"q":"river",', tail="}", joint=","),
            "probabilities": repeat(
                '"u%d":0.5', head='{"predictions":{"q":"river"},"na_probs":{"q":0.1,', tail="}}", joint=","
            ),
        },
    ),
    "squad_v2: golds and answers": Reader(
        lambda pair: squad_v2.prepare(ScorerInputs(squad_v2.SquadParameters(), pair[0]))(pair[1]),
        {
            "repeated words": squad_pair(
                lambda size: [" ".join(f"w{n} w{n}" for n in range(size // 14))],
                lambda size: " ".join(f"w{n} w{n}" for n in range(size // 16, 0, -1)),
            ),
            "many golds": squad_pair(
                lambda size: [f"x y{n}" for n in range(size // 20)], lambda size: "z " * (size // 2 - 4) + "x"
            ),
            "many long golds": squad_pair(
                lambda size: [f"{'w ' * 100}{n}" for n in range(size // 220)], lambda size: "w " * (size // 2)
            ),
        },
    ),
    "squad_v2: normalising": Reader(normalise, LONG_TEXTS),
    "an expression": Reader(
        lambda text: translate(text, is_condition=False),
        {
            "signs": text("-", ending="1"),
            "sums": text("1+", ending="1"),
            "brackets": text("("),
            "digits": text("1"),
            "an open name": lambda size: "'" + "a" * size,
            "spaces": text(" "),
            "names": text("a*", ending="a"),
            "an unknown function": text("m", ending="(1)"),
        },
    ),
    "a condition": Reader(
        lambda text: translate(text, is_condition=True),
        {
            "negations": text("not ", ending="a>1"),
            "alternatives": text("a>1 or ", ending="a>1"),
            "both by turns": text("a>1 or b<2 and ", ending="a>1"),
            "brackets": text("("),
            "sums": text("1+", ending="1>1"),
        },
    ),
    "fields: result": Reader(
        claims,
        {
            **JSON,
            "a long array": repeat("0", head='{"a":[{"b":1},', tail='],"y":1}', joint=","),
            "a long number": repeat("1", head='{"a":[{"b":1}],"y":', tail="}"),
            "a long text": repeat("1", head='{"a":[{"b":1}],"y":"', tail='"}'),
            "other members": repeat('"u%d":0', head='{"a":[{"b":0.5}],"y":2,', tail="}", joint=","),
        },
    ),
    "an answer of the runner": Reader(
        read_answer,
        {
            "output": answer_of(b"\x00"),
            "noise": answer_of(b"\x93\x07\xe1\x5c" * 250),
            "a text": lambda size: {**answer_of(b"a")(1), "stdout": "=" * size},
        },
    ),
    "what a script printed": Reader(
        read_end,
        {
            **wrap(lambda stdout: ScriptEnd(ScriptEnded.EXITED, exit_code=0, stdout=stdout), JSON),
            "a reason": printed(b"\xff ", code=2),
            "a reason of spaces": printed(b" \n", code=2),
        },
    ),
    "what a script printed, as text": Reader(
        lambda data: show_harmless(cut_text(data, limit=len(data))),
        {"controls": repeat("\x01"), "no UTF-8": lambda size: b"\xff" * size},
    ),
    "a description": Reader(render_markdown, MARKDOWN, most=1 << 16),
    "a name": Reader(check_name, NAMES),
    "a reason": Reader(check_reason, NAMES),
    "a name's skeleton": Reader(find_skeleton, {name: make for name, make in NAMES.items() if "disorder" not in name}),
    "a guest": Reader(name_guest, NAMES),
    "a reason's body": Reader(
        partial(read_model, model=ReasonRequest),
        {**JSON, "reason": repeat("a", head='{"reason":"', tail='"}')},
        most=10_000,
    ),
    "a login": Reader(
        _read_login, {**JSON, "user": repeat("a", head='{"password":"","username":"', tail='"}')}, most=4096
    ),
    "an upload": Reader(
        partial(read_model, model=UploadRequest),
        {**JSON, "strangers": repeat('"k%d":0', head="{", tail="}", joint=",")},
        most=10_000,
    ),
    "a file's name": Reader(make_safe, {**NAMES, "dots": text("."), "slashes": text("a/", ending=".zip")}),
    "a cursor": Reader(
        lambda cursor: read_cursor(cursor, scope=("a",)),
        {
            "letters": text("a"),
            "padding": text("="),
            "others": text("\u00e9"),
            "dots": lambda size: base64.b64encode(bytes(size)).decode(),
        },
    ),
    "a run ticket": Reader(
        TicketSigner.derive("s").read,
        {
            "letters": lambda size: "run_" + "a" * size,
            "prefixes": text("run_"),
            "padding": lambda size: "run_" + "a" * 400 + "=" * size,
        },
    ),
    "a duration": Reader(read_seconds, {"digits": text("1"), "units": text("1s"), "zeros": text("0")}),
    "a preference": Reader(
        read_wait,
        {
            "spaces": text(" "),
            "wait": text("wait="),
            "digits": lambda size: "wait=" + "1" * size,
            "quotes": lambda size: 'wait="5' + " " * size + "x",
            "spaces inside": lambda size: "wait" + " " * (size // 2) + "=" + " " * (size // 2) + "x",
        },
    ),
    "headers": Reader(
        lambda value: check_headers({"content-type": value, "content-encoding": "identity"}),
        {
            "semicolons": text(";"),
            "charsets": lambda size: "application/json" + ";charset=utf-8" * (size // 14),
            "equals": lambda size: "application/json;" + "=" * size,
        },
    ),
    "an address": Reader(
        _shared_address, {"colons": text(":"), "digits": text("1"), "dots": text("1."), "letters": text("a")}
    ),
    "a path": Reader(
        partial(find_act, "POST"),
        {
            "slashes": text("/"),
            "segments": text("/api/benchmarks"),
            "a segment": lambda size: "/api/benchmarks/" + "a" * size + "/",
        },
    ),
    "a key": Reader(
        lambda key: (parse_batch_key(key), parse_result_key(key), is_submission_id(key)),
        {
            "slashes": text("drops/a/"),
            "name": lambda size: "drops/a/b/" + "\n" * size,
            "dashes": lambda size: "results/" + "-" * size,
        },
    ),
    "a notice": Reader(
        lambda body: read_notices(body.decode("utf-8", "replace")),
        {
            **{name: make for name, make in JSON.items() if "deep" not in name},
            "records": repeat('{"s3":{"object":{"key":"a%d"}}}', head='{"Records":[', tail="]}", joint=","),
            "percents": repeat("%25", head='{"Records":[{"s3":{"object":{"key":"', tail='"}}}]}'),
        },
    ),
    "a board": Reader(
        show_board,
        {
            **JSON,
            "a name": lambda size: head_of(size, name=["a " * (size // 2), "b"]),
            "a name of brackets": lambda size: head_of(size, name=["[a]" * (size // 3), "b"]),
            "a title": lambda size: head_of(size, title="[" * size),
            "strangers": lambda size: dump({**HEAD, **{f"k{n}": n for n in range(size // 10)}}),
            "scores": lambda size: head_of(size, scores={f"k{n}": [0, 0] for n in range(size // 14)} | ROWS["scores"]),
        },
        most=1 << 17,
    ),
}
