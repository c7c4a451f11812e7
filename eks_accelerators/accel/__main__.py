"""`accel` and `python -m eks_accelerators.accel`."""

import gc
import sys

from eks_accelerators.accel.exit_status import ExitStatus


def main() -> None:
    """Run the command line. What cannot be done ends in one line and exit status 2, never in a traceback."""
    # A short process whose objects nearly all live to its end: to look for garbage among them again and
    # again would take half of its time.
    gc.set_threshold(1_000_000, 10, 10)
    try:
        _run()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(ExitStatus.INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(ExitStatus.DONE)


def _run() -> None:
    from eks_accelerators.accel.cli import app
    from eks_accelerators.accel.streams import all_escaped
    from eks_accelerators.settings.problems import SettingsError

    try:
        with all_escaped():
            app()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(ExitStatus.REFUSED)


if __name__ == "__main__":
    main()
