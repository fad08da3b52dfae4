# evaluator_error: used more memory than it may
# Each lock is the kernel's memory; as no two of a process touch, no two become one.
import fcntl
import itertools
import os
import time

for number in range(4):
    if os.fork() == 0:
        try:
            for count in itertools.count():
                file = os.open(f"{number}-{count}", os.O_RDWR | os.O_CREAT)
                for place in range(500, 0, -1):
                    fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * place)
        except OSError:
            time.sleep(3600)
time.sleep(3600)
