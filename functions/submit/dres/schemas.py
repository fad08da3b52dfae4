"""The JSON of DRES v2 as its client API specifies it: answers and errors.

Source: github.com/dres-dev/DRES, doc/oas-client.json, version 2.0.2.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from handlers.http.problems import Answer
from handlers.http.submission_views import SubmissionView
from scoring_core.metrics.spelling import show_number
from scoring_core.outcome import Outcome
from storage.benchmarks.store import PublishedBenchmark

_ENDLESS_SECONDS = 2**31 - 1
"""DRES requires a duration of every task, and clients read it into 32 bits: 68 years."""
type _Status = Literal["CREATED", "ACTIVE", "TERMINATED"]
_STATUS: Mapping[str, _Status] = {"not_open_yet": "CREATED", "open": "ACTIVE", "closed": "TERMINATED"}


class _DresModel(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, validate_by_name=True)

    def to_answer(self, status: HTTPStatus = HTTPStatus.OK) -> Answer:
        """Return the HTTP answer."""
        return Answer(status, self.model_dump_json(by_alias=True), {})


class User(_DresModel):
    """ApiUser: a player with a session."""

    id: str
    username: str
    role: Literal["PARTICIPANT"] = "PARTICIPANT"
    session_id: str


class Task(_DresModel):
    """ApiClientTaskTemplateInfo: a question. Its kind is part of the ground truth, so all have one type.

    Args:
        name: The question's id, which a submission names as `taskName`.
        task_group: The benchmark's id.
        task_type: The scorer's name.
        duration: Seconds from opening to closing.
    """

    name: str
    task_group: str
    task_type: str
    duration: int


class DresEvaluation(_DresModel):
    """ApiClientEvaluationInfo: a benchmark. All questions are open at once, which DRES calls asynchronous."""

    id: str
    name: str
    type: Literal["ASYNCHRONOUS"] = "ASYNCHRONOUS"
    status: _Status
    template_id: str
    template_description: str
    teams: tuple[str, ...]
    task_templates: tuple[Task, ...]


class SubmissionStatus(_DresModel):
    """SuccessfulSubmissionsStatus: the submission is stored; its verdict so far."""

    status: Literal[True] = True
    submission: Literal["CORRECT", "WRONG", "INDETERMINATE", "UNDECIDABLE"]
    description: str


class Done(_DresModel):
    """SuccessStatus."""

    status: Literal[True] = True
    description: str


class ServerTime(_DresModel):
    """CurrentTime, in milliseconds of the Unix epoch."""

    time_stamp: int


def view_evaluation(published: PublishedBenchmark, *, player: str, now: datetime) -> DresEvaluation:
    """Return the view of a benchmark for one of its players."""
    definition = published.definition
    return DresEvaluation(
        id=published.id,
        name=definition.title,
        status=_STATUS[definition.phase_at(now)],
        template_id=published.version,
        template_description=definition.summary,
        teams=(player,),
        task_templates=tuple(view_task(published, part) for part in published.parts),
    )


def view_open_questions(
    benchmarks: Iterable[PublishedBenchmark], *, player: str, now: datetime
) -> Iterator[DresEvaluation]:
    """Yield an evaluation for each question of the open benchmarks that have several."""
    for published in benchmarks:
        if published.definition.phase_at(now) != "open" or len(published.parts) == 1:
            continue
        whole = view_evaluation(published, player=player, now=now)
        for task in whole.task_templates:
            changes = {"id": f"{whole.id}.{task.name}", "name": f"{whole.name}: {task.name}", "task_templates": (task,)}
            yield whole.model_copy(update=changes)


def view_task(published: PublishedBenchmark, question: str) -> Task:
    """Return the view of a question."""
    definition = published.definition
    opened = definition.opens or published.published_at
    seconds = int((definition.closes - opened).total_seconds()) if definition.closes else _ENDLESS_SECONDS
    return Task(
        name=question,
        task_group=published.id,
        task_type=definition.scorer,
        duration=min(max(seconds, 0), _ENDLESS_SECONDS),
    )


def view_outcome(view: SubmissionView, *, metric: str) -> SubmissionStatus:
    """Return the verdict on a valid submission: more than 0 of a metric is correct."""
    if view.outcome is not Outcome.SCORED or view.scores is None:
        return SubmissionStatus(submission="UNDECIDABLE", description=view.message or "")
    correct = view.scores.get(metric, 0) > 0
    scores = ", ".join(f"{name} {show_number(value)}" for name, value in view.scores.items())
    parts = [part.part for part in view.parts or ()]
    return SubmissionStatus(
        submission="CORRECT" if correct else "WRONG",
        description=f"{scores} for {', '.join(parts)}" if parts else scores,
    )
