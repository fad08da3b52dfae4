# invalid: [cut: at least
print("é" * 100_000)
raise SystemExit(2)
