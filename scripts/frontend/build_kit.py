"""Puts the kit for games into the built site: the scripts of sdk/ and the page for frames."""  # noqa: INP001 — scripts are no package

import gzip
import json
import re
from pathlib import Path
from typing import Final

from api.openapi import ABOUT
from scoring_core.io.markdown import render_markdown
from scripts.tools import ROOT

SDK: Final = ROOT / "sdk"
BUDGETS: Final = {
    "laurel.js": 5_100,
    "laurel.global.js": 7_500,
    "names.js": 2_700,
    "laurel-board.js": 4_600,
    "beat.js": 1_000,
    "numbers.js": 1_200,
    "words.js": 1_000,
    "embed.js": 1_000,
}
"""Script → how many bytes it may have, gzipped."""
EMBED: Final = "embed.html"
GUIDES: Final = (
    *("agents", "benchmarks", "contest", "owners", "players", "scripts", "several-boards", "tables"),
    *("games", "game-boards", "fair-play"),
)
"""Pages of docs/ for people who have no clone; the site shows each at /docs/NAME."""
_SITE: Final = "https://laurel.example"
"""The address of a site in docs/."""
_LINK: Final = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)#\s]*)[^)\s]*\)")


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
        text = make_guide((ROOT / "docs" / f"{guide}.md").read_text())
        (folder / f"{guide}.md").write_text(text)
        (folder / f"{guide}.json").write_text(make_page(text))
    (folder / "api.json").write_text(make_page(f"# API\n\n{ABOUT}"))


def read_scripts() -> dict[str, str]:
    """Return the scripts of the kit by name."""
    scripts = {name: (SDK / name).read_text() for name in BUDGETS if name != "laurel.global.js"}
    return {**scripts, "laurel.global.js": make_global(scripts["names.js"] + scripts["laurel.js"])}


def make_guide(text: str) -> str:
    """Return a page of docs/ for a site, whose address comes in place of `{site}`.

    >>> make_guide("See [owners.md](owners.md#windows) and [the limits](security.md) of https://laurel.example.com/b/x.")
    'See [owners.md]({site}/docs/owners) and the limits of {site}/b/x.'
    """

    def replace(match: re.Match[str]) -> str:
        guide = match[2].removesuffix(".md")
        return f"[{match[1]}]({{site}}/docs/{guide})" if guide in GUIDES else match[1]

    return re.sub(r"https://laurel\.example(\.com)?", "{site}", _LINK.sub(replace, text))


def make_page(guide: str) -> str:
    r"""Return the title of a guide, and the rest as HTML, in JSON.

    >>> print(make_page("# Owners\n\n[Publish]({site}/docs/owners) often."))
    {"title": "Owners", "html": "<p><a href=\"{site}/docs/owners\">Publish</a> often.</p>\n"}
    """
    title, _, rest = guide.removeprefix("# ").partition("\n")
    html = render_markdown(rest.replace("{site}", _SITE), top=2).replace(_SITE, "{site}")
    return json.dumps({"title": title, "html": html}, ensure_ascii=False)


def make_global(module: str) -> str:
    r"""Return modules one behind the other as a script that makes their classes global.

    >>> make_global('export function f() {}\nimport { f } from "./f.js";\nexport class Laurel {}')
    '(() => {\nfunction f() {}\nclass Laurel {}\nObject.assign(globalThis, { Laurel });\n})();\n'
    """
    names = re.findall(r"^export class (\w+)", module, re.MULTILINE)
    body = re.sub(r"^(export |import .*\n)", "", module, flags=re.MULTILINE)
    return f"(() => {{\n{body}\nObject.assign(globalThis, {{ {', '.join(names)} }});\n}})();\n"
