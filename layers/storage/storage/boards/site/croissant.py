"""A board's rows as a dataset in Croissant, which loaders of datasets read.

Source: MLCommons, Croissant Format Specification 1.0. The CSV changes with each result, so it has no checksum, and the
dataset says that it is live.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from storage.boards.models import Head

_SPECIFICATION: Final = "http://mlcommons.org/croissant/1.0"
_TERMS: Final = (
    "citeAs", "column", "extract", "field", "fileObject", "fileProperty", "fileSet", "format", "includes",
    "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex", "repeated",
    "replace", "separator", "source", "subField", "transform",
)  # fmt: skip
"""The terms of Croissant that are named as in its vocabulary."""
_CONTEXT: Final[dict[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _TERMS},
}
_FILE: Final = "rows.csv"
_LINKS: Final = {"license": "license", "licence": "license", "paper": "citeAs", "citation": "citeAs"}
"""Label of a link of the benchmark, in lower case → what it says of the data."""


def write_croissant(head: Head, *, site: str) -> str:
    """Return the description of the CSV of a main board."""
    described = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": _SPECIFICATION,
        "name": head.title,
        "description": f"{head.summary} {head.ranking.rule}",
        "url": f"{site}/b/{head.id}",
        "version": head.version,
        "keywords": list(head.tags),
        **{_LINKS[link.label.lower()]: link.url for link in head.links if link.label.lower() in _LINKS},
        "isLiveDataset": True,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": _FILE,
                "name": _FILE,
                "contentUrl": f"{site}/api/benchmarks/{head.id}/{_FILE}",
                "encodingFormat": "text/csv",
            }
        ],
        "recordSet": [{"@type": "cr:RecordSet", "@id": "rows", "name": "rows", "field": list(_list_fields(head))}],
    }
    return json.dumps(described, ensure_ascii=False, indent=1) + "\n"


def _list_fields(head: Head) -> Iterator[dict[str, Any]]:
    """Yield the columns of the CSV that every row has."""
    names = {"rank": "sc:Integer", "player": "sc:Text", "player_id": "sc:Text", "kind": "sc:Text"}
    names |= {"label": "sc:Text"} if head.ranking.rows == "label" else {}
    names |= {metric.label: "sc:Float" for metric in head.metrics}
    for name, kind in (names | {"submissions": "sc:Integer", "last": "sc:DateTime"}).items():
        source = {"fileObject": {"@id": _FILE}, "extract": {"column": name}}
        yield {"@type": "cr:Field", "@id": f"rows/{name}", "name": name, "dataType": kind, "source": source}
