# scored {"score": 1}
import socket

try:
    with socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM) as client:
        client.settimeout(1)
        client.connect((2, 1024))
        client.send(b"hello")
        seen.append("connected")
except OSError:
    pass
