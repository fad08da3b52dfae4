# scored {"score": 1} twice
# Whatever empties this folder must not walk out of it.
import socket

own = {os.path.basename(path) for path in (os.getcwd(), *map(os.path.dirname, sys.argv))}
seen += [name for name in os.listdir("/tmp") if name not in own]
os.symlink(os.path.dirname(os.path.dirname(sys.argv[1])), "/tmp/link")
os.symlink("/", "link")
os.symlink("link-2", "link-2")
os.mkfifo("/tmp/pipe")
server = socket.socket(socket.AF_UNIX)
server.bind("/tmp/socket")
for target in (sys.argv[0], sys.argv[1], "/usr/bin/env", "/runner/__main__.py"):
    try:
        os.link(target, "/tmp/hard-" + os.path.basename(target))
        seen.append(os.path.basename(target))
    except OSError:
        pass
