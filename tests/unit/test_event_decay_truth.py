"""`event_decay`: its ground truth, and the owner's errors in it."""

import pytest

from scoring_core.errors import EvaluatorError
from scoring_core.scorers.event_decay.ground_truth import Event, Question, QuestionType, read_questions

HEADER = "id,type,scene_id,video_id,points,answer\n"


def test_row_is_read_from_all_its_columns() -> None:
    """A row gives id, type, the names of the video, the events in their order and the answer."""
    (question,) = read_questions((HEADER + '007,QA,K01,V021,"5-9,1-2", 42 \n').encode()).values()

    assert question == Question(
        id="007",
        type=QuestionType.QA,
        videos=("V021", "K01_V021"),
        events=(Event(5, 9), Event(1, 2)),
        answer="42",
    )


@pytest.mark.parametrize(
    "data",
    [
        b"stt,type,scene_id,video_id,points\n1,TR,L1,V1,1-2\n",
        b"\xef\xbb\xbfid,type,scene_id,video_id,points\r\n1,TRAKE,L1,V1,1-2\r\n",
        b'\nnote, points ,video_id,scene_id,type,id\n\nx,"1 , 2",V1,L1,TR,1\n,,,,,\n',
        b"id,stt,type,scene_id,video_id,points\n1,9,TR,L1,V1,1-2",
    ],
    ids=["stt", "byte order mark and CRLF", "any order, blanks, blank lines", "id before stt"],
)
def test_spellings_of_the_same_file(data: bytes) -> None:
    """`stt`, `TRAKE`, a byte order mark, CRLF, other columns, blanks and blank lines change nothing."""
    expected = Question(id="1", type=QuestionType.TR, videos=("V1", "L1_V1"), events=(Event(1, 2),))

    assert read_questions(data) == {"1": expected}


def test_only_a_qa_question_has_an_answer() -> None:
    """The answer column of another type is left alone."""
    questions = read_questions((HEADER + "k,KIS,,V1,1-2,red\nq,QA,,V1,1-2,\n").encode())

    assert [question.answer for question in questions.values()] == [None, None]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "ground truth: expected at least one question, found none"),
        ("id,type,video_id,points\n", "ground truth, line 1: expected a column scene_id, found id, type, video_id"),
        ("type,scene_id,video_id,points\n", "line 1: expected a column id (or stt)"),
        ("id,id,type,scene_id,video_id,points\n", "line 1: the column id is there twice"),
        (HEADER + "1,TR,L1,V1,1,2,\n", "line 2: expected 6 columns, found 7 (points that hold commas need quotes)"),
        (
            "id,type,scene_id,video_id,points,weight\n1,TR,,V,1-2-3-4,1\n",
            "weight: expected a number for each of 2 events, found 1",
        ),
        (
            "id,type,scene_id,video_id,points,weight\n1,TR,,V,1-2,-1\n",
            "weight: expected numbers from 1e-9 to 1e9, found '-1'",
        ),
        (
            "id,type,scene_id,video_id,points,fps\n1,TR,,V,1-2,nan\n",
            "fps: expected numbers from 1e-9 to 1e9, found 'nan'",
        ),
        ('id,type,scene_id,video_id,points,fps\n1,TR,,V,1-2,"25,30"\n', "fps: expected one number, found 2"),
        (HEADER + ",TR,L1,V1,1-2,\n", "line 2, column id: expected a value, found nothing"),
        (HEADER + "a#b,TR,L1,V1,1-2,\n", "line 2, column id: expected 1 to 64 letters, digits"),
        (HEADER + "1,TR,L1,V1,1-2,\n\n1,TR,L1,V1,1-2,\n", "line 4, column id: the question '1' is there twice"),
        (HEADER + "1,VQA,L1,V1,1-2,\n", "line 2, column type: expected one of TR, TRAKE, KIS, QA, found 'VQA'"),
        (HEADER + "1,TR,L1,V1,,\n", "line 2, column points: expected a value, found nothing"),
        (HEADER + "1,TR,L1,V1,1-2-3,\n", "line 2, column points: expected two points for each event, found an odd"),
        (HEADER + "1,TR,L1,V1,1-\u0662,\n", "line 2, column points: expected whole numbers"),
        (HEADER + "1,TR,L1,V1,2-1,\n", "line 2, column points: expected start <= end, found 2 and 1"),
        (HEADER + f"1,TR,L1,V1,1-{2**53 + 1},\n", "line 2, column points: expected points of at most 2^53"),
        (HEADER + f"1,TR,L1,V1,1-{'9' * 5000},\n", "line 2, column points: expected points of at most 2^53"),
        (HEADER + '1,TR,L1,V1,"1-2,\n', "ground truth, line 2: unexpected end of data"),
    ],
)
def test_what_the_owner_is_told(data: str, message: str) -> None:
    """A wrong ground truth is the owner's error, with its line and column."""
    with pytest.raises(EvaluatorError) as caught:
        read_questions(data.encode())

    assert message in caught.value.message


def test_bytes_that_are_no_utf8() -> None:
    """Another encoding is the owner's error."""
    with pytest.raises(EvaluatorError, match=r"ground truth: not UTF-8 \(byte 0\)"):
        read_questions(b"\xff\xfei\x00")
