# evaluator_error: ran out of time
import re

re.match(r"(a+)+$", "a" * 64 + "b")
