# scored {"score": 1}
expect_no_connection(socket.AF_INET, socket.SOCK_STREAM, ("169.254.169.254", 80))
