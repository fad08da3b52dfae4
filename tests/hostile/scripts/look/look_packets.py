# scored {"score": 1}
import socket

try:
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as client:
        client.settimeout(1)
        client.connect(("lo", 0))
        client.send(b"hello")
        seen.append("connected")
except OSError:
    pass
