"""`fields`: the result holds the numbers already; the benchmark says where they are, and what must be true of them.

`scoring` reads and checks the fields of a result, and makes scores of them. There is no ground truth.
"""

import re
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from scoring_core.io.strict_models import Name, StrictModel
from scoring_core.io.text import suggest_nearest
from scoring_core.metrics.expressions import MAX_LENGTH, Expression, ExpressionError, parse, parse_condition
from scoring_core.metrics.score_type import NumberType
from scoring_core.scorers.base import ScorerSpec

MAX_POINTER_LENGTH = 200
RUN_SECONDS = "run_seconds"
"""In expressions: the seconds from the run ticket to the submission."""
_IS_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)+")


def _check_pointer(value: str) -> str:
    if not _IS_POINTER.fullmatch(value):
        hint = "~ is written ~0, and / in a name ~1" if value.startswith("/") else "it begins with /"
        raise ValueError(f"expected a JSON pointer, such as /run/time, found {value!r}; {hint}")
    return value


type _Pointer = Annotated[str, Field(max_length=MAX_POINTER_LENGTH), AfterValidator(_check_pointer)]


class NumberField(NumberType):
    """A number that every result must hold.

    Args:
        name: Its name in metrics and checks.
        at: Its place in the result, a JSON pointer.
        type: An int has no fraction and lies within ±2^53; 50.0 is one.
        min: The least value, inclusive.
        max: The greatest value, inclusive.
        unit: Shown in the message if the number is missing or wrong. With `h:mm:ss` a time in text is its seconds, too.
    """

    at: _Pointer
    type: Literal["int", "float"] = "float"


class FieldsCheck(StrictModel):
    """What must be true of the fields of a result.

    Args:
        require: A condition; a result that does not meet it is invalid.
        message: What the player reads then; without one, the condition itself.
    """

    require: str = Field(max_length=MAX_LENGTH)
    message: str | None = Field(default=None, min_length=1, max_length=300, pattern=r"^[^\x00-\x1f\x7f]+$")


class FieldsParameters(StrictModel):
    """The `parameters:` of a benchmark with this scorer.

    Args:
        fields: The numbers of a result; each is a score of its name.
        metrics: Further scores, name → expression over the fields.
        checks: What must be true of the fields.
        seed_at: Where every result holds the seed of its run ticket; None: nowhere.
    """

    fields: tuple[NumberField, ...] = Field(min_length=1, max_length=64)
    metrics: dict[Name, Annotated[str, Field(max_length=MAX_LENGTH)]] = Field(default_factory=dict, max_length=40)
    checks: tuple[FieldsCheck, ...] = Field(default=(), max_length=32)
    seed_at: _Pointer | None = Field(
        default=None, exclude_if=lambda pointer: pointer is None
    )  # or versions would change

    @property
    def score_names(self) -> tuple[str, ...]:
        """Every score that it yields."""
        return (*(field.name for field in self.fields), *self.metrics)

    @property
    def reads_run_seconds(self) -> bool:
        """True if an expression needs the seconds since the run ticket."""
        fields = {field.name for field in self.fields}
        return any(RUN_SECONDS in expression.names - fields for _, expression in self._parse_all())

    def find_run_faults(self, *, tickets: bool, seeds: bool) -> Iterator[str]:
        """Find what does not fit the run tickets that the benchmark demands, if it does."""
        if tickets and RUN_SECONDS in self.score_names:
            yield f"{RUN_SECONDS!r} is the seconds since the run ticket; name the field or metric otherwise"
        if not tickets and self.reads_run_seconds:
            yield f"{RUN_SECONDS!r} is the seconds since the run ticket, and `runs` demands none"
        if self.seed_at is not None and not seeds:
            yield "seed_at: expected `runs` with a seed, daily or random: without it no ticket has one"

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        names = self.score_names
        repeated = next((name for index, name in enumerate(names) if name in names[:index]), None)
        if repeated is not None:
            raise ValueError(f"the name {repeated!r} is there twice, of fields and metrics")
        fields = {field.name for field in self.fields}
        for key, expression in self._parse_all():
            for name in sorted(expression.names - fields - {RUN_SECONDS}):
                raise ValueError(f"{key}: {name!r} is no field; {suggest_nearest(name, sorted(fields))}")
        return self

    def _parse_all(self) -> Iterator[tuple[str, Expression]]:
        texts = [(f"metrics.{name}", parse, text) for name, text in self.metrics.items()]
        requirements = [check.require for check in self.checks]
        texts += [(f"checks[{index}].require", parse_condition, text) for index, text in enumerate(requirements)]
        for key, parse_text, text in texts:
            try:
                yield key, parse_text(text)
            except ExpressionError as error:
                raise ValueError(f"{key}: {error}") from error


SPEC = ScorerSpec("fields", FieldsParameters, score_names=None, needs_ground_truth=False, trusts_players=True)
