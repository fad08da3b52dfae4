"""Input of any size that is made to keep a reader busy: JSON, YAML, CSV, ZIPs and texts."""

import io
import json
import random
import struct
import warnings
import zipfile
from collections.abc import Callable, Mapping

type Make = Callable[[int], bytes]
"""Size in bytes → input of about that size."""


def repeat(unit: str, *, head: str = "", tail: str = "", joint: str = "") -> Make:
    """Repeat a text; `%d` in it is replaced by a number that rises."""

    def make(size: int) -> bytes:
        width = len(unit) + len(joint) + (5 if "%d" in unit else 0)
        times = max(1, size // width)
        units = (unit.replace("%d", str(number)) for number in range(times)) if "%d" in unit else [unit] * times
        return (head + joint.join(units) + tail).encode("utf-8", "surrogatepass")

    return make


def text(unit: str, *, ending: str = "") -> Callable[[int], str]:
    """Repeat a text, as a string."""
    return lambda size: unit * (size // len(unit.encode("utf-8", "surrogatepass"))) + ending


def halves(unit: str) -> Make:
    """Open for half of the size what the other half closes, such as brackets."""
    return lambda size: (unit[0] * (size // 2) + unit[1] * (size // 2)).encode()


JSON: Mapping[str, Make] = {
    "open arrays": repeat("["),
    "arrays in arrays": halves("[]"),
    "open objects": repeat('{"a":'),
    "empty objects": repeat("{}", head="[", tail="]", joint=","),
    "as deep as allowed": repeat("[" * 60 + "]" * 60, head="[", tail="]", joint=","),
    "too deep at the end": repeat("[" * 60 + "]" * 60, head="[", tail="," + "[" * 99 + "]" * 99 + "]", joint=","),
    "objects and arrays by turns": repeat('{"a":[' * 30 + "]}" * 30, head="[", tail="]", joint=","),
    "brackets in strings": repeat('"[{"', head="[", tail="]", joint=","),
    "keys": repeat('"%d":0', head="{", tail="}", joint=","),
    "a key twice at the end": repeat('"%d":0', head="{", tail=',"0":1}', joint=","),
    "one long key twice": lambda size: b'{"%b":0,"%b":1}' % (b"k" * (size // 2), b"k" * (size // 2)),
    "one string": repeat("a", head='"', tail='"'),
    "an open string": repeat("a", head='["'),
    "escapes": repeat("\\u0061", head='["', tail='"]'),
    "backslashes": repeat("\\\\", head='["', tail='"]'),
    "pairs of surrogates": repeat("\\ud83d\\ude00", head='["', tail='"]'),
    "a lone surrogate at the end": repeat("\\ud83d\\ude00", head='["', tail='\\ud83d"]'),
    "white space": repeat(" \n", head="[", tail="]"),
    "line breaks and a fault": repeat("\n", head="[", tail="x"),
    "numbers": repeat("-1.5e-7", head="[", tail="]", joint=","),
    "long numbers": repeat("7" * 999, head="[", tail="]", joint=","),
    "one number": repeat("7", head="[", tail="]"),
    "one number with a point": repeat("7", head="[0.", tail="]"),
    "no number at the end": repeat("1", head="[", tail=",NaN]", joint=","),
    "a number too large at the end": repeat('"1e400"', head="[", tail=",1e400]", joint=","),
    "zeros": repeat("\0"),
    "no UTF-8 at the end": lambda size: b'["' + b"a" * size + b"\xff",
}

YAML: Mapping[str, Make] = {
    "keys": repeat("k%d: 0\n"),
    "a key twice": repeat("k%d: 0\n", tail="k0: 1\n"),
    "one long key twice": lambda size: b'"%b": 0\n"%b": 1\n' % (b"k" * (size // 2), b"k" * (size // 2)),
    "a list": repeat("- a\n"),
    "open arrays": repeat("["),
    "as deep as allowed": repeat("- " + "[" * 60 + "]" * 60 + "\n"),
    "nested lists": repeat("- "),
    "an anchor": repeat("&a "),
    "anchors": repeat("- &a%d b\n"),
    "aliases": repeat("*a", head="a: &a b\nc: [", tail="]", joint=","),
    "merges": repeat("{a%d: 0}", head="a:\n  <<: [", tail="]\n", joint=","),
    "merge keys": repeat("<<: {a: 0}\n"),
    "tags": repeat("!a "),
    "words": repeat("a "),
    "escapes": repeat("\\x41", head='"', tail='"'),
    "an open quote": repeat("a\n", head='"'),
    "a block": repeat("  a\n", head="a: |\n"),
    "blank lines": repeat("\n"),
    "comments": repeat("# a\n"),
    "documents": repeat("---\n"),
    "digits": repeat("1"),
    "digits of base 2": repeat("1", head="0b"),
    "one number of base 60": repeat(":59", head="1"),
    "one fraction of base 60": repeat(":59", head="1", tail=".5"),
    "underscores": repeat("_", head="1"),
    "almost a time": repeat("1", head="2026-01-01 ", tail="x"),
    "spaces in a time": repeat(" ", head="2026-01-01", tail="x"),
}

NAMES: Mapping[str, Callable[[int], str]] = {
    "letters": text("a"),
    "spaces": text(" ", ending="a"),
    "marks": text("\u0301", ending="a"),
    # Reordering marks is what takes Unicode's forms quadratic time.
    "marks in disorder": text("\u0301\u0327", ending="a"),
    "ligatures that unfold to 18": text("\ufdfa"),
    "dots above": text("i\u0307"),
    "look-alikes": text("\u0430\u0440"),
    "final sigmas": text("\u03a3'"),
    "controls at the end": text("a", ending="\x00"),
    "lone surrogates": text("\ud800"),
    "punctuation": text("-"),
    "joiners": text("\u200d"),
}


def archive(name: str, *, content: bytes = b"{}", extra: bytes = b"", comment: bytes = b"", most: int = 9_999) -> Make:
    """Make ZIPs of many entries, each with this name (`%d`: its number), content, extra field and comment."""

    def make(size: int) -> bytes:
        width = 110 + 2 * len(name) + len(content) + 2 * len(extra) + len(comment)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as target:
            for number in range(min(most, max(1, size // width))):
                entry = zipfile.ZipInfo(name.replace("%d", str(number)))
                entry.extra, entry.comment = extra, comment
                with warnings.catch_warnings(action="ignore"):  # a name that is there twice
                    target.writestr(entry, content)
        return buffer.getvalue()

    return make


def packed(unit: bytes, name: str) -> Make:
    """Make ZIPs of one entry, which unpacks to some hundred times their size."""

    def make(size: int) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
            target.writestr(name, unit * (100 * size // len(unit)))
        return buffer.getvalue()

    return make


EMPTY_EXTRAS = struct.pack("<HH", 0x6161, 0) * 16_000
"""An extra field of 64,000 bytes, all of it empty records."""

ARCHIVES: Mapping[str, Make] = {
    "entries": archive("%d.json"),
    "deep folders": archive("a/" * 100 + "%d.json"),
    "one name": archive("a.json"),
    "names of 60,000 characters": archive("a" * 60_000 + "%d.json"),
    "comments": archive("%d.json", comment=b"c" * 60_000),
    "extra fields": archive("%d.json", extra=EMPTY_EXTRAS),
    "a comment of all": lambda size: archive("a.json")(1) + b"PK\x05\x06" * (size // 4),
    "signatures of entries": repeat("PK\x01\x02"),
    "a long start": lambda size: bytes(size) + archive("a.json")(1),
    "a long start that looks right": lambda size: b"PK\x03\x04" * (size // 4) + archive("a.json")(1),
    "a bomb": packed(b" ", "a.json"),
    "a bomb of brackets": packed(b"[],", "a.json"),
}

CSV: Mapping[str, Make] = {
    "columns": repeat("c%d", joint=","),
    "known columns and more": repeat("c%d", head="id,type,scene_id,video_id,points,", joint=","),
    "one column": repeat("c"),
    "a column again and again": repeat("c", head="id,type,scene_id,video_id,points,", joint=","),
    "rows": repeat("q%d,KIS,,V1,1-2\n", head="id,type,scene_id,video_id,points\n"),
    "blank rows": repeat("\n"),
    "points": repeat("1-2", head='id,type,scene_id,video_id,points\n1,TR,,V1,"', tail='"\n', joint=","),
    "an open quote": repeat("a\n", head='id,type,scene_id,video_id,points\n"'),
    "quotes": repeat('"'),
    "spaces": repeat(" ", head="id,type,scene_id,video_id,points\n"),
    "a long id": repeat("1", head="id,type,scene_id,video_id,points\n", tail=",KIS,,V1,1-2\n"),
}

TABLES: Mapping[str, Make] = {
    "rows": repeat("q%d,1.5\n", head="id,target\n"),
    "rows of another width": repeat("q%d,1,5\n", head="id,target\n"),
    "words for numbers": repeat("q%d,nan\n", head="id,target\n"),
    "one long number": repeat("1", head="id,target\nq,"),
    "one long cell in quotes": repeat("a", head='id,target\nq,"', tail='"\n'),
    "quotes in quotes": repeat('""', head='id,target\nq,"', tail='"\n'),
    "open quotes": repeat('"\n', head="id,target\n"),
    "line breaks in quotes": repeat("\n", head='id,target\nq,"', tail='"\n'),
    "tabs": repeat("\t", head="id\ttarget\n"),
    "names": repeat("c%d", head="id,target,", joint=","),
    "a name twice": repeat("c", head="id,target,", joint=","),
    "NUL at the end": repeat("q%d,1\n", head="id,target\n", tail="\0"),
    "rows of JSON": repeat('{"id":"q%d","target":1}', head="[", tail="]", joint=","),
    "lists of JSON": repeat('"i%d"', head='[{"id":"q","target":[', tail="]}]", joint=","),
    "columns of JSON": repeat('"q%d"', head='{"target":[],"id":[', tail="]}", joint=","),
    "lines of JSON": repeat('{"id":"q%d","target":1}\n'),
    "lines of JSON, one broken": repeat('{"id":"q%d","target":1}\n', tail="{"),
    "items": repeat("i%d", head="id,target\nq,", joint=" "),
    "an item again and again": repeat("i", head="id,target\nq,", joint=" "),
}


def shuffled(size: int) -> list[float]:
    """Make numbers that lie in no order, a few of them equal."""
    numbers = random.Random(size)  # noqa: S311  # no secret
    return [1 + 4 * numbers.randrange(max(2, size // 16)) / max(2, size // 16) for _ in range(size // 8)]


def dump(value: object) -> bytes:
    """Write JSON."""
    return json.dumps(value, separators=(",", ":")).encode()


MARKDOWN: Mapping[str, Callable[[int], str]] = {
    "a table of many columns and short rows": lambda size: (
        f"{'|a' * (size // 8)}|\n{'|-' * (size // 8)}|\n{text('|\n')(size // 2)}"
    ),
    "a table of many short rows": lambda size: "|a|b|\n|-|-|\n" + text("|\n")(size),
    "a table in each line": text("|a\n|-\n"),
    "a table of wide rows": lambda size: f"{'|a' * 63}|\n{'|-' * 63}|\n" + text("|" * 63 + "\n")(size),
    "dashes under a bar": lambda size: text("-")(size).join(("|\n|", "x")),
    "spaces in a heading": lambda size: text(" ")(size).join(("# a", "b")),
    "hashes and spaces in a heading": lambda size: "# " + text("# ", ending="b")(size),
    "a rule that is none": text("- ", ending="x"),
    "spaces, then a mark": lambda size: "-" + text(" ", ending="x")(size),
    "a deep indent, then short lines": lambda size: f"-{text(' ')(size // 2)}x\n{text('a\n')(size // 2)}",
    "lists in lists": text("- ", ending="a"),
    "items ever deeper": lambda size: "\n".join(f"{'  ' * depth}- a" for depth in range(int(size**0.5))),
    "quotes in quotes": text("> ", ending="a"),
    "quotes in lists": text("- > " * 8 + "\n"),
    "fences that never end": lambda size: text("`")(size // 2) + "\n" + text("```\n")(size // 2),
    "blank lines": text(" \n"),
    "one line": text("a"),
    "one paragraph a line": text("a\n\n"),
    "stars": text("*", ending="a"),
    "stars and brackets": text("[ *"),
    "marks that cross": lambda size: text("*a _b ")(size // 2) + text("c_ d*")(size // 2),
    "all marks": text("*a**b_c__d[e`f<g"),
    "brackets": text("["),
    "brackets that close": lambda size: text("[")(size // 2) + text("]")(size // 2),
    "links in links": lambda size: "[" * (size // 16) + "](http://x.y/z)" * (size // 16),
    "links that never end": text("[a](http://"),
    "links of open brackets": text("[a](<"),
    "addresses that never end": text("<http://"),
    "one long address": lambda size: f"<http://{text('x')(size)}>",
    "pictures in pictures": text("!["),
    "definitions": text("[a]: x\n"),
    "one long definition, used often": lambda size: f"[a]: http://x.y/{'z' * (size // 4)}\n\n{'[a] ' * (size // 8)}",
    "ticks": text("`", ending="a"),
    "ticks of every length": lambda size: "a".join("`" * length for length in range(1, int((2 * size) ** 0.5))),
    "backslashes": text("\\"),
    "tags": text("<a "),
    "spaces between": lambda size: text(" ")(size).join("ab"),
    "zeros": text("\0"),
}
"""Markdown that keeps a parser busy, or makes much HTML of little text."""
