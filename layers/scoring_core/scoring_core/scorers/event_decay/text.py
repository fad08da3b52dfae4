"""The text form of an answer to `event_decay`: `TR-<VIDEO>-<VALUES>` and `QA-<ANSWER>-<VIDEO>-<VALUES>`."""

from typing import NamedTuple

from scoring_core.scorers.event_decay.ground_truth import TYPE_NAMES, Question, QuestionType


class Text(NamedTuple):
    """The parts of a text; `answer` is None but for QA, `values` is what stands after the video, unparsed."""

    type: QuestionType
    answer: str | None
    video: str
    values: str


def parse_text(text: str, question: Question) -> Text | None:
    """Take a text apart, from the right because an answer may hold hyphens; None where it has not the parts."""
    head, values = _split_values(text)
    prefix, _, rest = head.partition("-")
    if prefix not in TYPE_NAMES or not rest:
        return None
    if TYPE_NAMES[prefix] is not QuestionType.QA:
        return Text(TYPE_NAMES[prefix], None, rest, values)
    # A video may hold hyphens too: the right one is recognised whole, any other is told from the answer by the last.
    ending = max((video for video in question.videos if rest.endswith("-" + video)), key=len, default=None)
    video = ending if ending is not None else rest.rpartition("-")[2]
    answer = rest.removesuffix("-" + video)
    return None if answer == rest else Text(QuestionType.QA, answer, video, values)


def _split_values(text: str) -> tuple[str, str]:
    """Cut a text at the last hyphen that is no minus sign, in linear time whatever it holds.

    A hyphen is a minus sign where a comma or another hyphen stands before it.

    >>> _split_values("TR-V017-4945,-1"), _split_values("TR-V017--1"), _split_values("TR-V017-")
    (('TR-V017', '4945,-1'), ('TR-V017', '-1'), ('TR-V017', ''))
    """
    end = len(text)
    while end >= 0:
        start = text.rfind(",", 0, end) + 1
        item = text[start:end]
        hyphen = item.rfind("-")
        before = item[: max(hyphen, 0)].rstrip()
        if before.endswith("-"):
            hyphen = len(before) - 1
        if before:
            return text[: start + hyphen], text[start + hyphen + 1 :]
        end = start - 1
    return "", text
