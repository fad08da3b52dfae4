"""Modules that take seconds to import, which only the process that needs them does."""

import importlib
from typing import Any


class Imported:
    """A module that is imported when it is asked for one of its names."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # pytest asks all that a module of tests names whether it is a test or a fixture
            raise AttributeError(name)
        return getattr(importlib.import_module(self._module), name)
