"""The rules of docs/architecture.md, "Folders", that the contracts of import-linter in pyproject.toml do not cover."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PACKAGE = ROOT / "wcspider"
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")
FOLDERS = sorted({module.parent for module in MODULES})

LARGEST_FOLDER = 14
"""How many modules and folders a folder may have."""

SAME_JOB = {"engine"}
"""Names of modules that do the same job for several engines."""


def test_the_documentation_describes_every_folder() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    at_the_root = [f"{folder}/" for folder in FOLDERS if len(folder.parts) == 1]
    at_the_root += [module.name for module in MODULES if module.parent == Path()]
    assert [name for name in at_the_root if f"`{name}`" not in text] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_no_folder_is_crowded(folder: Path) -> None:
    entries = {path.relative_to(folder).parts[0] for path in MODULES if path.is_relative_to(folder)}
    assert len(entries) <= LARGEST_FOLDER or folder == Path()


def test_module_names_are_unique() -> None:
    counts = Counter(module.stem for module in MODULES)
    assert {name for name, count in counts.items() if count > 1} <= SAME_JOB


def test_init_files_are_empty() -> None:
    assert [str(path) for path in PACKAGE.rglob("__init__.py") if path.read_bytes().strip()] == []


def test_naming_the_engine_does_not_load_its_library() -> None:
    code = """
import sys
from wcspider.engines.registry import ENGINES, engine_for
names = [engine_for(name, "text/html").internal_name() for name in ENGINES]
print(*(module for module in ("reportlab", "xhtml2pdf") if module in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize(
    ("module", "library"),
    [("wcspider.engines.plutobook.page_rendering", "coloraide"), ("wcspider.crawl.progress", "tqdm")],
)
def test_libraries_for_a_few_pages_and_crawls_are_not_loaded_for_all(module: str, library: str) -> None:
    code = f"import sys, {module}; sys.exit({library!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
