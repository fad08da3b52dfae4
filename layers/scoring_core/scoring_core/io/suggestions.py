"""What was probably meant by a name that does not exist."""

from collections.abc import Sequence
from difflib import get_close_matches


def suggest_nearest(name: str, names: Sequence[str]) -> str:
    """Return the name that was probably meant, or all of them.

    >>> suggest_nearest("COIN", ["Coins", "Time"]), suggest_nearest("x", ["Coins", "Time"])
    ("did you mean 'Coins'?", 'known are Coins, Time')
    """
    folded = {each.casefold(): each for each in names}
    near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
    return f"did you mean {folded[near[0]]!r}?" if near else f"known are {', '.join(names)}"
