"""Where the files are that the stack serves and publishes: in the repository, or in the installed package."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
"""The repository; of an installed package, the folder of all packages."""
TRANSLATED: Final = Path(__file__).with_name("template.json")
"""The translated template, which `scripts/translation.py` writes."""
_SHIPPED: Final = Path(__file__).with_name("shipped")
IS_INSTALLED: Final = _SHIPPED.is_dir()
"""Whether this is an installed package, without the repository."""
BENCHMARKS: Final = _SHIPPED / "benchmarks" if IS_INSTALLED else ROOT / "benchmarks"
GAME: Final = _SHIPPED / "coin-run" if IS_INSTALLED else ROOT / "examples" / "coin-run"
PAGES: Final = _SHIPPED / "site" if IS_INSTALLED else ROOT / "frontend" / "dist"
"""The built site."""
