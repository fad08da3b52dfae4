# scored {"score": 1}
for line in open("/proc/self/mountinfo"):
    where = line.split()[4]
    if where == "/tmp":
        continue
    for folder, folders, _ in os.walk(where):
        folders[:] = [name for name in folders[:3] if os.path.join(folder, name) != "/tmp"]
        if folder.count("/") > 4:
            folders.clear()
        try:
            open(os.path.join(folder, "left-here"), "w").close()
        except OSError:
            continue
        seen.append(folder)
