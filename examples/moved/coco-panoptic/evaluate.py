"""Panoptic quality as panopticapi has it. A pixel is 1000 × category + instance; 0 is void, instance 999 a crowd."""

import json
import sys
import time
from pathlib import Path

import numpy as np

truth, result, sums = np.load(Path(__file__).with_name("truth.npz")), np.load(sys.argv[1]), np.zeros((3, 201))
for image in (name for name in truth if name != "pause"):
    time.sleep(float(truth["pause"]))
    mask = result[image] if image in result else np.zeros(0)
    if mask.shape != truth[image].shape or mask.dtype != np.uint32 or (mask % 201_000 != mask).any():
        print(f"{image}: expected pixels below 201000, as uint32 {truth[image].shape}")
        sys.exit(2)
    pairs, size = np.unique(truth[image].astype(np.int64) << 32 | mask, return_counts=True)
    true, guess = pairs >> 32, pairs & 0xFFFFFFFF
    same = guess == guess[:, None]
    area, union = same @ size, (true == true[:, None]) @ size + same @ (size * (true != 0)) - size
    hit = (true // 1000 == guess // 1000) & (true >= 1000) & (true % 1000 != 999) & (2 * size > union)
    ignored = same @ (size * ((true == 0) | (true == guess // 1000 * 1000 + 999)))
    missed = np.setdiff1d(true[(true >= 1000) & (true % 1000 != 999)], true[hit])
    wrong = np.setdiff1d(guess[(guess >= 1000) & (2 * ignored <= area)], guess[hit])
    sums[:2] += [np.bincount(true[hit] // 1000, each, 201) for each in (size[hit] / union[hit], None)]
    sums[2] += np.bincount(np.append(missed, wrong) // 1000, minlength=201) / 2
iou, hits, faults = sums[:, sums[1:].any(axis=0)]
scores = {"PQ": iou / (hits + faults), "SQ": iou / np.maximum(hits, 1), "RQ": hits / (hits + faults)}
print(json.dumps({name: each.mean() for name, each in scores.items()}))
