"""Make up truth.zip and result.zip, 480 kB a scan: `python make.py SCANS`; 2,084 are a result of 1 GB."""

import sys
import zipfile

import numpy as np

rng, labels = np.random.default_rng(1), np.array([0, 10, 11, 30, 40, 48, 50, 70, 72, 99, 252, 259], "<u4")
with zipfile.ZipFile("truth.zip", "w", zipfile.ZIP_DEFLATED) as truth, zipfile.ZipFile("result.zip", "w") as result:
    for scan in range(int(sys.argv[1])):
        true = rng.choice(labels, 1000).repeat(120)
        guess = np.where(rng.random(true.size) < 0.8, true, rng.choice(labels, true.size))
        guess |= rng.integers(0, 1 << 16, true.size, "<u4") << 16  # an instance, which nobody looks at
        truth.writestr(f"sequences/11/labels/{scan:06}.label", true.tobytes())
        result.writestr(f"sequences/11/predictions/{scan:06}.label", guess.tobytes())
