"""What makes worlds; its clients live for a whole module, because they are slow to make."""

import logging
from collections.abc import Iterator

import pytest

from tests.faults.world import Maker, clients_ready, read_template


@pytest.fixture(scope="module")
def maker() -> Iterator[Maker]:
    """Make worlds."""
    logging.disable(logging.CRITICAL)  # what goes wrong here is meant to, and is told in megabytes
    with clients_ready() as session:
        yield Maker(read_template(), session)
    logging.disable(logging.NOTSET)
