"""Display names and reasons: what may be shown, and which names look alike."""

import hashlib
import json
import re
import string
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from scoring_core.errors import LaurelError
from scoring_core.io.text import is_harmful

MAX_REASON_LENGTH = 300
_MAX_CHARACTER_BYTES = 12
"""The longest encoding of a character that is written in its parts; a longer text is rejected unread."""
RULES = json.loads(Path(__file__).with_name("names.json").read_text(encoding="utf-8"))
"""What the kit for games and the site's pages check, too. `invisible` is displayed as nothing: two names that look the
same would be two players; `blank` what the code charts show as blank, and the replacement characters,
which many fonts lack; `styles` only ask for a symbol's look; `viramas` let consonants join; letters in `joins_next`
have a form that joins the next one, those in `joins_last` one that joins the last one.

Sources: Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties.txt; RFC 5892, appendix A.1 and A.2; the flags
of Unicode Technical Standard 51, ED-14a; the Arabic presentation forms of UnicodeData.txt.
"""
MAX_NAME_LENGTH: int = RULES["max_length"]
_FAULTS: Mapping[str, str] = RULES["faults"]
_UNSEEN = re.compile(f"[{RULES['invisible']}{RULES['blank']}]")
_FLAG = "\U0001f3f4"
_TAGS = range(0xE0000, 0xE0080)
_FLAGS = tuple(
    f"{_FLAG}{''.join(chr(_TAGS.start + ord(letter)) for letter in region)}\U000e007f" for region in RULES["flags"]
)
_EDGES = RULES["spaces"] + "".join(map(chr, range(0xD800, 0xE000)))
"""What is dropped around a name: white space, and what is left of an emoji that a program has cut."""
# Marks that only join others and are not displayed themselves.
# Source: Indic_Syllabic_Category Invisible_Stacker and Number_Joiner of Unicode's IndicSyllabicCategory.txt, and the
# consonant joiner of Tifinagh.
_JOINERS = frozenset(
    "\u1039\u17d2\u1a60\u1bab\u2d7f\uaaf6\U00010a3f\U0001107f\U00011133\U000113d0\U0001193e\U00011a47\U00011a99"
    "\U00011d45\U00011d97\U00011f42"
)
_NON_JOINER, _JOINER = "\u200c", "\u200d"
_FIRST_PICTURE = 0x2190
_DOT_ABOVE = "\u0307"
_DECORATIONS = ("COMBINING ", "MODIFIER LETTER ", "ARABIC TATWEEL", "NKO LAJANYALAN")
_MAX_MARKS = 3
_WORD = re.compile(r"[^\W_]+")
_NUMBERED = re.compile(r"(?:(?<= )\S(?= ?\w{1,64}$)|\S(?= ?[0-9]{1,64}$))")
_ZALGO = re.compile("M" * (_MAX_MARKS + 1))


class InvalidName(LaurelError):
    """A name or a reason that may not be shown; the message says what was expected."""

    @classmethod
    def of(cls, fault: str) -> "InvalidName":
        """Return the error of a fault of a name, one of `faults` in the rules."""
        return cls(_FAULTS[fault])


def check_name(name: str) -> str:
    """Return a display name as it is stored and shown. Raises InvalidName.

    It is NFKC, white space and half an emoji at the ends dropped, white space collapsed, 1-64 code points, none of them
    control, format, surrogate, private, unassigned or invisible, no mark after a character of another script. Joiners
    stay where a script or an emoji needs them, and tags in the flags that have some; the selector of an emoji's style
    is dropped. A name of symbols alone is rejected: nobody could say or find it, and some look like marks of the site.
    """
    if any(map(_is_loose_accent, name)):
        raise InvalidName.of("accent")
    shown = _check_shown(_drop_style(name), max_length=MAX_NAME_LENGTH, noun="name")
    _check_marks(shown)
    return shown


def label_player(name: str, *, verified: bool) -> str:
    """Return a player's name for where it stands alone: `Ada`, or `Ada (guest)`."""
    return name if verified or name == "guest" else f"{name} (guest)"


def claims_rank(name: str) -> bool:
    """Return whether a checked name seems to claim to be verified or an admin's.

    `Unofficial Bob` does not.
    """
    words = {word: find_skeleton(word) for word in _WORD.findall(drop_joiners(name))}
    claimed = _WORD.sub(lambda word: "" if words[word[0]] in _find_all("no_ranks") else word[0], drop_joiners(name))
    skeleton = find_skeleton(claimed)
    return not _find_all("ranks").isdisjoint(words.values()) or any(
        part in skeleton for part in _find_all("rank_parts")
    )


def check_reason(reason: str) -> str:
    """Return a public reason as it is stored and shown. Raises InvalidName."""
    return _check_shown(reason, max_length=MAX_REASON_LENGTH, noun="reason")


def _check_shown(text: str, *, max_length: int, noun: str) -> str:
    if len(text.encode("utf-8", "surrogatepass")) > max_length * _MAX_CHARACTER_BYTES:
        raise InvalidName(f"expected at most {max_length} characters")
    text = text.strip(_EDGES)
    shown = " ".join(unicodedata.normalize("NFKC", text).split())
    harmful = next(filter(_is_harmful, _drop_tags(drop_joiners(text))), None) or _find_loose_joiner(shown)
    if harmful is not None and unicodedata.category(harmful) == "Cs":
        raise InvalidName.of("half")
    if harmful is not None:
        raise InvalidName(
            f"this {noun} contains an invisible character (U+{ord(harmful):04X}); remove it, or use letters"
        )
    if len(shown) > max_length:
        raise InvalidName(f"expected at most {max_length} characters, found {len(shown)}")
    if all(unicodedata.category(character)[0] in "CMZPS" for character in shown):
        raise InvalidName.of("letters")
    if _ZALGO.search("".join("M" if unicodedata.category(character)[0] == "M" else "." for character in shown)):
        raise InvalidName.of("marks")
    return shown


def _drop_style(text: str) -> str:
    kept: list[str] = []
    for character in text:
        last = kept[-1] if kept else ""
        is_emoji = last != "" and (last in RULES["keycaps"] or unicodedata.category(last)[0] == "S")
        if not (character in RULES["styles"] and is_emoji):
            kept.append(character)
    return "".join(kept)


def drop_joiners(text: str) -> str:
    """Return a text without the joiners, which do not tell names apart.

    >>> len(drop_joiners("\u0645\u06cc\u200c\u0631"))
    3
    """
    return text.replace(_NON_JOINER, "").replace(_JOINER, "")


def _find_loose_joiner(text: str) -> str | None:
    """Return the first joiner between characters that no script and no emoji joins.

    Source: RFC 5892, appendix A.1 and A.2, and more narrowly: a letter follows directly, or the word ends, as the
    chillus of Malayalam were written before 2008. Emoji: UTS 51, ED-16.
    """
    for index, character in enumerate(text):
        if character in {_NON_JOINER, _JOINER}:
            before, after = text[:index], text[index + 1 : index + 2]
            if not before or not _needs_joiner(before, character, after):
                return character
    return None


def _needs_joiner(before: str, joiner: str, after: str) -> bool:
    last = before[-1]
    if last in RULES["viramas"]:
        is_end = after == "" or unicodedata.category(after)[0] in "ZP"
        return joiner == _JOINER if is_end else unicodedata.category(after) == "Lo"
    if after == "":
        return False
    if joiner == _JOINER:
        return all(
            unicodedata.category(each) in {"So", "Sk", "Sm"} and ord(each) >= _FIRST_PICTURE for each in (last, after)
        )
    letter = next((each for each in reversed(before) if unicodedata.category(each) != "Mn"), " ")
    return letter in RULES["joins_next"] and after in RULES["joins_last"]


def find_skeleton(name: str) -> str:
    """Return the skeleton of a checked name, which all names that look like it share.

    That of Unicode Technical Standard 39, case-folded, without decoration, and with small capitals as capitals, so that
    `ANNA` is `anna`, `lris` is `Iris`, `Iris ✓` is `Iris`, and `ʜeron` is `Heron`. Nor do dots above tell names apart,
    which `i` and `j` have anyway. Names that differ may share it too.
    """
    name = drop_joiners(name)
    text = _spell_capitals(_undecorated(name) or name)
    for _ in range(2):  # what a letter looks like may have another case, and that may look like another letter
        text = _resemble(text).casefold()
    for letter in "IO":  # these two look like a digit, but not in the other case
        text = text.replace(letter.lower(), _resemble(letter))
    text = text.replace(_DOT_ABOVE, "")
    return _bare(_undecorated(text) or text)


def hash_skeleton(name: str) -> str:
    """Return the SHA-256 of a skeleton, in hexadecimal.

    A key has at most 2 KB, and one character may look like many.
    """
    return hashlib.sha256(find_skeleton(name).encode()).hexdigest()


def is_numbered(name: str) -> bool:
    """Return whether a checked name ends as `Ada ·2` does, or looks so."""
    return any(_resemble(mark) == _resemble("·") for mark in _NUMBERED.findall(drop_joiners(name)))


def _is_loose_accent(character: str) -> bool:
    """Return whether a symbol is spelt with a mark; others stay as NFKC spells them."""
    spelt = unicodedata.normalize("NFKC", character)
    return unicodedata.category(character)[0] == "S" and any(unicodedata.category(each)[0] == "M" for each in spelt)


def _drop_tags(text: str) -> str:
    for flag in _FLAGS:
        text = text.replace(flag, _FLAG)
    return text


def _check_marks(name: str) -> None:
    """Reject a mark after a letter of another script: many fonts do not display it."""
    script = ""
    for character in name:
        own = unicodedata.name(character, "").partition(" ")[0]
        if unicodedata.category(character)[0] != "M":
            script = own
        elif own not in {"COMBINING", script}:
            raise InvalidName.of("accent")


def _is_harmful(character: str) -> bool:
    return is_harmful(character) or _UNSEEN.match(character) is not None


def _undecorated(text: str) -> str:
    """Drop spaces, punctuation, symbols, and marks and modifiers that only decorate."""
    letters = "".join(character for character in unicodedata.normalize("NFC", text) if not _decorates(character))
    return unicodedata.normalize("NFD", letters)


def _decorates(character: str) -> bool:
    category = unicodedata.category(character)
    if ord(character) in _TAGS:
        return True
    if category in {"Lm", "Mn", "Mc", "Me"}:
        return character in _JOINERS or unicodedata.name(character, "").startswith(_DECORATIONS)
    return category[0] in "SPZ"


def _spell_capitals(text: str) -> str:
    """Replace what is drawn as a capital by the capital."""
    return unicodedata.normalize("NFD", text).translate(_capitals())


def _resemble(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFD", decomposed.translate(_confusables()))


def _bare(text: str) -> str:
    return "".join(character for character in text if unicodedata.category(character)[0] not in "ZP") or text


@cache
def _find_all(rule: str) -> frozenset[str]:
    """Return the skeletons of the words of a rule."""
    return frozenset(map(find_skeleton, RULES[rule]))


@cache
def _capitals() -> dict[int, str]:
    """Return the capital of each small one, and of what looks like such.

    Source: the names of Unicode's UnicodeData.txt; neither `casefold` nor Unicode Technical Standard 39 has them.
    """
    drawn: dict[str, str] = {}
    for capital in string.ascii_uppercase:
        with suppress(KeyError):  # there is no small capital X
            character = unicodedata.lookup(f"LATIN LETTER SMALL CAPITAL {capital}")
            drawn |= {character: capital, _confusables().get(ord(character), character): capital}
    drawn = {character: capital for character, capital in drawn.items() if not character.isascii()}
    alike = {code: drawn[other] for code, other in _confusables().items() if other in drawn}
    return alike | {ord(character): capital for character, capital in drawn.items()}


@cache
def _confusables() -> dict[int, str]:
    """Read, once, the replacement of each character that looks like another."""
    words = Path(__file__).with_name("confusables.txt").read_text(encoding="utf-8").split()
    return dict(zip(map(ord, words[::2]), words[1::2], strict=True))
