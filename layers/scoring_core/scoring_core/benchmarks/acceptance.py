"""What the platform accepts as a result before a scorer sees it; `laurel check` asks the same of each example.

All of it without pydantic: it is part of a POST.
"""

from collections.abc import Sequence
from typing import NamedTuple

from scoring_core.errors import StrictJsonError
from scoring_core.io import strict_json
from scoring_core.io.formats import JSON, find_content_fault, format_of
from scoring_core.io.text import list_some
from scoring_core.scorers.base import describe


class AcceptedForm(NamedTuple):
    """What a benchmark accepts.

    Args:
        max_bytes: Limit of one result.
        takes: The formats of results, the first of which a file of another ending is read as.
        needs_part: Whether a submission must name its part, because one is scored at a time.
        parts: All parts of the benchmark.
    """

    max_bytes: int
    takes: Sequence[str]
    needs_part: bool
    parts: Sequence[str]


def find_refusal(content: bytes, form: AcceptedForm, *, part: str | None, file_format: str) -> str | None:
    """Return why no way to submit accepts these bytes as a result; None if one does."""
    if len(content) > form.max_bytes:
        return f"expected at most {form.max_bytes} bytes (submissions.max_bytes), found {len(content)}"
    if file_format not in form.takes:
        return f"expected {' or '.join(form.takes)} (submissions.takes), found {file_format}"
    return find_result_fault(content, file_format) or find_part_fault(part, form.parts, needs_part=form.needs_part)


def find_result_fault(content: bytes, file_format: str) -> str | None:
    """Return why bytes are no result of a format; None if they are one."""
    fault = find_content_fault(content, file_format)
    if fault is not None or file_format != JSON:
        return fault
    try:
        return find_value_fault(strict_json.loads(content))
    except StrictJsonError as error:
        return f"expected JSON: {error}"


def read_format(file: str, takes: Sequence[str]) -> str:
    """Return the format of a file: what its ending says, else JSON.

    Where JSON is not taken, it is the first that is.

    >>> read_format("result.csv", ["json", "csv"]), read_format("result", ["csv"])
    ('csv', 'csv')
    """
    return format_of(file) or (JSON if JSON in takes else takes[0])


def find_value_fault(value: object) -> str | None:
    """Return why a JSON value is no result; None if it is one."""
    return None if isinstance(value, dict | list) else f"expected an object or an array, found {describe(value)}"


def find_part_fault(part: str | None, parts: Sequence[str], *, needs_part: bool) -> str | None:
    """Return what is wrong with the part that a submission names; None if nothing is."""
    if part is None:
        return f"part: expected one of {list_some(parts)}, found none" if needs_part and parts else None
    if part in parts:
        return None
    expected = f"one of {list_some(parts)}" if parts else "none: this benchmark has no parts"
    return f"part: expected {expected}, found {part[:64]!r}"
