# evaluator_error: used more memory than it may
# The first thread of each child ends, and so the child looks dead; its other thread holds the memory.
import ctypes
import os
import platform
import threading
import time


def hold():
    while open("/proc/self/stat").read().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.001)
    held = bytearray(os.urandom(1)) * (48 << 20)
    time.sleep(3600)


for _ in range(6):
    if os.fork() == 0:
        threading.Thread(target=hold).start()
        ctypes.CDLL(None).syscall(60 if platform.machine() == "x86_64" else 93, 0)
time.sleep(3600)
