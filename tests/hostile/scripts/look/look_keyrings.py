# scored {"score": 1}
expect_refusal("keyctl", call, 250, 219, 0, -3, 0)
expect_refusal("add_key", call, 248, 217, b"user", b"left", b"here", 4, -4)
