"""Names that people type: what the API takes, and that the kit and the pages check by the same rules."""

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from handlers.http.submitters import check_guest_name
from scripts.frontend.generate_types import NAMES as NAMES_OF_THE_KIT
from scripts.frontend.generate_types import write_rules
from storage.players.names import RULES, InvalidName, check_name, find_skeleton

NAMES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "cases/kit-refused-name/names.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("row", NAMES, ids=lambda row: ascii(row["name"]))
def test_guest_name_is_taken_or_rejected_in_words(row: dict[str, Any]) -> None:
    """A name of the table, which the kit's test reads too, is shown as it says, or has its fault in plain words."""
    try:
        shown, message = check_guest_name(row["name"]), None
    except InvalidName as error:
        shown, message = None, re.sub(r" \(U\+[0-9A-F]{4,6}\)|, found \d+$", "", str(error))

    assert (shown, message) == (row["shown"], RULES["faults"].get(row["fault"]))


def test_flags_of_parts_of_a_country_decorate() -> None:
    """Such a flag makes no name another one to see, as other flags do not."""
    flag, other = (name["name"] for name in NAMES if "\U000e007f" in name["name"] and name["shown"])

    assert find_skeleton(check_name(flag)) == find_skeleton("Ana")
    assert find_skeleton(check_name(other)) == find_skeleton("Rhys")


def test_rules_are_those_of_unicode() -> None:
    """The characters that the rules list are those of this Python's tables."""
    every = [chr(code) for code in range(0x110000)]
    forms = [unicodedata.decomposition(chr(code)).split() for code in range(0xFB50, 0xFF00)]
    letters = {
        name: {chr(int(form[1], 16)) for form in forms if form[:1] == [name] and len(form) == 2}
        for name in ("<initial>", "<final>")
    }

    assert set(RULES["viramas"]) == {each for each in every if unicodedata.combining(each) == 9}
    assert set(RULES["spaces"]) == {each for each in every if each.isspace()}
    assert (set(RULES["joins_next"]), set(RULES["joins_last"])) == (letters["<initial>"], letters["<final>"])


def test_kit_has_the_rules_of_the_api() -> None:
    """`sdk/names.js`, which pages import too, has the API's rules; `make types` writes them."""
    script = NAMES_OF_THE_KIT.read_text(encoding="utf-8")

    assert script == write_rules(script)
    assert json.dumps(RULES) in script
