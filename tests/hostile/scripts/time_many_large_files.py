# evaluator_error: exited with code 1 | wrote more to files than it may
# Each file stays below the limit; together they pass it.
number = 0
while True:
    with open(f"file-{number}", "wb") as file:
        file.write(bytes(1 << 20))
    number += 1
