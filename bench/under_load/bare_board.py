"""The limit: FastAPI and SQLite, a board that checks nothing, stores a row and sorts.

`uv run --with fastapi --with uvicorn python bench/under_load/bare_board.py FILE` prints its port. A row is committed
to the disk before it is acknowledged, as Laurel does.
"""

import socket
import sqlite3
import sys
import uuid
from typing import Any

import fastapi
import uvicorn

connection = sqlite3.connect(sys.argv[1], isolation_level=None, check_same_thread=False)
connection.execute("PRAGMA journal_mode = WAL")
connection.execute("PRAGMA synchronous = FULL")
connection.execute("CREATE TABLE results (id TEXT PRIMARY KEY, benchmark TEXT, player TEXT, score REAL, body TEXT)")
connection.execute("CREATE INDEX board ON results (benchmark, score)")
app = fastapi.FastAPI()


@app.post("/api/benchmarks/{benchmark}/submissions", status_code=202)
async def submit(benchmark: str, result: dict[str, Any], player: str = "somebody") -> dict[str, str]:
    """Store a row."""
    identity = str(uuid.uuid4())
    row = (identity, benchmark, player, float(result["score"]), str(result))
    connection.execute("INSERT INTO results VALUES (?, ?, ?, ?, ?)", row)
    return {"submission": identity, "status_url": f"/results/{identity}"}


@app.get("/data/b/{benchmark}/head.json")
async def show(benchmark: str) -> dict[str, Any]:
    """Return the rows of a board, sorted."""
    rows = connection.execute(
        "SELECT player, score FROM results WHERE benchmark = ? ORDER BY score DESC LIMIT 100", (benchmark,)
    ).fetchall()
    ((count,),) = connection.execute("SELECT count(*) FROM results WHERE benchmark = ?", (benchmark,))
    return {"rows": rows, "counts": {"submissions": count}}


with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False)).run(sockets=[server])
