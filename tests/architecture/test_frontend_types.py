"""The frontend's types are generated from the OpenAPI document and the models of the snapshots."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from scoring_core.io.strict_yaml import read_yaml
from scripts.frontend.generate_types import SCHEMAS, TARGET, generate_schemas, generate_types
from scripts.tools import ROOT


def test_generated_types_are_current() -> None:
    """The types match the models; `make types` writes them."""
    assert TARGET.read_text(encoding="utf-8") == generate_types()


def test_served_schemas_are_current() -> None:
    """The JSON schemas that the site serves are those of the models; `make types` writes them."""
    served = {file.name: file.read_text(encoding="utf-8") for file in SCHEMAS.iterdir()}

    assert served == generate_schemas()
    assert set(served) == {"benchmark.json", "corrections.json", "head.json", "index.json"}


@pytest.mark.parametrize("file", sorted(ROOT.glob("*/*/benchmark.yaml")), ids=lambda file: file.parent.name)
def test_every_definition_here_fits_the_schema_for_editors(file: Path) -> None:
    """What editors mark by the schema is a mistake: short forms and times are none."""
    schema = json.loads(generate_schemas()["benchmark.json"])
    plain = json.loads(json.dumps(read_yaml(file.read_bytes(), file.name), default=str))

    assert list(Draft202012Validator(schema).iter_errors(plain)) == []
    assert list(Draft202012Validator(schema).iter_errors({**plain, "titel": "x"}))
