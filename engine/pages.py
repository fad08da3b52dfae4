"""Reads all pages of an operation, as the paginators of botocore do."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Paginator:
    """Reads pages.

    Args:
        read: The operation.
        following: Parameter of the next request → member of the answer that it continues.
        size: The parameter that limits a page.
    """

    read: Callable[..., dict[str, Any]]
    following: Mapping[str, str]
    size: str

    def paginate(
        self,
        *,
        PaginationConfig: Mapping[str, int] | None = None,  # noqa: N803  # AWS's name
        **request: Any,
    ) -> Iterator[dict[str, Any]]:
        """Yield page after page of a request; `PageSize` is the one setting."""
        if PaginationConfig:
            request[self.size] = PaginationConfig["PageSize"]
        while True:
            page = self.read(**request)
            yield page
            if not all(page.get(answered) for answered in self.following.values()):
                return
            request |= {asked: page[answered] for asked, answered in self.following.items()}
