"""Every mutation fits the code; otherwise only `make mutations` would find that it tests nothing."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.faults.mutations import MUTATIONS, Mutation, MutationError
from tests.harness.stack import ROOT


def test_every_mutation_applies() -> None:
    """Each guard exists once, the source without it is a different program, and its tests exist."""
    assert [fault for mutation in MUTATIONS for fault in find_faults(mutation)] == []


def find_faults(mutation: Mutation) -> Iterator[str]:
    """Yield why removing a guard would prove nothing."""
    try:
        path, text = mutation.apply(ROOT)
    except MutationError as error:
        yield str(error)
    else:
        if ast.dump(ast.parse(text)) == dump_program(path):
            yield f"{mutation.name}: is the same program without it"
    for test in mutation.tests:
        if not (ROOT / test.partition("::")[0]).exists():
            yield f"{mutation.name}: there is no {test}"


@cache
def dump_program(path: Path) -> str:
    """Return the program of a file, without its layout."""
    return ast.dump(ast.parse(path.read_text(encoding="utf-8")))
