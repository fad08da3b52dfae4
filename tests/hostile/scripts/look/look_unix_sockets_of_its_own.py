# scored {"score": 1}
# What a script needs among its own processes stays possible.
import multiprocessing
import socket

left, right = socket.socketpair()
left.send(b"hello")
if right.recv(5) != b"hello":
    seen.append("no socket pair")
reader, writer = multiprocessing.Pipe()
child = multiprocessing.get_context("fork").Process(target=writer.send, args=("hello",))
child.start()
if reader.recv() != "hello":
    seen.append("no pipe")
child.join()
