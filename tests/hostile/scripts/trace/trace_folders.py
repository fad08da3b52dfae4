# scored {"score": 1} twice
# Folders that nobody may enter, and one very deep.
own = {os.path.basename(path) for path in (os.getcwd(), *map(os.path.dirname, sys.argv))}
seen += [name for name in os.listdir("/tmp") if name not in own]
os.makedirs("/tmp/closed/inner")
open("/tmp/closed/inner/file", "w").close()
os.chmod("/tmp/closed/inner", 0)
os.chmod("/tmp/closed", 0)
for _ in range(3000):
    os.mkdir("deeper")
    os.chdir("deeper")
