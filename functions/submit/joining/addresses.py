"""Reads the addresses to which invitations are mailed."""

import re
from collections.abc import Sequence
from http import HTTPStatus

from scoring_core.scorers.base import describe
from submit.joining.schemas import MAX_MAILED
from submit.problems import Problem, unprocessable
from submit.services.batches import MAX_FAULTS

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_IS_ADDRESS = re.compile(rf"(?=.{{3,254}}\Z)(?=[^@]{{1,64}}@){_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})+")
"""What every mail server takes; no line break, quote, comment or second address."""


def read_addresses(lines: Sequence[str]) -> list[str]:
    """Return the addresses of lines that are not blank. Raises Problem 422."""
    numbers: dict[str, int] = {}
    faults = []
    for number, line in enumerate(lines, 1):
        address = line.strip()
        if address and not _IS_ADDRESS.fullmatch(address):
            faults.append((number, f"expected an address such as ada@example.org, found {describe(address)}"))
        elif address and numbers.setdefault(address.lower(), number) != number:
            faults.append((number, f"the same address as line {numbers[address.lower()]}"))
    if not faults and not 1 <= len(numbers) <= MAX_MAILED:
        detail = f"addresses: expected 1 to {MAX_MAILED}, found {len(numbers)}"
        raise unprocessable("invalid-addresses", detail, pointer="/addresses")
    if faults:
        listed = [
            {"pointer": f"/addresses/{number - 1}", "detail": f"line {number}: {detail}"}
            for number, detail in faults[:MAX_FAULTS]
        ]
        detail = "; ".join(f"{fault['detail']}" for fault in listed)
        raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid-addresses", detail, listed)
    return [lines[number - 1].strip() for number in numbers.values()]
