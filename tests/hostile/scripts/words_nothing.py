# evaluator_error: stdout: expected one JSON object
