"""``python -m wcspider``: the command ``wcspider``, for environments whose scripts are not in the search path."""

from __future__ import annotations

import sys

from wcspider.cli.program import main

sys.exit(main())
