"""A process that writes to a file of the engine, for `test_processes.py`; prints each write that was acknowledged."""

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[2] / "layers" / "storage"))

from engine.cloud import Engine
from engine.store import Store
from storage.gateway.bucket import Bucket
from storage.gateway.conditions import Absent, Equals, Put
from storage.gateway.errors import Conflict

ACCESS, MAIL = "laurel-local-accesstable", "laurel-local-mailtable"
RESULTS = "laurel-local-results-123456789012-us-east-1"
DEAD = "https://engine/laurel-local-evaluatedeadletterqueue"


def acknowledge(text: str) -> None:
    """Tell the test what was done."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def write(engine: Engine, name: str) -> None:
    """Write objects, pairs of items and messages until somebody ends it."""
    for number in count():
        text = f"{name}.{number}"
        key = f"results/{text}.json"
        Bucket(engine.objects, RESULTS).put(key, b"{}", replacing=None)
        acknowledge(f"object {key}")
        puts = [Put({"thread": {"S": "t"}, "item": {"S": f"{text}-{half}"}}, Absent("thread")) for half in "ab"]
        engine.tables.transact(MAIL, puts)
        acknowledge(f"items {text}")
        engine.messages.send(DEAD, text)
        acknowledge(f"message {text}")


def raise_counter(engine: Engine, _: int) -> int:
    """Raise a counter twenty times by reading it and writing it on a condition; return how often that was done."""
    raised = 0
    while raised < 20:
        item = engine.tables.get(ACCESS, {"key": "counter"})
        before = int(item["n"]["N"]) if item else 0
        after = {"key": {"S": "counter"}, "n": {"N": str(before + 1)}}
        try:
            engine.tables.put(ACCESS, Put(after, Equals("n", before) if before else Absent("n")))
        except Conflict:
            continue
        else:
            raised += 1
    return raised


def main() -> None:
    """Do what the arguments say: the file, `write` or `raise`, and a name."""
    path, task, name = sys.argv[1:]
    engine = Engine(Store(Path(path)))
    if task == "write":
        write(engine, name)
    with ThreadPoolExecutor(3) as pool:
        acknowledge(str(sum(pool.map(lambda number: raise_counter(engine, number), range(3)))))


if __name__ == "__main__":
    main()
