"""Small drawings in served pages, as the app has them. Their colours are attributes: no page may have a `style`."""

from collections.abc import Sequence
from typing import Final

LAST_MEDAL: Final = 3
CHIP: Final = "M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14"
UPLOAD: Final = "M8 10.5V2.5M4.5 6L8 2.5 11.5 6M2.5 13.5h11"
CARET: Final = (
    '<svg class="caret" viewBox="0 0 10 6" width="9" height="6" aria-hidden="true"><path d="M5 0l4.5 5.5h-9z"/></svg>'
)
_MEDALS: Final = {
    1: "M14 1.6L17.4 4.5L21.9 4.2L22.9 8.5L26.7 10.9L25 15.0L26.7 19.1L22.9 21.5L21.9 25.8L17.4 25.5L14 28.4L10.6 25.5"
    "L6.1 25.8L5.1 21.5L1.3 19.1L3 15.0L1.3 10.9L5.1 8.5L6.1 4.2L10.6 4.5z",
    2: "M14 2l11.3 6.5v13L14 28 2.7 21.5v-13z",
    3: "M14 2.5a12.5 12.5 0 1 1 0 25 12.5 12.5 0 1 1 0-25z",
}
_BAR, _HEIGHT = 10, 26


def draw_icon(shape: str) -> str:
    """Return an icon, such as CHIP."""
    return f'<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="{shape}"/></svg>'


def draw_medal(rank: int, *, tied: bool = False) -> str:
    """Return the medal of one of the first ranks, up to LAST_MEDAL."""
    mark = "=" if tied else ""
    return (
        '<svg class="medal" viewBox="0 0 28 30" width="26" height="28" aria-hidden="true">'
        f'<path fill="var(--medal-{rank})" d="{_MEDALS[rank]}"/><text x="14" y="19.8" text-anchor="middle" '
        f'font-size="{13 if tied else 14}">{mark}{rank}</text></svg>'
    )


def draw_place(place: float) -> str:
    """Return a line with a dot at a place between 0 and 1."""
    at = 100 * min(1.0, max(0.0, place))
    return f'<svg class="line" aria-hidden="true"><circle cx="{at:.1f}%" cy="5" r="4"/></svg>'


def draw_spread(counts: Sequence[int]) -> str:
    """Return bars of these counts."""
    most = max(counts)
    bars = (
        f'<rect x="{index * _BAR}" y="{_HEIGHT - height:.2f}" width="{_BAR - 2}" height="{height:.2f}"/>'
        for index, height in enumerate(max(2, count / most * _HEIGHT) if count else 0 for count in counts)
    )
    view = f"0 0 {len(counts) * _BAR} {_HEIGHT}"
    return f'<svg class="spread" viewBox="{view}" preserveAspectRatio="none" aria-hidden="true">{"".join(bars)}</svg>'
