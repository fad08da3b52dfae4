# invalid: gave no reason
raise SystemExit(2)
