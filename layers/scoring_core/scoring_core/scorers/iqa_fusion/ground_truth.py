"""The ground truth of `iqa_fusion`: mean opinion scores and right letters, by id."""

from collections.abc import Iterator
from dataclasses import dataclass

from scoring_core.errors import EvaluatorError, StrictJsonError
from scoring_core.io import strict_json
from scoring_core.io.text import shorten
from scoring_core.scorers.base import Json, pointer
from scoring_core.scorers.iqa_fusion.submission import Level, QueryType, read_number

_MAX_MOS = 1e9
_SHOWN_LENGTH = 200


@dataclass(frozen=True, slots=True)
class OpinionsAndLetters:
    """For each id its mean opinion score, or the right letter of its question.

    Args:
        mos: Id → mean opinion score, finite, on the owner's scale.
        letters: Id → right letter, A to Z.
    """

    mos: dict[str, float]
    letters: dict[str, str]

    def __len__(self) -> int:
        return len(self.mos) + len(self.letters)

    def __iter__(self) -> Iterator[str]:
        yield from self.mos
        yield from self.letters

    def __contains__(self, id_: object) -> bool:
        return id_ in self.mos or id_ in self.letters

    def query_type(self, id_: str) -> QueryType | None:
        """Return the type of the query of this id, if the id is known."""
        if id_ in self.mos:
            return QueryType.SCORING
        return QueryType.MCQ if id_ in self.letters else None

    @property
    def is_on_level_scale(self) -> bool:
        """True if every opinion score is in [1, 5], so that a quality can be subtracted from it."""
        return all(Level.BAD <= mos <= Level.EXCELLENT for mos in self.mos.values())


def read_truth(data: bytes) -> OpinionsAndLetters:
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
    truth = OpinionsAndLetters({}, {})
    for id_, entry in value.items():
        match entry:
            case {"mos": mos, **rest} if not rest:
                truth.mos[id_] = _check_mos(mos, _point(id_, "mos"))
            case {"answer": answer, **rest} if not rest:
                truth.letters[id_] = _check_letter(answer, _point(id_, "answer"))
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
