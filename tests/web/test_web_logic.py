"""The modules that draw nothing are tested where they run, by Node."""

import subprocess

import pytest

from scripts.frontend.build_frontend import run_tests

pytestmark = pytest.mark.e2e


def test_the_pure_logic_passes_its_own_tests() -> None:
    """`node --test` over frontend/test finds no failure."""
    try:
        run_tests()
    except subprocess.CalledProcessError as error:
        pytest.fail(f"{error}: see its output above")
