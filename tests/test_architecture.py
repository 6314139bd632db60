"""The floors of docs/architecture.md, held against the imports of each module."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "wcspider"
MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")

_ROW = re.compile(r"^\| (\d+) \| `([\w/]+\.py)` \| \S.* \|$", re.MULTILINE)
ROWS = [(int(floor), module) for floor, module in _ROW.findall((ROOT / "docs" / "architecture.md").read_text("utf-8"))]
FLOORS = {module: floor for floor, module in ROWS}
PLACES = {module: place for place, (_, module) in enumerate(ROWS)}


def imported(module: str) -> Iterator[str]:
    """The names of the modules that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse((PACKAGE / module).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} has a relative import"
            assert node.module is not None
            yield from (_module_of(node.module, alias.name) for alias in node.names)


def _module_of(name: str, member: str) -> str:
    """``from a import b`` imports a.b if that is a module, else a."""
    as_path = PACKAGE.parent.joinpath(*name.split("."), member)
    is_module = name.partition(".")[0] == "wcspider" and (as_path.with_suffix(".py").exists() or as_path.is_dir())
    return f"{name}.{member}" if is_module else name


def ours(module: str) -> list[str]:
    """The modules of the package that a module imports, as paths."""
    names = [name for name in imported(module) if name.partition(".")[0] == "wcspider"]
    return [name.partition(".")[2].replace(".", "/") + ".py" for name in names]


def folder(module: str) -> str:
    """The folder of the package that a module is in; "" for the package's own."""
    return module.partition("/")[0] if "/" in module else ""


def test_every_module_has_one_row() -> None:
    documented = [module for _, module in ROWS]
    assert [module for module in MODULES if documented.count(module) != 1] == []
    assert set(documented) <= set(MODULES)


def test_floors_rise_through_the_table() -> None:
    assert [floor for floor, _ in ROWS] == sorted(floor for floor, _ in ROWS)


@pytest.mark.parametrize("module", FLOORS)
def test_imports_come_from_below(module: str) -> None:
    wrong = [target for target in ours(module) if not _is_below(target, module)]
    assert not wrong, f"{module} (floor {FLOORS[module]}) imports {wrong}"


def _is_below(target: str, module: str) -> bool:
    if target not in FLOORS:  # the package root, or a folder
        return False
    if FLOORS[target] == FLOORS[module]:
        return folder(target) == folder(module) and PLACES[target] < PLACES[module]
    return FLOORS[target] < FLOORS[module]


@pytest.mark.parametrize("module", MODULES)
def test_only_the_pdf_side_imports_pikepdf(module: str) -> None:
    if folder(module) not in ("pdf", "store"):
        assert "pikepdf" not in {name.partition(".")[0] for name in imported(module)}


def test_the_rules_import_neither_scrapy_nor_a_pdf_library() -> None:
    found = {name.partition(".")[0] for module in MODULES if folder(module) == "capture" for name in imported(module)}
    assert not found & {"scrapy", "twisted", "pikepdf", "pypdfium2", "reportlab", "xhtml2pdf"}


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
