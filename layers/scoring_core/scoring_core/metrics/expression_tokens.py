"""The words of an expression: text → tokens, each with its column."""

import math
import re
from dataclasses import dataclass
from enum import Enum, auto

_MAX_SHOWN = 40
_TOKEN = re.compile(
    r"(?P<NUMBER>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<NAME>[A-Za-z_][A-Za-z0-9_]*)"
    r"|'(?P<QUOTED>(?:[^']|'')*+)'"
    r"|(?P<SIGN>[-+*/(),\u2212\u00d7\u00f7])"
)
_SPACE = re.compile(r"\s*")
_TYPOGRAPHIC = str.maketrans({"\u2212": "-", "\u00d7": "*", "\u00f7": "/"})
_HINTS = {
    "'": "; a quoted name ends with a single quote",
    '"': "; quote names with single quotes",
    "\u2018": "; quote names with straight single quotes",
    "\u2019": "; quote names with straight single quotes",
    "^": "; there is no power: multiply, or take exp(y * log(x))",
}


class ExpressionError(ValueError):
    """An expression is wrong, and the owner of the benchmark can mend it.

    Args:
        message: What was expected and what was found.
        position: The column in the text, from 1; None where the whole is meant.
    """

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message if position is None else f"{message} (column {position})")
        self.message = message
        self.position = position


class TokenKind(Enum):
    """What a token is."""

    NUMBER = auto()
    NAME = auto()
    QUOTED = auto()
    SIGN = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class ExpressionToken:
    """One word of an expression.

    Args:
        kind: What it is.
        text: A number as written, a name without its quotes, an ASCII sign, or "" at the end.
        position: The column where it begins, from 1.
    """

    kind: TokenKind
    text: str
    position: int

    def is_sign(self, sign: str) -> bool:
        """Tell whether this is that sign."""
        return self.kind is TokenKind.SIGN and self.text == sign

    @property
    def shown(self) -> str:
        """The token as an error message shows it."""
        return "the end" if self.kind is TokenKind.END else _show(self.text)


def read_tokens(text: str) -> list[ExpressionToken]:
    """Cut a text into tokens; the last one is END.

    Raises:
        ExpressionError: A character begins no token, a quoted name is empty or does not end, a number is too large.

    >>> [token.text for token in read_tokens("2 * 'a b'")]
    ['2', '*', 'a b', '']
    """
    tokens = []
    start = _skip_space(text, 0)
    while start < len(text):
        found = _TOKEN.match(text, start)
        if found is None:
            raise ExpressionError(f"unexpected {_show(text[start])}{_hint(text[start])}", start + 1)
        tokens.append(_make_token(found))
        start = _skip_space(text, found.end())
    return [*tokens, ExpressionToken(TokenKind.END, "", len(text) + 1)]


def _make_token(found: re.Match[str]) -> ExpressionToken:
    kind = TokenKind[str(found.lastgroup)]
    text, position = found[kind.name], found.start() + 1
    match kind:
        case TokenKind.NUMBER if not math.isfinite(float(text)):
            raise ExpressionError(f"the number {_show(text)} is too large", position)
        case TokenKind.QUOTED if not text:
            raise ExpressionError("expected a name between the quotes, found none", position)
        case TokenKind.QUOTED:
            text = text.replace("''", "'")
        case TokenKind.SIGN:
            text = text.translate(_TYPOGRAPHIC)
    return ExpressionToken(kind, text, position)


def _skip_space(text: str, start: int) -> int:
    found = _SPACE.match(text, start)
    return found.end() if found else start


def _show(text: str) -> str:
    return repr(text) if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]!r}…"


def _hint(character: str) -> str:
    if character.isalpha():
        return "; a name with other letters than A to Z stands in single quotes"
    return _HINTS.get(character, "")
