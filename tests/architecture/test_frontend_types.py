"""The frontend's types are generated from the OpenAPI document and the models of the snapshots."""

from scripts.frontend.generate_types import SCHEMAS, TARGET, generate_schemas, generate_types


def test_generated_types_are_current() -> None:
    """The types match the models; `make types` writes them."""
    assert TARGET.read_text(encoding="utf-8") == generate_types()


def test_served_schemas_are_current() -> None:
    """The JSON schemas that the site serves are those of the models; `make types` writes them."""
    served = {file.name: file.read_text(encoding="utf-8") for file in SCHEMAS.iterdir()}

    assert served == generate_schemas()
    assert set(served) == {"corrections.json", "head.json", "index.json"}
