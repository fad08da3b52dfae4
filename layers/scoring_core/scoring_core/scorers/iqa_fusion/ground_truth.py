"""The ground truth of `iqa_fusion`: mean opinion scores and right letters, by id."""

from scoring_core.errors import EvaluatorError, StrictJsonError
from scoring_core.io import strict_json
from scoring_core.io.text import shorten, text_key
from scoring_core.scorers.base import Json, pointer
from scoring_core.scorers.iqa_fusion.submission import read_number

_MAX_MOS = 1e9
_SHOWN_LENGTH = 200


type Truth = dict[str, float | str]
"""Id, as `text_key` has it → mean opinion score on the owner's scale (finite), or the right letter (A to Z)."""


def read_truth(data: bytes) -> Truth:
    """Read a ground truth.

    Args:
        data: JSON, id → `{"mos": number}` or `{"answer": letter}`; at least one id.

    Raises:
        EvaluatorError: With the pointer of what is wrong, but not its value: messages end up in logs.
    """
    try:
        value = strict_json.loads(data)
    except StrictJsonError as error:
        raise EvaluatorError(f"ground truth: expected strict JSON: {error}") from error
    if not isinstance(value, dict) or not value:
        raise EvaluatorError('ground truth: expected a JSON object that maps ids to {"mos": …} or {"answer": …}')
    truth: Truth = {}
    for id_, entry in value.items():
        key = text_key(id_)
        if id_ != id_.strip() or key in truth:
            expected = (
                "no white space around an id" if id_ != id_.strip() else "each id once, in one form of its letters"
            )
            raise EvaluatorError(f"ground truth: expected {expected} at {_point(id_)}")
        match entry:
            case {"mos": mos, **rest} if not rest:
                truth[key] = _check_mos(mos, _point(id_, "mos"))
            case {"answer": answer, **rest} if not rest:
                truth[key] = _check_letter(answer, _point(id_, "answer"))
            case _:
                raise EvaluatorError(
                    f'ground truth: expected {{"mos": number}} or {{"answer": letter}} at {_point(id_)}'
                )
    return truth


def _point(*steps: str) -> str:
    return shorten(pointer(*steps), _SHOWN_LENGTH)


def _check_mos(value: Json, at: str) -> float:
    mos = read_number(value)
    if mos is None or abs(mos) > _MAX_MOS:
        raise EvaluatorError(f"ground truth: expected a number within a billion of 0 at {at}")
    return mos


def _check_letter(value: Json, at: str) -> str:
    letter = value.strip().upper() if isinstance(value, str) else ""
    if len(letter) != 1 or not "A" <= letter <= "Z":
        raise EvaluatorError(f"ground truth: expected one letter, A to Z, at {at}")
    return letter
