"""A copy of this environment's packages, in the folder of a layer, for `scripts/lighten.py` to rewrite."""

import shutil
import sysconfig
from pathlib import Path

from scripts.lighten import Code, read_code
from tests.harness.stack import ROOT

SITE = Path(sysconfig.get_paths()["purelib"])
_REWRITTEN = ("aws_lambda_powertools", "botocore", "pydantic", "pydantic_core", "urllib3")


def read_laurel() -> Code:
    """Read what Laurel's code names."""
    return read_code([ROOT / "layers" / "storage", ROOT / "functions"])


def copy_packages(folder: Path, services: frozenset[str]) -> Path:
    """Copy the packages that are rewritten, botocore with the models of some services, as the layer's Makefile does."""

    def ignore(source: str, names: list[str]) -> set[str]:
        other = [name for name in names if "." not in name and name not in services]
        return {"__pycache__", *(other if source.endswith("botocore/data") else ())}

    site = folder / "python"
    for package in _REWRITTEN:
        shutil.copytree(SITE / package, site / package, ignore=ignore)
    return site
