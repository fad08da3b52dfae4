"""Which files nobody sees: those that systems, editors and notebooks leave beside a person's own."""

from typing import Final

HIDDEN_NAMES: Final = frozenset({"__macosx", "__pycache__", "desktop.ini", "thumbs.db"})
"""Besides names that begin with a dot; in lower case. The site has the same in `folder.ts`."""


def is_hidden(path: str) -> bool:
    """Return whether a file or a folder that it is in is hidden.

    A path that leads elsewhere is not: it is refused where paths are checked.

    >>> [is_hidden(path) for path in ("runs/.DS_Store", "a/.ipynb_checkpoints/b.json", "._a.json", "x/Thumbs.db")]
    [True, True, True, True]
    >>> [is_hidden(path) for path in ("a.json", "../a.json", "./a.json", "a./b..json", "thumbs.db.json")]
    [False, False, False, False, False]
    """
    return any(
        (name.startswith(".") and name not in {".", ".."}) or name.lower() in HIDDEN_NAMES for name in path.split("/")
    )
