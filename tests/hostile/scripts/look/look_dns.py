# scored {"score": 1}
import socket

try:
    seen.append(socket.getaddrinfo("example.com", 80))
except OSError:
    pass
