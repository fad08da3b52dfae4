# scored {"score": 1} twice
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
