"""Modules that take seconds to import, which only the process that needs them does."""

import importlib
from typing import Any


class Imported:
    """A module that is imported when it is asked for one of its names."""

    __test__ = False  # pytest asks all that a module of tests names for this

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self._module), name)
