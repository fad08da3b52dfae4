# scored {"score": 1}
import socket

try:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as client:
        client.settimeout(1)
        client.connect(("169.254.169.254", 80))
        client.send(b"hello")
        seen.append("connected")
except OSError:
    pass
