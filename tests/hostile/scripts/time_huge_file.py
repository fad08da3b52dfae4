# evaluator_error: exited with code 1 | wrote more to files than it may
with open("/tmp/huge", "wb") as file:
    while True:
        file.write(bytes(1 << 20))
