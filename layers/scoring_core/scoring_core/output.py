"""What a script printed. A module of its own: pydantic reads the data class, and a POST waits for none."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Output:
    """What an evaluation script printed, and how it ended."""

    stdout: str
    stderr: str
    ended: str
