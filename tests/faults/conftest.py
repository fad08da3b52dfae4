"""The factory of simulations; the template is slow to translate."""

import logging
from collections.abc import Iterator

import pytest

from tests.faults.simulation import SimulationFactory, read_template


@pytest.fixture(autouse=True)
def roles(held_to_roles: None) -> None:
    """Each call of a function needs a right of its role."""


@pytest.fixture(scope="module")
def simulations() -> Iterator[SimulationFactory]:
    """Make simulations."""
    logging.disable(logging.CRITICAL)  # injected faults would log megabytes
    yield SimulationFactory(read_template())
    logging.disable(logging.NOTSET)
