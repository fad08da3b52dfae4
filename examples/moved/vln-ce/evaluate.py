"""The measures of VLN-CE and habitat-lab where distances are straight: a real owner has those of the scenes."""

import json
import math
import sys
from pathlib import Path

import numpy as np

truth, paths = (json.loads(Path(file).read_text()) for file in (Path(__file__).with_name("truth.json"), sys.argv[1]))
rows = []
for name, true in truth.items():
    if not isinstance(paths, dict) or np.shape(paths.get(name, ()))[1:] != (3,):
        print(f"{name}: expected a path of positions [x, y, z]")
        sys.exit(2)
    path, goal = np.array(paths[name], float), np.array(true[-1])
    to_goal, length = np.linalg.norm(path - goal, axis=1), sum(map(math.dist, path, path[1:]))
    straight, success = to_goal[0], float(to_goal[-1] < 3)
    costs = np.full((len(path) + 1, len(true) + 1), np.inf)
    costs[0, 0] = 0
    for i, position in enumerate(path, 1):
        for j, reference in enumerate(true, 1):
            costs[i, j] = math.dist(position, reference) + min(costs[i - 1, j], costs[i, j - 1], costs[i - 1, j - 1])
    ndtw = math.exp(-costs[-1, -1] / (len(true) * 3))
    spl = success * straight / max(straight, length)
    rows.append((success, spl, float((to_goal < 3).any()), to_goal[-1], length, ndtw))
print(json.dumps(dict(zip(("SR", "SPL", "OSR", "NE", "TL", "nDTW"), np.mean(rows, axis=0), strict=True))))
