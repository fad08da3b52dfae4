# evaluator_error: wrote more to files than it may
# An empty file takes no room in a file system, and the kernel's memory all the same.
import os

number = 0
while True:
    os.mknod(f"file-{number}")
    number += 1
