"""The frontend reads what Python writes: its types are those of the snapshots' models."""

from scripts.frontend.generate_types import TARGET, generate_types


def test_the_types_of_the_frontend_are_current() -> None:
    """A model of the snapshots that changed has its TypeScript generated anew: `make types`."""
    assert TARGET.read_text(encoding="utf-8") == generate_types()
