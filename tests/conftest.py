"""What holds for every test."""

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

# A busy machine is no defect: no example fails for being slow.
settings.register_profile("laurel", deadline=None, print_blob=True)
settings.load_profile("laurel")


class FolderScheduling(LoadFileScheduling):
    """A file of tests stays in one process, and so does the whole of `tests/web`, which shares one stack.

    moto keeps its state in the process: between two files of the web another file's tests would reset it.
    """

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        return "tests/web" if path.startswith("tests/web/") else path


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FolderScheduling:
    """Decide which tests run in the same process."""
    return FolderScheduling(config, log)
