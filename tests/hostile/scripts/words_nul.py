# invalid: no\x00thing
print("no\0thing")
raise SystemExit(2)
