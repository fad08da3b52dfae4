"""Puts the kit for games into the built site: the scripts of sdk/ and the page for frames."""  # noqa: INP001 — scripts are no package

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from api.app import app
from api.openapi import describe_api
from cli.commands.benchmarks.new import TEMPLATES, NewScorer
from scoring_core.benchmarks.bundle import pack
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
LANGUAGES: Final = ROOT / "frontend" / "src" / "languages"
EMBED: Final = "embed.html"
GUIDES: Final = (
    *("agents", "benchmarks", "contest", "owners", "players", "scripts", "several-boards", "tables"),
    *("games", "game-boards", "fair-play"),
)
"""Pages of docs/ for people who have no clone; the site shows each at /docs/NAME."""
_SITE: Final = "https://laurel.example"
"""The address of a site in docs/."""
_PICTURE: Final = re.compile(r"!\[\w+\]\([^)]+\)\n*")
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
    for name in NewScorer:
        paths = [path for path in (TEMPLATES / name).rglob("*.*") if path.suffix != ".pyc"]
        files = {path.relative_to(TEMPLATES / name).as_posix(): path.read_bytes() for path in paths}
        (folder / f"{name}.zip").write_bytes(pack(files))
    (folder / "api.json").write_text(make_page(make_guide("\n\n".join(write_api(describe_api(app))))))


def read_scripts() -> dict[str, str]:
    """Return the scripts of the kit by name."""
    scripts = {path.name: path.read_text() for path in SDK.glob("*.js") if path.name in BUDGETS}
    made = make_global(scripts["names.js"] + scripts["laurel.js"])
    return {**scripts, "laurel.global.js": made, "words.js": write_words(scripts["laurel-board.js"])}


def write_words(board: str) -> str:
    """Return the texts of <laurel-board> as the site translates them."""
    texts = set(re.findall(r'#say\("([^"]+)"\)', board))
    tables = {path.stem[:2]: json.loads(path.read_text()) for path in sorted(LANGUAGES.glob("*.json"))}
    words = {language: {text: table[text] for text in sorted(texts)} for language, table in tables.items()}
    return f"export default {json.dumps(words, ensure_ascii=False)};\n"


def make_guide(text: str) -> str:
    """Return a page of docs/, with `{site}` for the address, and without pictures.

    >>> make_guide("![x](x.png)See [owners.md](owners.md#a) and [the limits](security.md) of https://laurel.example/b/x")
    'See [owners.md]({site}/docs/owners) and the limits of {site}/b/x'
    """

    def replace(match: re.Match[str]) -> str:
        guide = match[2].removesuffix(".md")
        return f"[{match[1]}]({{site}}/docs/{guide})" if guide in GUIDES else match[1]

    return re.sub(r"https://laurel\.example(\.com)?", "{site}", _LINK.sub(replace, _PICTURE.sub("", text)))


def make_page(guide: str) -> str:
    r"""Return the title of a guide, and the rest as HTML, in JSON.

    >>> print(make_page("# Owners\n\n[Publish]({site}/docs/owners) often."))
    {"title": "Owners", "html": "<p><a href=\"{site}/docs/owners\">Publish</a> often.</p>\n"}
    """
    title, _, rest = guide.removeprefix("# ").partition("\n")
    html = render_markdown(rest.replace("{site}", _SITE), top=2).replace(_SITE, "{site}")
    return json.dumps({"title": title, "html": html}, ensure_ascii=False)


def write_api(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the paragraphs of the API's page, from its OpenAPI document, as Markdown."""
    yield f"# API\n\n{document['info']['description']}"
    yield f"For programs: [openapi.json]({_SITE}/api/openapi.json).\n\n## Calls"
    meanings: dict[str, str] = {}
    for path, calls in document["paths"].items():
        for method, call in calls.items():
            yield f"### `{method.upper()} {path}`\n\n{call.get('summary', '')}"
            if "requestBody" in call:
                yield f"Body: {_name_content(call['requestBody'])}. {call['requestBody'].get('description', '')}"
            given = [(each, ("optional", "required")[each["required"]]) for each in call.get("parameters", ())]
            yield "\n".join(_write_field(each, f"{each['in']}, {need}") for each, need in given)
            answers = call["responses"]
            good = ", ".join(f"{status} {_name_content(answer)}" for status, answer in answers.items() if status < "4")
            bad = {status: answer["description"] for status, answer in answers.items() if status >= "4"}
            meanings |= bad
            yield f"Answers: {good}. Errors: {', '.join(bad)}."
    yield "## Errors"
    yield "\n".join(f"* {status}: {meaning}" for status, meaning in sorted(meanings.items()))
    yield "## Schemas"
    for name, schema in document["components"]["schemas"].items():
        yield f"### `{name}`\n\n{schema.get('description', '')}"
        required, fields = schema.get("required", ()), schema.get("properties", {}).items()
        described = [({"name": field, "schema": value, **value}, field in required) for field, value in fields]
        yield "\n".join(_write_field(field, "" if is_needed else "optional") for field, is_needed in described)


def _write_field(field: Mapping[str, Any], about: str) -> str:
    facts = ", ".join(filter(None, (_name_type(field.get("schema", {})), about)))
    return f"* `{field['name']}` ({facts}) {field.get('description', '')}"


def _name_content(described: Mapping[str, Any]) -> str:
    content = described.get("content", {})
    return " or ".join(f"{_name_type(each.get('schema', {}))} ({kind})" for kind, each in content.items()) or "nothing"


def _name_type(schema: Mapping[str, Any]) -> str:
    """Return the type of a schema in one line."""
    match schema:
        case {"$ref": str(reference)}:
            return f"`{reference.rpartition('/')[2]}`"
        case {"anyOf": choices}:
            return " or ".join(dict.fromkeys(map(_name_type, choices)))
        case {"enum": values}:
            return " or ".join(f"`{json.dumps(value)}`" for value in values)
        case {"const": value}:
            return f"`{json.dumps(value)}`"
        case {"type": "array", "items": item}:
            return f"list of {_name_type(item)}"
    return str(schema.get("type", "any"))


def make_global(module: str) -> str:
    r"""Return modules one behind the other as a script that makes their classes global.

    >>> make_global('export function f() {}\nimport { f } from "./f.js";\nexport class Laurel {}')
    '(() => {\nfunction f() {}\nclass Laurel {}\nObject.assign(globalThis, { Laurel });\n})();\n'
    """
    names = re.findall(r"^export class (\w+)", module, re.MULTILINE)
    body = re.sub(r"^(export |import .*\n)", "", module, flags=re.MULTILINE)
    return f"(() => {{\n{body}\nObject.assign(globalThis, {{ {', '.join(names)} }});\n}})();\n"
