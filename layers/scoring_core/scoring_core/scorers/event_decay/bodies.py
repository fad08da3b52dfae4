"""What players of `event_decay` send: one result of one or several bodies → the body of each question."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scoring_core.errors import InvalidResult
from scoring_core.scorers.base import Json, describe, pointer
from scoring_core.scorers.event_decay.ground_truth import Question

type Steps = tuple[str | int, ...]
type _Names = tuple[tuple[str, Steps], ...]

SHAPES = ("text", "answers", "answerSets", "submissions")
_LISTED_IDS = 10


@dataclass(frozen=True, slots=True)
class Body:
    """A body that answers one question.

    Args:
        question: The question that it names.
        members: The JSON object with its `text` or its `answers`.
        steps: Where in the result it stands.
    """

    question: Question
    members: Mapping[str, Json]
    steps: Steps


def read_bodies(result: Json, questions: Mapping[str, Question], *, part: str | None = None) -> list[Body]:
    """Find the body of each question that a result answers.

    Args:
        result: `{"text": …}`, `{"answers": […]}`, `{"answerSets": […]}` or `{"submissions": […]}`.
        questions: id → question of the benchmark.
        part: The question that the submission named beside the body.

    Returns:
        At least one, each of another question, in the order of the result.

    Raises:
        InvalidResult: A question is unknown, missing, contradictory or answered twice.
    """
    names: _Names = ()
    if part is not None:
        names = ((_known(part, questions, ()), ()),)
    bodies: dict[str, Body] = {}
    for members, steps, body_names in _walk(result, (), questions, names):
        question = questions[_agreed(body_names, questions, steps)]
        if question.id in bodies:
            first = pointer(*bodies[question.id].steps)
            raise InvalidResult(f"question {question.id!r} is answered twice, first at {first!r}", pointer(*steps))
        bodies[question.id] = Body(question, members, steps)
    return list(bodies.values())


def check_one_shape(members: Mapping[str, Json], steps: Steps) -> None:
    """Refuse an object that has none of the shapes of a body, or several; a null member counts as left out."""
    present = [key for key in SHAPES if members.get(key) is not None]
    if len(present) != 1:
        found = " and ".join(present) or "none of them"
        raise InvalidResult(f"expected exactly one of {', '.join(SHAPES)}, found {found}", pointer(*steps))


def _walk(
    value: Json, steps: Steps, questions: Mapping[str, Question], names: _Names
) -> Iterator[tuple[Mapping[str, Json], Steps, _Names]]:
    """Give every body of one question, with its place and the questions that it and what surrounds it name."""
    if not isinstance(value, dict):
        raise InvalidResult(f"expected an object, found {describe(value)}", pointer(*steps))
    for key in ("question", "taskName"):
        if (named := value.get(key)) is not None:
            names = (*names, (_known(named, questions, (*steps, key)), (*steps, key)))
    run = next((key for key in ("submissions", "answerSets") if value.get(key) is not None), None)
    if run is None or (run == "submissions" and steps) or "answerSets" in steps:
        yield value, steps, names
        return
    check_one_shape(value, steps)
    members = value[run]
    if not isinstance(members, list) or not members:
        found = "an empty array" if members == [] else describe(members)
        raise InvalidResult(f"expected an array of at least one object, found {found}", pointer(*steps, run))
    for index, member in enumerate(members):
        yield from _walk(member, (*steps, run, index), questions, names)


def _known(named: Json, questions: Mapping[str, Question], steps: Steps) -> str:
    if isinstance(named, int) and not isinstance(named, bool):
        named = str(named)
    if not isinstance(named, str):
        raise InvalidResult(f"expected the id of a question, found {describe(named)}", pointer(*steps))
    if named not in questions:
        raise InvalidResult(
            f"unknown question: expected {_list_ids(questions)}, found {describe(named)}", pointer(*steps)
        )
    return named


def _list_ids(questions: Mapping[str, Question]) -> str:
    listed = ", ".join(list(questions)[:_LISTED_IDS])
    rest = len(questions) - _LISTED_IDS
    return f"one of {listed}" + (f" and {rest} more" if rest > 0 else "")


def _agreed(names: _Names, questions: Mapping[str, Question], steps: Steps) -> str:
    if not names:
        if len(questions) == 1:
            return next(iter(questions))
        raise InvalidResult(
            f'expected the question, as "question" or "taskName": {_list_ids(questions)}', pointer(*steps)
        )
    first = names[0][0]
    for name, where in names[1:]:
        if name != first:
            raise InvalidResult(f"two questions are named for one body: {first!r} and {name!r}", pointer(*where))
    return first
