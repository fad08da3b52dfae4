# scored {"score": 1} twice
paths = ["canary", "/tmp/canary", "/var/tmp/canary", "/dev/shm/canary", os.path.expanduser("~/canary")]
paths.append(os.path.dirname(os.path.dirname(sys.argv[1])) + "/canary")
seen += [path for path in paths if os.path.lexists(path)]
for path in paths:
    try:
        open(path, "w").write("left here")
    except OSError:
        pass
