# ruff: noqa: INP001 — scripts are no package
"""Writes confusables.txt of `storage.access`: each character that looks like another, and what stands for both.

The pairs are those of Unicode Technical Standard 39, as the package `confusable-homoglyphs` ships them:

    uv run --with confusable-homoglyphs==3.3.1 python scripts/make_confusables.py
"""

import unicodedata
from collections.abc import Iterator
from pathlib import Path

from confusable_homoglyphs.confusables import confusables_data  # type: ignore[import-not-found]  # only while it is run

TARGET = Path(__file__).parents[1] / "layers/storage/storage/access/confusables.txt"


def main() -> None:
    """Write the table."""
    parents: dict[str, str] = {}
    for one, other in read_pairs():
        parents[find_root(parents, one)] = find_root(parents, other)
    classes: dict[str, set[str]] = {}
    for one in list(parents):
        classes.setdefault(find_root(parents, one), set()).add(one)
    table = {
        one: chosen
        for members in classes.values()
        for chosen in [min(members, key=rank)]
        for one in members
        if len(one) == 1 and one != chosen
    }
    TARGET.write_text("".join(f"{one} {table[one]}\n" for one in sorted(table)), encoding="utf-8")


def read_pairs() -> Iterator[tuple[str, str]]:
    """Give the pairs, decomposed as names are before they are compared."""
    for one, others in confusables_data.items():
        for other in others:
            pair = unicodedata.normalize("NFD", one), unicodedata.normalize("NFD", other["c"])
            if pair[0] != pair[1] and all(pair) and not any(" " in side for side in pair):
                yield pair


def find_root(parents: dict[str, str], one: str) -> str:
    """Give what stands for the class of a text."""
    while parents.setdefault(one, one) != one:
        one = parents[one]
    return one


def rank(text: str) -> tuple[bool, bool, int, str]:
    """Order the members of a class: a sequence stands for a character (`rn` for `m`), and ASCII for the rest."""
    return not text.isascii(), len(text) == 1, len(text), text


if __name__ == "__main__":
    main()
