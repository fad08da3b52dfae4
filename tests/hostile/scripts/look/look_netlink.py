# scored {"score": 1}
import socket

try:
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW) as client:
        client.settimeout(1)
        client.connect((0, 0))
        client.send(b"hello")
        seen.append("connected")
except OSError:
    pass
