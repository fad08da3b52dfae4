"""Renders pictures as PNG, by resvg with fonts of our own."""

import hashlib
from importlib.resources import files

FONTS = ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf", "NotoSansSC-Regular.otf")
"""Files in `laurel_fonts`, which comes with PicturesLayer."""


def make_etag(svg: str) -> str:
    """Return what names a picture, without rendering it."""
    return f'"{hashlib.sha256(svg.encode()).hexdigest()[:32]}"'


def render_png(svg: str) -> bytes:
    """Return an SVG as PNG. It takes about 0.1 s of a whole vCPU."""
    import resvg_py  # noqa: PLC0415  # no other route waits for it

    fonts = [str(files("laurel_fonts") / name) for name in FONTS]
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=fonts))
