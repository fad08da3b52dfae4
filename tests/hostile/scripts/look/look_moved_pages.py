# scored {"score": 1}
# Pages that are moved instead of copied belong to no process any more, and are counted nowhere.
import shutil
import socket

REFUSED = PermissionError

reader, writer = os.pipe()
left, right = socket.socketpair()
open("own", "wb").write(bytes(1 << 20))
file = os.open("own", os.O_RDWR)
page = ctypes.create_string_buffer(4096)
vector = (ctypes.c_size_t * 2)(ctypes.addressof(page), 4096)
expect_refusal("vmsplice", call, 278, 75, writer, vector, ctypes.c_size_t(1), 0)
expect_refusal("splice", os.splice, file, writer, 4096, 0)
expect_refusal("tee", call, 276, 77, reader, writer, ctypes.c_size_t(4096), 0)
expect_refusal("sendfile", os.sendfile, left.fileno(), file, 0, 1)
for option in (socket.SO_SNDBUF, socket.SO_RCVBUF, 32, 33):
    expect_refusal(f"socket option {option}", left.setsockopt, socket.SOL_SOCKET, option, 1 << 24)
shutil.copyfile("own", "copy")
if os.path.getsize("copy") != 1 << 20:
    seen.append("no copy of a file")
