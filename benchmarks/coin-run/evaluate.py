# ruff: noqa: INP001  # an evaluation script stands alone
"""Scores one run of Coin Run: how many coins it passed, and how long it took.

evaluate.py RESULT      prints {"Coins": …, "Time": …}; exits with 2, and says why, where the result is no run
"""

import json
import sys
from pathlib import Path
from typing import NoReturn

import numpy as np

REACH = 0.5  # tiles
TOP_SPEED = 8.0  # tiles per second
ROUNDING = 1e-9


def refuse(reason: str) -> NoReturn:
    """Tell the player what is wrong with the result."""
    sys.stdout.write(reason + "\n")
    sys.exit(2)


def read_frames(run: object) -> tuple[str, np.ndarray]:
    """Give the level's name and its frames: rows of time (s), x, y (tiles)."""
    if not isinstance(run, dict) or not isinstance(run.get("level"), str) or not isinstance(run.get("frames"), list):
        refuse('expected {"level": name, "frames": [[time, x, y], …]}')
    for number, frame in enumerate(run["frames"]):
        if not isinstance(frame, list) or len(frame) != 3 or not all(type(value) in (int, float) for value in frame):  # noqa: PLR2004
            refuse(f"frame {number}: expected three numbers: time, x, y")
    try:
        frames = np.array(run["frames"], dtype=float).reshape(-1, 3)
    except OverflowError:
        refuse("a frame holds a number that is too large")
    if len(frames) < 2:  # noqa: PLR2004
        refuse(f"expected at least two frames, found {len(frames)}")
    if not np.isfinite(frames).all():
        refuse("a frame holds a number that is too large")
    return run["level"], frames


def check_movement(frames: np.ndarray) -> None:
    """Refuse a run that goes back in time or faster than a runner can."""
    steps = np.diff(frames, axis=0)
    late = np.flatnonzero(steps[:, 0] <= 0)
    if late.size:
        refuse(f"frame {late[0] + 1}: its time is not after that of the frame before")
    speeds = np.hypot(steps[:, 1], steps[:, 2]) / steps[:, 0]
    fast = np.flatnonzero(speeds > TOP_SPEED + ROUNDING)
    if fast.size:
        refuse(f"frame {fast[0] + 1}: {speeds[fast[0]]:.1f} tiles per second, a runner does at most {TOP_SPEED:g}")


def count_coins(frames: np.ndarray, coins: np.ndarray) -> int:
    """Count the coins that the way, straight from frame to frame, passes within reach."""
    starts, ways = frames[:-1, 1:], np.diff(frames[:, 1:], axis=0)
    lengths = np.maximum((ways**2).sum(axis=1), ROUNDING)
    passed = 0
    for coin in coins:
        along = np.clip(((coin - starts) * ways).sum(axis=1) / lengths, 0, 1)
        gaps = np.linalg.norm(coin - (starts + along[:, None] * ways), axis=1)
        passed += bool((gaps <= REACH + ROUNDING).any())
    return passed


def main() -> None:
    """Score the result that the command line names; the file bears the name of the part that it was handed in for."""
    result = Path(sys.argv[1])
    levels = json.loads(Path(__file__).with_name("truth.json").read_text(encoding="utf-8"))
    level, frames = read_frames(json.loads(result.read_text(encoding="utf-8")))
    if level not in levels:
        refuse(f"unknown level: expected one of {', '.join(levels)}, found {level!r}")
    if level != result.stem:
        refuse(f"this is a run of {level}, handed in for {result.stem}")
    check_movement(frames)
    coins = np.array(levels[level], dtype=float)
    json.dump({"Coins": count_coins(frames, coins), "Time": float(frames[-1, 0] - frames[0, 0])}, sys.stdout)


if __name__ == "__main__":
    main()
