"""What was written once stays readable, and what newer code has written is neither misread nor written over.

A sample of every form under every schema number it ever had is kept here for ever. Whoever changes a form raises its
number in storage/aws/schema.py and adds a sample.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from local.aws import Cloud
from local.template import Template
from storage.aws.errors import NewerSchema
from storage.aws.schema import SCHEMA_NUMBERS, Schema
from tests.contract.stored_schemas import STORED, Shelf

SAMPLES = Path(__file__).parent / "samples" / "schemas"
ALL = list(Schema)
OVERWRITTEN = [form for form in Schema if not STORED[form].is_added]


@pytest.fixture
def shelf(cloud: Cloud, template: Template) -> Shelf:
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
def test_newer_is_not_read(shelf: Shelf, form: Schema) -> None:
    """What newer code has written is refused, and the message says so."""
    stored = STORED[form]
    stored.write(shelf)
    newer = renumbered(stored.place.look(shelf), form.newest + 1)

    stored.place.put(shelf, newer)

    with pytest.raises(NewerSchema, match=f"found {form.newest + 1}: newer code wrote it"):
        stored.read(shelf)


@pytest.mark.parametrize("form", OVERWRITTEN, ids=lambda form: form.name)
def test_newer_is_not_written_over(shelf: Shelf, form: Schema) -> None:
    """What newer code has written stays as it is."""
    stored = STORED[form]
    stored.write(shelf)
    newer = renumbered(stored.place.look(shelf), form.newest + 1)
    stored.place.put(shelf, newer)

    with pytest.raises(NewerSchema):
        stored.write(shelf)

    assert stored.place.look(shelf) == newer


def test_every_form_is_stored_here() -> None:
    """No form is without a sample and a test."""
    assert STORED.keys() == set(Schema)
