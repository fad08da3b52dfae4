# scored {"score": 1}
# Its ground truth lies beside it, and it may not change it.
import json
import sys

path = os.path.join(os.path.dirname(__file__), "truth.json")
if json.load(open(path)) != {"level": 1}:
    seen.append("another truth")
for mode in ("w", "a", "r+"):
    try:
        open(path, mode)
        seen.append(mode)
    except OSError:
        pass
