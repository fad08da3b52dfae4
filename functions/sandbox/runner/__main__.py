"""Starts the supervisor or the zygote: `python -I FOLDER serve …`, where FOLDER is the one of this file."""

import socket
import sys
from pathlib import Path


def main(arguments: list[str]) -> None:
    """Run as `serve INPUTS SCRATCH …` or as `zygote SECONDS CONTROL SCRIPT SCRATCH …`."""
    # `python -I FOLDER` puts FOLDER first on the path. The package is imported from the folder above. Neither may stay
    # on the path, or scripts could import from it.
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from runner.supervisor import serve  # noqa: PLC0415

    del sys.path[0]
    match arguments:
        case ["serve", inputs, scratch, *packages]:
            serve(inputs, scratch, tuple(packages))
        case ["zygote", seconds, control, script, scratch, *packages]:
            from runner.run import run_zygote  # noqa: PLC0415

            sys.path += packages
            run_zygote(socket.socket(fileno=int(control)), script, scratch, packages, warm_cpu_seconds=int(seconds))
        case _:
            sys.exit("usage: python -I runner serve INPUTS SCRATCH [PACKAGE_FOLDER …]")


if __name__ == "__main__":
    main(sys.argv[1:])
