# scored {"score": 1}
expect_no_connection(socket.AF_INET6, socket.SOCK_STREAM, ("::1", 80))
