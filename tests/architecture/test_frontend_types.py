"""The frontend's types are generated from the OpenAPI document and the models of the snapshots."""

from scripts.frontend.generate_types import TARGET, generate_types


def test_generated_types_are_current() -> None:
    """The types match the models; `make types` writes them."""
    assert TARGET.read_text(encoding="utf-8") == generate_types()
