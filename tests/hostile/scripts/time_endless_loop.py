# evaluator_error: ran out of time
while True:
    pass
