"""How large a result may be, by each way to hand one in; docs/players.md has the same table."""

MAX_RESULT_BYTES = 20_000_000
"""Of one result, whatever way it comes, but in parts; else `submissions.max_bytes` is at most this."""
MAX_LARGE_BYTES = 2_000_000_000
"""Of one result in parts, which the owner's runner scores."""
PART_BYTES = 4 << 20
"""Of each part but the last."""
MAX_POST_BYTES = 2_500_000
"""Of one result in a POST, which guests may send too. As base64, or with every quote escaped, Lambda takes it."""
MAX_SCRIPT_RESULT_BYTES = 4 << 20
"""Of one result that an evaluation script scores."""
MAX_BATCH_BYTES = 1_000_000_000
"""Of one batch, packed and unpacked."""
MAX_BATCH_ENTRIES = 10_000
MAX_UNPACKED_BYTES = 200_000_000
"""Of all files in a ZIP that is one result."""
MAX_RATIO = 200
"""Of a file in a ZIP to its packed size if it is larger than SMALL_BYTES; deflate reaches 1,032."""
SMALL_BYTES = 2**20
