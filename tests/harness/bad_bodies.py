"""Bytes that are no strict JSON: one table for the reader, the API and the batches."""

from typing import NamedTuple


class BadBody(NamedTuple):
    """Bytes, what is wrong with them, and where."""

    body: bytes
    message: str
    position: str


BAD_BODIES = tuple(
    BadBody(*row)
    for row in (
        (b"", "empty: expected a JSON value", ""),
        (b" \n", "empty: expected a JSON value", ""),
        (b"\xef\xbb\xbf\xef\xbb\xbf{}", "a second byte order mark", "line 1, column 1"),
        (b"\xef\xbb\xbf", "empty: expected a JSON value", ""),
        ('{"a": 1}'.encode("utf-16"), "not UTF-8 (byte 0): this is UTF-16: save it as JSON in UTF-8", ""),
        ('{"a": 1}'.encode("utf-16-le"), "this is UTF-16: save it as UTF-8", "line 1, column 2"),
        (b"\x1f\x8b\x08", "not UTF-8 (byte 1): this is gzip: unpack it first", ""),
        (b'{"cash": 12,5}', "a decimal comma is written as a point", "line 1, column 13"),
        (b'"\xff"', "not UTF-8 (byte 1)", ""),
        (b'"\xed\xa0\x80"', "not UTF-8 (byte 1)", ""),
        (b"NaN", "NaN is no JSON number", "line 1, column 1"),
        (b'{"NaN": "Infinity",\n "b": [Infinity]}', "Infinity is no JSON number", "line 2, column 8"),
        (b"[1, -Infinity]", "-Infinity is no JSON number", "line 1, column 5"),
        (b'["1e400", 1e400]', "1e400 is too large for a double", "line 1, column 11"),
        (b"-1E+400", "-1E+400 is too large for a double", "line 1, column 1"),
        (b"1" * 250 + b"e99", "1" * 40 + " is too large for a double", "line 1, column 1"),
        (b"1" * 400 + b".0", "1" * 40 + " is too large for a double", "line 1, column 1"),
        (b"[" + b"1" * 5000 + b"]", "a number of 5000 characters: at most 1000", "line 1, column 2"),
        (b"0." + b"1" * 5000, "a number of 5002 characters: at most 1000", "line 1, column 1"),
        (b'{"a": 1, "a": 2}', "the key 'a' is there twice", "line 1, column 10"),
        (b'{"a": 1,\n "\\u0061": 1}', "the key 'a' is there twice", "line 2, column 2"),
        (b'{"a" : 1, "b": "a:b", "a" : 1}', "the key 'a' is there twice", "line 1, column 23"),
        (b'[{"a": 1}, {"b": {"a": 1, "a": 1}}]', "the key 'a' is there twice", "line 1, column 27"),
        (b'{"": 1, "": 1}', "the key '' is there twice", "line 1, column 9"),
        (b'["\\ud800"]', "a lone surrogate: expected pairs that form a character", "line 1, column 3"),
        (b'["\xc3\xa9", "\\uDE00"]', "a lone surrogate: expected pairs that form a character", "line 1, column 8"),
        (b'"\\ud83d\\ud83d\\ude00"', "a lone surrogate: expected pairs that form a character", "line 1, column 2"),
        (b'"\\ud83d x"', "a lone surrogate: expected pairs that form a character", "line 1, column 2"),
        (b'{"\\udfff": 1}', "a lone surrogate: expected pairs that form a character", "line 1, column 3"),
        (b'"\\ude00\\ud83d"', "a lone surrogate: expected pairs that form a character", "line 1, column 2"),
        (b'{"a": 1', "expecting ',' delimiter", "line 1, column 8"),
        (b"{'a': 1}", "expecting property name enclosed in double quotes", "line 1, column 2"),
        ("{“a”: 1}".encode(), '“ is no quotation mark of JSON: write "', "line 1, column 2"),
        ('{"a":\n „x“}'.encode(), '„ is no quotation mark of JSON: write "', "line 2, column 2"),
        (b"[1]\n[2]", "extra data", "line 2, column 1"),
        (b'"a\x01"', "invalid control character at", "line 1, column 3"),
        (b"01", "extra data", "line 1, column 2"),
        (b'"open', "unterminated string", "line 1, column 1"),
    )
)
