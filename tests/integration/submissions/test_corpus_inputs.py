"""The hostile input of tests/corpus/inputs.md, line by line: the tests that hold it, or why it cannot occur.

Refused means: a problem that says where, and no object and no item left behind.
"""

import re
from collections.abc import Mapping

from tests.harness.stack import ROOT

CORPUS = ROOT / "tests" / "corpus" / "inputs.md"

STRICT = "submit_refuses::test_body_that_is_no_strict_json_is_refused_with_its_place"
PROOFS: Mapping[str, tuple[str, ...]] = {
    "depth bomb of 100,000 `[` (400, process alive)": ("strict_json::test_deeper_nesting_is_refused_where_it_begins",),
    "duplicate keys, also as `a` and `\\u0061` (400)": (STRICT,),
    "NaN, Infinity, 1e400 (400)": (STRICT,),
    "5,000-digit integer (400)": (STRICT,),
    "more than 38 significant digits (accepted in a raw result, never reaches a table as such)": (
        "submit_accepts::test_number_of_many_digits_is_kept_as_it_came",
    ),
    "lone surrogate (400)": (STRICT, "submit_refuses::test_half_a_character"),
    "NUL in an id or name (400/422)": (
        "submit_refuses::test_bad_name_of_a_guest_is_rejected",
        "submit_refuses::test_unknown_benchmark_is_not_found",
        "submit_keys::test_a_name_in_a_path_or_query_is_never_our_fault",
    ),
    "invalid UTF-8, UTF-16, two BOMs (400)": (STRICT,),
    "empty, null, scalar (400/422)": (
        "submit_post::test_status_says_whether_a_result_is_stored",
        "submit_refuses::test_body_that_is_no_object_or_array_is_refused",
    ),
    "over the limit (413)": (
        "submit_refuses::test_over_the_limit_of_the_benchmark",
        "submit_refuses::test_over_the_limit_of_http",
    ),
    "wrong or missing content type, charset utf-7 (415)": (
        "submit_refuses::test_content_type_other_than_json_is_refused",
    ),
    "Content-Encoding gzip (415)": ("submit_post::test_status_says_whether_a_result_is_stored",),
    "`%2e%2e`, `%00`, encoded slash in ids (404/400)": (
        "submit_refuses::test_unknown_benchmark_is_not_found",
        "submit_status::test_no_such_submission",
        "submit_history::test_unknown_player_is_not_found",
    ),
    "non-ASCII in a header that becomes S3 metadata (never a 500)": (
        "submit_idempotency::test_malformed_key_is_refused",
        "submit_accepts::test_name_comes_back_as_it_was_sent",
    ),
    "HEAD, OPTIONS, unknown method (204/405)": ("submit_paths::test_other_methods_of_a_path_are_rejected",),
    "negative limit, forged cursor (400)": ("submit_history::test_foreign_cursor_is_refused",),
    "token missing, malformed, unknown, revoked, expired, of another benchmark (401/403, existence hidden as 404)": (
        "submit_callers::test_only_with_a_token",
        "submit_callers::test_upload_is_refused_without_a_valid_token",
        "submit_callers::test_a_token_that_does_not_hold",
    ),
    "token in the URL (ignored, never logged)": (
        "submit_callers::test_a_token_in_the_address",
        "submit_logs::test_no_query_strings_no_credentials",
    ),
    "guest taking a verified name (409)": ("submit_callers::test_a_guest_takes_no_verified_name",),
    "id guessing (random, every read checked)": (
        "submit_status::test_no_such_submission",
        "submit_owners::test_raw_result_of_others",
    ),
    "the same Idempotency-Key with the same body (same answer), another body (422), at once (409, Retry-After)": (
        "submit_idempotency::test_repeated_key_returns_the_same_submission",
        "submit_idempotency::test_key_of_another_request_is_refused",
    ),
    "50 requests at once on a quota of 10 (exactly 10)": ("quota_store::test_fifty_at_once",),
    "benchmark not open yet, closed, withdrawn (403 with the time)": (
        "submit_refuses::test_not_open_yet",
        "submit_refuses::test_closed_benchmark_rejects_results",
    ),
    "bidi controls, zero width, unassigned, private use, Zalgo, 64 KB, `..`, CRLF (422)": (
        "submit_refuses::test_bad_name_of_a_guest_is_rejected",
    ),
    "confusables of a taken verified name (409: same skeleton)": (
        "submit_callers::test_a_guest_takes_no_verified_name",
        "token_store::test_a_name_that_is_taken",
        "players::test_names_that_look_alike",
    ),
    "HTML and script (shown as text everywhere: page, mail, CSV, badge SVG, logs)": (
        "submit_accepts::test_name_comes_back_as_it_was_sent",
        "web_board::test_hostile_names_are_shown_as_text",
        "mail_content::test_html_is_harmless",
        "badge::test_markup_in_names_is_escaped",
        "submit_logs::test_lines_stay_lines",
    ),
    "leading `=` `+` `-` `@` in CSV (defused)": (
        "submit_accepts::test_name_comes_back_as_it_was_sent",
        "csv_rows::test_no_name_is_a_formula",
    ),
    "e-mail header injection (refused; no user text in a header unencoded)": (
        "token_commands::test_invalid_token_request_is_rejected",
        "mail_content::test_foreign_text_adds_no_header",
    ),
    "traversal, absolute, backslash, NUL, newline names": (
        "batch_readers::test_entry_with_an_unsafe_name_is_refused",
        "batch_readers::test_name_that_zipfile_would_not_write",
    ),
    "symlinks": ("safe_zip::test_entry_that_is_not_what_it_says_is_refused",),
    "encrypted (RuntimeError in Python, not BadZipFile)": ("safe_zip::test_entry_that_is_not_what_it_says_is_refused",),
    "70,000 entries": ("safe_zip::test_entries_are_counted_before_they_are_parsed",),
    "1000:1 deflate": ("safe_zip::test_no_more_is_unpacked_than_allowed",),
    "overlapping entries (Python before 3.13 does not notice)": (
        "safe_zip::test_entry_that_is_not_what_it_says_is_refused",
    ),
    "nested ZIP (not opened)": (
        "batch_readers::test_entry_with_an_unsafe_name_is_refused",
        "batch_readers::test_unsafe_entry_is_refused",
    ),
    "lying sizes, bad CRC, cut short, junk before the first entry, unknown compression, duplicate names": (
        "safe_zip::test_entry_that_is_not_what_it_says_is_refused",
        "safe_zip::test_archive_that_is_none_is_refused",
        "batch_readers::test_junk_before_the_first_entry",
        "batch_readers::test_second_entry_of_a_name_is_refused",
    ),
    "one bad line in 10,000 (that line is reported, the others are scored)": (
        "batch_readers::test_one_bad_line",
        "batch_import::test_one_bad_entry",
    ),
    "blank lines, CRLF, no last newline": ("batch_readers::test_each_line_of_jsonl_is_an_entry",),
    "one line of 100 MB": ("batch_readers::test_long_line_is_refused_and_the_next_ones_are_read",),
    "drop for an unknown benchmark or player (quarantined, reported once)": (
        "batch_import::test_batch_is_rejected_as_a_whole",
        "batch_import::test_batch_of_nobody_has_no_report",
    ),
    "the same drop twice (no second score)": ("batch_import::test_crash_after_every_write",),
    "a drop overwritten while it is read (by version id)": ("batch_import::test_overwritten_while_it_waits",),
    "item over 400 KB (large parts go to S3)": (
        "submission_store::test_long_output_lies_in_s3",
        "quota_store::test_item_does_not_grow",
    ),
    "floats for DynamoDB (Decimal, one place, no Inexact crash)": ("submission_store::test_record_round_trip",),
    "−0.0": (
        "score_type::test_scores_are_stored_by_the_type_of_their_metric",
        "script_scorer::test_negative_zero_is_zero",
    ),
    "2^53+1": (
        "script_scorer::test_integers_are_kept_with_all_their_digits",
        "strict_json::test_what_json_allows_is_read",
        "submission_store::test_record_round_trip",
    ),
    "log lines with CRLF (structured logs only)": ("submit_logs::test_lines_stay_lines",),
    "a mail address that bounces (suppressed)": ("notify::test_bounced_address_is_suppressed",),
    "SES throttling (retried, boards unaffected)": (
        "notify::test_throttled_mail_is_deferred_and_sent_once",
        "notify::test_mail_that_fails_holds_up_no_other_record",
    ),
    "`s3:TestEvent` and any event of a foreign shape (acknowledged, logged)": (
        "evaluate_queue::test_invalid_message_is_discarded_and_logged",
        "notify::test_invalid_message_is_discarded",
    ),
}
"""Line of `CORPUS` → the tests that prove what must happen, by file."""

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


def test_proofs_are_there() -> None:
    """Every test that is named as a proof exists."""
    for proof in sorted({proof for proofs in PROOFS.values() for proof in proofs}):
        file, _, name = proof.partition("::")
        texts = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob(f"test_{file}.py")]

        assert any(f"def {name}(" in text for text in texts), proof


def test_no_line_is_left_out() -> None:
    """Every line of `CORPUS` is in one of the tables, and the tables hold nothing else."""
    lines = re.findall(r"^\* (.+)$", CORPUS.read_text(encoding="utf-8"), flags=re.MULTILINE)

    assert {*PROOFS, *REASONS} == set(lines)
