"""What holds for every test."""

import os

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from scripts.translation import build_template

# A busy machine is no defect: no example fails for being slow. `make test` tries the same few examples each time;
# `make fuzz` tries new ones, and many more of them.
settings.register_profile("laurel", deadline=None, print_blob=True, derandomize=True, max_examples=30)
settings.register_profile("quick", settings.get_profile("laurel"), max_examples=10)
settings.register_profile("fuzz", deadline=None, print_blob=True, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "laurel"))


pytest_plugins = ["tests.harness.role_wall", "tests.harness.suite_seconds"]
LONG = ("tests/fuzz/test_linear_readers.py", "tests/web/", "tests/faults/")
"""What takes longest, in the order in which it begins, so that no process idles while another one ends. The readers
measure time, which a process whose memory many tests have used distorts."""
WAITING_WORKERS = 1
"""Workers besides one for each core: tests of browsers and stacks wait a third of their time."""


class FolderScheduling(LoadFileScheduling):
    """A file of tests stays in one process, and so does the whole of `tests/runtime`.

    A test of `tests/faults` makes a world of its own, so that a file of them is shared by all processes.
    """

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        if path.startswith("tests/faults/"):
            return nodeid
        # Two builds of the functions at once would write to the same folder.
        return "tests/runtime" if path.startswith("tests/runtime/") else path


def pytest_xdist_auto_num_workers() -> int:
    """Return how many processes `--numprocesses auto` starts."""
    return (os.process_cpu_count() or 1) + WAITING_WORKERS


def pytest_configure(config: pytest.Config) -> None:
    """Translate a template that has changed, once for all processes."""
    if not hasattr(config, "workerinput"):
        build_template()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put what takes long before all else, where several processes share the tests."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: next((i for i, path in enumerate(LONG) if item.nodeid.startswith(path)), len(LONG)))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FolderScheduling:
    """Decide which tests run in the same process."""
    return FolderScheduling(config, log)
