"""Writes frontend/src/api/generated/snapshots.ts: the snapshots' pydantic models as TypeScript."""  # noqa: INP001 — scripts are no package

import sys
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from storage.aws.schema import Schema
from storage.boards.models import Head, Index, RowsFile

TARGET: Final = Path(__file__).parents[2] / "frontend" / "src" / "api" / "generated" / "snapshots.ts"
FILES: Final[tuple[type[BaseModel], ...]] = (Index, Head, RowsFile)
HEADER: Final = "// Generated from storage/boards/models.py by `make types`. Edit the models instead."
_PLAIN: Final = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def main() -> int:
    """Write the types; give the exit code."""
    TARGET.write_text(generate_types(), encoding="utf-8")
    return 0


def generate_types() -> str:
    """Give the TypeScript: one type for each model, in order of name, in the shape in which the files are written."""
    _, schema = models_json_schema([(model, "serialization") for model in FILES])
    types = [_declare(name, model) for name, model in sorted(schema["$defs"].items())]
    return "\n\n".join([f"{HEADER}\n\nexport const SCHEMA = {Schema.SNAPSHOT.schema};", *types]) + "\n"


def _declare(name: str, schema: dict[str, Any]) -> str:
    comment = f"/** {schema['description'].partition('\n')[0]} */\n" if "description" in schema else ""
    if "properties" not in schema:
        return f"{comment}export type {name} = {_express(schema)};"
    fields = [f"  readonly {field}: {_express(one)};" for field, one in schema["properties"].items()]
    return "\n".join([f"{comment}export interface {name} {{", *fields, "}"])


def _express(schema: dict[str, Any]) -> str:
    """Give the TypeScript of a JSON schema of the kinds that the models use.

    Raises:
        KeyError: A kind that no snapshot used so far.
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
            text = f"readonly ({inner})[]" if " | " in inner else f"readonly {inner}[]"
        case {"type": "object", "additionalProperties": dict(value)}:
            text = f"Readonly<Record<string, {_express(value)}>>"
        case _:
            text = _PLAIN[schema["type"]]
    return text


def _quote(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


if __name__ == "__main__":
    sys.exit(main())
