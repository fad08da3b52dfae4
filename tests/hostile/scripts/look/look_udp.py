# scored {"score": 1}
expect_no_connection(socket.AF_INET, socket.SOCK_DGRAM, ("192.0.2.1", 53))
