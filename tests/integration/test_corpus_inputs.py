"""The hostile input of tests/corpus/inputs.md, line by line: its status, its test, or why it cannot occur.

Refused means: a problem that says where, and no object and no item left behind.
"""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.harness.stack import GOOD, ROOT, Answer, Api, StackHarness, make_benchmark

CORPUS = ROOT / "tests" / "corpus" / "inputs.md"
ZERO = "00000000-0000-7000-8000-000000000000"


class Case(NamedTuple):
    """A request and the one status that it gets."""

    status: int
    send: Callable[[Api], Answer]


def post(status: int, body: bytes | Mapping[str, Any] = GOOD, /, **rest: Any) -> Case:
    """A submitted result."""
    return Case(status, lambda api: api.post(body, **rest))


def named(status: int, *names: str) -> dict[str, Case]:
    """A result that is submitted under each of these names."""
    return {ascii(name)[:40]: post(status, query={"player": name}) for name in names}


def typed(status: int, *types: str) -> dict[str, Case]:
    """A result that is declared to be each of these."""
    return {one or "none": post(status, headers={"Content-Type": one}) for one in types}


def get(status: int, *paths: str, **headers: str) -> dict[str, Case]:
    """Something that is asked for."""
    return {one: Case(status, lambda api, one=one: api.get(one, headers=headers)) for one in paths}  # type: ignore[misc]


def shown(status: int, *credentials: str) -> dict[str, Case]:
    """A result with credentials."""
    return {one[:20] or "empty": post(status, headers={"Authorization": one}) for one in credentials}


SUBMISSIONS = "/api/benchmarks/tiny/submissions"
REQUESTS: Mapping[str, Mapping[str, Case]] = {
    "depth bomb of 100,000 `[` (400, process alive)": {"open": post(400, b"[" * 100_000)},
    "duplicate keys, also as `a` and `\\u0061` (400)": {
        "plain": post(400, b'{"a": 1, "a": 2}'),
        "escaped": post(400, b'{"a": 1, "\\u0061": 2}'),
    },
    "NaN, Infinity, 1e400 (400)": {
        one: post(400, b"[" + one.encode() + b"]") for one in ("NaN", "Infinity", "-Infinity", "1e400")
    },
    "5,000-digit integer (400)": {"digits": post(400, b"[" + b"9" * 5000 + b"]")},
    "more than 38 significant digits (accepted in a raw result, never reaches a table as such)": {
        "39 digits": post(202, b'{"question": "1", "text": "TR-V017-1,2", "n": 0.' + b"123456789" * 5 + b"}")
    },
    "lone surrogate (400)": {"escaped": post(400, b'{"a": "\\ud800"}'), "octets": post(400, b'{"a": "\xed\xa0\x80"}')},
    "NUL in an id or name (400/422)": {
        "name": post(422, query={"player": "a\0b"}),
        **get(404, f"{SUBMISSIONS}/{ZERO}%00", "/api/benchmarks/tiny%00", "/api/benchmarks/tiny/players/ada%00"),
    },
    "invalid UTF-8, UTF-16, BOM (400)": {
        "invalid": post(400, b'{"a": "\xff"}'),
        "UTF-16": post(400, '{"a": 1}'.encode("utf-16")),
        "mark": post(400, b'\xef\xbb\xbf{"a": 1}'),
    },
    "empty, null, scalar (400/422)": {
        "empty": post(400, b""),
        "null": post(422, b"null"),
        "number": post(422, b"1"),
        "string": post(422, b'"a"'),
    },
    "over the limit (413)": {
        "of the benchmark": post(413, b'["' + b"a" * 1_048_576 + b'"]'),
        "of HTTP": post(413, b'["' + b"a" * 2_500_000 + b'"]'),
    },
    "wrong or missing content type, charset utf-7 (415)": typed(
        415, "", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-7"
    ),
    "Content-Encoding gzip (415)": {"gzip": post(415, headers={"Content-Encoding": "gzip"})},
    "`%2e%2e`, `%00`, encoded slash in ids (404/400)": get(
        404,
        "/api/benchmarks/%2e%2e",
        "/api/benchmarks/tiny%2f..%2fother",
        f"{SUBMISSIONS}/%2e%2e",
        f"{SUBMISSIONS}/..%2f..%2fbenchmarks",
        "/api/benchmarks/tiny/players/%2e%2e",
    ),
    "non-ASCII in a header that becomes S3 metadata (never a 500)": {
        "key": post(400, headers={"Idempotency-Key": "schl\u00fcssel"}),
        "name": post(202, query={"player": "Nguy\u1ec5n \u5b89\u7530"}),
    },
    "HEAD, OPTIONS, unknown method (204/405)": {
        "HEAD": Case(405, lambda api: api("HEAD", SUBMISSIONS)),  # where there is no GET
        "PUT": Case(405, lambda api: api("PUT", SUBMISSIONS)),
        "unknown": Case(405, lambda api: api("BREW", SUBMISSIONS)),
    },
    "negative limit, forged cursor (400)": {
        one: Case(400, lambda api, one=one: api("GET", "/api/benchmarks/tiny/players/guest", query={"cursor": one}))  # type: ignore[misc]
        for one in ("-1", "MTIzNA", "")
    },
    "id guessing (random, every read checked)": get(404, f"{SUBMISSIONS}/{ZERO}", f"{SUBMISSIONS}/1"),
    "bidi controls, zero width, unassigned, private use, Zalgo, 64 KB, only spaces, `..`, CRLF (422)": named(
        422, "a\u202eb", "a\u200bb", "a\u0378b", "a\ue000b", "a" + "\u0301" * 9, "a" * 65_536, "  ", "..", "a\r\nb"
    ),
    "HTML and script (shown as text everywhere: page, mail, CSV, badge SVG, logs)": named(
        202, "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'
    ),
    "leading `=` `+` `-` `@` in CSV (defused)": named(202, "=1+1", "+a", "-a", "@a"),
}
"""Line of `CORPUS` → its requests."""

PROOFS: Mapping[str, tuple[str, ...]] = {
    "token missing, malformed, unknown, revoked, expired, of another benchmark (401/403, existence hidden as 404)": (
        "tests/integration/test_submit_callers.py::test_only_with_a_token",
        "tests/integration/test_submit_callers.py::test_upload_is_refused_without_a_valid_token",
        "tests/integration/test_submit_callers.py::test_a_token_that_does_not_hold",
    ),
    "token in the URL (ignored, never logged)": (
        "tests/integration/test_submit_callers.py::test_a_token_in_the_address",
        "tests/integration/test_submit_logs.py::test_no_query_strings_no_credentials",
    ),
    "guest taking a verified name (409)": (
        "tests/integration/test_submit_callers.py::test_a_guest_takes_no_verified_name",
    ),
    "confusables of a taken verified name (409: same skeleton)": (
        "tests/integration/test_submit_callers.py::test_a_guest_takes_no_verified_name",
        "tests/contract/test_token_store.py::test_a_name_that_is_taken",
        "tests/unit/test_players.py::test_names_that_look_alike",
    ),
    "50 requests at once on a quota of 10 (exactly 10)": ("tests/contract/test_quota_store.py::test_fifty_at_once",),
    "benchmark not open yet, closed, withdrawn (403 with the time)": (
        "tests/integration/test_submit_refuses.py::test_not_open_yet",
        "tests/integration/test_submit_refuses.py::test_closed_benchmark_rejects_results",
    ),
    "HTML and script (shown as text everywhere: page, mail, CSV, badge SVG, logs)": (
        "tests/web/test_web_board.py::test_hostile_names_are_shown_as_text",
        "tests/unit/test_mail_content.py::test_html_is_harmless",
        "tests/unit/test_badge.py::test_markup_in_names_is_escaped",
        "tests/integration/test_submit_logs.py::test_lines_stay_lines",
    ),
    "leading `=` `+` `-` `@` in CSV (defused)": ("tests/web/test_web_board.py::test_board_is_downloaded_as_csv",),
    "e-mail header injection (refused; no user text in a header unencoded)": (
        "tests/integration/test_token_commands.py::test_invalid_token_request_is_rejected",
        "tests/unit/test_mail_content.py::test_foreign_text_adds_no_header",
    ),
    "item over 400 KB (large parts go to S3)": (
        "tests/contract/test_submission_store.py::test_long_output_lies_in_s3",
        "tests/contract/test_quota_store.py::test_item_does_not_grow",
    ),
    "floats for DynamoDB (Decimal, one place, no Inexact crash)": (
        "tests/contract/test_submission_store.py::test_record_round_trip",
    ),
    "a mail address that bounces (suppressed)": (
        "tests/integration/test_notify.py::test_bounced_address_is_suppressed",
    ),
    "SES throttling (retried, boards unaffected)": (
        "tests/integration/test_notify.py::test_throttled_mail_is_deferred_and_sent_once",
        "tests/integration/test_notify.py::test_mail_that_fails_holds_up_no_other_record",
    ),
    "log lines with CRLF (structured logs only)": ("tests/integration/test_submit_logs.py::test_lines_stay_lines",),
    "`s3:TestEvent` and any event of a foreign shape (acknowledged, logged)": (
        "tests/integration/test_evaluate_queue.py::test_invalid_message_is_discarded_and_logged",
        "tests/integration/test_notify.py::test_invalid_message_is_discarded",
    ),
    "the same Idempotency-Key with the same body (same answer), another body (422), at once (409, Retry-After)": (
        "tests/integration/test_submit_idempotency.py::test_repeated_key_returns_the_same_submission",
        "tests/integration/test_submit_idempotency.py::test_key_of_another_request_is_refused",
    ),
    "traversal, absolute, backslash, NUL, newline names": (
        "tests/unit/test_batch_readers.py::test_entry_with_an_unsafe_name_is_refused",
        "tests/unit/test_batch_readers.py::test_name_that_zipfile_would_not_write",
    ),
    "symlinks": ("tests/unit/test_batch_readers.py::test_unsafe_entry_is_refused",),
    "encrypted (RuntimeError in Python, not BadZipFile)": (
        "tests/unit/test_batch_readers.py::test_unsafe_entry_is_refused",
    ),
    "70,000 entries": ("tests/unit/test_batch_readers.py::test_broken_archive_is_refused_as_a_whole",),
    "1000:1 deflate": ("tests/unit/test_batch_readers.py::test_bomb_is_rejected",),
    "overlapping entries (Python before 3.13 does not notice)": (
        "tests/unit/test_batch_readers.py::test_overlapping_entries_are_refused",
    ),
    "nested ZIP (not opened)": (
        "tests/unit/test_batch_readers.py::test_entry_with_an_unsafe_name_is_refused",
        "tests/unit/test_batch_readers.py::test_unsafe_entry_is_refused",
    ),
    ("lying sizes, bad CRC, cut short, junk before the first entry, unknown compression, duplicate names"): (
        "tests/unit/test_batch_readers.py::test_unsafe_entry_is_refused",
        "tests/unit/test_batch_readers.py::test_broken_archive_is_refused_as_a_whole",
        "tests/unit/test_batch_readers.py::test_junk_before_the_first_entry",
        "tests/unit/test_batch_readers.py::test_second_entry_of_a_name_is_refused",
    ),
    "one bad line in 10,000 (that line is reported, the others are scored)": (
        "tests/unit/test_batch_readers.py::test_one_bad_line",
        "tests/integration/test_batch_import.py::test_one_bad_entry",
    ),
    "blank lines, CRLF, no last newline": ("tests/unit/test_batch_readers.py::test_each_line_of_jsonl_is_an_entry",),
    "one line of 100 MB": ("tests/unit/test_batch_readers.py::test_long_line_is_refused_and_the_next_ones_are_read",),
    "drop for an unknown benchmark or player (quarantined, reported once)": (
        "tests/integration/test_batch_import.py::test_batch_is_rejected_as_a_whole",
        "tests/integration/test_batch_import.py::test_batch_of_nobody_has_no_report",
    ),
    "the same drop twice (no second score)": (
        "tests/integration/test_batch_import.py::test_batch_read_twice_makes_the_same_submissions",
    ),
    "a drop overwritten while it is read (by version id)": (
        "tests/integration/test_batch_import.py::test_overwritten_while_it_waits",
    ),
    "\u22120.0": (
        "tests/unit/test_score_type.py::test_scores_are_stored_by_the_type_of_their_metric",
        "tests/unit/test_script_scorer.py::test_negative_zero_is_zero",
    ),
    "2^53+1": (
        "tests/unit/test_script_scorer.py::test_integers_up_to_2_to_the_53_are_kept",
        "tests/unit/test_strict_json.py::test_what_json_allows_is_read",
        "tests/contract/test_submission_store.py::test_record_round_trip",
    ),
}
"""Line of `CORPUS` → the tests that prove what must happen."""

REASONS: Mapping[str, str] = {
    "bool for int, missing or unknown field where a schema is known (422 with pointer)": (
        "no body of a result has a schema that submit knows: it takes the envelope, and the scorer answers `invalid` "
        "with a pointer"
    ),
    "HEAD, OPTIONS, unknown method (204/405)": (
        "OPTIONS is answered by API Gateway's CORS, before any function; HEAD wherever GET is (RFC 9110)"
    ),
    "benchmark not open yet, closed, withdrawn (403 with the time)": (
        "a benchmark is not withdrawn: `closes` ends it, and its board stays"
    ),
    "the same Idempotency-Key with the same body (same answer), another body (422), at once (409, Retry-After)": (
        "two at once both get the same answer, because id and receipt follow from the key: there is nothing to wait for"
    ),
    "floats for DynamoDB (Decimal, one place, no Inexact crash)": (
        "scores are kept as one JSON string: there is no float and no Decimal"
    ),
    "clock of the client (never trusted)": "no request carries a time that is read: ids and times are of our own clock",
}
"""Line of `CORPUS` → why it, or a part of it, cannot occur here."""

CASES = [(line, name) for line, cases in REQUESTS.items() for name in cases]


@pytest.mark.parametrize(("line", "name"), CASES)
def test_request_of_the_corpus_gets_its_status(api: Api, stack: StackHarness, line: str, name: str) -> None:
    """Each request gets its one status; what is refused says where, and leaves nothing behind."""
    stack.publish(make_benchmark())
    case = REQUESTS[line][name]

    answer = case.send(api)

    assert answer.status == case.status
    if answer.status != 202:
        assert answer.headers["content-type"] == "application/problem+json"
        assert stack.left_behind() == 0
    assert api.get("/api/health").status == 200


@pytest.mark.parametrize("proof", sorted({one for proofs in PROOFS.values() for one in proofs}))
def test_proof_is_there(proof: str) -> None:
    """A test that is named as a proof exists."""
    path, _, name = proof.partition("::")

    assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8")


def test_no_line_is_left_out() -> None:
    """Every line of `CORPUS` is in one of the tables, and the tables hold nothing else."""
    lines = set(read_corpus(CORPUS))

    assert {*REQUESTS, *PROOFS, *REASONS} == lines


def read_corpus(path: Path) -> list[str]:
    """Return the lines of `CORPUS`, without their bullets."""
    return re.findall(r"^\* (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_what_many_digits_become(api: Api, stack: StackHarness) -> None:
    """A number of more digits than a table holds is stored in the raw result only, unchanged."""
    stack.publish(make_benchmark())
    body = b'{"question": "1", "text": "TR-V017-1,2", "n": 0.' + b"123456789" * 5 + b"}"

    api.post(body)

    (key,) = stack.results()
    kept = stack.cloud.s3.get_object(Bucket=stack.results_bucket, Key=key)["Body"].read()
    assert kept == body
    assert "123456789123456789" not in json.dumps(str(stack.items("AccessTable")))
