# scored {"score": 1}
import socket

try:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as client:
        client.settimeout(1)
        client.connect(("127.0.0.1", 9001))
        client.send(b"hello")
        seen.append("connected")
except OSError:
    pass
