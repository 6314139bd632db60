"""The start of the command ``wcspider``, and of ``python -m wcspider`` where scripts are not in the search path."""

from __future__ import annotations

import sys

from wcspider.interrupts import ending_quietly
from wcspider.program_end import end_at_once


def main() -> int:
    """Run the command line and return its exit status."""
    end_at_once()
    with ending_quietly():
        from wcspider.cli.program import main as run
    return run()


if __name__ == "__main__":
    sys.exit(main())
