# ruff: noqa: INP001 — scripts are no package
"""Writes confusables.txt of `storage.access`: each character that looks like another, and the one that represents both.

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
    for text, other in read_pairs():
        parents[find_root(parents, text)] = find_root(parents, other)
    classes: dict[str, set[str]] = {}
    for text in list(parents):
        classes.setdefault(find_root(parents, text), set()).add(text)
    table = {
        text: chosen
        for members in classes.values()
        for chosen in [min(members, key=rank)]
        for text in members
        if len(text) == 1 and text != chosen
    }
    TARGET.write_text("".join(f"{text} {table[text]}\n" for text in sorted(table)), encoding="utf-8")


def read_pairs() -> Iterator[tuple[str, str]]:
    """Yield the pairs, decomposed as names are before they are compared."""
    for text, others in confusables_data.items():
        for other in others:
            pair = unicodedata.normalize("NFD", text), unicodedata.normalize("NFD", other["c"])
            if pair[0] != pair[1] and all(pair) and not any(" " in side for side in pair):
                yield pair


def find_root(parents: dict[str, str], text: str) -> str:
    """Return the representative of the class of a text."""
    while parents.setdefault(text, text) != text:
        text = parents[text]
    return text


def rank(text: str) -> tuple[bool, bool, int, str]:
    """Return the order in a class: ASCII first, then sequences (`rn` for `m`)."""
    return not text.isascii(), len(text) == 1, len(text), text


if __name__ == "__main__":
    main()
