# scored {"score": 1}
expect_no_connection(socket.AF_VSOCK, socket.SOCK_STREAM, (2, 1024))
