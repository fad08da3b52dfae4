"""`laurel`: score at home with the code of the platform, publish benchmarks, hand in results, read boards."""
