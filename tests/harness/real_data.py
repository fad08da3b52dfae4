"""Real data that its licence keeps out of this repository; `LAUREL_SQUAD_DATA` names its folder."""

import os
from pathlib import Path

import pytest

HALF = Path(os.environ.get("LAUREL_SQUAD_DATA", "")) / "squad-v2-dev-half.json"
"""6,078 questions of the SQuAD 2.0 dev set; beside it predictions, no-answer probabilities and the official output."""

needs_real_data = pytest.mark.skipif(not HALF.is_file(), reason="LAUREL_SQUAD_DATA names no folder with the real data")
