# invalid: right \u202e left
print("right \u202e left")
raise SystemExit(2)
