"""The policy of a presigned POST, checked as S3 checks it.

Source: AWS, "Authenticating Requests: Browser-Based Uploads Using POST" and "POST Policy" (Amazon S3 API Reference).
"""

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from local.uploads.errors import UploadError, missing_field
from local.uploads.signatures import ALGORITHM, Credentials, read_date

MAX_FILE_BYTES: Final = 5 * 2**30
_SIGNATURE_FIELDS: Final = ("x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-signature")
_UNNAMED: Final = frozenset({"file", "policy", "x-amz-signature"})
"""Fields that need no condition."""


class SizeRange(NamedTuple):
    """The limits of a file's size in bytes, both included."""

    least: int
    most: int

    def check(self, size_bytes: int) -> None:
        """Raise UploadError for a file of another size."""
        if size_bytes > self.most:
            raise UploadError("EntityTooLarge", ProposedSize=size_bytes, MaxSizeAllowed=self.most)
        if size_bytes < self.least:
            raise UploadError("EntityTooSmall", ProposedSize=size_bytes, MinSizeAllowed=self.least)


def check_policy(fields: Mapping[str, str], *, bucket: str, credentials: Credentials, now: datetime) -> SizeRange:
    """Check the fields of a form against the policy among them.

    Args:
        fields: The fields before the file, names in lower case, `${filename}` replaced.
        bucket: The bucket that the form was sent to.
        credentials: The key that must have signed the policy.
        now: The time, in UTC.

    Returns:
        The limits of the file's size.

    Raises:
        UploadError: S3 would reject the form.
    """
    if "policy" not in fields:
        raise UploadError("AccessDenied", "Access Denied")
    _check_signature(fields, credentials)
    policy = _read_policy(fields["policy"])
    if _read_expiration(policy) <= now:
        raise _violation("Policy expired.")
    conditions = list(_read_conditions(policy))
    values = {**fields, "bucket": bucket}
    if fields.get("bucket", bucket) != bucket:
        raise _violation(f"Policy Condition failed: {_Condition('eq', 'bucket', bucket)}")
    size = SizeRange(0, MAX_FILE_BYTES)
    for condition in conditions:
        if condition.operator == "content-length-range":
            size = SizeRange(max(size.least, condition.least), min(size.most, condition.most))
        elif not condition.holds(values.get(condition.field, "")):
            raise _violation(f"Policy Condition failed: {condition}")
    named = _UNNAMED | {condition.field for condition in conditions if condition.operator != "content-length-range"}
    extra = [name for name in fields if name not in named and not name.startswith("x-ignore-")]
    if extra:
        raise _violation(f"Extra input fields: {', '.join(sorted(extra))}")
    return size


class _Condition(NamedTuple):
    """A condition on a field's value or on the file's size."""

    operator: str
    field: str = ""
    expected: str = ""
    least: int = 0
    most: int = 0

    def holds(self, value: str) -> bool:
        if self.operator == "eq":
            return value == self.expected
        # Every media type of a list must match.
        values = value.split(",") if self.field == "content-type" else [value]
        return all(each.startswith(self.expected) for each in values)

    def __str__(self) -> str:
        return json.dumps([self.operator, f"${self.field}", self.expected])


def _check_signature(fields: Mapping[str, str], credentials: Credentials) -> None:
    for name in _SIGNATURE_FIELDS:
        if name not in fields:
            raise missing_field(name)
    if fields["x-amz-algorithm"] != ALGORITHM:
        raise UploadError("InvalidArgument", f"expected the algorithm {ALGORITHM}")
    scope = credentials.find_scope(fields["x-amz-credential"])
    if scope is None:
        raise UploadError("InvalidAccessKeyId")
    date = fields["x-amz-date"]
    if read_date(date) is None or not date.startswith(scope.date) or scope.service != "s3":
        raise UploadError("InvalidArgument", "expected the credential's own date and service")
    if not credentials.has_signed(fields["policy"], scope, fields["x-amz-signature"]):
        raise UploadError("SignatureDoesNotMatch")


def _read_policy(text: str) -> dict[str, Any]:
    try:
        policy = json.loads(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError, RecursionError) as error:
        raise UploadError("InvalidPolicyDocument", "Invalid JSON.") from error
    if not isinstance(policy, dict):
        raise UploadError("InvalidPolicyDocument", "Invalid JSON.")
    return policy


def _read_expiration(policy: Mapping[str, Any]) -> datetime:
    try:
        expiration = datetime.fromisoformat(policy["expiration"])
    except (KeyError, TypeError, ValueError) as error:
        raise UploadError("InvalidPolicyDocument", "Invalid expiration.") from error
    return expiration if expiration.tzinfo else expiration.replace(tzinfo=UTC)


def _read_conditions(policy: Mapping[str, Any]) -> Iterator[_Condition]:
    conditions = policy.get("conditions")
    if not isinstance(conditions, list):
        raise UploadError("InvalidPolicyDocument", "Missing conditions.")
    for written in conditions:
        match _expand(written):
            case ["content-length-range", int(least), int(most)]:
                yield _Condition("content-length-range", least=least, most=most)
            case ["eq" | "starts-with" as operator, str(name), str(expected)] if name.startswith("$"):
                yield _Condition(operator, name[1:].lower(), expected)
            case _:
                raise UploadError("InvalidPolicyDocument", f"Invalid condition: {json.dumps(written)}")


def _expand(condition: Any) -> Any:
    """Return `{"key": value}` as `["eq", "$key", value]`; others unchanged."""
    if isinstance(condition, dict) and len(condition) == 1:
        ((name, expected),) = condition.items()
        return ["eq", f"${name}", expected]
    return condition


def _violation(detail: str) -> UploadError:
    return UploadError("AccessDenied", f"Invalid according to Policy: {detail}")
