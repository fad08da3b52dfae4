# scored {"score": 1}
expect_no_connection(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 9001))
