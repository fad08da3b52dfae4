# evaluator_error: used more memory than it may
# Each child is small; what lies in their sockets is in no process's memory.
import os
import socket
import time

for _ in range(8):
    if os.fork() == 0:
        held = []
        try:
            while True:
                pair = socket.socketpair()
                held += pair
                for one in pair:
                    one.setblocking(False)
                    try:
                        while True:
                            one.send(bytes(1 << 16))
                    except BlockingIOError:
                        pass
        except OSError:
            time.sleep(3600)
time.sleep(3600)
