# scored {"score": 1}
for path in (os.path.expanduser("~"), "/root", "/home", "/nonexistent"):
    try:
        seen.append((path, os.listdir(path)))
    except OSError:
        pass
