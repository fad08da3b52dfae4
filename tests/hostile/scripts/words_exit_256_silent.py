# evaluator_error: stdout: expected one JSON object
raise SystemExit(256)
