"""Writes the frontend's types, the JSON schemas that the site serves, and the kit's rules of names."""  # noqa: INP001 — scripts are no package

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from api.app import app
from api.openapi import describe_api
from scoring_core.benchmarks.definition import Definition
from storage.benchmarks.corrections import Corrections
from storage.boards.models import Head, Index
from storage.gateway.schema import Schema
from storage.players.names import RULES

TARGET: Final = Path(__file__).parents[2] / "frontend" / "src" / "api" / "generated" / "types.ts"
SNAPSHOTS: Final[Mapping[str, type[BaseModel]]] = {
    "index": Index,
    "head": Head,
    "corrections": Corrections,
}
NAMES: Final = Path(__file__).parents[2] / "sdk" / "names.js"
SCHEMAS: Final = Path(__file__).parents[2] / "frontend" / "public" / "schema"
"""Served below `/schema/`."""
_SHORT: Final = ("WindowSpec", "LateRules", "ReviewRules")
"""What benchmark.yaml may write as a text alone; their models read that before their schema."""
HEADER: Final = "// Generated from the API's models by `make types`. Edit the models instead."
_PLAIN: Final = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def main() -> int:
    """Write the types and return the exit code."""
    TARGET.write_text(generate_types(), encoding="utf-8")
    for name, text in generate_schemas().items():
        (SCHEMAS / name).write_text(text, encoding="utf-8")
    NAMES.write_text(write_rules(NAMES.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


def write_rules(script: str) -> str:
    """Return the script that checks names, with the API's rules in their line."""
    rules = f"const RULES = {json.dumps(RULES)};"
    return "\n".join(rules if line.startswith("const RULES = ") else line for line in script.split("\n"))


def generate_schemas() -> Mapping[str, str]:
    """Return the JSON schemas of snapshots and of benchmark.yaml, by file's name."""
    schemas = {name: model.model_json_schema(mode="serialization") for name, model in SNAPSHOTS.items()}
    schemas["benchmark"] = described = Definition.model_json_schema()
    for name in _SHORT:
        described["$defs"][name] = {"anyOf": [described["$defs"][name], {"type": "string"}]}
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {f"{name}.json": json.dumps({**dialect, **schema}, indent=1) + "\n" for name, schema in schemas.items()}


def generate_types() -> str:
    """Return a TypeScript type for each schema of the API's answers and snapshots.

    openapi-typescript is not used: it needs the compiler API of TypeScript 5, which TypeScript 7 does not have.
    """
    _, snapshots = models_json_schema([(model, "serialization") for model in SNAPSHOTS.values()])
    schemas = snapshots["$defs"] | describe_api(app)["components"]["schemas"]
    answered = json.dumps(schemas)
    types = [
        _declare(name, schema)
        for name, schema in sorted(schemas.items())
        if not name.endswith("Request") or f'/{name}"' in answered
    ]
    return "\n\n".join([HEADER, f"export const SCHEMA = {Schema.SNAPSHOT.number};", *types]) + "\n"


def _declare(name: str, schema: Mapping[str, Any]) -> str:
    if "properties" not in schema:
        return f"export type {name} = {_express(schema)};"
    fields = [f"  {_express_field(field, value, schema)};" for field, value in schema["properties"].items()]
    return "\n".join([f"export interface {name} {{", *fields, "}"])


def _express_field(name: str, value: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Return a field, optional unless it is required or has a default."""
    mark = "" if name in schema.get("required", ()) or "default" in value else "?"
    return f"readonly {name}{mark}: {_express(value)}"


def _express(schema: Mapping[str, Any]) -> str:
    """Return the TypeScript of a JSON schema of the kinds that the models use.

    Raises KeyError if no model has used this kind so far.
    """
    match schema:
        case {"$ref": str(reference)}:
            text = reference.rpartition("/")[2]
        case {"const": constant}:
            text = _quote(constant)
        case {"enum": values}:
            text = " | ".join(map(_quote, values))
        case {"anyOf": choices}:
            text = " | ".join(dict.fromkeys(map(_express, choices)))
        case {"type": "array", "prefixItems": items}:
            text = f"readonly [{', '.join(map(_express, items))}]"
        case {"type": "array", "items": item}:
            inner = _express(item)
            text = f"readonly ({inner})[]" if " | " in inner or inner.startswith("readonly ") else f"readonly {inner}[]"
        case {"type": "object", "properties": fields}:
            text = f"{{ {'; '.join(_express_field(name, value, schema) for name, value in fields.items())} }}"
        case {"type": "object", "additionalProperties": True}:
            text = "Readonly<Record<string, unknown>>"
        case {"type": "object", "additionalProperties": dict(value)}:
            text = f"Readonly<Record<string, {_express(value)}>>"
        case _:
            text = _PLAIN[schema["type"]]
    return text


def _quote(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


if __name__ == "__main__":
    sys.exit(main())
