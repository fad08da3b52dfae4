"""The request for a file of submissions, and where the file is."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from submit.schemas.base import View


class DownloadRequest(BaseModel):
    """What the file contains."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    content: Literal["csv", "zip"] = Field(description="`csv`: a row for each submission; `zip`: the raw results, too.")
    after: str = Field(default="", pattern="^[0-9a-f-]{0,36}$", description="`next` of the file before.")


class Download(View):
    """A file of submissions in order of time, of those with an outcome under the current version."""

    url: str = Field(description="Where the file is, for 15 minutes.")
    expires_at: datetime
    submissions: int = Field(description="How many submissions the file has.")
    next: str | None = Field(description="The `after` of the file that follows; null at the end.")
