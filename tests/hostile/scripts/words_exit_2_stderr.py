# invalid: level 9 is none
import sys

print("level 9 is none", file=sys.stderr)
sys.exit(2)
