"""Errors of uploads, with the codes and messages of S3, as its clients read them."""

from typing import Final
from xml.sax.saxutils import escape

from werkzeug.wrappers import Response

_ERRORS: Final = {
    "AccessDenied": (403, "{}"),
    "AuthorizationHeaderMalformed": (400, "The authorization header is malformed"),
    "EntityTooLarge": (400, "Your proposed upload exceeds the maximum allowed size"),
    "EntityTooSmall": (400, "Your proposed upload is smaller than the minimum allowed size"),
    "IncorrectNumberOfFilesInPostRequest": (400, "POST requires exactly one file upload per request."),
    "InvalidAccessKeyId": (403, "The AWS Access Key Id you provided does not exist in our records."),
    "InvalidArgument": (400, "{}"),
    "InvalidPolicyDocument": (400, "Invalid Policy: {}"),
    "MalformedPOSTRequest": (400, "The body of your POST request is not well-formed multipart/form-data."),
    "MaxPostPreDataLengthExceededError": (400, "Your POST request fields preceding the upload file were too large."),
    "MethodNotAllowed": (405, "The specified method is not allowed against this resource."),
    "MissingContentLength": (411, "You must provide the Content-Length HTTP header."),
    "NotImplemented": (501, "A header or query you provided implies functionality that is not implemented: {}"),
    "PreconditionFailed": (412, "At least one of the pre-conditions you specified did not hold"),
    "RequestTimeTooSkewed": (403, "The difference between the request time and the current time is too large."),
    "SignatureDoesNotMatch": (403, "The request signature we calculated does not match the signature you provided."),
}
"""Code → HTTP status and message."""


class UploadError(Exception):
    """A request is rejected.

    Args:
        code: S3's name of the error.
        detail: Completes the message of the code.
        status: The HTTP status, if not the usual one of the code.
        more: Further elements of the answer.
    """

    def __init__(self, code: str, detail: str = "", *, status: int = 0, **more: object) -> None:
        usual, message = _ERRORS[code]
        self.status, self.code, self.message, self.more = status or usual, code, message.format(detail), more
        super().__init__(f"{code}: {self.message}")

    def to_response(self) -> Response:
        """Return S3's answer."""
        elements = {"Code": self.code, "Message": self.message, **self.more}
        inner = "".join(f"<{name}>{_to_text(value)}</{name}>" for name, value in elements.items())
        body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error>{inner}</Error>'
        return Response(body, self.status, mimetype="application/xml")


def missing_field(name: str) -> UploadError:
    """Return the error for a form without this field before its file."""
    message = f"Bucket POST must contain a field named '{name}'. If it is specified, check the order of the fields."
    return UploadError("InvalidArgument", message, ArgumentName=name, ArgumentValue="")


def _to_text(value: object) -> str:
    return escape("".join(char if char.isprintable() else "\ufffd" for char in str(value)))
