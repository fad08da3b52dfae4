"""Guests: how names are folded into ids, and which names may be shown."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.http import submitters
from handlers.http.problems import Problem
from storage.players.names import InvalidName, check_name, find_skeleton
from storage.players.players import is_guest_id, is_player_id
from storage.submissions.models import NAMELESS, PlayerKind, find_owner
from tests.harness.factories import GUEST_SECRET, name_guest

SEEN = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "No"})
"""Categories of what a font draws by itself: letters and digits."""
ALIKE = frozenset({"Cn", "Co", "Cs", "Lo"})
"""Categories whose many characters are handled alike: unassigned, private, surrogates, letters without case."""
SHARE = 61
"""Of such characters `make test` tries one in so many."""
HUMAN_ID = re.compile(r"guest-[0-9a-f]{20}")


@pytest.mark.parametrize(("kind", "expected"), [(PlayerKind.HUMAN, "guest"), (PlayerKind.MODEL, "guest-model")])
def test_guest_without_a_name_gets_a_default(kind: PlayerKind, expected: str) -> None:
    """A guest without a name is `guest`, a model `guest-model`."""
    player = name_guest(None, kind)

    assert (player.id, player.name, player.kind, player.verified) == (expected, "guest", kind, False)
    assert player.id in NAMELESS


@pytest.mark.parametrize("owner", [None, "key 1"])
@pytest.mark.parametrize("name", ["Ada", "Nguyễn Anh", "安田", "x" * 64, "guest"])
def test_id_says_no_name(name: str, owner: str | None) -> None:
    """A guest's id is digits that another stack does not make of the name: who knows a name cannot try it."""
    own, others = (
        submitters.name_guest(name, PlayerKind.HUMAN, secret=secret, owner=owner).id
        for secret in (GUEST_SECRET, b"another stack's")
    )

    assert re.fullmatch("guest--?[0-9a-f]{20}", own)
    assert own[-20:] != others[-20:]


@pytest.mark.parametrize("other", ["ada", "ADA", " Ada ", "Ａｄａ", "\u2003Ada\u200a"])
def test_the_same_guest(other: str) -> None:
    """The same name in another case or width is the same guest."""
    assert name_guest(other, PlayerKind.HUMAN).id == name_guest("Ada", PlayerKind.HUMAN).id
    assert name_guest("Ange\u0301", PlayerKind.HUMAN) == name_guest("Angé", PlayerKind.HUMAN)


@pytest.mark.parametrize("other", ["Adá", "Ada 2", "А\u0434\u0430"])
def test_names_with_one_slug_are_different_guests(other: str) -> None:
    """Another name is another guest, even where the slugs are the same."""
    assert name_guest(other, PlayerKind.HUMAN).id != name_guest("Ada", PlayerKind.HUMAN).id


@pytest.mark.parametrize("name", [None, "Ada", "安田", "x" * 64])
def test_a_human_and_a_model(name: str | None) -> None:
    """A human and a model of one name are two players: nobody makes a model of a human by a name."""
    human, model = name_guest(name, PlayerKind.HUMAN), name_guest(name, PlayerKind.MODEL)

    assert human.id != model.id
    assert human.name == model.name


def test_owned_guest_is_another_player() -> None:
    """Each owner of a name is a player of its own, whose id no other guest can have."""
    guests = [name_guest("x" * 64, kind, owner=owner) for kind in PlayerKind for owner in (None, "a", "b")]
    owners = [find_owner(guest.id) for guest in guests]

    assert len({guest.id for guest in guests}) == len(guests)
    assert [owner is None for owner in owners] == [True, False, False] * 2
    assert owners[1:3] == owners[4:6]
    assert name_guest("ADA", PlayerKind.HUMAN, owner="a").id == name_guest("ada", PlayerKind.HUMAN, owner="a").id
    assert all(is_player_id(guest.id) for guest in guests)


@pytest.mark.parametrize("name", ["Ada ·2", "Ada·2", "Ada · 2", "Ada •17", "Ada ∙2", "Ada ·7f3a9c", "Ada \u03872"])
def test_numbered_name_is_rejected(name: str) -> None:
    """Nobody is named as the second guest of a name is shown."""
    with pytest.raises(Problem, match="expected no `·`"):
        name_guest(name, PlayerKind.HUMAN)


@pytest.mark.parametrize("name", ["Marcel·la", "Ada 2", "Ada.2", "Ada · Bo the 2nd!", "·2 Ada"])
def test_name_that_is_not_numbered_is_accepted(name: str) -> None:
    """A dot within a word, or no dot, is no number."""
    assert name_guest(name, PlayerKind.HUMAN).name == name


@pytest.mark.parametrize(
    ("name", "shown"),
    [("  a   b ", "a b"), ("a\u00a0b", "a b"), ("ﬁne", "fine"), ("x²", "x2"), ("<b>", "<b>"), ("a\u3000b", "a b")],
)
def test_name_is_shown_normalised(name: str, shown: str) -> None:
    """A name is kept in NFKC, white space collapsed, everything else as it is."""
    assert check_name(name) == shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\u202eb", "U+202E"),
        ("a\ue000", "U+E000"),
        ("\u3164", "U+3164"),
        ("a\tb", "U+0009"),
        ("Ada\U0001d159", "U+1D159"),
        ("Ada\U00016fe4", "U+16FE4"),
    ],
)
def test_what_may_not_be_shown_is_named(name: str, shown: str) -> None:
    """A character that may not be shown is named by its code point, never quoted."""
    with pytest.raises(InvalidName) as refused:
        check_name(name)

    assert shown in str(refused.value)
    assert str(refused.value).isascii()


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Anna", "ANNA"),
        ("Anna", "Аnnа"),  # two Cyrillic letters
        ("Iris", "lris"),
        ("Iris", "1ris"),
        ("modern", "modem"),
        ("O-Ren", "0 Ren"),
        ("Paypal", "Рaурal"),  # three Cyrillic letters
        ("tern-7b", "tern 7b"),
        ("Zoë", "Zoe\u0308"),
        ("Iris", "Iri\u0307s"),
        ("Iris", "\u0131\u0307ris"),
        ("heidi", "hei\u0307di"),
        ("he\u1ecbdi", "he\u1ecb\u0307di"),  # a dot below, and the dot above behind it
        ("heidi", "he\u0456\u0307di"),  # a Cyrillic letter
        ("jade", "j\u0307\u0307ade"),
        ("heidi", "hei\u0358di"),  # another mark that is drawn as this dot
    ],
)
def test_names_that_look_alike(name: str, other: str) -> None:
    """Two names that look alike have one skeleton."""
    assert find_skeleton(name) == find_skeleton(other)


@pytest.mark.parametrize(
    ("name", "other"),
    [("Anna", "Anne"), ("Zoë", "Zoe"), ("tern-7b", "tern-70b"), ("安田", "安井")],
)
def test_names_that_do_not_look_alike(name: str, other: str) -> None:
    """Two names that do not look alike share nothing."""
    assert find_skeleton(name) != find_skeleton(other)


_DRAWN_LETTER = re.compile(
    r"(?:LATIN LETTER SMALL CAPITAL|LATIN SUBSCRIPT SMALL LETTER|SUPERSCRIPT LATIN SMALL LETTER"
    r"|MODIFIER LETTER (?:SMALL |CAPITAL |SMALL CAPITAL )|MATHEMATICAL (?:[A-Z-]+ )+(?:SMALL|CAPITAL)"
    r"|FULLWIDTH LATIN (?:SMALL|CAPITAL) LETTER|CIRCLED LATIN SMALL LETTER"
    r"|(?:SQUARED|CIRCLED) LATIN CAPITAL LETTER"
    r"|(?:SCRIPT|DOUBLE-STRUCK|BLACK-LETTER) (?:SMALL|CAPITAL)) ?([A-Z])"
)
_DRAWN: dict[str, str] = {}
for _character in map(chr, range(0x80, 0x20000)):
    _match = _DRAWN_LETTER.fullmatch(unicodedata.name(_character, ""))
    if _match and unicodedata.normalize("NFKC", _character)[0].isalpha():  # a symbol decorates
        _DRAWN.setdefault(_match[1], "")
        _DRAWN[_match[1]] += _character


@pytest.mark.parametrize("letter", sorted(_DRAWN))
def test_each_form_of_a_letter_looks_like_the_letter(letter: str) -> None:
    """Each form, in front of a name, in any case of the name."""
    for character in _DRAWN[letter]:
        assert find_skeleton(check_name(f"{character}eron")) == find_skeleton(f"{letter.lower()}eron"), f"{character!a}"


@pytest.mark.parametrize("imitation", ["ʜeron", "ʜᴇʀᴏɴ", "нeron", "ʜ\u0324eron", "Heron 🇩🇪"])
def test_small_capitals_imitate(imitation: str) -> None:
    """Also what only looks like a small capital; a flag behind a name is still a decoration."""
    assert find_skeleton(check_name(imitation)) == find_skeleton("heron")


@pytest.mark.parametrize(
    "name",
    ["Heron ✓", "Heron ✅", "Heron ★", "Heron°", "Heron+", "Heron—", "⟪Heron⟫", "Heron\u20de", "Heronʼ", "Ḥeron\u0324"],
)
def test_decorations_make_no_other_name(name: str) -> None:
    """A name with symbols, punctuation or loose marks around it looks like the name."""
    assert find_skeleton(check_name(name)) == find_skeleton("Ḥeron" if name.startswith("Ḥ") else "Heron")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Heron\u2d7f", "accent on a letter"),
        ("Heron\ufffc", "U+FFFC"),
        ("Heron\u064e", "accent on a letter"),
        ("Heron\u00a8", "accent on a letter"),
    ],
)
def test_what_fonts_leave_out_is_refused(name: str, message: str) -> None:
    """Marks of other scripts, characters that stand for others, and accents by themselves are rejected in words."""
    with pytest.raises(InvalidName, match=re.escape(message)):
        check_name(name)


NAMES_OF_SCRIPTS = (
    "Müller", "Łukasz", "Ελένη", "Дмитрий", "Нина", "Արամ", "דוד", "محمد", "نرگس", "ܐܒܪܗܡ", "މުހައްމަދު", "राहुल",
    "সুমন", "ਗੁਰਪ੍ਰੀਤ", "નરેશ", "ଓଡ଼ିଆ", "முருகன்", "తెలుగు", "ಕನ್ನಡ", "മലയാളം", "සිංහල", "สมชาย", "ລາວ", "བསྟན་འཛིན", "မောင်",
    "გიორგი", "አበበ", "ᏣᎳᎩ", "ᐃᓄᒃ", "សុខា", "ᠮᠣᠩᠭᠣᠯ", "山田太郎", "さくら", "サクラ", "김민수", "ⵎⵓⵃⴰⵏⴷ",
    "ߒߞߏ", "ꦗꦮ", "王小明", "José", "Ngọc Ánh", "राम", "தமிழ்", "ဗမာ", "ភាសាខ្មែរ", "ไทยดี", "שָׁלוֹם", "مُحَمَّد", "がぎぐ",
    "Кофе́", "C++ Bot",
)  # fmt: skip


def test_names_of_many_scripts_are_free() -> None:
    """Each is taken as it is, claims nothing, and looks like none of the others."""
    seen: dict[str, str] = {}
    for name in NAMES_OF_SCRIPTS:
        assert name_guest(name, PlayerKind.HUMAN).name == unicodedata.normalize("NFKC", name)
        assert seen.setdefault(find_skeleton(name), name) == name


@pytest.mark.parametrize(
    "name",
    [
        "Heron (verified)",
        "VERIFIED",
        "Vеrifiеd Joe",
        "0fficial Heron",
        "ᴠᴇʀɪꜰɪᴇᴅ Joe",
        "HeronOfficial",
        "ver.ified",
        "admin",
        "Ｔｈｅ ＡＤＭＩＮ",
        "Site-Administrator",
        "moderator 1",
    ],
)
def test_no_guest_claims_to_be_more(name: str) -> None:
    """A guest who is named as if he was verified, official or an administrator is rejected with 422."""
    with pytest.raises(Problem) as refused:
        name_guest(name, PlayerKind.HUMAN)

    assert refused.value.status == 422


@pytest.mark.parametrize("name", ["Badminton Bob", "Verity", "Officer", "Adminton", "Moderate Mo"])
def test_words_that_only_begin_alike_are_names(name: str) -> None:
    """What merely has letters in common with such a word is a name like any other."""
    assert name_guest(name, PlayerKind.HUMAN).name == name


@pytest.mark.parametrize("share", [SHARE, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("plane", range(17))
def test_every_character_is_refused_taken_or_seen(plane: int, share: int) -> None:
    """Any character in a verified name is rejected, leaves the name taken, or adds a visible letter or digit."""
    taken = find_skeleton("Heron")
    for code in range(plane << 16, (plane + 1) << 16):
        character = chr(code)
        if code % share and unicodedata.category(character) in ALIKE:
            continue
        places = (f"Heron{character}", f"{character}Heron", f"Her{character}on")
        for name in places[:1] if unicodedata.category(character)[0] == "C" else places:
            try:
                shown = check_name(name)
            except InvalidName:
                continue
            if taken == find_skeleton(shown):
                continue
            letters = [character for character in shown if unicodedata.category(character) in SEEN]
            assert letters != list("Heron"), f"U+{code:04X} {unicodedata.category(character)} in {name!a}"
            if unicodedata.category(character) == "Lo":
                break  # such a letter is seen wherever it is put


@given(st.text())
def test_any_name_is_refused_or_a_stable_guest(name: str) -> None:
    """Any name is rejected with 422, or becomes a guest with a valid id and a stable name.

    No human's id is a model's.
    """
    try:
        player = name_guest(name, PlayerKind.HUMAN)
    except Problem as refused:
        assert refused.status == 422  # noqa: PT017  # one of two good ends
        return

    model = name_guest(name, PlayerKind.MODEL)
    assert HUMAN_ID.fullmatch(player.id)
    assert not HUMAN_ID.fullmatch(model.id)
    assert is_guest_id(model.id)
    assert len(model.id) <= 64
    assert 1 <= len(player.name) <= 64
    assert check_name(player.name) == player.name
    assert name_guest(player.name, PlayerKind.HUMAN).id == player.id


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("\u0639\u0644\u06cc\u200c\u0631\u0636\u0627", None),  # Persian: yeh, non-joiner, reh
        ("\u0915\u094d\u200d\u0937", None),  # Hindi: virama, joiner
        ("\u0dc1\u0dca\u200d\u0dbb\u0dd3", None),  # Sinhala
        ("\u2764\ufe0f Ana", "\u2764 Ana"),
        ("\U0001f3f3\ufe0f\u200d\U0001f308 Ana", "\U0001f3f3\u200d\U0001f308 Ana"),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467 Ana", None),
    ],
)
def test_joiners_stay_where_they_are_needed(typed: str, stored: str | None) -> None:
    """Names of scripts and emoji that need joiners are stored as typed, without the selector of emoji."""
    assert check_name(typed) == (stored or typed)


@pytest.mark.parametrize(
    "name", ["A\u200dda", "A\u200cda", "\u0627\u200c\u0631", "Ana\u200d", "\u200cAna", "\u2764\u200dAna", "A\ufe0fna"]
)
def test_loose_joiner_is_named_in_plain_words(name: str) -> None:
    """A joiner that changes nothing to see is rejected, and called invisible."""
    with pytest.raises(InvalidName, match=r"this name contains an invisible character \(U\+[0-9A-F]{4}\); remove it"):
        check_name(name)


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d"])
def test_joiners_do_not_tell_names_apart(joiner: str) -> None:
    """A name with a joiner looks like the one without, and is the same guest's."""
    joined, plain = f"\u0915\u094d{joiner}\u0937", "\u0915\u094d\u0937"

    assert find_skeleton(check_name(joined)) == find_skeleton(plain)
    assert name_guest(joined, PlayerKind.HUMAN).id == name_guest(plain, PlayerKind.HUMAN).id
