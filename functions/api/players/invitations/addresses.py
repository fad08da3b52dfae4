"""Reads the addresses to which invitations are mailed."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from api.players.invitations.views import MAX_MAILED, UnreadLine
from handlers.http.bodies import MAX_FAULTS
from handlers.http.problems import unprocessable
from scoring_core.scorers.base import describe

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_IS_ADDRESS = re.compile(rf"(?=.{{3,254}}\Z)(?=[^@]{{1,64}}@){_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})+")
"""What every mail server takes; no line break, quote, comment or second address."""
_MARKS = ",;\t"
"""Between addresses; of a table only the one that is in its header."""
_IS_NAMED = re.compile(r"([^<>]*)<([^<>]*)>")
_IS_NAME = re.compile(r"[^\d@]+")
"""What beside an address is a name where no heading says so: no number of a student, no other address."""
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
"""What phones and editors leave beside a name or an address, and nobody sees."""
_IS_HEADING = re.compile(r"mail|courriel|correo|login|thư điện tử|邮", re.IGNORECASE)
"""What the column of addresses is called in the languages of the site; Canvas has them as login ids."""
_NAMES = re.compile(
    r"(?!.*(?:user|benutzer|utilis|usuario|dùng|用户|group|gruppe|course|kurs|parent))"
    r".*(?:student|name|nom|nombre|apellidos?(?:\(s\))?|\btên|\bhọ|姓|名)",
    re.IGNORECASE,
)
_NUMBERS = re.compile(
    r"number|nummer|nr\.?|no\.?|(?:.*\b)?(?:sis user )?id|.*(?:\bid|student)[ _-]?(?:number|nummer|no|nr|id)"
    r"|matri[ckq].*|n[uú]m[eé]ro d(?:e |['’])(?:id|[eé]tu|est|matr).*|mã .*|mssv|.*(?:学|编)号",
    re.IGNORECASE,
)
"""What the columns of names, and of the numbers of students, are called."""
_IS_NO_PERSON = re.compile(r"points.*|date|class average|manual posting.*|student, test", re.IGNORECASE)
"""What Canvas and Classroom have in lines that are no student's."""


def _is_address(text: str) -> bool:
    return _IS_ADDRESS.fullmatch(text) is not None


class Listed(NamedTuple):
    """An address of a list, and the name and number of a student beside it; empty if there is none."""

    address: str
    name: str
    number: str = ""


class AddressList(NamedTuple):
    """The addresses of a list in its order, each once, and one fault for each line that cannot be read."""

    listed: list[Listed]
    unread: list[UnreadLine]


def read_addresses(lines: Sequence[str]) -> AddressList:
    """Return the addresses of a list as people have it.

    A line is an address, several, each of them perhaps with a name as in `Ada <ada@example.org>`, or a row of a table
    of which a cell is an address: of Moodle, Canvas, Classroom, a spreadsheet. Commas, semicolons and tabs separate;
    text may be in quotes. If a line before them names the columns, it says which have the addresses, the names and the
    numbers of students. Raises Problem 422 if the list has no address, or too many.
    """
    header, marks = list[str](), _MARKS
    by_address: dict[str, Listed] = {}
    unread: list[UnreadLine] = []
    for number, line in enumerate(lines, 1):
        cells = _split(line, marks)
        first = next(filter(None, cells), "sep=")  # which a spreadsheet writes into the first line
        if first.startswith("sep=") or (header and _IS_NO_PERSON.fullmatch(first)):
            continue
        if not by_address and "@" not in line and any(map(_IS_HEADING.search, cells)):
            marks = next((mark for mark in "\t;," if mark in line), _MARKS)
            header = _split(line, marks)
            continue
        listed, wrong = _read_row(cells, header)
        for each in listed:
            by_address.setdefault(each.address.lower(), each)
        if wrong or not listed:
            text = wrong[0] if wrong else line.strip()[:40]
            detail = f"line {number}: expected an address such as ada@example.org, found {describe(text)}"
            unread.append(UnreadLine(line=number, detail=detail))
    if not 1 <= len(by_address) <= MAX_MAILED:
        expected = f"addresses: expected 1 to {MAX_MAILED}, found {len(by_address)}"
        detail = "; ".join([expected, *(each.detail for each in unread[:MAX_FAULTS])])
        raise unprocessable("invalid-addresses", detail, pointer="/addresses")
    return AddressList(list(by_address.values()), unread)


def _read_row(cells: Sequence[str], header: Sequence[str]) -> tuple[list[Listed], list[str]]:
    """Return the addresses of a line, and what looks like one and is none."""
    owned = [_take_name_apart(cell) for cell in cells]
    texts = [text for _, text in owned]

    def find(is_heading: Callable[[str], object]) -> list[int]:
        return [index for index, heading in enumerate(header[: len(texts)]) if is_heading(heading)]

    own = [index for index in find(_IS_HEADING.search) if _is_address(texts[index])]
    chosen = own[-1:] or [index for index, text in enumerate(texts) if _is_address(text)]
    name, number = "", ""
    if len(chosen) == 1:
        names = [index for index in find(_NAMES.fullmatch) if index != chosen[0]]
        names = names or [index for index in range(chosen[0]) if _IS_NAME.fullmatch(cells[index])]
        name = " ".join(cells[index] for index in names).strip()
        number = next((cells[index] for index in reversed(find(_NUMBERS.fullmatch)) if "@" not in cells[index]), "")
    listed: list[Listed] = []
    for before, at in zip([-1, *chosen], chosen, strict=False):
        beside = owned[at][0]
        if beside and not header:  # after a comma that nobody has quoted, as Outlook writes a family name
            beside = ", ".join([*filter(_IS_NAME.fullmatch, cells[before + 1 : at]), beside])
        listed.append(Listed(texts[at], beside or name, number))
    return listed, [text for text in texts if "@" in text and not _is_address(text)]


def _take_name_apart(cell: str) -> tuple[str, str]:
    """Return the name that a cell has before an address, if any, and the rest."""
    if match := _IS_NAMED.fullmatch(cell):
        return _unquote(match[1]), _unquote(match[2])
    name, _, address = cell.rpartition(" ")
    return (_unquote(name), address) if "@" in address and _IS_NAME.fullmatch(name) else ("", cell)


def _split(line: str, marks: str) -> list[str]:
    """Return the cells of a line; text in quotes may have the marks between them."""
    cell = rf'(?:[^{marks}"]|"[^"]*"?)+|(?<=[{marks}])(?=[{marks}]|\Z)|\A(?=[{marks}])'
    return [_unquote(" ".join(each.split())) for each in re.findall(cell, line.translate(_UNSEEN).strip("\r\n"))]


def _unquote(cell: str) -> str:
    return cell.strip().strip("'\"").replace('""', '"').strip()
