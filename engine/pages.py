"""Reads all pages of an operation, as the paginators of botocore do."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of one request."""

    read: Callable[..., dict[str, Any]]
    request: dict[str, Any]
    following: Mapping[str, str]
    lists: Sequence[str]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield page after page."""
        request = self.request
        while True:
            page = self.read(**request)
            yield page
            if not all(page.get(answered) for answered in self.following.values()):
                return
            request = {**request, **{asked: page[answered] for asked, answered in self.following.items()}}

    def build_full_result(self) -> dict[str, Any]:
        """Return the entries of all pages in one."""
        pages = list(self)
        return {name: [entry for page in pages for entry in page.get(name, ())] for name in self.lists}


@dataclass(frozen=True, slots=True)
class Paginator:
    """Makes pages.

    Args:
        read: The operation.
        following: Parameter of the next request → member of the answer that it continues.
        size: The parameter that limits a page.
        lists: The members that hold entries.
    """

    read: Callable[..., dict[str, Any]]
    following: Mapping[str, str]
    size: str
    lists: Sequence[str]

    def paginate(
        self,
        *,
        PaginationConfig: Mapping[str, int] | None = None,  # noqa: N803  # AWS's name
        **request: Any,
    ) -> Pages:
        """Return the pages of a request; `PageSize` is the one setting."""
        if PaginationConfig:
            request[self.size] = PaginationConfig["PageSize"]
        return Pages(self.read, request, self.following, self.lists)
