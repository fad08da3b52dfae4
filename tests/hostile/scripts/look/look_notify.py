# scored {"score": 1}
# What the host does in a folder that both see, signals to processes of choice, and notes on the host's files.
import fcntl
import struct

REFUSED = PermissionError

folder = os.open("/usr/share", os.O_RDONLY | os.O_DIRECTORY)
file = os.open("/usr/bin/env", os.O_RDONLY)
reader, _ = os.pipe()
expect_refusal("F_NOTIFY", fcntl.fcntl, folder, 1026, 0x80000001)
expect_refusal("F_SETOWN", fcntl.fcntl, reader, 8, 1)
expect_refusal("F_SETSIG", fcntl.fcntl, reader, 10, 9)
expect_refusal("F_SETOWN_EX", fcntl.fcntl, reader, 15, struct.pack("ii", 1, 1))
expect_refusal("F_SET_RW_HINT", fcntl.fcntl, file, 1036, struct.pack("Q", 2))
expect_refusal("F_SET_FILE_RW_HINT", fcntl.fcntl, file, 1038, struct.pack("Q", 2))
expect_refusal("FIOASYNC", fcntl.ioctl, reader, 0x5452, struct.pack("i", 1))
expect_refusal("FIOSETOWN", fcntl.ioctl, reader, 0x8901, struct.pack("i", 1))
