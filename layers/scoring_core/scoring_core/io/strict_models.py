"""What the models of a benchmark's files have in common."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

type Name = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""Of a metric, a field or a column."""


class StrictModel(BaseModel):
    """A frozen model without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
