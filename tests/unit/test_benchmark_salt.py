"""The salt of a benchmark: part of its version, in its bundle, and in no message."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoring_core.benchmarks.loading import load_bundle, load_folder
from scoring_core.benchmarks.salts import SALT_FILE, make_salt, write_salt
from scoring_core.errors import BenchmarkError
from scoring_core.judgement import make_signature

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SALT, OTHER = "3f" * 32, "a0" * 32
PUBLIC = {
    "aic-2025": "27a96e2da8ec53e2",
    "coin-run": "93b989d7b8e50f19",
    "coin-sprint": "a8754afb5f7f2b1e",
    "houses": "4c0d5b294477efb5",
    "full-duplex": "54ed16747fd22277",
    "iqa": "11e83e909db76868",
    "rain-tomorrow": "5b38d5c2483a3fbb",
    "squad-v2": "f6fe40d55dd1395a",
}
"""Their ground truth is public, in this repository: they need no salt, and their versions stay."""
type WriteFolder = Callable[..., Path]


@pytest.fixture
def salted(game: dict[str, Any], write_folder: WriteFolder) -> Path:
    """A folder with a salt."""
    return write_folder(game, {SALT_FILE: f"{SALT}\n".encode()})


def test_salt_decides_the_version(salted: Path) -> None:
    """Without it, and with another one, the version is another; the bundle keeps it."""
    benchmark = load_folder(salted)
    (salted / SALT_FILE).write_text(OTHER)
    other = load_folder(salted)
    (salted / SALT_FILE).unlink()
    without = load_folder(salted)

    assert len({benchmark.version, other.version, without.version}) == 3
    assert load_bundle(benchmark.pack()).version == benchmark.version
    assert (benchmark.salt, without.salt) == (SALT, None)
    assert (benchmark.needs_salt, without.needs_salt) == (False, True)


@pytest.mark.parametrize("content", [SALT, f"{SALT}\r\n", f"  {SALT.upper()}\n"])
def test_layout_of_the_file_does_not_decide(salted: Path, content: str) -> None:
    """Line ends, which git may change, and capital letters are no part of a salt."""
    before = load_folder(salted).version
    (salted / SALT_FILE).write_bytes(content.encode())

    assert load_folder(salted).version == before


def test_added_salt_is_that_of_a_folder_with_it(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """What is published and the folder into which its salt is written are the same bundle."""
    folder = write_folder(game)
    added = load_folder(folder).add_salt(SALT)
    write_salt(folder, SALT)

    assert load_folder(folder).pack() == added.pack()
    assert load_folder(folder).version == added.version


def test_written_salt_stays(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """A salt that is there is not written over."""
    folder = write_folder(game)
    write_salt(folder, SALT)

    with pytest.raises(FileExistsError):
        write_salt(folder, OTHER)

    assert load_folder(folder).salt == SALT


def test_new_salt_is_32_random_bytes() -> None:
    """The randomness decides all of it."""
    assert make_salt(lambda length: bytes(range(length))) == bytes(range(32)).hex()
    assert len({make_salt() for _ in range(3)}) == 3


@pytest.mark.parametrize(
    "content", [b"", b"3f" * 31 + b"\n", b"3f" * 33, b"zz" * 32, b"\xff" * 64, "\uff13f".encode() * 32]
)
def test_unreadable_salt_is_not_repeated(game: dict[str, Any], write_folder: WriteFolder, content: bytes) -> None:
    """The message says what is expected, and no digit of what is there."""
    with pytest.raises(BenchmarkError) as error:
        load_folder(write_folder(game, {SALT_FILE: content}))

    assert error.value.message == "coin-run/salt.txt: expected 64 hexadecimal digits, and nothing else"


def test_public_truth_has_no_salt(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """`salt: none` is said on purpose, and contradicts a file."""
    folder = write_folder(game | {"salt": "none"})
    public = load_folder(folder)
    (folder / SALT_FILE).write_text(SALT)

    assert (public.needs_salt, public.salt) == (False, None)
    with pytest.raises(BenchmarkError, match=r"^coin-run/salt\.txt: benchmark\.yaml says `salt: none`; delete either$"):
        load_folder(folder)


@pytest.mark.parametrize("value", [SALT, 5, None, {"hex": SALT}])
def test_salt_is_not_written_into_the_definition(
    game: dict[str, Any], write_folder: WriteFolder, value: object
) -> None:
    """Of the definition more is shown than of a file; the message does not repeat the salt."""
    with pytest.raises(BenchmarkError) as error:
        load_folder(write_folder(game | {"salt": value}))

    assert error.value.message == "coin-run/benchmark.yaml: salt: expected none, or no such key: a salt is in salt.txt"


def test_salt_is_no_ground_truth(game: dict[str, Any], write_folder: WriteFolder) -> None:
    """A script that read it could print it."""
    with pytest.raises(BenchmarkError, match=r"ground_truth: expected a file of its own, found 'salt\.txt'"):
        load_folder(write_folder(game | {"ground_truth": SALT_FILE}, {SALT_FILE: SALT.encode()}))


def test_signature_hashes_parameters_with_the_salt() -> None:
    """A list of parameters may hold what players must not know, such as the bounds of a check."""
    benchmark = load_folder(BENCHMARKS / "coin-sprint")

    shown = [make_signature(salted).split("|") for salted in (benchmark, benchmark.add_salt(SALT))]

    differing = {before.partition(":")[0] for before, after in zip(*shown, strict=True) if before != after}
    assert differing == {"version", "fields", "checks", "metrics"}


def test_shipped_benchmarks_have_no_salt_and_keep_their_versions() -> None:
    """Each says so on purpose, since its ground truth can be read by everybody."""
    shipped = {path.parent.name: load_folder(path.parent) for path in BENCHMARKS.glob("*/benchmark.yaml")}

    assert {name: benchmark.definition.salt for name, benchmark in shipped.items()} == dict.fromkeys(PUBLIC, "none")
    assert {name: benchmark.version for name, benchmark in shipped.items()} == PUBLIC
