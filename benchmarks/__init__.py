"""Programs that measure wcspider; docs/benchmarks.md describes them."""

import compileall
from pathlib import Path

# As in an installed package. Otherwise each process would compile the modules again, where the environment forbids
# Python to keep compiled modules.
compileall.compile_dir(Path(__file__).parent.parent / "wcspider", quiet=1)
