"""Names in results of scorers other than `table`: of questions, videos, answers and images, as clients spell them."""

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from scoring_core.benchmarks.loading import load_folder
from scoring_core.errors import EvaluatorError, InvalidResult
from scoring_core.judgement import Judgement, judge
from scoring_core.outcome import Outcome
from scoring_core.scorers.base import ScorerInputs
from scoring_core.scorers.event_decay import EventDecayParameters
from scoring_core.scorers.event_decay.scoring import prepare as prepare_events
from scoring_core.scorers.iqa_fusion import IqaFusionParameters
from scoring_core.scorers.iqa_fusion.scoring import prepare as prepare_images

CASES = Path(__file__).parent / "cases"
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
VIDEOS = "id,type,scene_id,video_id,points,answer\n1,TR,L03,V011,4940-5010,\n2,QA,,Hồ-Gươm,0-2000,Tổ hợp\n".encode()
VALUES = '"answers": [{"text": "TR-L03_V011-4977"}]'


def judge_case(folder: Path, result: bytes) -> Judgement:
    """Return the outcome of a result."""
    benchmark = load_folder(folder)
    return judge(benchmark, benchmark.prepare_scorer(), result)


def score_events(body: Any, part: str | None = None) -> float:
    """Return the score of the only question that a body answers."""
    scorer = prepare_events(ScorerInputs(EventDecayParameters(), VIDEOS))
    return scorer(json.dumps(body).encode(), part=part)[0].scores["score"]


def test_answer_is_right_in_either_form_of_its_letters() -> None:
    """A decomposed answer scores as the composed one does."""
    outcomes = [
        judge_case(CASES / "nfd/nfd-qa", (CASES / f"nfd/qa-{form}.json").read_bytes()) for form in ("nfc", "nfd")
    ]

    assert [*outcomes[0].scores.values()] == [100.0]
    assert outcomes[1].scores == outcomes[0].scores


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(
    "body",
    [
        {"question": "2 ", "text": "QA-Tổ hợp-Hồ-Gươm-1000"},
        {"taskName": "2", "text": " QA-Tổ hợp -Hồ-Gươm -1000\n"},
        {"question": 2, "answers": [{"mediaItemName": "Hồ-Gươm\u00a0", "start": 1000, "text": "tổ hợp"}]},
    ],
)
def test_video_and_answer_are_right_as_typed_anywhere(body: dict[str, Any], form: str) -> None:
    """Vietnamese from a Mac, blanks of a copy, and a space that does not break."""
    written = unicodedata.normalize(form, json.dumps(body, ensure_ascii=False))

    assert score_events(json.loads(written)) == 100.0


@pytest.mark.parametrize(
    "names",
    ["", '"taskId": null, "taskName": null,', '"taskId": "", "taskName": "",', '"question": " ", "taskName": "1",'],
)
def test_empty_name_of_a_task_is_none(names: str) -> None:
    """Clients of DRES write empty strings for what they do not know."""
    body = json.loads(f'{{"answerSets": [{{{names} {VALUES}}}], "text": ""}}')

    assert score_events(body, part="1") == score_events({"text": "TR-L03_V011-4977"}, part="1") > 0


@pytest.mark.parametrize("empty", ["", " ", None])
def test_empty_members_of_an_entry_are_none(empty: str | None) -> None:
    """`end`, `mediaItemName` and the text of an answer that has a video."""
    entry = {"mediaItemName": "L03_V011", "start": 4977, "end": empty, "text": empty}
    text = {"mediaItemName": empty, "text": "TR-L03_V011-4977", "start": empty, "end": empty}

    assert score_events({"answers": [entry], "text": empty}, "1") == score_events({"answers": [text]}, "1") > 0
    with pytest.raises(InvalidResult, match="expected a start, found none"):
        score_events({"answers": [{"mediaItemName": "L03_V011", "start": empty}]}, "1")


@pytest.mark.parametrize(
    ("video", "hint"),
    [
        ("L03_V011.mp4", ": leave out the ending"),
        ("L99_V999.MKV", ": leave out the ending"),  # the same of a wrong video
        ("videos/L03_V011", ": leave out the folder"),
        ("C:\\L03_V011.mp4", ": leave out the folder"),
        ("L03_V011-4977", ": put commas between the values"),
        ("l03_v011", ": upper and lower case differ"),
        ("L04_V011", ""),
    ],
)
def test_spelling_of_a_video_is_said(video: str, hint: str) -> None:
    """The team does not look for another video; what is said depends on the spelling alone."""
    with pytest.raises(InvalidResult) as caught:
        score_events({"text": f"TR-{video}-5010"}, "1")

    assert caught.value.message.endswith(f"is not the video of question '1'{hint}")


@pytest.mark.parametrize(
    ("name", "hint"), [("mp4", "leave out the ending"), ("hyphens", "put commas between the values")]
)
def test_case_of_a_video_is_said(name: str, hint: str) -> None:
    """As sent to a benchmark that is shipped."""
    judged = judge_case(BENCHMARKS / "aic-2025", (CASES / f"cut-not-the-video/{name}.json").read_bytes())

    assert (judged.outcome, judged.message.rpartition(": ")[2]) == (Outcome.INVALID, hint)


def test_image_has_the_same_id_in_either_form() -> None:
    """An id of `iqa_fusion` is often the name of a file."""
    scorer = prepare_images(ScorerInputs(IqaFusionParameters(), '{"é1.png": {"mos": 3}}'.encode()))
    item = {"id": "e\u03011.png ", "quality_level": "Good"}

    (evaluation,) = scorer(json.dumps({"items": [item]}).encode())

    assert (evaluation.detail["unknown"], evaluation.detail["missing"]) == (0, 0)
    assert scorer(json.dumps({"items": [item | {"quality_level": ""}]}).encode())[0].scores["n_scored"] == 1


@pytest.mark.parametrize("truth", ['{"é": {"mos": 3}, "e\u0301": {"mos": 4}}', '{"a ": {"mos": 3}}'])
def test_ids_of_images_that_nobody_can_tell_apart_are_the_owners(truth: str) -> None:
    """Two ids that are one, and white space around an id."""
    with pytest.raises(EvaluatorError, match="ground truth: expected"):
        prepare_images(ScorerInputs(IqaFusionParameters(), truth.encode()))
