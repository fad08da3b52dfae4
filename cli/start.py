"""The entry point of `laurel`: from its first line on, Ctrl-C ends the command without a traceback."""

import signal


def main() -> None:
    """Run the command line.

    Ctrl-C ends it with exit code 130; while it imports, by the signal itself, which shells show as 130 too.
    """
    # Python would raise KeyboardInterrupt within an import. `resolve_command` of `cli.main` restores that for the
    # command, which may have to clean up. A script that ignores Ctrl-C for what it starts in the background keeps that.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from cli.main import run  # noqa: PLC0415  # the imports may be interrupted

    run()
