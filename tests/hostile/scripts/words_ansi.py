# invalid: \x1b[31mred
print("\x1b[31mred\x1b[0m")
raise SystemExit(2)
