# invalid: level 9 is none
import sys

print("level 9 is none")
sys.exit(2)
