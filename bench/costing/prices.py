"""What bench/cost.py multiplies with: prices.yaml."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

PRICES = Path(__file__).with_name("prices.yaml")


@cache
def read_prices() -> Mapping[str, Any]:
    """Return prices and assumptions."""
    prices: Mapping[str, Any] = yaml.safe_load(PRICES.read_text(encoding="utf-8"))
    return prices
