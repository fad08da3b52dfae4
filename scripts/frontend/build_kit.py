"""Puts the kit for games into the built site: the scripts of sdk/ and the page for frames."""  # noqa: INP001 — scripts are no package

import gzip
import re
from pathlib import Path
from typing import Final

from scripts.tools import ROOT

SDK: Final = ROOT / "sdk"
BUDGETS: Final = {
    "laurel.js": 4_000,
    "laurel.global.js": 4_000,
    "laurel-board.js": 4_100,
    "beat.js": 1_000,
    "embed.js": 1_000,
}
"""Script → how many bytes it may have, gzipped."""
EMBED: Final = "embed.html"
GUIDES: Final = ("games.md", "agents.md")
"""What game makers and agents read, which the site shows at /docs/games and /docs/agents."""


class KitTooLarge(Exception):
    """A script of the kit is larger than its budget."""


def build_kit(site: Path) -> None:
    """Write the kit into the folder of the built site. Raises KitTooLarge."""
    scripts = read_scripts()
    folder = site / "sdk"
    folder.mkdir(exist_ok=True)
    for name, text in scripts.items():
        size = len(gzip.compress(text.encode(), 6))
        if size > BUDGETS[name]:
            raise KitTooLarge(f"sdk/{name} has {size:,} bytes, gzipped; the budget is {BUDGETS[name]:,}")
        (folder / name).write_text(text)
    (folder / "laurel.d.ts").write_text((SDK / "laurel.d.ts").read_text())
    (site / EMBED).write_text((SDK / EMBED).read_text())
    for guide in GUIDES:
        text = (ROOT / "docs" / guide).read_text()
        (folder / guide).write_text(text.replace("https://laurel.example", "{site}"))


def read_scripts() -> dict[str, str]:
    """Return the scripts of the kit by name."""
    scripts = {name: (SDK / name).read_text() for name in BUDGETS if name != "laurel.global.js"}
    return {**scripts, "laurel.global.js": make_global(scripts["laurel.js"])}


def make_global(module: str) -> str:
    r"""Return a module as a script that makes its exports global.

    >>> make_global("export class Laurel {}")
    '(() => {\nclass Laurel {}\nObject.assign(globalThis, { Laurel });\n})();\n'
    """
    names = re.findall(r"^export class (\w+)", module, re.MULTILINE)
    body = re.sub(r"^export ", "", module, flags=re.MULTILINE)
    return f"(() => {{\n{body}\nObject.assign(globalThis, {{ {', '.join(names)} }});\n}})();\n"
