"""`full_duplex`: ZIP results, as friends and as enemies pack them."""

import json
import zipfile
from collections.abc import Callable

import pytest

from scoring_core.errors import InvalidResult
from scoring_core.scorers.base import Evaluation, ScorerInputs
from scoring_core.scorers.full_duplex import FullDuplexParameters
from scoring_core.scorers.full_duplex.scoring import prepare
from scoring_core.scorers.full_duplex.submission import FIELDS, FILE_NAMES, LANGUAGES, MAX_TOTAL_BYTES
from tests.harness.archives import zip_files

CONTENT = {category: json.dumps(dict.fromkeys(fields, 0.5)).encode() for category, fields in FIELDS.items()}


def name_plainly(language: str, category: str) -> str:
    """Name a file as the source does."""
    return f"exp/7/score/{language}/{category}/{category}_all.json"


def name_loosely(language: str, category: str) -> str:
    """Name a file with another case, and with `_` for spaces."""
    spelt = category.replace(" ", "_").upper()
    return f"{language.upper()}/{spelt.title()}/{spelt}_all.JSON"


def pack(
    name_file: Callable[[str, str], str] = name_plainly, extra: dict[str, bytes] | None = None, method: int = 8
) -> bytes:
    """Pack the 20 files, and others."""
    files = {name_file(language, category): CONTENT[category] for language, category in FILE_NAMES}
    return zip_files(files | (extra or {}), method)


def score(data: bytes) -> Evaluation:
    """Score a ZIP."""
    (evaluation,) = prepare(ScorerInputs(FullDuplexParameters()))(data)
    return evaluation


def refuse(data: bytes) -> str:
    """Score a ZIP that must be refused, and give the message."""
    with pytest.raises(InvalidResult) as caught:
        score(data)
    return caught.value.message


PLAIN = pack()
EXPECTED = prepare(ScorerInputs(FullDuplexParameters()))(
    json.dumps(
        {lang: {category: dict.fromkeys(fields, 0.5) for category, fields in FIELDS.items()} for lang in LANGUAGES}
    ).encode()
)[0]


@pytest.mark.parametrize(
    "data",
    [
        PLAIN,
        pack(name_loosely),
        pack(lambda language, category: f"{language}/{category}/{category}_all.json"),
        pack(lambda language, category: f"./a b/{language}/{category}/{category}_all.json"),
        pack(method=zipfile.ZIP_STORED),
        pack(extra={"README.md": b"\xff", "cn/Topic Switching/": b"", "__MACOSX/cn/x/._x_all.json": b"\0"}),
        pack(extra={"cn/Topic Switching/Pause Handling_all.json": b"?", "Topic Switching_all.json": b"?"}),
    ],
    ids=["plain", "other spelling", "no folder before", "a dot before", "stored", "other files", "other names"],
)
def test_a_zip_is_worth_what_its_json_is(data: bytes) -> None:
    """The 20 files count the same however they are packed, and other files are ignored."""
    assert score(data) == EXPECTED


def test_an_empty_archive() -> None:
    """An archive without entries lacks all 20 files."""
    assert "missing files: cn/Follow-up Questions, " in refuse(zip_files({}))


def test_two_entries_for_one_file() -> None:
    """Two entries that mean the same file are refused, and both are named."""
    message = refuse(pack(extra={"other/CN/follow-up_questions/Follow-Up Questions_all.json": b"{}"}))

    assert "two entries are the same file" in message
    assert "'exp/7/score/cn/Follow-up Questions/Follow-up Questions_all.json'" in message
    assert "'other/CN/follow-up_questions/Follow-Up Questions_all.json'" in message


def test_a_bomb_in_another_file_is_not_unpacked() -> None:
    """What is ignored may be of any size."""
    assert score(pack(extra={"video.bin": b" " * (MAX_TOTAL_BYTES + 1)})) == EXPECTED


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "expected JSON: empty"),
        (b'{"a": NaN}', "expected JSON: NaN is no JSON number"),
        (b"[]", "cn/Follow-up Questions: expected an object, found an array"),
    ],
)
def test_a_file_that_is_no_json_object(content: bytes, message: str) -> None:
    """Every file is one strict JSON object, and the message names the one that is not."""
    assert message in refuse(pack(extra={name_plainly("cn", "Follow-up Questions"): content}))
