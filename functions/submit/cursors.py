"""Cursors: positions in a list, in an opaque form that is bound to that list."""

import base64
import hashlib
from collections.abc import Sequence
from http import HTTPStatus

from storage.ids import is_submission_id
from submit.problems import Problem

_DIGEST_LENGTH = 16
_MAX_POSITION = 128


def make_cursor(position: str, *, scope: Sequence[str]) -> str:
    """Give the opaque form of a position.

    It is bound to its list by a digest, not by a secret: who may read the list is asked each time, a forger gains
    nothing.

    Args:
        position: Sort key of the submissions table.
        scope: What names the list.
    """
    digest = hashlib.sha256("\n".join([position, *scope]).encode()).hexdigest()[:_DIGEST_LENGTH]
    return base64.urlsafe_b64encode(f"{position}.{digest}".encode()).decode().rstrip("=")


def read_cursor(cursor: str, *, scope: Sequence[str]) -> str:
    """Give the position that a cursor stands for. Raises Problem, 400: it is not one of this list."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except ValueError as error:
        raise _foreign_cursor() from error
    position = text.rpartition(".")[0]
    is_ours = is_submission_id(position.partition("#")[0]) and len(position) <= _MAX_POSITION
    # Made again and compared as a whole: a cursor has one spelling.
    if not is_ours or make_cursor(position, scope=scope) != cursor:
        raise _foreign_cursor()
    return position


def _foreign_cursor() -> Problem:
    detail = "cursor: expected `next` of the page before, of the same list"
    return Problem(HTTPStatus.BAD_REQUEST, "invalid-cursor", detail, [{"parameter": "cursor", "detail": detail}])
