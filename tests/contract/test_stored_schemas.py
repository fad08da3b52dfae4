"""What was written once stays readable, and what newer code has written is neither misread nor written over.

`samples/` has each form under each schema number. docs/building.md says how to change one.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from local.template import Template
from storage.boards import pages
from storage.boards.models import Index
from storage.gateway.errors import NewerSchema
from storage.gateway.schema import SCHEMA_NUMBERS, Schema
from tests.contract.stored_schemas import STORED, Shelf
from tests.contract.stored_values import CHANGES, DIRECTORY, IMPROVEMENTS, INDEX, PLACES, ROW, SAMPLES
from tests.harness.raw_cloud import RawCloud

ALL = list(Schema)
OVERWRITTEN = [form for form in Schema if not STORED[form].is_added]


@pytest.fixture
def shelf(cloud: RawCloud, template: Template) -> Shelf:
    """Empty stores."""
    return Shelf(cloud, template)


def sample(form: Schema, schema: int) -> Any:
    """Read a sample."""
    return json.loads((SAMPLES / f"{form.name.lower()}-{schema}.json").read_text(encoding="utf-8"))


def renumbered(content: dict[str, Any], schema: int) -> dict[str, Any]:
    """Return a stored form with another schema number, however it carries it."""
    before = content["schema"]
    number = {"N": str(schema)} if isinstance(before, dict) else type(before)(schema)
    return {**content, "schema": number}


@pytest.mark.parametrize("form", ALL, ids=lambda form: form.name)
def test_written_as_the_sample_shows(shelf: Shelf, form: Schema) -> None:
    """What today's code writes is, key by key, the sample of the number that it writes."""
    stored = STORED[form]

    stored.write(shelf)

    assert stored.place.look(shelf) == sample(form, form.number)


@pytest.mark.parametrize(
    ("form", "schema"), [(form, number + 1) for form in ALL for number in range(SCHEMA_NUMBERS[form])], ids=str
)
def test_every_sample_is_read(shelf: Shelf, form: Schema, schema: int) -> None:
    """What was ever written is read as what it was."""
    stored = STORED[form]
    stored.write(shelf)
    expected = stored.read(shelf)

    stored.place.put(shelf, sample(form, schema))

    assert repr(stored.read(shelf)) == repr(expected)


@pytest.mark.parametrize("form", ALL, ids=lambda form: form.name)
def test_newer_is_neither_read_nor_written_over(shelf: Shelf, form: Schema) -> None:
    """What newer code has written is refused, the message says so, and it stays as it is."""
    stored = STORED[form]
    stored.write(shelf)
    newer = renumbered(stored.place.look(shelf), form.newest + 1)
    stored.place.put(shelf, newer)

    with pytest.raises(NewerSchema, match=f"found {form.newest + 1}: newer code wrote it"):
        stored.read(shelf)
    if form in OVERWRITTEN:
        with pytest.raises(NewerSchema):
            stored.write(shelf)
        assert stored.place.look(shelf) == newer


def test_every_form_has_a_sample_of_each_number() -> None:
    """No form is without a sample and a test, and no sample is without a form."""
    expected = {f"{form.name.lower()}-{number + 1}" for form in ALL for number in range(form.number)}

    assert STORED.keys() == set(Schema)
    assert {path.stem for path in SAMPLES.glob("*.json")} == expected | OBJECTS.keys()


OBJECTS: Mapping[str, tuple[Callable[[], bytes], Callable[[bytes], object], object]] = {
    "board-directory-1": (lambda: pages.encode_directory(DIRECTORY), pages.decode_directory, DIRECTORY),
    "board-page-1": (lambda: pages.encode_page([ROW], ("Coins",), has_labels=True), pages.decode_page, [ROW]),
    "board-places-1": (lambda: pages.encode_places(PLACES), pages.decode_places, PLACES),
    "board-recent-1": (lambda: pages.encode_changes(CHANGES), pages.decode_changes, CHANGES),
    "board-improvements-1": (lambda: pages.encode_improvements(IMPROVEMENTS), pages.decode_improvements, IMPROVEMENTS),
    "index-1": (INDEX.to_body, Index.model_validate_json, INDEX),
}
"""What else has the number of a snapshot: how it is written, how it is read, and what is read."""


@pytest.mark.parametrize("name", OBJECTS)
def test_published_object_is_written_and_read_as_the_sample_shows(name: str) -> None:
    """The index and what a head names are, byte for byte, their samples."""
    write, read, expected = OBJECTS[name]
    stored = (SAMPLES / f"{name}.json").read_bytes().removesuffix(b"\n")

    assert write() == stored
    assert read(stored) == expected
