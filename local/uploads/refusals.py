"""Refusals in the words of S3, as its clients read them."""

from http import HTTPStatus
from xml.sax.saxutils import escape

from werkzeug.wrappers import Response


class Refused(Exception):
    """A request is refused.

    Args:
        status: Of HTTP.
        code: S3's name of the error.
        message: What is wrong.
        more: Further elements of the answer.
    """

    def __init__(self, status: HTTPStatus, code: str, message: str, **more: object) -> None:
        super().__init__(f"{code}: {message}")
        self.status = status
        self.code = code
        self.message = message
        self.more = more

    def to_response(self) -> Response:
        """Return S3's answer."""
        elements = {"Code": self.code, "Message": self.message, **self.more}
        inner = "".join(f"<{name}>{_to_text(value)}</{name}>" for name, value in elements.items())
        body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error>{inner}</Error>'
        return Response(body, self.status, mimetype="application/xml")


def denied(message: str = "Access Denied") -> Refused:
    """Return 403 AccessDenied."""
    return Refused(HTTPStatus.FORBIDDEN, "AccessDenied", message)


def unknown_key() -> Refused:
    """Return the refusal of a signature by another key, or in another form."""
    message = "The AWS Access Key Id you provided does not exist in our records."
    return Refused(HTTPStatus.FORBIDDEN, "InvalidAccessKeyId", message)


def wrong_signature() -> Refused:
    """Return the refusal of a signature that is not that of what was sent."""
    message = "The request signature we calculated does not match the signature you provided."
    return Refused(HTTPStatus.FORBIDDEN, "SignatureDoesNotMatch", message)


def missing_field(name: str) -> Refused:
    """Return the refusal of a form that lacks a field before its file."""
    message = f"Bucket POST must contain a field named '{name}'. If it is specified, check the order of the fields."
    more = {"ArgumentName": name, "ArgumentValue": ""}
    return Refused(HTTPStatus.BAD_REQUEST, "InvalidArgument", message, **more)


def _to_text(value: object) -> str:
    return escape("".join(char if char.isprintable() else "\ufffd" for char in str(value)))
