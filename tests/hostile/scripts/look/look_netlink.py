# scored {"score": 1}
expect_no_connection(socket.AF_NETLINK, socket.SOCK_RAW, (0, 0))
