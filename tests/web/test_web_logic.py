"""The frontend's modules without a DOM are tested by Node."""

import subprocess

import pytest

from scripts.frontend.build_frontend import run_script

pytestmark = pytest.mark.e2e


def test_frontend_logic_passes_its_node_tests() -> None:
    """`node --test` reports no failure."""
    try:
        run_script("test")
    except subprocess.CalledProcessError as error:
        pytest.fail(f"{error}: see its output above")
