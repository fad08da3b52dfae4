"""Raw results and records: the first stands, nothing is lost, redelivery changes nothing."""

import copy
import hashlib
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest

from scoring_core.judgement import MAX_MESSAGE_LENGTH, MAX_POINTER_LENGTH
from scoring_core.outcome import Outcome
from scoring_core.output import Output
from scoring_core.scorers.base import MAX_SCORES_BYTES, Evaluation, write_scores
from storage.gateway.errors import Busy, MetAnother, UnknownObject
from storage.keys import ResultKey, record_key
from storage.submissions.models import PlayerKind, Submission, SubmissionRecord
from storage.submissions.store import MAX_INLINE_OUTPUT_BYTES, SubmissionStore
from tests.contract.conftest import intercept
from tests.harness.factories import make_guest

type MakeSubmission = Callable[..., Submission]
type MakeRecord = Callable[..., SubmissionRecord]

GUEST = make_guest("guest-b2f9c1046ad73e85d01c", PlayerKind.MODEL, player_id="guest-b2f9c1046ad73e85d01c")


def key_of(submission: Submission) -> ResultKey:
    """Return the key of a submission's result."""
    return ResultKey(submission.benchmark, submission.id)


def read(store: SubmissionStore, record: SubmissionRecord, *, detailed: bool = False) -> SubmissionRecord | None:
    """Read what stands in the place of a record."""
    submission = record.submission
    return store.find_record(submission.benchmark, submission=submission.id, version=record.version, detailed=detailed)


def test_first_result_stands(submissions: SubmissionStore, make_submission: MakeSubmission) -> None:
    """A second result under the same id changes nothing, is no error, and is reported to its sender."""
    submission = make_submission()
    first = submissions.put_result(submission, b"first")

    second = submissions.put_result(copy.replace(submission, player=GUEST), b"second")

    assert (first, second) == (True, False)
    assert submissions.get_result(key_of(submission)) == (submission, b"first")


def test_results_that_met(submissions: SubmissionStore, make_submission: MakeSubmission) -> None:
    """If two writes collide each time and neither result exists, no one is answered that it is stored."""
    s3 = Mock(wraps=submissions.bucket.client, put=Mock(side_effect=MetAnother("write")))
    store = SubmissionStore(submissions.table, copy.replace(submissions.bucket, client=s3))

    with pytest.raises(Busy, match="met another write"):
        store.put_result(make_submission(), b"{}")


def test_result_that_met_another_write_once_is_stored(
    submissions: SubmissionStore, make_submission: MakeSubmission
) -> None:
    """S3's 409 says nothing about the condition: the write is repeated, and then holds or does not."""
    submission, client = make_submission(), submissions.bucket.client
    answers = iter([MetAnother("write")])

    def put(*asked: Any) -> Any:
        if error := next(answers, None):
            raise error
        return client.put(*asked)

    s3 = Mock(wraps=client, put=put)
    store = SubmissionStore(submissions.table, copy.replace(submissions.bucket, client=s3))

    stored = store.put_result(submission, b"{}")

    assert stored
    assert submissions.get_result(key_of(submission)).body == b"{}"


@pytest.mark.parametrize("metadata", [{}, {"player": "a", "name": "A", "kind": "robot", "verified": "no"}])
def test_unknown_object_is_reported(
    submissions: SubmissionStore, make_submission: MakeSubmission, metadata: dict[str, str]
) -> None:
    """An object that somebody else put in the place of a result is refused."""
    key = key_of(make_submission())
    submissions.bucket.put(str(key), b"", replacing=None, metadata=metadata)

    with pytest.raises(UnknownObject, match="metadata"):
        submissions.get_result(key)


@pytest.mark.parametrize("second", [Outcome.SCORED, Outcome.INVALID, Outcome.EVALUATOR_ERROR, Outcome.INTERNAL_ERROR])
@pytest.mark.parametrize("first", [Outcome.SCORED, Outcome.INVALID, Outcome.EVALUATOR_ERROR])
def test_first_terminal_outcome_stands(
    submissions: SubmissionStore, make_record: MakeRecord, first: Outcome, second: Outcome
) -> None:
    """Once scored, invalid or evaluator_error, nothing replaces it: neither another outcome nor internal_error."""
    before = make_record(outcome=first, message="first")
    assert submissions.put_record(before)

    stands = submissions.put_record(copy.replace(before, outcome=second, message="second"))

    assert not stands
    assert read(submissions, before) == before


@pytest.mark.parametrize("second", [Outcome.SCORED, Outcome.INVALID, Outcome.EVALUATOR_ERROR])
def test_internal_error_is_replaced_once(
    submissions: SubmissionStore, make_record: MakeRecord, second: Outcome
) -> None:
    """Not by a second internal_error, which no second mail follows; by a later outcome, which then stands itself."""
    record = make_record(outcome=Outcome.INTERNAL_ERROR, message="first")
    again = copy.replace(record, message="second")
    later = copy.replace(record, outcome=second, message="third")
    latest = copy.replace(record, outcome=Outcome.SCORED, message="fourth")

    stood = [submissions.put_record(each) for each in (record, again)]
    kept = read(submissions, record)
    stood += [submissions.put_record(each) for each in (later, latest)]

    assert (stood, kept) == ([True, False, True, False], record)
    assert read(submissions, record) == later


def test_many_records_of_a_submission(submissions: SubmissionStore, make_record: MakeRecord) -> None:
    """More records than one answer of DynamoDB holds (1 MB) are all read."""
    submission = make_record().submission
    filler = "x" * 300_000
    for index in range(6):
        assert submissions.put_record(
            make_record(submission=submission, version=str(index), message=filler, recorded_at=f"2026-01-0{index + 1}")
        )

    records = submissions.list_records_of("coin-run", submission=submission.id)

    assert [record.version for record in records] == list("012345")


def test_long_output_lies_in_s3(submissions: SubmissionStore, make_record: MakeRecord) -> None:
    """Long output goes to S3, and the record is whole only for those who ask for it."""
    record = make_record(
        outcome=Outcome.EVALUATOR_ERROR, output=Output("o" * MAX_INLINE_OUTPUT_BYTES, "é" * 9000, "exited with code 1")
    )

    assert submissions.put_record(record)

    assert read(submissions, record, detailed=True) == record
    assert read(submissions, record) == copy.replace(record, output=None)


def test_long_output_comes_first(submissions: SubmissionStore, make_record: MakeRecord) -> None:
    """Long output is stored before its item, so that every reader of the item can read it."""
    record = make_record(evaluations=(Evaluation({}, {"text": "x" * 20_000}),))
    digest = hashlib.sha256(record.long_output().encode()).hexdigest()[:16]
    where = record_key("coin-run", submission=record.submission.id, version=record.version, digest=digest)
    seen: list[int] = []

    def put(*asked: Any) -> None:
        seen.append(len(submissions.bucket.get(where).body))
        submissions.table.client.put(*asked)

    store = SubmissionStore(intercept(submissions.table, put=put), submissions.bucket)

    assert store.put_record(record)
    assert seen == [len(record.long_output().encode())]


def test_two_long_outputs_of_one_result(submissions: SubmissionStore, make_record: MakeRecord) -> None:
    """Of two who score one result at once, the one whose record is kept also keeps its detail."""
    first = make_record(evaluations=(Evaluation({}, {"text": "a" * 20_000}),))
    second = copy.replace(first, evaluations=(Evaluation({}, {"text": "b" * 20_000}),))

    stood = [submissions.put_record(first), submissions.put_record(second)]

    assert stood == [True, False]
    assert read(submissions, first, detailed=True) == first


def test_largest_record_fits_an_item(
    submissions: SubmissionStore, make_submission: MakeSubmission, make_record: MakeRecord
) -> None:
    """Whatever a judgement may hold fits one item, and is read back as it was."""
    widest = "\U0001f600"
    columns = [f"{number:04}{widest * 60}" for number in range(40)]
    scores = dict.fromkeys(columns, -2.2250738585072014e-308)
    evaluations: list[Evaluation] = []
    while (
        len(write_scores([*evaluations, (one := Evaluation(scores, {}, f"{len(evaluations):064}"))]))
        <= MAX_SCORES_BYTES
    ):
        evaluations.append(one)
    record = make_record(
        submission=make_submission(player=GUEST, part="p" * 64),
        scores=scores,
        evaluations=tuple(evaluations),
        message=widest * MAX_MESSAGE_LENGTH,
        pointer=widest * MAX_POINTER_LENGTH,
        output=Output(stdout="o" * 16_000, stderr="", ended="exited with code 1"),
        signature="s" * 1000,
    )

    assert submissions.put_record(record)
    assert read(submissions, record, detailed=True) == record
