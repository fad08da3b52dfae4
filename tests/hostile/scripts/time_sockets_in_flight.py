# evaluator_error: used more memory than it may
# A socket that lies in another socket is open, full, and in no table of descriptors.
import socket
import time

held = []


def fill():
    pair = socket.socketpair()
    pair[0].setblocking(False)
    try:
        while True:
            pair[0].send(bytes(1 << 16))
    except BlockingIOError:
        return pair


carrier = socket.socketpair()
for _ in range(40):
    pair = fill()
    socket.send_fds(carrier[0], [b"x"], [one.fileno() for one in pair])
    for one in pair:
        one.close()
for _ in range(50):
    held += fill()
time.sleep(3600)
