"""Small drawings in served pages, as the app has them. Their colours are attributes: no page may have a `style`."""

from collections.abc import Sequence
from typing import Final

LAST_MEDAL: Final = 3
CHIP: Final = "M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14"
DASHES: Final = "M1 8h3M6 8h4M12 8h3"
UPLOAD: Final = "M8 10.5V2.5M4.5 6L8 2.5 11.5 6M2.5 13.5h11"
CARET: Final = (
    '<svg class="caret" viewBox="0 0 10 6" width="9" height="6" aria-hidden="true"><path d="M5 0l4.5 5.5h-9z"/></svg>'
)
MEDALS: Final = {
    1: "M14 1.6L17.4 4.5L21.9 4.2L22.9 8.5L26.7 10.9L25 15.0L26.7 19.1L22.9 21.5L21.9 25.8L17.4 25.5L14 28.4L10.6 25.5"
    "L6.1 25.8L5.1 21.5L1.3 19.1L3 15.0L1.3 10.9L5.1 8.5L6.1 4.2L10.6 4.5z",
    2: "M14 2l11.3 6.5v13L14 28 2.7 21.5v-13z",
    3: "M14 2.5a12.5 12.5 0 1 1 0 25 12.5 12.5 0 1 1 0-25z",
}
MARK: Final = (
    "M17 24.5Q18.5 29 23.3 27.1Q21.2 22.3 17 24.5zM17 24.5Q20.8 24.8 20.2 20.8Q16.1 20.9 17 24.5zM21 23Q24.4 26 27.4 "
    "22.1Q23.5 19.2 21 23zM21 23Q24.3 21.5 21.9 18.4Q18.6 20.4 21 23zM23.8 19.6Q27.9 20.6 28.7 16Q24.1 15.4 23.8 19.6"
    "zM23.8 19.6Q25.8 16.9 22.4 15.5Q20.6 18.6 23.8 19.6zM24.6 15.4Q28.4 14.3 26.9 10.2Q22.9 11.8 24.6 15.4zM24.6 15."
    "4Q25 12.3 21.6 12.6Q21.5 16 24.6 15.4zM23.2 11.3Q25.8 8.7 22.8 6Q20.2 9.1 23.2 11.3zM15 24.5Q10.8 22.3 8.7 27.1Q"
    "13.5 29 15 24.5zM15 24.5Q15.9 20.9 11.8 20.8Q11.2 24.8 15 24.5zM11 23Q8.5 19.2 4.6 22.1Q7.6 26 11 23zM11 23Q13.4"
    " 20.4 10.1 18.4Q7.7 21.5 11 23zM8.2 19.6Q7.9 15.4 3.3 16Q4.1 20.6 8.2 19.6zM8.2 19.6Q11.4 18.6 9.6 15.5Q6.2 16.9"
    " 8.2 19.6zM7.4 15.4Q9.1 11.8 5.1 10.2Q3.6 14.3 7.4 15.4zM7.4 15.4Q10.5 16 10.4 12.6Q7 12.3 7.4 15.4zM8.8 11.3Q11"
    ".8 9.1 9.2 6Q6.2 8.7 8.8 11.3z"
)
"""The laurel of favicon.svg, 32 units wide."""
_BAR, _HEIGHT, _STACK = 10, 26, 4


def draw_icon(shape: str) -> str:
    """Return an icon, such as CHIP."""
    return f'<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="{shape}"/></svg>'


def draw_medal(rank: int, *, tied: bool = False) -> str:
    """Return the medal of one of the first ranks, up to LAST_MEDAL."""
    mark = "=" if tied else ""
    return (
        '<svg class="medal" viewBox="0 0 28 30" width="26" height="28" aria-hidden="true">'
        f'<path fill="var(--medal-{rank})" d="{MEDALS[rank]}"/><text x="14" y="19.8" text-anchor="middle" '
        f'font-size="{13 if tied else 14}">{mark}{rank}</text></svg>'
    )


def draw_place(place: float) -> str:
    """Return a line with a dot at a place between 0 and 1."""
    at = 100 * min(1.0, max(0.0, place))
    return f'<svg class="line" aria-hidden="true"><circle cx="{at:.1f}%" cy="5" r="4"/></svg>'


def draw_spread(counts: Sequence[int]) -> str:
    """Return a dot for each row, or bars if too many would stand on each other."""
    most = max(counts)
    if most <= _STACK:
        dots = (
            f'<circle cx="{100 * (step + 0.5) / len(counts):g}%" cy="{_HEIGHT - 4 - 7 * level}" r="3"/>'
            for step, count in enumerate(counts)
            for level in range(count)
        )
        return f'<svg class="spread dots" aria-hidden="true">{"".join(dots)}</svg>'
    bars = (
        f'<rect x="{index * _BAR}" y="{_HEIGHT - height:.2f}" width="{_BAR - 2}" height="{height:.2f}"/>'
        for index, height in enumerate(max(2, count / most * _HEIGHT) if count else 0 for count in counts)
    )
    view = f"0 0 {len(counts) * _BAR} {_HEIGHT}"
    return f'<svg class="spread" viewBox="{view}" preserveAspectRatio="none" aria-hidden="true">{"".join(bars)}</svg>'
