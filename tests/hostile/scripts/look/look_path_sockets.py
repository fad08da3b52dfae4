# scored {"score": 1}
import stat

for folder, folders, files in os.walk("/"):
    if folder in ("/proc", "/usr", "/python", "/packages"):
        folders.clear()
    for name in files:
        path = os.path.join(folder, name)
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            seen.append(path)
