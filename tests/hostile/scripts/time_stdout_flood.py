# evaluator_error: printed more than 1 MiB
while True:
    print("flood")
