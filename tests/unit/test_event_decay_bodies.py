"""`event_decay`: every shape of body, and what is refused, in which order and where."""

import json
from typing import Any

import pytest

from scoring_core.errors import InvalidResult
from scoring_core.scorers.base import Evaluation, ScorerInputs
from scoring_core.scorers.event_decay import EventDecayParameters
from scoring_core.scorers.event_decay.scoring import EventDecayScorer, prepare
from scoring_core.scorers.event_decay.submission import MAX_VALUES

TRUTH = b"""id,type,scene_id,video_id,points,answer
1,TR,L26,V017,"4945,5010,5001,5020",
2,KIS,L01,V013,"10000,20000,30000,40000",
3,QA,K01,V021,"12000,12345",The three-legged stool
4,QA,K02,cam-7,"1000,1000",
5,TR,,V5,"0,10",
"""
SECRETS = ("V017", "L26", "4945", "5010", "V013", "L01", "10000", "V021", "12345", "three", "cam-7")


@pytest.fixture(scope="module")
def scorer() -> EventDecayScorer:
    """Five questions of every type."""
    return prepare(ScorerInputs(EventDecayParameters(), TRUTH))


def score(scorer: EventDecayScorer, body: object, part: str | None = None) -> Evaluation:
    """Score a body that answers one question."""
    (evaluation,) = scorer(json.dumps(body).encode(), part=part)
    return evaluation


def refuse(scorer: EventDecayScorer, body: object, part: str | None = None) -> InvalidResult:
    """Score a body that must be refused, and give the refusal."""
    with pytest.raises(InvalidResult) as caught:
        scorer(json.dumps(body).encode(), part=part)
    return caught.value


def media(video: str, start: object = None, end: object = None, **members: object) -> dict[str, object]:
    """Write one entry in media form."""
    return {"mediaItemName": video, "start": start, "end": end, **members}


@pytest.mark.parametrize(
    ("part", "body", "values"),
    [
        ("1", {"text": "TR-V017-4945,5001"}, [4945, 5001]),
        ("1", {"text": "TRAKE-V017-4945,5001"}, [4945, 5001]),
        ("1", {"text": "TR-L26_V017-4945"}, [4945]),
        ("1", {"text": "TR-V017- 4945 ,\t5001\n"}, [4945, 5001]),
        ("1", {"text": "TR-V017-4945.0,+5001"}, [4945, 5001]),
        ("1", {"text": "\n TR-V017-4945, 5001 , "}, [4945, 5001]),
        ("1", {"text": "TR-V017--5,-6"}, [-5, -6]),
        ("1", {"text": "TR-V017-"}, []),
        ("1", {"answers": []}, []),
        ("1", {"answers": [{"text": "TR-V017-4945"}, {"text": "TR-V017-5001,5002"}]}, [4945, 5001, 5002]),
        ("1", {"answers": [media("V017", 4945), media("L26_V017", "5001", 5001.0)]}, [4945, 5001]),
        ("1", {"text": None, "answers": [{"text": None, "mediaItemName": "V017", "start": 1}]}, [1]),
        ("2", {"text": "KIS-V013-10001.5,30001"}, [10001.5, 30001]),
        ("2", {"answers": [media("V013", 10001, 20001), media("V013", "30001.25")]}, [[10001, 20001], 30001.25]),
        ("3", {"text": "QA-three-legged stool-V021-12172,12500"}, [12172, 12500]),
        ("3", {"answers": [media("V021", 12172, 12172, text="stool")]}, [12172]),
        ("4", {"text": "QA-a-b, c-d-cam-7-1000"}, [1000]),
        ("4", {"text": "QA--cam-7-1000"}, [1000]),
    ],
)
def test_values_of_every_shape(scorer: EventDecayScorer, part: str, body: object, values: list[Any]) -> None:
    """A body gives its values, in order, whatever its shape."""
    evaluation = score(scorer, body, part)

    assert evaluation.part == part
    assert evaluation.detail["values"] == values
    assert evaluation.detail["num_values"] == len(values)


@pytest.mark.parametrize(
    "body",
    [
        {"question": "1", "text": "TR-V017-4945,5001"},
        {"question": 1, "text": "TR-V017-4945,5001"},
        {"taskName": "1", "answers": [{"text": "TR-V017-4945,5001"}]},
        {"answerSets": [{"taskName": "1", "answers": [{"text": "TR-V017-4945,5001"}]}]},
        {"answerSets": [{"question": "1", "text": "TR-V017-4945,5001"}]},
        {"question": "1", "answerSets": [{"taskId": "u", "answers": [media("V017", 4945), media("V017", 5001)]}]},
        {"submissions": [{"question": "1", "text": "TR-V017-4945,5001"}]},
        {"submissions": [{"answerSets": [{"taskName": "1", "answers": [{"text": "TR-V017-4945,5001"}]}]}]},
    ],
)
def test_every_way_to_name_the_question(scorer: EventDecayScorer, body: object) -> None:
    """Wherever a body names its question, example 1 of docs/sources.md, "Event decay", scores 79."""
    assert score(scorer, body).scores == {"score": 79.0}


NULLS = dict.fromkeys(("text", "mediaItemName", "mediaItemCollectionName", "start", "end"))


@pytest.mark.parametrize(
    ("question", "answer", "values"),
    [
        ("1", {**NULLS, "text": "TR-V017-4945"}, [4945]),
        ("2", {**NULLS, "mediaItemName": "V013", "start": 15000}, [15000]),
        ("2", {**NULLS, "mediaItemName": "V013", "mediaItemCollectionName": "V3C", "start": 1, "end": 2}, [[1, 2]]),
        ("2", {**NULLS, "mediaItemName": "V013", "start": 15000, "text": ""}, [15000]),
    ],
)
def test_what_clients_of_dres_send(
    scorer: EventDecayScorer, question: str, answer: dict[str, Any], values: list[Any]
) -> None:
    """Members that a client leaves null, or that say nothing to us, are no faults.

    Source: ApiClientSubmission of DRES 2.0.2, doc/oas-client.json.
    """
    body = {"answerSets": [{"taskId": None, "taskName": question, "answers": [answer]}]}

    assert score(scorer, body).detail["values"] == values


@pytest.mark.parametrize(
    "body",
    [
        {"submissions": [{"question": "2", "text": "KIS-V013-15000"}, {"question": "1", "text": "TR-V017-4945"}]},
        {
            "answerSets": [
                {"taskName": "2", "answers": [media("V013", 15000)]},
                {"taskName": "1", "answers": [media("V017", 4945)]},
            ]
        },
    ],
)
def test_a_run_gives_one_evaluation_for_each_question(scorer: EventDecayScorer, body: object) -> None:
    """A run of several is scored question by question, in the order of the ground truth; the others stay untried."""
    evaluations = scorer(json.dumps(body).encode())

    assert [(evaluation.part, evaluation.scores["score"]) for evaluation in evaluations] == [("1", 33.75), ("2", 50.0)]


@pytest.mark.parametrize(
    ("part", "body", "at", "message"),
    [
        # The question.
        (None, [], "", "expected an object, found an array"),
        (None, {"text": "TR-V017-1"}, "", "expected the question"),
        (None, {"question": "9", "text": "TR-V017-1"}, "/question", "unknown question: expected one of 1, 2, 3, 4, 5"),
        (None, {"question": True, "text": "TR-V017-1"}, "/question", "expected the id of a question"),
        (None, {"answerSets": [{"taskName": "x", "answers": []}]}, "/answerSets/0/taskName", "unknown question"),
        ("9", {"text": "TR-V017-1"}, "", "unknown question"),
        ("2", {"question": "1", "text": "TR-V017-1"}, "/question", "two questions are named"),
        (None, {"question": "1", "taskName": "2", "answers": []}, "/taskName", "two questions are named"),
        (None, {"submissions": []}, "/submissions", "found an empty array"),
        (None, {"answerSets": [1]}, "/answerSets/0", "expected an object, found the number 1"),
        (None, {"submissions": [], "text": "x"}, "", "found text and submissions"),
        # The video.
        ("1", {"text": "TR-V018-4945"}, "/text", "the string 'V018' is not the video of question '1'"),
        ("3", {"text": "QA-a-b-V022-1"}, "/text", "the string 'V022' is not the video"),
        ("1", {"answers": [media("V017", 1), media("V1", 1)]}, "/answers/1/mediaItemName", "is not the video"),
        # The shape.
        ("1", {}, "", "found none of them"),
        ("1", {"text": "TR-V017-1", "answers": []}, "", "found text and answers"),
        ("1", {"text": 5}, "/text", "found the number 5"),
        ("1", {"text": " "}, "", "found none of them"),
        ("1", {"text": "TR-V017"}, "/text", "question '1' expects TR-<VIDEO>"),
        ("3", {"text": "QA-V021-12172"}, "/text", "question '3' expects QA-<ANSWER>-<VIDEO>"),
        ("1", {"answers": [7]}, "/answers/0", "expected an object, found the number 7"),
        ("1", {"answers": [{"start": 1}]}, "/answers/0", "found neither"),
        ("1", {"answers": [{"mediaItemName": 4, "start": 1}]}, "/answers/0/mediaItemName", "expected a string"),
        ("1", {"answers": [media("V017")]}, "/answers/0", "expected a start"),
        ("3", {"answers": [media("V021", 1, 1, text=5)]}, "/answers/0/text", "expected a string"),
        ("1", {"submissions": [{"submissions": []}]}, "/submissions/0/submissions", "expected text or answers"),
        # The questions of a run come first, and those named beside it.
        (
            None,
            {"submissions": [{"question": q, "text": "TR-X-1"} for q in "19"]},
            "/submissions/1/question",
            "unknown",
        ),
        ("1", {"submissions": [{"question": q, "text": "TR-V017-1"} for q in "12"]}, "/submissions/1/question", ""),
        # The values.
        ("1", {"text": "TR-V017-4945,,5001"}, "/text", "value 2: expected a whole frame number, found the string ''"),
        ("1", {"text": "TR-V017-4945.5"}, "/text", "value 1: expected a whole frame number"),
        ("1", {"text": "TR-V017-nan"}, "/text", "value 1: "),
        ("1", {"text": "TR-V017-1_000"}, "/text", "value 1: "),
        ("1", {"text": "TR-V017-\u0661"}, "/text", "value 1: "),
        ("1", {"text": "TR-V017-" + "9" * 400}, "/text", "value 1: expected a whole frame number, found a number too"),
        ("1", {"answers": [media("V017", 10**400)]}, "/answers/0/start", "found a number too large"),
        ("1", {"answers": [media("V017", start=True)]}, "/answers/0/start", "found the boolean true"),
        ("1", {"answers": [media("V017", 1, 2)]}, "/answers/0/end", "TR takes single frames"),
        ("1", {"answers": [media("V017", 2, 1)]}, "/answers/0/end", "expected start <= end, found 2 and 1"),
        ("2", {"answers": [media("V013", 2, "x")]}, "/answers/0/end", "expected milliseconds, found the string 'x'"),
    ],
)
def test_refused_with_its_place(
    scorer: EventDecayScorer, part: str | None, body: object, at: str, message: str
) -> None:
    """What cannot be scored is refused, saying what was expected and where."""
    error = refuse(scorer, body, part)

    assert message in error.message
    assert error.pointer == at


def test_questions_beyond_ten_are_counted() -> None:
    """A long list of questions is cut short in the message."""
    rows = "\n".join(f"q{n},TR,,V1,1-2" for n in range(12))
    scorer = prepare(ScorerInputs(EventDecayParameters(), f"id,type,scene_id,video_id,points\n{rows}\n".encode()))

    assert "q8, q9 and 2 more" in refuse(scorer, {"question": "x", "text": "TR-V1-1"}).message


def test_bytes_that_are_no_json(scorer: EventDecayScorer) -> None:
    """What is no strict JSON is the player's error."""
    with pytest.raises(InvalidResult, match="expected JSON: the key 'text' is there twice"):
        scorer(b'{"text": "a", "text": "b"}')


def test_order_of_validation(scorer: EventDecayScorer) -> None:
    """The faults of a body are reported in the order of the source: question, video, shape, values."""
    entries: list[dict[str, object]] = [media("V017", "x"), {}, media("V018", "x")]
    body: dict[str, object] = {"question": "9", "answers": entries}
    pointers = [refuse(scorer, body).pointer]

    body["question"] = "1"
    pointers.append(refuse(scorer, body).pointer)
    entries.pop()
    pointers.append(refuse(scorer, body).pointer)
    entries.pop()
    pointers.append(refuse(scorer, body).pointer)

    assert pointers == ["/question", "/answers/2/mediaItemName", "/answers/1", "/answers/0/start"]


@pytest.mark.parametrize(
    ("second", "at", "message"),
    [
        ({"question": "1", "text": "TR-V017-1"}, "/submissions/1", "answered twice, first at '/submissions/0'"),
        ({"question": "2", "text": "KIS-X-1"}, "/submissions/1/text", "is not the video"),
        ({"question": "2"}, "/submissions/1", "found none of them"),
        ({"text": "KIS-V013-1"}, "/submissions/1", "expected the question"),
        ({"question": "2", "answers": [media("V013", 2, 1)]}, "/submissions/1/answers/0/end", "start <= end"),
    ],
)
def test_one_bad_entry_spoils_the_run(scorer: EventDecayScorer, second: object, at: str, message: str) -> None:
    """An invalid or repeated entry makes the whole run invalid, and the pointer names it."""
    error = refuse(scorer, {"submissions": [{"question": "1", "text": "TR-V017-4945"}, second]})

    assert message in error.message
    assert error.pointer == at


@pytest.mark.parametrize("part", ["1", "2", "3", "4"])
@pytest.mark.parametrize(
    "body",
    [
        {"text": "?"},
        {"text": "TR-WRONG-1"},
        {"text": "QA-wrong-WRONG-1"},
        {"answers": [{"mediaItemName": "WRONG", "start": 1}]},
        {"answers": [{"start": 1}]},
        {"question": "unknown"},
    ],
)
def test_no_refusal_tells_the_truth(scorer: EventDecayScorer, part: str, body: object) -> None:
    """No message quotes a video, a point or an answer of the ground truth."""
    error = refuse(scorer, body, part)

    assert not [secret for secret in SECRETS if secret in error.message]


def test_a_long_text_of_signs_and_commas_is_read_in_linear_time(scorer: EventDecayScorer) -> None:
    """A text made to defeat a backtracking reader is refused like any other (it would take hours otherwise)."""
    error = refuse(scorer, {"text": "TR-x-y" + ",-" * (MAX_VALUES - 1) + " " * 500_000 + "-"}, "1")

    assert error.pointer == "/text"
    assert "at most" not in error.message


def test_more_values_than_anyone_asks_for(scorer: EventDecayScorer) -> None:
    """Values without end would take memory many times over their bytes, and with it the process that scores them."""
    most = score(scorer, {"text": "TR-V017-" + ",".join("1" * MAX_VALUES)}, "1")
    text = {"text": "TR-V017-" + ",".join("1" * (MAX_VALUES + 1))}
    entries = {"answers": [media("V017", 1)] * (MAX_VALUES + 1)}

    refused = [refuse(scorer, body, "1") for body in (text, entries)]

    assert most.detail["num_values"] == MAX_VALUES
    assert {error.message for error in refused} == {"expected at most 100000 values for a question, found more"}
    assert [error.pointer for error in refused] == ["/text", f"/answers/{MAX_VALUES}"]
