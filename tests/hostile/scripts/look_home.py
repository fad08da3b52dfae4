# scored {"score": 1}
import os

seen = []
for path in (os.path.expanduser("~"), "/root", "/home", "/nonexistent"):
    try:
        seen.append((path, os.listdir(path)))
    except OSError:
        pass
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
