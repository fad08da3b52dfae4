"""Results of other formats than JSON: what is accepted, stored and scored as it came, and what each lie is answered."""

import io
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.commands.benchmarks.scoring import check_folder, score_file
from scoring_core.io.formats import FORMATS
from scoring_core.io.limits import MAX_POST_BYTES
from scoring_core.outcome import Outcome
from storage.keys import ResultKey
from storage.submissions.models import PlayerKind
from tests.harness.archives import zip_files
from tests.harness.engine import look_inside
from tests.harness.stack import COINS, EVENTS, ROOT, Api, StackHarness, make_benchmark

ROWS = {
    **COINS,
    "id": "tiny",
    "score_type": {"headers": [{"name": "Coins", "type": "int"}]},
    "ranking": {"by": ["Coins"]},
}
CSV = b"id,label\r\n1,cat\r\n2,\xc3\xa9l\xc3\xa9phant\r\n"


def save(array: Any, **options: Any) -> bytes:
    """Make a file of an array."""
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


BODIES = {
    "csv": CSV,
    "tsv": b"id\tlabel\n1\tcat\n",
    "jsonl": b'{"id": 1}\n{"id": 2}\n',
    "txt": "Übung\n\n".encode(),
    "npy": save(np.arange(6.0).reshape(2, 3)),
    "zip": zip_files({"a/b.csv": CSV, "c.json": b"[1]"}),
    "json": b'{ "a" : 1 }',
}


@pytest.fixture
def api_of_files(stack: StackHarness, api: Api) -> Api:
    """A benchmark whose script takes every format, open to guests."""
    stack.publish(make_benchmark(ROWS, submissions={"takes": list(FORMATS), "max_bytes": 3_000_000}))
    return api


def send(api: Api, body: bytes, content_type: str, **headers: str) -> Any:
    """Submit a result as a guest."""
    return api.post(body, query={"player": "Ada"}, headers={"Content-Type": content_type, **headers})


@pytest.mark.parametrize("file_format", FORMATS)
def test_file_of_a_guest_is_stored_as_it_came(api_of_files: Api, stack: StackHarness, file_format: str) -> None:
    """Bytes and type are kept, and the submission knows its format."""
    media_type = FORMATS[file_format].media_type

    answer = send(api_of_files, BODIES[file_format], media_type)

    assert answer.status == 202
    (key,) = stack.results()
    stored = stack.cloud.s3.get_object(Bucket=stack.results_bucket, Key=key)
    assert (stored["Body"].read(), stored["ContentType"]) == (BODIES[file_format], media_type)
    result = stack.submissions.get_result(ResultKey("tiny", answer.body["submission"]))
    assert result.submission.file_format == file_format
    assert result.submission.player.kind is PlayerKind.HUMAN


def test_raw_result_is_downloaded_under_its_ending(api_of_files: Api) -> None:
    """The player downloads the file, not a JSON of it."""
    accepted = send(api_of_files, CSV, "text/csv").body

    with look_inside().signing() as signed:
        api_of_files.get(
            f"/api/benchmarks/tiny/submissions/{accepted['submission']}/result",
            headers={"Authorization": f"Bearer {accepted['receipt']}"},
        )

    (opened,) = signed
    name = f"tiny-{accepted['submission']}.csv"
    assert opened["Params"]["ResponseContentDisposition"] == f'attachment; filename="{name}"'


@pytest.mark.parametrize(
    ("content_type", "headers", "status"),
    [
        ("text/plain;charset=UTF-8", {}, 202),  # as browsers send a text by sendBeacon
        ("text/plain", {"Origin": "null"}, 202),
        ("text/plain;charset=latin-1", {}, 415),
        ("text/html", {}, 415),
        ("application/x-www-form-urlencoded", {}, 415),
    ],
)
def test_result_of_a_page_that_closes_is_read_as_json(
    api: Api, stack: StackHarness, content_type: str, headers: dict[str, str], status: int
) -> None:
    """A beacon can declare plain text alone: a guest's is JSON, and stored as such."""
    stack.publish(make_benchmark())

    answer = send(api, b'{"question": "1", "text": "x"}', content_type, **headers)

    assert answer.status == status
    stored = [stack.cloud.s3.get_object(Bucket=stack.results_bucket, Key=key) for key in stack.results()]
    assert [each["ContentType"] for each in stored] == ["application/json"] * (status == 202)


def test_plain_text_with_a_token_is_no_json(api: Api, stack: StackHarness, owner: dict[str, str]) -> None:
    """A client that sets a header can set the type, too."""
    stack.publish(make_benchmark())

    answer = api.post(headers={"Content-Type": "text/plain;charset=UTF-8", **owner})

    assert answer.status == 415


def test_malformed_beacon_is_rejected_as_json_is(api: Api, stack: StackHarness) -> None:
    """The bytes must be JSON, as the type says in its place."""
    stack.publish(make_benchmark())

    answer = send(api, b"score=5", "text/plain;charset=UTF-8")

    assert (answer.status, answer.body["type"].rpartition(":")[2]) == (400, "malformed-json")


def test_benchmark_of_zips_says_to_pack_the_file(api: Api, stack: StackHarness) -> None:
    """A ZIP is in no encoding."""
    stack.publish(make_benchmark(ROWS, submissions={"takes": ["zip"]}))

    answer = send(api, CSV, "text/csv")

    expected = "Content-Type: expected application/zip, found text/csv; pack the file into a ZIP"
    assert (answer.status, answer.body["detail"]) == (415, expected)


def test_same_key_and_bytes_of_another_type_are_another_request(api_of_files: Api) -> None:
    """A repeat has the same type; with another one nothing is submitted."""
    body = b"a,b\n"
    first, again = (send(api_of_files, body, "text/csv", **{"Idempotency-Key": "k"}) for _ in range(2))
    other = send(api_of_files, body, "text/plain", **{"Idempotency-Key": "k"})

    assert (first.status, again.body["submission"], other.status) == (202, first.body["submission"], 422)
    assert other.body["type"].endswith("idempotency-key-reused")


def link() -> bytes:
    """Make a ZIP with a link in it."""
    entry = zipfile.ZipInfo("run")
    entry.external_attr = 0o120777 << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(entry, b"/etc/passwd")
    return buffer.getvalue()


def encrypted() -> bytes:
    """Make a ZIP that says that its entry is encrypted."""
    content = bytearray(zip_files({"a": b"a"}))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


REFUSED: dict[str, tuple[str, bytes | Callable[[], bytes], int, str]] = {
    "no such type": ("text/html", CSV, 415, "Content-Type: expected application/json or text/csv or "),
    "another encoding is declared": ("text/csv; charset=latin-1", CSV, 415, "in UTF-8, found text/csv; charset"),
    "another encoding": ("text/csv", b"id\ncaf\xe9\n", 422, "found the byte 0xe9 in line 2; save the file as UTF-8"),
    "UTF-16": ("text/csv", "id\n1\n".encode("utf-16"), 422, "expected CSV in UTF-8, found UTF-16"),
    "a NUL": ("text/plain", b"a\nb\0c\n", 422, "expected text, found a NUL in line 2"),
    "nothing": ("text/csv", b"", 422, "body: expected CSV, found nothing"),
    "a workbook": (
        "text/csv",
        zip_files({"xl/workbook.xml": b"<a/>"}),
        422,
        "found a ZIP, or a workbook of Excel: save it as CSV",
    ),
    "too large": (
        "text/csv",
        b"a" * (MAX_POST_BYTES + 1),
        413,
        "at most 2500000 bytes, found 2500001: upload",
    ),
    "CSV as JSON": ("application/json", CSV, 400, "body: "),
    "JSON as a ZIP": ("application/zip", b"[1]", 422, "expected a ZIP with files in it, found something else"),
    "traversal": ("application/zip", zip_files({"../a": b"a"}), 422, "../a: expected a plain relative path with /"),
    "a link": ("application/zip", link, 422, "run: a link: expected a file"),
    "a password": ("application/zip", encrypted, 422, "a: encrypted: expected it in the clear"),
    "a bomb": (
        "application/zip",
        lambda: zip_files({"a": bytes(2_000_000)}),
        422,
        "expected at most 200 times its packed",
    ),
    "a large bomb": (
        "application/zip",
        lambda: zip_files({f"{number}": bytes(1 << 20) for number in range(200)}),
        422,
        "expected at most 200000000 bytes unpacked, found 209715200",
    ),
    "an array of objects": ("application/x-npy", save(np.array([{}]), allow_pickle=True), 422, "objects are not taken"),
    "an array of records": ("application/x-npy", save(np.zeros(2, "i4,f8")), 422, "expected a plain array"),
    "an array that lies": (
        "application/x-npy",
        save(np.zeros(3)).replace(b"(3,), }  ", b"(3000,), }"[:9].ljust(9)),
        422,
        "expected ",
    ),
    "an array cut short": ("application/x-npy", save(np.zeros(3))[:-1], 422, "expected 24 bytes of data"),
    "CSV as an array": ("application/x-npy", CSV, 422, "expected an array of numpy (.npy), found something else"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_lie_is_refused_and_nothing_is_left(api_of_files: Api, stack: StackHarness, case: str) -> None:
    """The status and the sentence say what was expected; no object, no item, no mail."""
    content_type, body, status, sentence = REFUSED[case]
    send(api_of_files, CSV, "text/csv")
    before = stack.left_behind()

    answer = send(api_of_files, body if isinstance(body, bytes) else body(), content_type)

    assert (answer.status, answer.headers["content-type"]) == (status, "application/problem+json")
    assert sentence in answer.body["detail"]
    assert stack.left_behind() == before


def test_octets_that_a_gateway_replaced_are_refused(api_of_files: Api, stack: StackHarness) -> None:
    """What arrives is not what was sent, so it is not stored; a file that has the character itself is."""
    event = json.loads((ROOT / "events/submit.json").read_text())
    event["rawPath"] = "/api/benchmarks/tiny/submissions"
    event["body"] = "id\ncaf\ufffd\n"

    replaced, own = (
        api_of_files.send({**event, "headers": {"content-type": "text/csv", "content-length": length}})
        for length in ("8", "10")
    )

    assert (replaced.status, own.status) == (400, 202)
    assert "expected UTF-8, found other octets, which were replaced on the way" in replaced.body["detail"]
    assert len(stack.results()) == 1


def test_benchmark_takes_no_format_that_its_scorer_does_not_read() -> None:
    """The fault names scorer, formats and what was found."""
    with pytest.raises(Exception, match=r"submissions\.takes: scorer event_decay reads json, found csv"):
        make_benchmark(EVENTS, submissions={"takes": ["json", "csv"]})


SCRIPT_OF_ROWS = """
import csv, json, pathlib, sys
file = pathlib.Path(sys.argv[1])
if file.suffix != ".csv":
    sys.exit(2)
print(json.dumps({"Coins": sum(int(row["coins"]) for row in csv.DictReader(file.open()))}))
"""


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_script_reads_the_file_as_it_came(tmp_path: Path) -> None:
    """The path in its arguments ends in the format; examples are of every format, and the sample is of the first."""
    folder = tmp_path / "rows"
    (folder / "examples").mkdir(parents=True)
    rules = {"takes": ["csv", "txt"], "max_bytes": 1000}
    (folder / "benchmark.yaml").write_text(json.dumps({**ROWS, "id": "rows", "submissions": rules, "salt": "none"}))
    (folder / "evaluate.py").write_text(SCRIPT_OF_ROWS)
    for name, content in {"sample.csv": b"id,coins\n1,2\n2,3\n", "other.txt": b"5", "bad.csv": b"\xff"}.items():
        (folder / "examples" / name).write_bytes(content)
    (folder / "examples" / "expected.yaml").write_text(
        "sample: {scores: {Coins: 5}}\nother: {outcome: invalid}\nbad: {outcome: refused, message: in UTF-8}\n"
    )

    report = check_folder(folder)
    scored = score_file(folder, folder / "examples" / "sample.csv", part=None)

    assert [check.differences for check in report.checks] == [(), (), ()]
    assert report.benchmark.sample == "id,coins\n1,2\n2,3\n"
    assert (scored.judgement.outcome, scored.judgement.scores) == (Outcome.SCORED, {"Coins": 5})
