"""Make up truth.npz and result.zip: `python make.py IMAGES PAUSE_SECONDS`."""

import sys
from pathlib import Path

import numpy as np

rng, truth, result = np.random.default_rng(1), {"pause": np.float64(sys.argv[2])}, {}
for image in range(int(sys.argv[1])):
    mask = np.zeros((480, 640), np.uint32)
    for _ in range(20):
        top, left = rng.integers(0, (400, 560))
        mask[top : top + 120, left : left + 120] = 1000 * rng.integers(1, 21) + rng.choice([0, 1, 2, 999])
    moved = np.roll(mask, rng.integers(30), axis=1)
    moved[rng.random(mask.shape) < 0.03] = 5000
    truth[f"{image:012}"], result[f"{image:012}"] = mask, moved
np.savez_compressed("truth.npz", **truth)
with Path("result.zip").open("wb") as file:
    np.savez_compressed(file, **result)
