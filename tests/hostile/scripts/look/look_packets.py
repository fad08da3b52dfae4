# scored {"score": 1}
expect_no_connection(socket.AF_PACKET, socket.SOCK_RAW, ("lo", 0))
