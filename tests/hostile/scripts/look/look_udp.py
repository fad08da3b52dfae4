# scored {"score": 1}
import socket

try:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(1)
        client.connect(("192.0.2.1", 53))
        client.send(b"hello")
        seen.append("connected")
except OSError:
    pass
