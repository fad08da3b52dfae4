# scored {"score": 1}
import socket

seen = []
try:
    seen.append(socket.getaddrinfo("example.com", 80))
except OSError:
    pass
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
