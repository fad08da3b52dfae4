"""`laurel`: score results with the code of the platform, publish benchmarks, submit results, read boards."""
