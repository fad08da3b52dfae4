"""The factory of simulations; its clients live for a whole module, because they are slow to make."""

import logging
from collections.abc import Iterator

import pytest

from tests.faults.simulation import SimulationFactory, clients_ready, read_template


@pytest.fixture(scope="module")
def simulations() -> Iterator[SimulationFactory]:
    """Make simulations."""
    logging.disable(logging.CRITICAL)  # injected faults would log megabytes
    with clients_ready() as session:
        yield SimulationFactory(read_template(), session)
    logging.disable(logging.NOTSET)
