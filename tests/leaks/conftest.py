"""The factory of the cloud in which a world is told; each call of a function needs a right of its role."""

import pytest

from tests.faults.simulation import SimulationFactory, read_template


@pytest.fixture(autouse=True)
def roles(held_to_roles: None) -> None:
    """Each call of a function needs a right of its role."""


@pytest.fixture(scope="package")
def simulations() -> SimulationFactory:
    """What makes simulations, each with a clock and with seeded randomness."""
    return SimulationFactory(read_template())
