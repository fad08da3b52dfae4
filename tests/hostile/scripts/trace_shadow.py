# scored {"score": 1} twice
import json
import os
import sys

first = json.load(open(sys.argv[1]))["run"] == 1
seen = []

for folder in (os.getcwd(), "/tmp", os.path.dirname(__file__)):
    try:
        open(os.path.join(folder, "csv.py"), "w").write("canary = True")
    except OSError:
        continue
    # A module is found where the script is, which no run can write to, and nowhere else.
    if folder in sys.path:
        seen.append(folder)
import csv

if hasattr(csv, "canary") or os.getcwd() in sys.path or "" in sys.path:
    seen.append(sys.path)

if seen:
    raise SystemExit(f"the second run saw {seen!r}")
print('{"score": 1}')
