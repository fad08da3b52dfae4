# evaluator_error: exited with code 1
def broken(:
